/* easim import: a recorded job log as a workload CSV, with a report of what was read, kept, changed and dropped. */
#include "cli/cli.h"
#include "ingest/readers.h"
#include "io/atomic_file.h"
#include "workload/trace_file.h"

#include <stdio.h>
#include <string.h>

struct arguments {
    const char *format, *input, *output;
    struct trace_options options;
};

static error_t parse(int key, char *value, struct argp_state *state) {
    struct arguments *a = state->input;
    switch (key) {
    case 'o':
        a->output = value;
        return 0;
    case 'e':
        a->options.estimate_is_run_time = strcmp(value, "run") == 0;
        if (!a->options.estimate_is_run_time && strcmp(value, "requested") != 0)
            argp_error(state, "--estimate: expected run or requested, got \"%s\"", value);
        return 0;
    case 'm':
        a->options.models = true;
        return 0;
    case ARGP_KEY_ARG:
        if (state->arg_num > 1)
            argp_error(state, "expected FORMAT FILE, got more: %s", value);
        *(state->arg_num == 0 ? &a->format : &a->input) = value;
        return 0;
    case ARGP_KEY_END:
        if (state->arg_num < 2)
            argp_error(state, "expected FORMAT FILE");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option options[] = {
    {"output", 'o', "FILE", 0, "workload CSV to write (default: standard output)", 0},
    {"estimate", 'e', "run|requested", 0, "swf: what stands as requested_s (default: requested)", 0},
    {"models", 'm', NULL, 0, "take model, batch and deadline from the log where it has them", 0},
    {0},
};

static int write_output(const struct arguments *a, const struct trace *trace, struct error *reterr) {
    struct str text = {0};
    int r = 0;
    trace_file_write(trace, &text);
    if (a->output)
        r = atomic_file_write_whole(a->output, text.text, text.length, reterr);
    else if (fwrite(text.text, 1, text.length, stdout) != text.length || fflush(stdout) != 0)
        r = error_set(reterr, ERROR_IO, "standard output: cannot write");
    str_finish(&text);
    return r;
}

static void report(const struct arguments *a, const struct trace *trace) {
    fprintf(stderr, "%s: %llu rows read, %zu kept\n", a->input, (unsigned long long)trace->rows_read,
            trace->rows.count);
    if (trace->offset_s != 0)
        fprintf(stderr, "%s: first submit at %.9g s is now 0\n", a->input, trace->offset_s);
    struct str notes = {0};
    trace_write_notes(trace, a->input, "", &notes);
    fputs(notes.length > 0 ? notes.text : "", stderr);
    str_finish(&notes);
}

int cli_import(int argc, char **argv) {
    struct arguments a = {0};
    const struct argp argp = {options,
                              parse,
                              "FORMAT FILE",
                              "Reads a recorded job log (plain, gz or zst) and writes it as a workload CSV.\v"
                              "Formats:\n"
                              "  swf       Standard Workload Format\n"
                              "  itp       Microsoft ITP GPU clusters, raw or annotated\n"
                              "  workload  easim's own CSV (checks and sorts it)",
                              NULL,
                              NULL,
                              NULL};
    cli_parse(&argp, argc, argv, &a);
    const struct trace_reader *reader = trace_file_find_reader(ingest_readers, a.format);
    if (!reader) {
        fprintf(stderr, "easim import: no format is named \"%s\" (swf, itp, workload)\n", a.format);
        return EXIT_BAD_INPUT;
    }
    struct trace trace = {0};
    struct problems problems = {0};
    struct error error = {0};
    int r = EXIT_DONE;
    if (reader->read(a.input, &a.options, &trace, &problems) < 0)
        r = cli_report_problems(&problems);
    else if (write_output(&a, &trace, &error) < 0)
        r = cli_report_error(&error);
    else
        report(&a, &trace);
    trace_finish(&trace);
    problems_finish(&problems);
    return r;
}
