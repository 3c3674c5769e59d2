/* Pages about results: easim report and easim timeline. */
#include "cli/cli.h"
#include "cli/internal.h"
#include "cli/scenario_args.h"
#include "insight/timeline/timeline.h"
#include "io/atomic_file.h"
#include "io/files.h"
#include "output/html/report.h"

#include <inttypes.h>
#include <math.h>

/* --- report: one page about a run or a comparison --- */

#define PAGE_NAME "report.html"

/* The lines that make the page, and the results, again. */
static void write_lines(const struct options *options, struct str *again, struct str *repeat) {
    str_add(again, "easim report");
    for (size_t i = 0; i < options->operand_count; i++) {
        str_add_char(again, ' ');
        shell_add_word(again, options->operands[i]);
    }
    if (options->policy) {
        str_add(again, " --policy ");
        shell_add_word(again, options->policy);
    }
    if (options->replication > 1)
        str_addf(again, " --replication %lld", (long long)options->replication);
    if (options->d3) {
        str_add(again, " --d3 ");
        shell_add_word(again, options->d3);
    }
    struct str manifest = {0};
    str_addf(&manifest, "%s/manifest.json", options->operands[0]);
    shell_add_word(repeat, manifest.text);
    str_finish(&manifest);
}

/* The folder is read, and the page made, before anything is written. */
static int make_page(struct options *options, struct str *page, struct error *reterr) {
    struct str d3 = {0}, again = {0}, repeat = {0}, data = {0};
    struct what_if what_if = {.options = options};
    const struct insight_hooks hooks = {&what_if, what_if_verify, what_if_command};
    write_lines(options, &again, &repeat);
    const struct report_request request = {.folders = (const char *const *)options->operands,
                                           .folder_count = options->operand_count,
                                           .replication = options->replication,
                                           .policy = options->policy,
                                           .command = again.text,
                                           .repeat = repeat.text,
                                           .insights = &hooks};
    int r = report_data(&request, &data, reterr);
    if (r == 0)
        r = report_page_d3(options->d3, &d3, reterr);
    if (r == 0)
        report_page(&data, &d3, page);
    str_finish(&d3);
    str_finish(&again);
    str_finish(&repeat);
    str_finish(&data);
    return r;
}

static int write_page(const char *folder, const char *path, const struct str *page,
                      struct error *reterr) {
    int r = files_make_folders(folder, reterr);
    return r == 0 ? atomic_file_write_alone(path, page->text, page->length, reterr) : r;
}

int cli_report(struct options *options) {
    struct error error = {0};
    struct str page = {0};
    const char *of_results = options->operand_count > 1 ? "." : options->operands[0];
    const char *folder = options->out ? options->out : of_results;
    const char *path = arena_printf(&options->arena, "%s/" PAGE_NAME, folder);
    int code = EXIT_DONE;
    if (make_page(options, &page, &error) < 0 || write_page(folder, path, &page, &error) < 0)
        code = cli_report_error(&error);
    else if (!options->quiet)
        cli_show("report: %s\n", path);
    str_finish(&page);
    return code;
}

/* --- timeline: a recorded run as a Chrome trace --- */

static const char *timeline_path(struct options *options) {
    if (options->out)
        return options->out;
    return arena_printf(&options->arena, "%s/timeline.json%s", options->operands[0],
                        options->gzip ? ".gz" : "");
}

static void show_timeline(struct options *options, const struct recorded_args *args,
                          const char *path, const struct timeline_result *result) {
    struct str lines = {0};
    timeline_say_thinned(result, &lines);
    if (result->resolution_ns > 0 && !option_given(options, "resolution"))
        str_addf(&lines, "  (--max-events %" PRIu64 "; --resolution 0 leaves nothing out)\n",
                 options->most_events);
    if (!option_given(options, "resolution") && result->events > options->most_events)
        str_addf(&lines, "  still over --max-events %" PRIu64 "\n", options->most_events);
    cli_show("timeline: %s: %" PRIu64 " events, %s\n", path, result->events,
             recorded_args_name(args, &options->arena));
    cli_show_lines(&lines);
    str_finish(&lines);
}

int cli_timeline(struct options *options) {
    struct recorded_args args = {.folder = {0}};
    struct error error = {0};
    struct timeline_result result;
    const struct timeline_options wishes = {
        .gzip = options->gzip,
        .has_resolution = option_given(options, "resolution"),
        .resolution_ns = llround(options->resolution_s * 1e9),
        .most_events = options->most_events,
    };
    const char *path = timeline_path(options);
    int r = recorded_args_load(&args, options, &error);
    if (r == 0)
        r = timeline_write(&args.run, &wishes, path, &result, &error);
    if (r == 0 && !options->quiet)
        show_timeline(options, &args, path, &result);
    recorded_args_finish(&args);
    return r < 0 ? cli_report_error(&error) : EXIT_DONE;
}
