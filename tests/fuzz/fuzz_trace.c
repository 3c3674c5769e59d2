/* One reader of job logs (READER, a name of the table or "workload") on any bytes. It must not
   crash, and a log that it accepts must be in order and come back unchanged from the workload CSV
   that easim writes of it. */
#include "fuzz/fuzz.h"
#include "ingest/formats.h"
#include "workload/trace_file.h"

#include <stdlib.h>

static void check_rows(const struct trace *trace) {
    for (size_t i = 0; i < trace->rows.count; i++) {
        const struct trace_row *row = &trace->rows.at[i];
        fuzz_assert(row->id && row->id[0]);
        fuzz_assert(i == 0 || row[-1].submit_ns <= row->submit_ns);
        fuzz_assert(row->submit_ns >= 0);
    }
    fuzz_assert(trace->rows_read >= trace->rows.count);
}

/* Written, read and written again: the same bytes. */
static void check_round_trip(const struct trace *trace) {
    struct trace again = {0};
    struct problems problems = {0};
    struct str first = {0}, second = {0};
    trace_file_write(trace, &first);
    const char *path = fuzz_file(FUZZ_FILE_OUTPUT, first.text, first.length);
    if (trace_file_read(path, NULL, &again, &problems) < 0)
        fuzz_fail(problems.texts[0]);
    trace_file_write(&again, &second);
    fuzz_assert(first.length == second.length &&
                memcmp(first.text, second.text, first.length) == 0);
    str_finish(&first);
    str_finish(&second);
    trace_finish(&again);
    problems_finish(&problems);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
    static const struct trace_work work[] = {{.model = "cifar10", .samples = 5e6},
                                             {.model = "bert", .samples = 2.5}};
    const struct trace_reader *reader = trace_file_find_reader(ingest_readers, READER);
    const struct trace_options options = {.models = length % 2 == 1, .work = work, .work_count = 2};
    struct trace trace = {0};
    struct problems problems = {0};
    const char *path = fuzz_file(FUZZ_FILE_INPUT, bytes, length);
    int r = reader->read(path, &options, &trace, &problems);
    fuzz_assert((r < 0) == (problems.count > 0));
    if (r == 0) {
        check_rows(&trace);
        check_round_trip(&trace);
    }
    trace_finish(&trace);
    problems_finish(&problems);
    return 0;
}
