/* nvidia-smi: CSV and dmon, and CSV without a header. */
#include "ingest/nvidia_smi.h"
#include "profile_input.h"

#include <math.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct profile_options options = {.power_limit_w = NAN, .interval_s = 1, .trim_idle = true, .samples = 10};
    fuzz_profile(&nvidia_smi_reader, &options, data, size);
    options.columns = "timestamp,uuid,power.draw,utilization.gpu,memory.used";
    options.strict = true;
    fuzz_profile(&nvidia_smi_reader, &options, data, size);
    return 0;
}
