/* The report of a run or comparison: see report.h. */
#include "output/html/report.h"

#include "base/datetime.h"
#include "easim_version.h"
#include "io/files.h"
#include "io/yaml_doc.h"
#include "io/yaml_node.h"
#include "model/laws.h"
#include "model/model_fields.h"
#include "output/json.h"
#include "output/manifest.h"
#include "output/plot/figure.h"
#include "output/plot/source.h"
#include "report_parts.h"
#include "trace_parts.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- physics_json --- */
/* Sources of the models of a run, with their evidence: models.yaml of a folder of results. */

#define MOST_VALUE 60 /* bytes of a value that is shown as it is */

static const char *text_of(const struct yaml_node *node) {
    return node && node->kind == YAML_NODE_SCALAR ? node->text : NULL;
}

/* The part for one parameter of a word, or of a mapping by parameter. */
static const char *said_of(const struct yaml_node *said, const char *parameter) {
    if (!said || said->kind != YAML_NODE_MAPPING)
        return text_of(said);
    const struct yaml_node *own = yaml_find(said, parameter);
    return text_of(own ? own : yaml_find(said, EVIDENCE_OTHERS));
}

static void add_parameter(struct str *out, const char *const names[2], const char *parameter,
                          const struct yaml_node *value, const struct yaml_node *holder) {
    const struct field *field =
        model_field_named(names[1] ? gpu_model_fields : model_fields, parameter);
    struct arena arena = {0};
    const char *text = yaml_flow_text(value, &arena);
    json_out_open(out, '{');
    json_out_member_text(out, "model", names[0]);
    json_out_member_text(out, "gpu_type", names[1]);
    json_out_member_text(out, "parameter", parameter);
    json_out_member_text(out, "help", field ? field->help : NULL);
    json_out_member_text(out, "value",
                         strlen(text) <= MOST_VALUE || value->kind == YAML_NODE_SCALAR
                             ? text
                             : arena_printf(&arena, "%zu entries", value->count));
    json_out_member_text(out, "evidence", said_of(yaml_find(holder, "evidence"), parameter));
    json_out_member_text(out, "source", said_of(yaml_find(holder, "source"), parameter));
    json_out_close(out, '}');
    arena_finish(&arena);
}

/* The parameters of a model, or of a model on a GPU type. */
static void add_parameters(struct str *out, const char *model, const char *gpu_type,
                           const struct yaml_node *holder) {
    static const char *const others[] = {"name", "gpus", "evidence", "source"};
    if (!holder || holder->kind != YAML_NODE_MAPPING)
        return;
    for (size_t i = 0; i < holder->count; i++) {
        bool other = false;
        for (size_t o = 0; o < sizeof others / sizeof *others; o++)
            other = other || strcmp(holder->keys[i]->text, others[o]) == 0;
        if (!other)
            add_parameter(out, (const char *const[]){model, gpu_type}, holder->keys[i]->text,
                          holder->items[i], holder);
    }
}

static void add_models(struct str *out, const struct yaml_node *root) {
    const struct yaml_node *models =
        root && root->kind == YAML_NODE_MAPPING ? yaml_find(root, "models") : NULL;
    for (size_t m = 0; models && models->kind == YAML_NODE_SEQUENCE && m < models->count; m++) {
        const struct yaml_node *model = models->items[m];
        if (model->kind != YAML_NODE_MAPPING)
            continue;
        const char *name = text_of(yaml_find(model, "name"));
        const struct yaml_node *gpus = yaml_find(model, "gpus");
        add_parameters(out, name, NULL, model);
        for (size_t g = 0; gpus && gpus->kind == YAML_NODE_MAPPING && g < gpus->count; g++)
            add_parameters(out, name, gpus->keys[g]->text, gpus->items[g]);
    }
}

/* Adds the member "physics": a list of model, gpu_type (null: of all), parameter, value, evidence,
   source; empty if there is no models.yaml. */
static int physics_json_add(struct str *out, const char *folder, struct error *reterr) {
    struct yaml_doc doc = {0};
    struct problems problems = {0};
    struct arena arena = {0};
    int r = 0;
    json_out_member_open(out, "physics", '[');
    if (plot_source_exists(folder, MODELS_NAME) &&
        yaml_doc_load(&doc, arena_printf(&arena, "%s/" MODELS_NAME, folder), &problems) < 0)
        r = error_set(reterr, ERROR_INPUT, "%s", problems.texts[0]);
    else
        add_models(out, doc.root);
    json_out_close(out, ']');
    yaml_doc_finish(&doc);
    problems_finish(&problems);
    arena_finish(&arena);
    return r;
}

/* --- report_json --- */
/* One policy after the other, so that memory is that of one run. */

#define MOST_CELLS    2000000u /* for all policies together */
#define MOST_MANIFEST ((size_t)64 << 20)

#define NOT_RECORDED \
    "These results were not recorded (option record, or record: true in the scenario): "
#define SUMMARY_ONLY ": the results are a summary only."

struct report {
    const struct report_request *request;
    struct packed *packed;
    struct plot_source source;
    struct recorded_folder recorded;
    bool is_recorded;
    cJSON *manifest;
    char sha256[SHA256_TEXT];
};

/* ---- Manifests ---- */

static int read_manifest(const char *folder, cJSON **ret_root, char *sha256, struct error *reterr) {
    struct arena arena = {0};
    struct str text = {0};
    const char *path = arena_printf(&arena, "%s/" MANIFEST_NAME, folder);
    int r = files_read(path, MOST_MANIFEST, &text, reterr);
    if (r == 0 && !(*ret_root = cJSON_ParseWithLength(text.text, text.length)))
        r = error_set(reterr, ERROR_INPUT, "%s: damaged manifest", path);
    if (r == 0 && sha256)
        sha256_text((struct slice){text.text, text.length}, sha256);
    str_finish(&text);
    arena_finish(&arena);
    return r;
}

static void add_node(struct str *out, const char *key, const cJSON *node) {
    char *text = node ? cJSON_PrintUnformatted(node) : NULL;
    json_out_key(out, key);
    if (text)
        json_out_raw(out, text, strlen(text));
    else
        json_out_text(out, NULL);
    cJSON_free(text);
}

static int check_replication(const struct report *report, const char *folder, const cJSON *manifest,
                             struct error *reterr) {
    const cJSON *all = cJSON_GetObjectItemCaseSensitive(manifest, "replications");
    int64_t wanted = report->request->replication;
    if (cJSON_IsNumber(all) && (double)wanted > all->valuedouble)
        return error_set(reterr, ERROR_INPUT, "%s: there is no replication %lld, only %.0f", folder,
                         (long long)wanted, all->valuedouble);
    return 0;
}

/* ---- One policy ---- */

static void add_estimates(struct str *out, const struct plot_series *series) {
    json_out_member_open(out, "estimates", '{');
    for (unsigned c = 0; c < SUMMARY_COUNT; c++) {
        const struct estimate *e = &series->estimates[c];
        if (e->n == 0)
            continue;
        json_out_member_open(out, summary_names[c], '[');
        json_out_int(out, (int64_t)e->n);
        json_out_real(out, e->mean);
        json_out_real(out, e->ci95);
        json_out_close(out, ']');
    }
    json_out_close(out, '}');
}

/* Why sections are not there; those that need the run itself for a reason of their own. */
static void add_absent(struct str *out, const char *why) {
    static const char *const sections[][2] = {
        {"lanes", "what every GPU did is not known."},
        {"heat", "there is no heat map."},
        {"useful", "there is no useful energy."},
        {"waste", "classes of waste are not known."},
        {"attribution", "who caused it is not known."},
        {"blame", "where the time of jobs went is not known."},
        {"insights", "the rules had nothing to look at."}};
    json_out_member_open(out, "absent", '{');
    json_out_member_text(out, "power", "There is no power.csv with this replication" SUMMARY_ONLY);
    json_out_member_text(out, "curves", "There is no jobs.csv" SUMMARY_ONLY);
    json_out_member_text(out, "users", "There is no users.csv with this replication" SUMMARY_ONLY);
    for (size_t i = 0; why && i < sizeof sections / sizeof *sections; i++) {
        struct str text = {0};
        str_addf(&text, "%s%s", why, sections[i][1]);
        json_out_member_text(out, sections[i][0], text.text);
        str_finish(&text);
    }
    json_out_close(out, '}');
}

/* The parts that need the run itself. */
static int add_run(struct str *out, const struct report *report, const struct recorded_run *run,
                   struct error *reterr) {
    size_t policies = report->source.series.count;
    struct gpu_lanes lanes = {0};
    double *useful_frac = NULL;
    struct blame blame;
    blame_find(&blame, run);
    int r = insight_json_add(out, run, &blame, report->request->insights, &useful_frac, reterr);
    if (r == 0)
        r = attribution_json_add(out, run, reterr);
    if (r == 0) {
        gpu_lanes_init(&lanes, &run->folder->cluster);
        lanes_json_add(out, report->packed, run, &lanes, policies);
        heat_json_add(out, report->packed, run, &lanes, useful_frac, MOST_CELLS / policies);
        gpu_lanes_finish(&lanes);
        service_curves_add(out, run);
        blame_json_add(out, report->packed, run, &blame, MOST_JOBS / policies);
    }
    blame_finish(&blame);
    free(useful_frac);
    return r;
}

/* The part of a policy, of which a folder of a single run has one; NULL: it was not recorded. */
static const struct recorded_part *find_part(const struct report *report,
                                             const struct plot_series *series) {
    return report->is_recorded
               ? recorded_folder_find(&report->recorded,
                                      report->source.comparison ? series->label : NULL,
                                      (uint32_t)report->request->replication)
               : NULL;
}

static int add_recorded(struct str *out, const struct report *report,
                        const struct recorded_part *part, struct error *reterr) {
    struct recorded_run run = {0};
    add_absent(out, part                  ? NULL
                    : report->is_recorded ? "This replication was not recorded: "
                                          : NOT_RECORDED);
    if (!part)
        return 0;
    json_out_member_real(out, "pue", report->recorded.cluster.pue);
    int r = recorded_run_load(&run, &report->recorded, part, reterr);
    if (r == 0)
        r = add_run(out, report, &run, reterr);
    recorded_run_finish(&run);
    return r;
}

/* The files of every run. */
static int add_tables(struct str *out, const struct report *report,
                      const struct plot_series *series, double least_end_s, struct error *reterr) {
    const int64_t replication = report->request->replication;
    int r = table_json_add(out, "users", series->folder, "users.csv", replication, reterr);
    if (r == 0)
        r = table_json_add(out, "types", series->folder, "types.csv", replication, reterr);
    if (r == 0)
        r = table_json_add(out, "services", series->folder, "services.csv", replication, reterr);
    if (r == 0 && plot_source_exists(series->folder, "caps.csv")) /* a cap is enforced */
        r = slowed_json_add(out, series->folder, replication, reterr);
    if (r == 0 && plot_source_exists(series->folder, "caps.csv"))
        r = table_json_add(out, "limits", series->folder, "summary.csv", replication, reterr);
    if (r == 0 && plot_source_exists(series->folder, "domains.csv"))
        r = table_json_add(out, "domains", series->folder, "domains.csv", replication, reterr);
    if (r == 0)
        r = power_levels_add(out, series->folder, replication, least_end_s, reterr);
    if (r == 0)
        r = jobs_json_add(out, report->packed, series->folder, replication,
                          report->source.series.count, reterr);
    if (r == 0)
        r = table_json_add(out, "series",
                           report->source.comparison ? report->source.comparison : series->folder,
                           "series.csv", 0, reterr);
    return r;
}

/* The instant of t = 0, if the scenario states it. */
static int add_start(struct str *out, const char *folder, struct error *reterr) {
    struct yaml_doc doc = {0};
    struct problems problems = {0};
    struct arena arena = {0};
    int64_t start_ns;
    int r = 0;
    if (plot_source_exists(folder, SCENARIO_NAME) &&
        yaml_doc_load(&doc, arena_printf(&arena, "%s/" SCENARIO_NAME, folder), &problems) < 0)
        r = error_set(reterr, ERROR_INPUT, "%s", problems.texts[0]);
    const char *start = r == 0 && doc.root && doc.root->kind == YAML_NODE_MAPPING
                            ? text_of(yaml_find(doc.root, "start_time"))
                            : NULL;
    if (start && datetime_parse(start, strlen(start), &start_ns))
        json_out_member_real(out, "start_s", (double)start_ns / NS_PER_S);
    yaml_doc_finish(&doc);
    problems_finish(&problems);
    arena_finish(&arena);
    return r;
}

/* If there are several runs, each has a record of its own. */
static int open_record(struct report *report, const char *folder, struct error *reterr) {
    recorded_folder_finish(&report->recorded);
    report->recorded = (struct recorded_folder){0};
    report->is_recorded = false;
    if (!plot_source_exists(folder, "segments.csv"))
        return 0;
    int r = recorded_folder_open_checked(&report->recorded, folder, reterr); /* by the source */
    report->is_recorded = r == 0;
    return r;
}

static int add_policy(struct str *out, struct report *report, const struct plot_series *series,
                      struct error *reterr) {
    const struct estimate *time = &series->estimates[SUMMARY_COLUMN(sim_s)];
    char sha256[SHA256_TEXT] = "";
    cJSON *manifest = NULL;
    int r = report->source.comparison ? 0 : open_record(report, series->folder, reterr);
    const struct recorded_part *part = r == 0 ? find_part(report, series) : NULL;
    if (r == 0)
        r = read_manifest(series->folder, &manifest, sha256, reterr);
    if (r == 0)
        r = check_replication(report, series->folder, manifest, reterr);
    json_out_open(out, '{');
    json_out_member_text(out, "name", series->label);
    json_out_member_text(out, "color", series->style.color);
    json_out_member_int(out, "marker", series->style.marker);
    json_out_member_text(out, "folder", series->folder);
    json_out_member_text(out, "sha256", sha256);
    json_out_member_int(out, "replication", report->request->replication);
    add_node(out, "manifest", manifest);
    add_estimates(out, series);
    if (r == 0)
        r = add_start(out, series->folder, reterr);
    if (r == 0 && report->request->folder_count > 1)
        r = physics_json_add(out, series->folder, reterr);
    if (r == 0)
        r = add_recorded(out, report, part, reterr);
    if (r == 0)
        r = add_tables(out, report, series,
                       part          ? (double)part->end_ns / NS_PER_S
                       : time->n > 0 ? time->mean
                                     : 0,
                       reterr);
    json_out_close(out, '}');
    cJSON_Delete(manifest);
    return r;
}

/* ---- All ---- */

static void add_metrics(struct str *out) {
    static const char *const better[] = {
        [METRIC_NEITHER] = NULL, [METRIC_LESS] = "less", [METRIC_MORE] = "more"};
    json_out_member_open(out, "metrics", '{');
    for (unsigned c = 0; c < SUMMARY_ALL; c++) {
        json_out_member_open(out, metric_table[c].name, '{');
        json_out_member_text(out, "label", metric_table[c].label);
        json_out_member_text(out, "unit", metric_table[c].unit);
        json_out_member_text(out, "better", better[metric_table[c].better]);
        json_out_close(out, '}');
    }
    json_out_close(out, '}');
}

/* The lower bound of each metric; nothing under a horizon (figure.h). */
static int add_bounds(struct str *out, const struct report *report, struct error *reterr) {
    struct arena arena = {0};
    struct bound_region region;
    int r = bound_region_read(&report->source, &arena, &region, reterr);
    json_out_member_open(out, "bounds", '{');
    for (unsigned c = 0; r == 0 && !region.horizon && c < SUMMARY_COUNT; c++)
        if (!isnan(region.least[c]))
            json_out_member_real(out, summary_names[c], region.least[c]);
    json_out_close(out, '}');
    arena_finish(&arena);
    return r;
}

static int add_comparison(struct str *out, const struct report *report, struct error *reterr) {
    static const char *const tables[][2] = {{"compare", "compare.csv"},
                                            {"pareto", "pareto.csv"},
                                            {"stationarity", "stationarity.csv"},
                                            {"differences", "differences.csv"},
                                            {"budget", "budget.csv"}};
    int r = 0;
    json_out_key(out, "comparison");
    if (!report->source.comparison) {
        json_out_text(out, NULL);
        return 0;
    }
    json_out_open(out, '{');
    for (size_t i = 0; i < sizeof tables / sizeof *tables && r == 0; i++)
        r = table_json_add(out, tables[i][0], report->source.comparison, tables[i][1], 0, reterr);
    r = r < 0 ? r : add_bounds(out, report, reterr);
    json_out_close(out, '}');
    return r;
}

static void add_made(struct str *out, const struct report_request *request) {
    json_out_member_open(out, "made", '{');
    json_out_member_text(out, "command", request->command);
    json_out_member_text(out, "repeat", request->repeat);
    json_out_member_text(out, "version", EASIM_VERSION);
    json_out_member_text(out, "commit", EASIM_COMMIT);
    json_out_close(out, '}');
}

static void add_head(struct str *out, const struct report *report) {
    add_node(out, "manifest", report->manifest);
    json_out_member_text(out, "manifest_sha256", report->sha256);
    add_metrics(out);
    add_made(out, report->request);
}

/* Whose figures come first: the one asked for, else the first that no other beats. */
static int choose_shown(const struct report *report, struct str *out, struct error *reterr) {
    const struct plot_source *source = &report->source;
    const char *wanted = report->request->policy;
    size_t shown = 0;
    if ((wanted || report->request->replication > 1) && source->sweep)
        return error_set(reterr, ERROR_INPUT, "%s: a sweep has no policy or replication to show",
                         source->sweep);
    while (wanted && shown < source->series.count &&
           strcmp(source->series.at[shown].label, wanted) != 0)
        shown++;
    if (wanted && shown == source->series.count)
        return error_set(reterr, ERROR_INPUT, "%s: no run of policy \"%s\"", source->shown, wanted);
    json_out_member_text(out, "shown", wanted ? source->series.at[shown].label : NULL);
    return 0;
}

/* The color and marker of each policy that a sweep reads. */
static void add_styles(struct str *out, const cJSON *manifest) {
    const char *names[PLOT_MOST_SERIES], *name;
    struct plot_style styles[PLOT_MOST_SERIES];
    const cJSON *input;
    size_t count = 0;
    cJSON_ArrayForEach(input, cJSON_GetObjectItemCaseSensitive(manifest, "inputs")) {
        name = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(input, "name"));
        if (name && count < PLOT_MOST_SERIES)
            names[count++] = name;
    }
    plot_styles_of_policies(names, count, styles);
    json_out_member_open(out, "styles", '{');
    for (size_t i = 0; i < count; i++) {
        json_out_member_open(out, names[i], '{');
        json_out_member_text(out, "color", styles[i].color);
        json_out_member_int(out, "marker", styles[i].marker);
        json_out_close(out, '}');
    }
    json_out_close(out, '}');
}

static int add_all(struct str *out, struct report *report, struct error *reterr) {
    json_out_open(out, '{');
    add_head(out, report);
    add_styles(out, report->manifest);
    int r = choose_shown(report, out, reterr);
    if (r == 0)
        r = physics_json_add(out, report->request->folders[0], reterr);
    if (r == 0)
        r = add_comparison(out, report, reterr);
    if (r == 0 && report->source.sweep)
        r = table_json_add(out, "sweep", report->source.sweep, "sweep.csv", 0, reterr);
    json_out_member_open(out, "policies", '[');
    for (size_t i = 0; i < report->source.series.count && r == 0; i++)
        r = add_policy(out, report, &report->source.series.at[i], reterr);
    json_out_close(out, ']');
    json_out_close(out, '}');
    return r;
}

/* Several folders are runs, and no folder is there twice. */
static int check_folders(const struct report_request *request, struct error *reterr) {
    struct stat at[REPORT_MOST_FOLDERS];
    if (request->folder_count > REPORT_MOST_FOLDERS)
        return error_set(reterr, ERROR_INPUT, "%s: expected at most %d folders, got %zu",
                         request->folders[REPORT_MOST_FOLDERS], REPORT_MOST_FOLDERS,
                         request->folder_count);
    for (size_t i = 0; i < request->folder_count; i++) {
        if (!files_stat(request->folders[i], &at[i]))
            return error_set(reterr, ERROR_INPUT, "%s: cannot open folder: %s", request->folders[i],
                             strerror(errno));
        for (size_t j = 0; j < i; j++)
            if (at[i].st_dev == at[j].st_dev && at[i].st_ino == at[j].st_ino)
                return error_set(reterr, ERROR_INPUT, "%s: the same folder as %s",
                                 request->folders[i], request->folders[j]);
    }
    return 0;
}

static int open_report(struct report *report, struct error *reterr) {
    const struct report_request *request = report->request;
    const char *folder = request->folders[0];
    int r = check_folders(request, reterr);
    if (r == 0)
        r = plot_source_open(&report->source, request->folders, request->folder_count, reterr);
    if (r == 0 && report->source.series.count == 0 && !report->source.sweep)
        r = error_set(reterr, ERROR_INPUT,
                      "%s: a report is of the folder of easim run, easim compare or easim sweep",
                      folder);
    if (r == 0 && request->folder_count > 1)
        plot_source_style_by_policy(&report->source);
    if (r == 0)
        r = read_manifest(folder, &report->manifest, report->sha256, reterr);
    if (r == 0)
        r = check_replication(report, folder, report->manifest, reterr);
    if (r == 0 && report->source.comparison)
        r = open_record(report, folder, reterr);
    return r;
}

int report_data(const struct report_request *request, struct str *out, struct error *reterr) {
    struct packed packed = {.values = NULL};
    struct report report = {.request = request, .packed = &packed};
    struct str json = {0};
    int r = open_report(&report, reterr);
    if (r == 0)
        r = add_all(&json, &report, reterr);
    if (r == 0)
        r = packed_write(&packed, &json, out, reterr);
    packed_finish(&packed);
    str_finish(&json);
    recorded_folder_finish(&report.recorded);
    cJSON_Delete(report.manifest);
    plot_source_finish(&report.source);
    return r;
}

/* --- report_page --- */
/* The parts of the page are in page/. */

#define MOST_D3 ((size_t)16 << 20)
/* then the rest of the version, and its copyright */
#define D3_HEAD "// https://d3js.org v5."

int report_page_d3(const char *path, struct str *text, struct error *reterr) {
    const char *file = path ? path : EASIM_D3_FILE;
    if (!files_exist(file))
        return error_set(reterr, path ? ERROR_INPUT : ERROR_RUN,
                         "%s: cannot read D3, which draws the charts of a report: install the "
                         "package node-d3, or name another file of D3 version 5",
                         file);
    int r = files_read(file, MOST_D3, text, reterr);
    if (r < 0)
        return r;
    if (text->length == 0 || strncmp(text->text, D3_HEAD, strlen(D3_HEAD)) != 0)
        return error_set(reterr, ERROR_INPUT,
                         "%s: expected D3 of version 5, which begins with \"" D3_HEAD "\"", file);
    if (memmem(text->text, text->length, "</script", 8) ||
        memmem(text->text, text->length, "<!--", 4))
        return error_set(reterr, ERROR_INPUT, "%s: cannot stand in a page: it has </script or <!--",
                         file);
    return 0;
}

/* The page with what takes the places of its marks. */
static void fill_page(const char *page, const struct str *data, const char *d3, const char *script,
                      struct str *out) {
    for (const char *at = page; *at;) {
        const char *mark = strstr(at, "@@");
        if (!mark) {
            str_add(out, at);
            break;
        }
        str_add_bytes(out, at, (size_t)(mark - at));
        const char *name = mark + 2;
        at = strstr(name, "@@") + 2;
        str_add(out, strncmp(name, "STYLE", 5) == 0  ? part_style
                     : strncmp(name, "D3", 2) == 0   ? d3
                     : strncmp(name, "DATA", 4) == 0 ? data->text
                                                     : script);
    }
}

void report_page(const struct str *data, const struct str *d3, struct str *out) {
    fill_page(part_page, data, d3->text, part_script, out);
}

void trace_page(const struct str *json, struct str *out) {
    struct str data = {0};
    for (const char *at = json->text; *at; at++) /* only texts have a "<" */
        if (*at == '<')
            str_add(&data, "\\u003c");
        else
            str_add_char(&data, *at);
    fill_page(traced_trace_page, &data, "", traced_trace_script, out);
    str_finish(&data);
}
