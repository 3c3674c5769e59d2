/* easim trace cut, filter and merge. */
#include "ingest/trace_edit/trace_edit.h"
#include "cli/cli.h"
#include "cli/internal.h"

#include <inttypes.h>

static int conclude(struct options *options, struct trace_edit *edit, int r,
                    const struct error *error) {
    int code = edit->damaged ? EXIT_RECOVERED : EXIT_DONE;
    if (r < 0)
        code = options->problems.count > 0 ? cli_report_problems(&options->problems)
                                           : cli_report_error(error);
    else
        cli_show("trace: %s: %" PRIu64 " of %" PRIu64 " events\n", edit->output, edit->kept,
                 edit->records);
    for (size_t i = 0; i < edit->notes.count; i++)
        cli_say("%s\n", edit->notes.texts[i]);
    trace_edit_finish(edit);
    return code;
}

static struct trace_edit edit_of(const struct options *options) {
    return (struct trace_edit){.output = options->out,
                               .strict = options->profile.strict,
                               .notes = {.dashes = "--", .every = true}};
}

int trace_cut(struct options *options) {
    struct trace_edit edit = edit_of(options);
    struct error error = {0};
    int r = trace_cut_write(&edit, options->operands[1], options->profile.first_step,
                            options->profile.last_step, &options->problems, &error);
    return conclude(options, &edit, r, &error);
}

int trace_filter(struct options *options) {
    struct trace_edit edit = edit_of(options);
    struct error error = {0};
    int r = trace_filter_write(&edit, options->operands[1], options->traced.category,
                               &options->problems, &error);
    return conclude(options, &edit, r, &error);
}

int trace_merge(struct options *options) {
    struct trace_edit edit = edit_of(options);
    struct error error = {0};
    int r = trace_merge_write(&edit, options->operands + 1, options->operand_count - 1,
                              &options->problems, &error);
    return conclude(options, &edit, r, &error);
}
