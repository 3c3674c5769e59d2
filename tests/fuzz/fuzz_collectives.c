/* Measured collectives of any bytes: what is accepted is sorted, has laws whose times are above 0
   and no smaller for more bytes. */
#include "calibrate/collectives/collective_laws.h"
#include "fuzz/fuzz.h"

#include <math.h>

static void check_fit(const struct collective_fit *fit, const struct collective_rows *rows) {
    const struct collective_row *of = &rows->rows.at[fit->first];
    double before_s = 0;
    for (size_t i = 0; i < fit->count; i++) {
        double time_s = collective_time_s(fit, of, of[i].bytes);
        fuzz_assert(of[i].gpu == of->gpu && of[i].gpus == of->gpus);
        fuzz_assert(isfinite(time_s) && time_s > 0 && time_s >= before_s);
        before_s = time_s;
    }
    for (int a = 0; a < ALGORITHMS; a++)
        fuzz_assert(fit->laws[a].alpha_s >= 0 && fit->laws[a].bytes_s > 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
    const char *path = fuzz_file(FUZZ_FILE_INPUT, bytes, length);
    struct arena arena = {0};
    struct problems problems = {0};
    const struct binding binding = {.arena = &arena, .problems = &problems};
    struct collective_rows rows = {0};
    struct collective_fits fits = {0};
    int r = collective_rows_load(&rows, path, &binding);
    fuzz_assert((r < 0) == (problems.count > 0));
    if (r == 0) {
        collective_fit_all(&fits, &rows);
        size_t covered = 0;
        for (size_t f = 0; f < fits.fits.count; f++) {
            check_fit(&fits.fits.at[f], &rows);
            covered += fits.fits.at[f].count;
        }
        for (size_t f = 0; f < fits.too_few.count; f++)
            covered += fits.too_few.at[f].count;
        fuzz_assert(covered == rows.rows.count);
    }
    collective_fits_finish(&fits);
    collective_rows_finish(&rows);
    problems_finish(&problems);
    arena_finish(&arena);
    return 0;
}
