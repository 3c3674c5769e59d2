/* Kineto traces: as they are, strictly, and with steps and a pattern chosen. */
#include "ingest/kineto.h"
#include "profile_input.h"

#include <math.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct profile_options options = {.power_limit_w = NAN, .batch = 2};
    fuzz_profile(&kineto_reader, &options, data, size);
    options.iteration_pattern = "step";
    options.has_steps = true;
    options.last_step = 5;
    fuzz_profile(&kineto_reader, &options, data, size);
    options.strict = true;
    fuzz_profile(&kineto_reader, &options, data, size);
    return 0;
}
