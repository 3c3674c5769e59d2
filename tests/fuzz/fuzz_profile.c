/* A measurement in the format READER: whatever the bytes, a failure says why and all that is found
 * can be written.
 */
#include "fuzz/fuzz.h"
#include "ingest/formats.h"
#include "ingest/trace/trace.h"

#include <gsl/gsl_errno.h>
#include <math.h>
#include <string.h>

static const struct profile_reader *find_reader(void) {
    const struct profile_reader *const *reader = profile_readers;
    while (*reader && strcmp((*reader)->name, READER) != 0)
        reader++;
    return *reader;
}

static void read_input(const struct profile_options *options, const uint8_t *bytes, size_t length) {
    char path[64];
    snprintf(path, sizeof path, "%s", fuzz_file(FUZZ_FILE_INPUT, bytes, length));
    const struct profile_reader *reader = find_reader();
    struct profile profile = {0};
    struct problems problems = {0};
    char *paths[] = {path};
    struct str out = {0};
    fuzz_assert(reader);
    int status = profile_read(reader, paths, 1, options, &profile, &problems);
    fuzz_assert((status < 0) == (problems.count > 0));
    if (status == 0) {
        profile_write_csv(&profile, &out);
        figures_write_json(profile.figures, &out);
        figures_write_table(profile.figures, 20, &out);
        fuzz_assert(profile.rows.count > 0);
    }
    str_finish(&out);
    profile_finish(&profile);
    problems_finish(&problems);
}

/* The same file for easim trace. */
static void analyze_input(const struct profile_options *options, const uint8_t *bytes,
                          size_t length) {
    char path[64];
    snprintf(path, sizeof path, "%s", fuzz_file(FUZZ_FILE_INPUT, bytes, length));
    const struct trace_request request = {.reading = *options,
                                          .what_if = "communication=2x,host=0"};
    struct trace_report report = {.damaged = false};
    struct problems problems = {0};
    char *paths[] = {path};
    struct str out = {0};
    int status = trace_analyze(paths, 1, &request, &report, &problems);
    fuzz_assert((status < 0) == (problems.count > 0));
    if (status == 0)
        figures_write_json(report.figures, &out);
    str_finish(&out);
    trace_report_finish(&report);
    problems_finish(&problems);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
    struct profile_options options = {.power_limit_w = NAN,
                                      .interval_s = 1,
                                      .kernel_delay_us = 30,
                                      .batch = 2,
                                      .samples = 10,
                                      .energy_unit = "Wh",
                                      .trim_idle = true};
    gsl_set_error_handler_off(); /* as the command does */
    read_input(&options, bytes, length);
    if (strcmp(READER, "kineto") == 0)
        analyze_input(&options, bytes, length);
    options.iteration_pattern = "step";
    options.has_steps = true;
    options.last_step = 5;
    options.columns = "timestamp,uuid,power.draw,utilization.gpu,memory.used";
    read_input(&options, bytes, length);
    if (strcmp(READER, "kineto") == 0)
        analyze_input(&options, bytes, length);
    options.strict = true;
    read_input(&options, bytes, length);
    options.batch = 0; /* of rows that have their own */
    read_input(&options, bytes, length);
    return 0;
}
