/* Readings of a meter of any bytes: what is accepted is ordered, apart and above 0, and no row is
   lost; errors and means of it are numbers or absent. */
#include "config/meter.h"
#include "fuzz/fuzz.h"

#include <math.h>

static void check_readings(const struct meter *m) {
    for (size_t i = 0; i < m->count; i++) {
        const struct meter_reading *here = &m->at[i];
        fuzz_assert(here->end_s > here->begin_s && here->power_w >= 0);
        fuzz_assert(i == 0 || here[-1].end_s <= here->begin_s);
    }
    fuzz_assert(m->count <= m->rows && m->gaps.count <= m->count);
    fuzz_assert(m->rows <= m->count + m->missing.count + m->negative.count + m->again.count);
}

static void check_errors(const struct meter *m) {
    double *means = malloc((m->count + 1) * sizeof *means);
    const struct meter_curves curves = {m->at, means, m->count};
    meter_means(m, m->at, m->count, means);
    struct meter_errors e = meter_errors_between(&curves, -INFINITY, INFINITY);
    fuzz_assert(e.readings == m->count);
    fuzz_assert(isnan(e.absolute) || e.absolute < 1e-6);
    struct meter_hour worst[3];
    fuzz_assert(meter_worst_hours(&curves, -INFINITY, INFINITY, worst, 3) <= 3);
    free(means);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
    struct arena arena = {0};
    struct problems problems = {0};
    struct meter meter = {.file = fuzz_file(FUZZ_FILE_INPUT, bytes, length), .offset_s = 5};
    int r = meter_load(&meter, &arena, &problems);
    fuzz_assert((r < 0) == (problems.count > 0));
    if (r == 0) {
        check_readings(&meter);
        check_errors(&meter);
    }
    problems_finish(&problems);
    arena_finish(&arena);
    return 0;
}
