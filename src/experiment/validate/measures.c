/* Measures of a validation: see measures.h. */
#include "experiment/validate/measures.h"

#include "io/files.h"
#include "metrics/summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- validate_data --- */

/* ---- Where they are ---- */

static const char *find_data(const struct validate_case *v, const char *file, struct arena *arena) {
    const char *slash = strrchr(v->path, '/'), *folder = getenv("EASIM_DATA");
    const char *near = file[0] == '/' || !slash
                           ? file
                           : arena_printf(arena, "%.*s/%s", (int)(slash - v->path), v->path, file);
    if (files_exist(near))
        return near;
    const char *far = folder && file[0] != '/' ? arena_printf(arena, "%s/%s", folder, file) : file;
    return files_exist(far) ? files_relative(far, ".", arena) : NULL;
}

int validate_data_bind(struct validate_case *v, const struct yaml_node *node,
                       const struct binding *b) {
    int result = 0;
    if (node->kind != YAML_NODE_MAPPING)
        return schema_wrong(b, node, "data", "a mapping from names to files");
    for (size_t i = 0; i < node->count; i++) {
        const struct yaml_node *item = node->items[i];
        const char *path = arena_printf(b->arena, "data.%s", node->keys[i]->text);
        if (item->kind != YAML_NODE_SCALAR || item->length == 0 || yaml_is_null(item)) {
            result = schema_wrong(b, item, path, "a file name");
            continue;
        }
        struct validate_data *data = array_add(&v->data);
        data->where = node->keys[i]->where;
        data->name = node->keys[i]->text;
        data->file = item->text;
        data->path = find_data(v, item->text, b->arena);
        if (data->path)
            file_stamp_take(data->path, &data->read);
        else if (!v->missing)
            v->missing = data->file;
    }
    return result;
}

/* ---- Who uses them ---- */

static struct validate_data *data_of(struct validate_case *v, const char *name, size_t length) {
    for (size_t i = 0; i < v->data.count; i++)
        if (strlen(v->data.at[i].name) == length && memcmp(v->data.at[i].name, name, length) == 0)
            return &v->data.at[i];
    return NULL;
}

struct validate_data *validate_data_use(struct validate_case *v, const struct yaml_node *node,
                                        const char *path, const struct binding *b) {
    struct validate_data *data =
        node->kind == YAML_NODE_SCALAR ? data_of(v, node->text, node->length) : NULL;
    const char **names = arena_alloc(b->arena, (v->data.count + 1) * sizeof *names);
    for (size_t i = 0; i < v->data.count; i++)
        names[i] = v->data.at[i].name;
    if (data)
        data->used = true;
    else if (node->kind != YAML_NODE_SCALAR)
        (void)schema_wrong(b, node, path, "a name under data");
    else
        problems_add(b->problems, node->where, path, "nothing under data is named \"%.80s\"%s",
                     node->text, str_suggestion(b->arena, node->text, names, v->data.count));
    return data;
}

int validate_where_bind(const struct yaml_node *node, const char *path,
                        const struct job_condition **ret_where, size_t *ret_count,
                        const struct binding *b) {
    int result = 0;
    if (node && node->kind != YAML_NODE_MAPPING)
        return schema_wrong(b, node, path, "a mapping from columns to texts");
    size_t count = node ? node->count : 0;
    struct job_condition *where = arena_alloc(b->arena, (count + 1) * sizeof *where);
    for (size_t i = 0; i < count; i++) {
        where[i] = (struct job_condition){node->keys[i]->text, node->items[i]->text};
        if (node->items[i]->kind != YAML_NODE_SCALAR)
            result = schema_wrong(b, node->items[i], path, "a text");
    }
    *ret_where = where;
    *ret_count = count;
    return result;
}

/* ---- Values that are set ---- */

/* The text with paths for names of files; other ${NAME} are the scenario's. NULL: it has none. */
static const char *put_paths(struct validate_case *v, const char *text, struct arena *arena) {
    struct str out = {0};
    bool any = false;
    for (const char *at = text; *at;) {
        size_t length = strncmp(at, "${", 2) == 0 ? strcspn(at, "}") : 0;
        struct validate_data *data =
            length > 2 && at[length] == '}' ? data_of(v, at + 2, length - 2) : NULL;
        if (data) {
            data->used = any = true;
            str_add(&out, data->path ? data->path : data->file);
            at += length + 1;
        } else {
            str_add_char(&out, *at++);
        }
    }
    const char *result = any ? arena_strdup(arena, out.text) : NULL;
    str_finish(&out);
    return result;
}

/* A copy of the value, its keys excepted. */
static struct yaml_node *copy_value(struct validate_case *v, const struct yaml_node *node,
                                    struct arena *arena) {
    struct yaml_node *copy = arena_alloc(arena, sizeof *copy);
    *copy = *node;
    if (node->kind == YAML_NODE_SCALAR) {
        const char *text = put_paths(v, node->text, arena);
        if (text) {
            copy->text = text;
            copy->length = strlen(text);
            copy->quoted = true;
        }
        return copy;
    }
    copy->items = arena_alloc(arena, (node->count + 1) * sizeof *copy->items);
    for (size_t i = 0; i < node->count; i++)
        copy->items[i] = copy_value(v, node->items[i], arena);
    return copy;
}

int validate_sets_bind(struct validate_case *v, const struct yaml_node *node,
                       const struct binding *b) {
    return sweep_sets_bind(&v->sets, copy_value(v, node, b->arena), "set", b);
}

int validate_data_check(const struct validate_case *v, const struct binding *b) {
    int result = 0;
    for (size_t i = 0; i < v->data.count; i++) {
        const struct validate_data *data = &v->data.at[i];
        if (data->used)
            continue;
        result = problems_add(
            b->problems, data->where, arena_printf(b->arena, "data.%s", data->name),
            "nothing uses this file: expected ${%.80s} under set, or its name under jobs "
            "or measured",
            data->name);
    }
    return result;
}

/* --- validate_measures --- */

static const char *const expectations[] = {"pass", "fail", NULL};

struct facts_item {
    struct location where;
    const struct yaml_node *data, *where_node;
    const char *column;
};

static const struct field fact_fields[] = {
    {LOCATION(facts_item, where)},
    {"data", SOME_TEXT(facts_item, data), REQUIRED, HELP("name of a file of data")},
    {"where", NAMED_TEXTS(facts_item, where_node),
     HELP("COLUMN: TEXT: the only row that has these texts (default: the file has one row)")},
    {"column", STRING(facts_item, column), HELP("column of the figure (default: the metric)")},
    FIELDS_END,
};

static const struct field measure_fields[] = {
    {LOCATION(validate_measure, where)},
    {"metric", TEXT(validate_measure, metric), REQUIRED,
     HELP("column of summary.csv or of the jobs' table, meter_mean_w or meter_absolute_error")},
    {"job", STRING(validate_measure, job),
     HELP("id of one job; a column of the jobs needs job or over")},
    {"over", CHOICE(validate_measure, over, validate_overs), DEFAULT(OVER_NONE),
     HELP("mean or sum over all jobs that both sides have, or an error of single jobs")},
    {"value", REAL(validate_measure, value), DEFAULT(NAN), HELP("the measured figure")},
    {"fact", KEYS(validate_measure, fact, fact_fields),
     HELP("file that has the measured figure, instead of value or the jobs' table")},
    {"tolerance", NODE(validate_measure, tolerance_node), REQUIRED,
     ONE_OF({"", .type = FIELD_REAL, ABOVE(0, INFINITY)},
            {"", .type = FIELD_STRING, HELP("with %")}),
     HELP("largest error (predicted / measured - 1) that passes")},
    {"expect", CHOICE(validate_measure, expect, expectations),
     HELP("verdict that is expected; fail needs a reason")},
    {"reason", TEXT(validate_measure, reason), HELP("why it is expected to fail")},
    FIELDS_END};

const struct field measured_forms[] = {{"", LIST_OF({"", OBJECT_FORM(measure_fields)})},
                                       FIELDS_END};

/* One of the list while it is bound. */
struct item {
    struct validate_case *validation;
    struct validate_measure *measure;
    const char *path; /* "measured[2]" */
    const struct binding *binding;
};

static int report_item(const struct item *item, const char *key, const char *text) {
    const struct binding *b = item->binding;
    return problems_add(b->problems, item->measure->where,
                        arena_printf(b->arena, "%s.%s", item->path, key), "%s", text);
}

/* ---- What it is of ---- */

/* Columns of jobs, then those of the summary. */
static const char *suggest_metric(const struct item *item) {
    enum { OF_JOBS = JOB_GPUS - JOB_START, COUNT = SUMMARY_COUNT + OF_JOBS };
    const char *names[COUNT];
    for (size_t i = 0; i < COUNT; i++)
        names[i] = i < OF_JOBS ? job_column_names[JOB_START + i] : summary_names[i - OF_JOBS];
    return str_suggestion(item->binding->arena, item->measure->metric, names, COUNT);
}

/* The one figure of all jobs together that a table of them tells. */
static bool is_makespan(const struct validate_measure *m) {
    return m->summary == (int)SUMMARY_COLUMN(makespan_s);
}

/* JOB_GPUS: it is none that can be compared. */
static enum job_column column_of(const char *metric) {
    enum job_column c = JOB_START; /* submissions are given to both */
    while (c < JOB_GPUS && strcmp(job_column_names[c], metric) != 0)
        c++;
    return c;
}

/* A figure over the readings of the meter. */
static int check_meter_figure(const struct item *item) {
    const struct validate_measure *m = item->measure;
    if (!item->validation->meter.given)
        return report_item(item, "metric", "expected a meter under meter, got none");
    if (m->job || m->over != OVER_NONE)
        return report_item(item, m->job ? "job" : "over", "not with a figure of the meter");
    if (!isnan(m->value) || m->fact)
        return report_item(item, m->fact ? "fact" : "value",
                           "not with a figure of the meter: its readings are the measurement");
    return 0;
}

static int bind_metric(const struct item *item) {
    struct validate_measure *m = item->measure;
    m->meter = validate_meter_find(m->metric);
    if (m->meter != METER_NO_FIGURE)
        return check_meter_figure(item);
    m->summary = summary_find(m->metric);
    m->column = is_makespan(m) ? JOB_FINISH : column_of(m->metric);
    bool of_jobs = m->summary < 0 && m->column < JOB_GPUS, over = m->over != OVER_NONE;
    if (m->summary < 0 && !of_jobs)
        return report_item(item, "metric",
                           arena_printf(item->binding->arena,
                                        "no column of summary.csv or jobs.csv that can be compared "
                                        "is named \"%.80s\"%s",
                                        m->metric, suggest_metric(item)));
    if (m->summary >= 0 && (over || m->job))
        return report_item(item, m->job ? "job" : "over",
                           "not with a column of summary.csv, which is for all jobs together");
    if (of_jobs && over == (m->job != NULL))
        return report_item(item, "over",
                           over ? "expected job or over, got both"
                                : "expected job or over: this is a column of each job");
    if (over && !item->validation->has_jobs)
        return report_item(item, "over", "expected a table of measured jobs under jobs, got none");
    return 0;
}

/* ---- What was measured ---- */

static int read_fact(const struct item *item, const struct yaml_node *node) {
    struct validate_measure *m = item->measure;
    const struct binding *b = item->binding;
    struct facts_item bound = {.data = NULL};
    const char *path = arena_printf(b->arena, "%s.fact", item->path);
    struct fact fact = {.where_of = node->where, .path_of = path};
    if (schema_bind(b, fact_fields, node, path, &bound) < 0)
        return ERROR_INPUT;
    struct validate_data *data =
        validate_data_use(item->validation, bound.data, arena_printf(b->arena, "%s.data", path), b);
    int r = validate_where_bind(bound.where_node, arena_printf(b->arena, "%s.where", path),
                                &fact.where, &fact.where_count, b);
    if (r < 0 || !data)
        return ERROR_INPUT;
    fact.file = data->path;
    fact.column = bound.column ? bound.column : m->metric;
    return item->validation->missing || data->damaged ? 0
                                                      : fact_read(&fact, &m->value, b->problems);
}

/* That of the job in the table. */
static int read_job_value(const struct item *item) {
    struct validate_measure *m = item->measure;
    const struct job_row *row = job_table_find(&item->validation->jobs, m->job, strlen(m->job));
    m->value = row ? row->values[m->column] : NAN;
    return isnan(m->value)
               ? report_item(item, "job",
                             row ? "the table of measured jobs has no such figure for this job"
                                 : "no such job in the table of measured jobs")
               : 0;
}

static int check_column(const struct item *item) {
    const struct validate_case *v = item->validation;
    return !v->jobs_known || job_table_tells(&v->jobs, item->measure->column)
               ? 0
               : report_item(
                     item, "metric",
                     "the table of measured jobs has no such column, and none to compute it from");
}

static int bind_value(const struct item *item) {
    struct validate_measure *m = item->measure;
    bool given = !isnan(m->value),
         table = item->validation->has_jobs && (m->summary < 0 || is_makespan(m));
    if (given && m->fact)
        return report_item(item, "fact", "expected value or fact, got both");
    if ((given || m->fact) && m->over != OVER_NONE)
        return report_item(item, given ? "value" : "fact",
                           "not with over, which reads the table under jobs");
    if (!given && !m->fact && !table)
        return report_item(item, "value", "key \"value\" or \"fact\" is missing");
    int r = m->fact                                              ? read_fact(item, m->fact)
            : m->over != OVER_NONE || (!given && is_makespan(m)) ? check_column(item)
            : given || !item->validation->jobs_known             ? 0
                                                                 : read_job_value(item);
    if (r == 0 && m->value == 0)
        return report_item(item, "value",
                           "expected a value other than 0, because errors are a share of it");
    return r;
}

static int bind_tolerance(const struct item *item) {
    struct validate_measure *m = item->measure;
    const struct yaml_node *node = m->tolerance_node;
    if (node->kind == YAML_NODE_SCALAR &&
        units_parse_share(node->text, node->length, &m->tolerance))
        return 0;
    return schema_wrong(item->binding, node,
                        arena_printf(item->binding->arena, "%s.tolerance", item->path),
                        "a share > 0, as 3% or 0.03");
}

static int check_reason(const struct item *item) {
    const struct validate_measure *m = item->measure;
    if (m->expect == 1 && !m->reason)
        return report_item(item, "reason", "key \"reason\" is missing: why it is expected to fail");
    if (m->expect == 0 && m->reason)
        return report_item(item, "reason", "only with expect: fail");
    return 0;
}

int validate_measures_bind(struct validate_case *v, const struct yaml_node *node,
                           const struct binding *b) {
    if (node->kind != YAML_NODE_SEQUENCE || node->count == 0)
        return schema_wrong(b, node, "measured", "a list of at least one figure");
    size_t before = b->problems->count;
    v->measures = arena_alloc(b->arena, node->count * sizeof *v->measures);
    v->measure_count = node->count;
    for (size_t i = 0; i < node->count; i++) {
        struct item item = {v, &v->measures[i], arena_printf(b->arena, "measured[%zu]", i), b};
        *item.measure = (struct validate_measure){.summary = -1};
        if (schema_bind(b, measure_fields, node->items[i], item.path, item.measure) < 0)
            continue;
        bool bad = bind_metric(&item) < 0;
        bad = bind_tolerance(&item) < 0 || bad;
        bad = check_reason(&item) < 0 || bad;
        bad = bad || (item.measure->meter == METER_NO_FIGURE && bind_value(&item) < 0);
        (void)bad; /* the problems say it */
    }
    return b->problems->count > before ? ERROR_INPUT : 0;
}

/* ---- Of a log ---- */

void validate_measures_of_log(struct validate_case *v, double tolerance) {
    static const struct {
        const char *metric;
        int32_t over;
    } figures[] = {
        {"makespan_s", OVER_NONE},       {"jct_s", OVER_MEAN},        {"jct_s", OVER_MEDIAN_ERROR},
        {"jct_s", OVER_P90_ERROR},       {"wait_s", OVER_MEAN},       {"run_s", OVER_MEAN},
        {"run_s", OVER_MEDIAN_ERROR},    {"run_s", OVER_P90_ERROR},   {"exec_s", OVER_SUM},
        {"exec_s", OVER_MEDIAN_ERROR},   {"exec_s", OVER_P90_ERROR},  {"energy_j", OVER_SUM},
        {"energy_j", OVER_MEDIAN_ERROR}, {"energy_j", OVER_P90_ERROR}};
    v->measures =
        arena_alloc(&v->doc.arena, sizeof figures / sizeof *figures * sizeof *v->measures);
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
        struct validate_measure m = {.metric = figures[i].metric,
                                     .summary = summary_find(figures[i].metric),
                                     .over = figures[i].over,
                                     .value = NAN,
                                     .tolerance = tolerance};
        m.column = is_makespan(&m) ? JOB_FINISH : column_of(m.metric);
        if (m.summary >= 0 || job_table_tells(&v->jobs, m.column))
            v->measures[v->measure_count++] = m;
    }
}
