/* dynolog: glog and JSON lines. */
#include "ingest/dynolog.h"
#include "profile_input.h"

#include <math.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct profile_options options = {.power_limit_w = NAN, .interval_s = 10};
    fuzz_profile(&dynolog_reader, &options, data, size);
    return 0;
}
