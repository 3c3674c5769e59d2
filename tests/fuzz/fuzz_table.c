/* Tables of policies, of any bytes: rows that are accepted hold what their columns may, and those
   with a key are told apart by it. */
#include "fuzz/fuzz.h"
#include "policy/param_table.h"

#include <string.h>

enum { TIME, JOB, GPUS, COUNT };

static const struct easim_column columns[] = {
    {"file", "time_s", EASIM_PARAM_REAL, 0, 4e9, true},
    {"file", "job_id", EASIM_PARAM_TEXT, 0, 0, true},
    {"file", "gpus", EASIM_PARAM_INT, 1, 1e6, false},
};
static const struct easim_policy policy = {.columns = columns, .column_count = COUNT};

static void check_table(const struct easim_table *t) {
    const double *times = t->columns[TIME];
    const char *const *jobs = t->columns[JOB];
    const int64_t *gpus = t->columns[GPUS];
    fuzz_assert(t->row_count > 0 && t->column_count == COUNT);
    for (uint32_t i = 0; i < t->row_count; i++) {
        fuzz_assert(times[i] >= 0 && times[i] <= 4e9 && jobs[i][0] && gpus[i] >= 1);
        fuzz_assert(t->lines[i] > (i > 0 ? t->lines[i - 1] : 1));
        for (uint32_t j = 0; j < i && i < 100; j++)
            fuzz_assert(times[i] != times[j] || strcmp(jobs[i], jobs[j]) != 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
    const char *path = fuzz_file(FUZZ_FILE_INPUT, bytes, length);
    struct arena arena = {0};
    struct problems problems = {0};
    struct str unused = {0};
    const struct binding binding = {.arena = &arena, .problems = &problems};
    const struct easim_table *table = param_table_read(&policy, "file", path, &binding, &unused);
    fuzz_assert(!table == (problems.count > 0));
    if (table)
        check_table(table);
    str_finish(&unused);
    problems_finish(&problems);
    arena_finish(&arena);
    return 0;
}
