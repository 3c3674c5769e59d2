/* Utilization over time of any bytes, beside a log of three jobs: what is accepted begins at 0,
   rises, changes the value each time, ends before the job, and all rows are accounted for. */
#include "fuzz/fuzz.h"
#include "workload/utilization_file.h"

#include <string.h>

static uint64_t check_steps(const struct trace_row *row) {
    const struct utilization_steps *steps = row->steps;
    double mean = row->utilization;
    if (!steps)
        return 0;
    fuzz_assert(steps->count > 0 && steps->at[0].from_s == 0 && !row->model);
    for (uint32_t i = 0; i < steps->count; i++) {
        const struct utilization_step *step = &steps->at[i];
        fuzz_assert(step->value >= 0 && step->value <= 1 && step->from_s < row->duration_s);
        fuzz_assert(i == 0 || (step->from_s > step[-1].from_s && step->value != step[-1].value));
    }
    return steps->count - (steps->at[0].value == mean);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
    const char *path = fuzz_file(FUZZ_FILE_INPUT, bytes, length);
    struct trace trace = {0};
    struct problems problems = {0};
    struct utilization_file file = {0};
    static const char *const ids[] = {"a", "b", "m"};
    for (uint32_t i = 0; i < 3; i++) {
        struct trace_row row = trace_row_absent(i + 2);
        row.id = ids[i];
        row.duration_s = 100 * (i + 1);
        row.utilization = 0.5;
        row.model = i == 2 ? "model" : NULL;
        array_push(&trace.rows, row);
    }
    utilization_file_read(&file, path, 1, &trace, &problems);
    if (problems.count == 0) {
        uint64_t changes = 0;
        for (size_t i = 0; i < trace.rows.count; i++)
            changes += check_steps(&trace.rows.at[i]);
        fuzz_assert(changes == file.changes);
        fuzz_assert(file.rows == file.changes + file.same.count + file.beyond.count +
                                     file.modelled.count + file.unknown.count);
        fuzz_assert((file.unknown.count > 0) == (file.unknown_jobs > 0));
    }
    utilization_file_finish(&file);
    trace_finish(&trace);
    problems_finish(&problems);
    return 0;
}
