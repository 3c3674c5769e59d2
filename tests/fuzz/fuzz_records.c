/* Files of one row a measurement: EA2P, Zeus, CodeCarbon. */
#include "ingest/codecarbon.h"
#include "ingest/ea2p.h"
#include "ingest/zeus.h"
#include "profile_input.h"

#include <math.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const struct profile_reader *const readers[] = {&ea2p_reader, &zeus_reader, &codecarbon_reader};
    struct profile_options options = {.power_limit_w = NAN, .energy_unit = "Wh", .samples = 5};
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++)
        fuzz_profile(readers[i], &options, data, size);
    return 0;
}
