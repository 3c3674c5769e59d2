/* DCGM: dmon, the exporter's text, and answers of Prometheus. */
#include "ingest/dcgm.h"
#include "profile_input.h"

#include <math.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const struct profile_reader *const readers[] = {&dcgm_reader, &dcgm_exporter_reader, &prometheus_reader};
    struct profile_options options = {.power_limit_w = NAN, .interval_s = 1};
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++)
        fuzz_profile(readers[i], &options, data, size);
    return 0;
}
