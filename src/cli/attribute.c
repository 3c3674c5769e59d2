/* easim attribute: whose the energy of a recorded run was, and where the time of its jobs went. */
#include "base/units.h"
#include "cli/cli.h"
#include "cli/internal.h"
#include "io/atomic_file.h"
#include "io/files.h"
#include "io/leftovers.h"
#include "output/recorded/recorded.h"

#include <stdlib.h>

enum { ATTRIBUTION_CSV, BLAME_CSV, CRITICAL_PATH_CSV, NODE_BLAME_CSV, FILE_COUNT };
static const char *const file_names[FILE_COUNT + 1] = {
    [ATTRIBUTION_CSV] = "attribution.csv",
    [BLAME_CSV] = "blame.csv",
    [CRITICAL_PATH_CSV] = "critical_path.csv",
    [NODE_BLAME_CSV] = "node_blame.csv",
};

/* Of one command; all of it is released by finish. */
struct session {
    struct options *options;
    struct recorded_folder folder;
    struct attribution_request request;
    struct atomic_file *files[FILE_COUNT]; /* NULL: not open, or in place */
    struct str texts[FILE_COUNT];          /* of the present run */
    struct report report;                  /* of the first run */
};

/* ---- Which runs ---- */

static bool is_wanted(const struct session *s, const struct recorded_part *part) {
    const struct options *o = s->options;
    return (!o->policy || recorded_folder_find(&s->folder, o->policy, part->replication) == part) &&
           (o->replication == 0 || part->replication == o->replication);
}

static int refuse_choice(const struct session *s, struct error *reterr) {
    const struct options *o = s->options;
    const struct recorded_folder *folder = &s->folder;
    struct str names = {0};
    for (size_t i = 0; i < folder->policies.count; i++)
        str_addf(&names, "%s%s", i > 0 ? ", " : "", folder->policies.at[i].name);
    if (o->policy && !recorded_folder_find(folder, o->policy, 0))
        (void)error_set(reterr, ERROR_INPUT, "%s: no run of policy \"%s\" (there are: %s)",
                        folder->path, o->policy, names.text ? names.text : "none");
    else
        (void)error_set(reterr, ERROR_INPUT, "%s: no replication %lld was recorded", folder->path,
                        (long long)o->replication);
    str_finish(&names);
    return ERROR_INPUT;
}

/* ---- One run ---- */

static void write_blame(struct session *s, const struct recorded_run *run, bool reports) {
    struct blame blame;
    struct critical_path path = {0};
    blame_find(&blame, run);
    critical_path_find(&path, run, &blame.holdings);
    struct node_blame *nodes = node_blame_find(run, &blame);
    const struct blame_page page = {run, &blame, &path, nodes};
    blame_csv_rows(&page, &s->texts[BLAME_CSV]);
    critical_path_csv_rows(&page, &s->texts[CRITICAL_PATH_CSV]);
    node_blame_csv_rows(&page, &s->texts[NODE_BLAME_CSV]);
    if (reports)
        blame_report(&page, &s->report.text);
    free(nodes);
    critical_path_finish(&path);
    blame_finish(&blame);
}

static void name_run(struct session *s, const struct recorded_part *part) {
    size_t runs = 0;
    for (size_t i = 0; i < s->folder.parts.count; i++)
        runs += is_wanted(s, &s->folder.parts.at[i]);
    str_add(&s->report.text, "policy ");
    str_add_visible(&s->report.text, s->folder.policies.at[part->policy].name);
    str_addf(&s->report.text, ", replication %u", part->replication);
    if (runs > 1)
        str_addf(&s->report.text, ", the first of %zu runs; the files have all of them", runs);
    str_add(&s->report.text, "\n");
}

static int open_files(struct session *s, struct error *reterr) {
    const char *folder = s->options->out ? s->options->out : s->options->operands[0];
    int r = s->options->out ? files_make_folders(folder, reterr) : 0;
    if (r == 0)
        leftovers_remove(folder, file_names);
    for (int i = 0; i < FILE_COUNT && r == 0; i++)
        r = atomic_file_open(arena_printf(&s->options->arena, "%s/%s", folder, file_names[i]),
                             &s->files[i], reterr);
    return r;
}

/* The first time with the headers; only then is there a folder. */
static int flush(struct session *s, struct error *reterr) {
    int r = s->files[0] ? 0 : open_files(s, reterr);
    for (int i = 0; i < FILE_COUNT; i++) {
        if (r == 0)
            r = atomic_file_write(s->files[i], s->texts[i].text, s->texts[i].length, reterr);
        s->texts[i].length = 0;
    }
    return r;
}

static int attribute_run(struct session *s, const struct recorded_part *part,
                         struct error *reterr) {
    struct recorded_run run = {0};
    struct attribution attribution = {0};
    bool reports = s->report.text.length == 0;
    int r = recorded_run_load(&run, &s->folder, part, reterr);
    if (r == 0)
        r = attribution_find(&attribution, &run, &s->request, reterr);
    if (r == 0) {
        if (reports)
            name_run(s, part);
        attribution_csv_rows(&attribution, &s->texts[ATTRIBUTION_CSV]);
        if (reports)
            attribution_report(&attribution, &s->report);
        write_blame(s, &run, reports);
        r = flush(s, reterr);
    }
    attribution_finish(&attribution);
    recorded_run_finish(&run);
    return r;
}

/* ---- All of them ---- */

static void add_headers(struct session *s) {
    attribution_csv_header(&s->folder.cluster, &s->request.path, &s->texts[ATTRIBUTION_CSV]);
    blame_csv_header(&s->folder, &s->texts[BLAME_CSV]);
    str_add(&s->texts[CRITICAL_PATH_CSV], critical_path_csv_header);
    str_add(&s->texts[NODE_BLAME_CSV], node_blame_csv_header);
}

static int commit_files(struct session *s, struct error *reterr) {
    int r = atomic_files_flush(s->files, FILE_COUNT, reterr);
    for (int i = 0; i < FILE_COUNT && r == 0; i++) {
        r = atomic_file_commit(s->files[i], reterr);
        s->files[i] = NULL;
    }
    return r;
}

static int attribute_runs(struct session *s, struct error *reterr) {
    bool any = false;
    int r = 0;
    add_headers(s);
    for (size_t i = 0; i < s->folder.parts.count && r == 0; i++)
        if (is_wanted(s, &s->folder.parts.at[i])) {
            any = true;
            r = attribute_run(s, &s->folder.parts.at[i], reterr);
        }
    if (r == 0)
        r = any ? commit_files(s, reterr) : refuse_choice(s, reterr);
    return r == 0 && !s->options->quiet ? cli_print_report(&s->report, s->options->format, reterr)
                                        : r;
}

/* What was asked for has to matter. */
static void read_request(struct session *s) {
    const struct options *o = s->options;
    bool has_time = attribution_path_has(&o->path, PATH_TIME);
    if (has_time && o->bucket_s == 0)
        options_refuse(o, "time in --path needs --bucket");
    if (!has_time && o->bucket_s > 0 && o->idle == IDLE_NONE)
        options_refuse(o, "--bucket needs time in --path, or --idle other than none");
    s->request = (struct attribution_request){o->path, o->idle,
                                              o->bucket_s > 0 ? units_ns(o->bucket_s) : INT64_MAX};
}

static void finish(struct session *s) {
    for (int i = 0; i < FILE_COUNT; i++) {
        atomic_file_abort(s->files[i]);
        str_finish(&s->texts[i]);
    }
    report_finish(&s->report);
    recorded_folder_finish(&s->folder);
}

int cli_attribute(struct options *options) {
    struct session s = {.options = options};
    struct error error = {0};
    read_request(&s);
    int r = recorded_folder_open(&s.folder, options->operands[0], &error);
    if (r == 0)
        r = attribute_runs(&s, &error);
    int code = r == 0 ? EXIT_DONE : cli_report_error(&error);
    finish(&s);
    return code;
}
