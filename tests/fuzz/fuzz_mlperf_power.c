/* The readings of a power meter of MLPerf on any bytes: a mean is one of readings, problems are
 * said. */
#include "fuzz/fuzz.h"
#include "ingest/mlperf/internal.h"

#include <math.h>

static char made_folder[] = "/tmp/easim-fuzz-XXXXXX";
static char made_link[sizeof made_folder + 8];

static void remove_folder(void) {
    unlink(made_link);
    rmdir(made_folder);
}

/* A folder with one file, node_0, that leads to the bytes. */
static const char *power_folder(const uint8_t *bytes, size_t length) {
    const char *file = fuzz_file(FUZZ_FILE_INPUT, bytes, length);
    if (made_link[0])
        return made_folder;
    if (!mkdtemp(made_folder))
        fuzz_fail("cannot make a folder");
    snprintf(made_link, sizeof made_link, "%s/node_0", made_folder);
    if (symlink(file, made_link) != 0)
        fuzz_fail("cannot make a link");
    atexit(remove_folder);
    return made_folder;
}

static void read_input(const struct profile_options *options, const char *folder) {
    struct mlperf_power power = {.start_ms = 2000, .stop_ms = 52000, .nodes = 1};
    struct profile profile = {0};
    struct problems problems = {0};
    mlperf_power_read(folder, options, &power, &profile, &problems);
    fuzz_assert(isnan(power.mean_w) || (power.mean_w > 0 && power.mean_w <= 1e6));
    fuzz_assert(isnan(power.floor_w) || (power.floor_w > 0 && power.floor_w <= 1e6));
    profile_finish(&profile);
    problems_finish(&problems);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
    struct profile_options options = {0};
    const char *folder = power_folder(bytes, length);
    read_input(&options, folder);
    options.strict = true;
    read_input(&options, folder);
    return 0;
}
