/* A log of measured jobs of any bytes: what is accepted is in order of time and found by its ids,
   and compared with itself it has no error. */
#include "experiment/validate/load.h"
#include "experiment/validate/outcome.h"
#include "fuzz/fuzz.h"

#include <math.h>

static void check_rows(const struct job_table *jobs) {
    for (uint32_t i = 0; i < jobs->rows.count; i++) {
        const double *v = jobs->rows.at[i].values;
        const struct intern_entry *id = &jobs->ids.entries.at[i];
        fuzz_assert(job_table_find(jobs, id->key, id->length) == &jobs->rows.at[i]);
        fuzz_assert(id->length > 0 && jobs->rows.at[i].line > 1);
        fuzz_assert(!(v[JOB_FINISH] < v[JOB_START]) && !(v[JOB_START] < v[JOB_SUBMIT]));
        fuzz_assert(isnan(v[JOB_GPUS]) || v[JOB_GPUS] >= 1);
        for (enum job_column c = 0; c < JOB_COLUMN_COUNT; c++)
            fuzz_assert(!isinf(v[c]));
    }
}

static void check_self(const struct validate_case *v) {
    const struct outcome_run run = {.jobs = &v->jobs};
    struct outcome outcome = {.rows = NULL};
    outcome_compare(&outcome, v, &run);
    for (size_t i = 0; i < v->measure_count; i++) {
        const struct outcome_row *row = &outcome.rows[i];
        fuzz_assert(row->missing == 0 && (isnan(row->error) || row->error == 0));
        fuzz_assert(row->verdict == (isnan(row->error) ? VERDICT_FAIL : VERDICT_PASS));
    }
    outcome_finish(&outcome);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
    struct validate_case v;
    struct problems problems = {0};
    int r = validate_case_of_log(&v, fuzz_file(FUZZ_FILE_INPUT, bytes, length), "c.yaml", 0.5,
                                 &problems);
    fuzz_assert((r < 0) == (problems.count > 0));
    if (r == 0) {
        check_rows(&v.jobs);
        check_self(&v);
    }
    problems_finish(&problems);
    validate_case_finish(&v);
    return 0;
}
