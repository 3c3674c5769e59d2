/* easim timeline: a recorded run as a Chrome trace. */
#include "insight/timeline/timeline.h"
#include "cli/cli.h"
#include "cli/option_table.h"
#include "cli/recorded_args.h"

#include <inttypes.h>
#include <math.h>

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
