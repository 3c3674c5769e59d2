/* Writes tables of the page, of jobs too, distributions over the jobs, and curves of what services
 * served. */
#include "output/html/internal.h"

#include "base/numfmt.h"
#include "base/units.h"
#include "described_columns.h"
#include "metrics/job_stats.h"
#include "output/json.h"
#include "output/plot/source.h"

#include <math.h>
#include <stdlib.h>

enum cell { CELL_NUMBER, CELL_TEXT, CELL_EITHER };

/* The type of the column by the description of the table. Axes of a sweep have their own. */
static enum cell cell_of(const char *file, const char *column) {
    struct str row = {0};
    str_addf(&row, "\n%s,%s,text,", file, column);
    bool is_text = strncmp(column, "label.", 6) == 0 || strstr(described_columns, row.text) != NULL;
    str_finish(&row);
    return is_text ? CELL_TEXT : strcmp(file, "sweep.csv") == 0 ? CELL_EITHER : CELL_NUMBER;
}

static int add_cell(struct str *out, const struct csv *csv, size_t column, enum cell cell,
                    struct error *reterr) {
    struct slice text = csv_field(csv, (int)column);
    double value;
    if (cell == CELL_TEXT || (cell == CELL_EITHER && text.length > 0 &&
                              !numfmt_parse_real(text.at, text.length, &value))) {
        struct str copy = {0};
        str_add_bytes(&copy, text.at, text.length);
        json_out_text(out, copy.text ? copy.text : "");
        str_finish(&copy);
        return 0;
    }
    int r = plot_source_real(csv, (int)column, &value, reterr);
    if (r == 0)
        json_out_real(out, value);
    return r;
}

/* The rows of a file to read. */
struct table_part {
    const char *name;    /* of the file */
    int64_t replication; /* 0: all */
    size_t most;         /* rows */
};

static int add_row(struct str *out, const struct csv *csv, const enum cell *cells,
                   struct error *reterr) {
    int r = 0;
    json_out_open(out, '[');
    for (size_t c = 0; c < csv_column_count(csv) && r == 0; c++)
        r = add_cell(out, csv, c, cells[c], reterr);
    json_out_close(out, ']');
    return r;
}

static int add_rows(struct str *out, struct csv *csv, const struct table_part *wanted,
                    size_t *ret_all, struct error *reterr) {
    const double replication = (double)wanted->replication;
    enum cell *cells = mem_zalloc(csv_column_count(csv), sizeof *cells);
    int column = csv_column(csv, "replication"), r = 0, got;
    for (size_t c = 0; c < csv_column_count(csv); c++)
        cells[c] = cell_of(wanted->name, csv_column_name(csv, c));
    json_out_member_open(out, "rows", '[');
    while (r == 0 && (got = csv_next(csv, reterr)) != 0) {
        double of = 0;
        r = got < 0 ? got : 0;
        if (r == 0 && column >= 0 && replication > 0)
            r = plot_source_real(csv, column, &of, reterr);
        if (r == 0 && (of == 0 || of == replication) && (*ret_all)++ < wanted->most)
            r = add_row(out, csv, cells, reterr);
    }
    json_out_close(out, ']');
    free(cells);
    return r;
}

static int add_table(struct str *out, const char *key, const char *folder,
                     const struct table_part *wanted, struct error *reterr) {
    static const char *const none[] = {NULL};
    struct csv *csv = NULL;
    size_t all = 0;
    json_out_key(out, key);
    if (!plot_source_exists(folder, wanted->name)) {
        json_out_text(out, NULL);
        return 0;
    }
    int r = plot_source_table(folder, wanted->name, none, NULL, &csv, reterr);
    if (r < 0)
        return r;
    json_out_open(out, '{');
    ADD_COLUMN(out, "columns", csv_column_count(csv), c,
               json_out_text(out, csv_column_name(csv, c)));
    r = add_rows(out, csv, wanted, &all, reterr);
    if (wanted->most < SIZE_MAX)
        json_out_member_int(out, "all", (int64_t)all);
    json_out_close(out, '}');
    csv_close(csv);
    return r;
}

int table_json_add(struct str *out, const char *key, const char *folder, const char *name,
                   int64_t replication, struct error *reterr) {
    const struct table_part wanted = {.name = name, .replication = replication, .most = SIZE_MAX};
    return add_table(out, key, folder, &wanted, reterr);
}

int job_list_add(struct str *out, const char *folder, int64_t replication, size_t most,
                 struct error *reterr) {
    const struct table_part wanted = {"jobs.csv", replication, most};
    return add_table(out, "jobs", folder, &wanted, reterr);
}

/* --- job_curves --- */

#define MOST_POINTS 400
#define LAST_POINTS 40

enum { JCT, SLOWDOWN, WAIT, CURVES };

static const char *const curve_names[CURVES] = {"jct_s", "slowdown", "wait_s"};

/* For one run: the values that exist. */
struct curve_values {
    ARRAY_OF(double) of[CURVES];
    size_t jobs;
};

static int read_values(const char *folder, struct curve_values *values, struct error *reterr) {
    static const char *const names[] = {"jct_s", "wait_s", "exec_s", NULL};
    struct plot_jobs jobs = {.csv = NULL};
    int columns[3], got;
    int r = plot_jobs_open(&jobs, folder, names, columns, reterr);
    while (r == 0 && (got = plot_jobs_next(&jobs, reterr)) != 0) {
        double jct = NAN, wait = NAN, exec = NAN;
        r = got < 0 ? got : plot_source_real(jobs.csv, columns[0], &jct, reterr);
        if (r == 0)
            r = plot_source_real(jobs.csv, columns[1], &wait, reterr);
        if (r == 0)
            r = plot_source_real(jobs.csv, columns[2], &exec, reterr);
        if (r < 0)
            break;
        values->jobs++;
        if (!isnan(jct))
            array_push(&values->of[JCT], jct);
        if (!isnan(jct) && !isnan(exec))
            array_push(&values->of[SLOWDOWN], job_stats_slowdown(jct, exec));
        if (!isnan(wait))
            array_push(&values->of[WAIT], wait);
    }
    plot_jobs_close(&jobs);
    return r;
}

/* The places of the points that are kept of n sorted values: the last one always. */
static size_t kept_place(size_t n, size_t point, size_t points) {
    if (n <= MOST_POINTS + LAST_POINTS)
        return point;
    size_t before = points - LAST_POINTS;
    return point < before ? (size_t)((double)point * (double)(n - LAST_POINTS) / (double)before)
                          : n - (points - point);
}

static void add_curve(struct str *out, const char *name, const double *sorted, size_t n,
                      size_t jobs) {
    size_t points = n <= MOST_POINTS + LAST_POINTS ? n : MOST_POINTS + LAST_POINTS;
    json_out_member_open(out, name, '{');
    json_out_member_int(out, "count", (int64_t)n);
    ADD_COLUMN(out, "x", points, i, json_out_short(out, sorted[kept_place(n, i, points)], 6));
    ADD_COLUMN(out, "share", points, i,
               json_out_short(out, (double)(kept_place(n, i, points) + 1) / (double)jobs, 6));
    json_out_close(out, '}');
}

int job_curves_add(struct str *out, const char *folder, struct error *reterr) {
    struct curve_values values = {0};
    json_out_key(out, "curves");
    if (!plot_source_exists(folder, "jobs.csv")) {
        json_out_text(out, NULL);
        return 0;
    }
    int r = read_values(folder, &values, reterr);
    if (r == 0) {
        json_out_open(out, '{');
        json_out_member_int(out, "jobs", (int64_t)values.jobs);
        for (int c = 0; c < CURVES; c++) {
            sort_array(values.of[c].at, values.of[c].count, by_real);
            add_curve(out, curve_names[c], values.of[c].at, values.of[c].count, values.jobs);
        }
        json_out_close(out, '}');
    }
    for (int c = 0; c < CURVES; c++)
        free(values.of[c].at);
    return r;
}

/* --- service_curves --- */

#define BINS 600

/* For one service, by bin: sums over its time. */
struct curves {
    double served[BINS], capacity[BINS], replicas[BINS];
};

/* A segment gives each bin its part in time. */
static void add_segment(struct curves *curves, const struct recorded_run *run,
                        const struct recorded_segment *s, double step_s) {
    double from_s = units_s(s->start_ns), to_s = units_s(s->end_ns);
    double per_s = s->work / (to_s - from_s),
           most_per_s = recorded_run_config(run, s)->goodput[EASIM_ONE_NODE];
    for (int b = (int)(from_s / step_s); b < BINS && b * step_s < to_s; b++) {
        double begin_s = b * step_s > from_s ? b * step_s : from_s;
        double end_s = (b + 1) * step_s < to_s ? (b + 1) * step_s : to_s;
        double share = end_s > begin_s ? (end_s - begin_s) / step_s : 0;
        curves->served[b] += share * per_s;
        curves->capacity[b] += share * most_per_s;
        curves->replicas[b] += share;
    }
}

static void add_values(struct str *out, const char *key, const double *values) {
    ADD_COLUMN(out, key, BINS, b, json_out_short(out, values[b], 5));
}

static void add_service(struct str *out, const struct recorded_run *run, uint32_t service,
                        double step_s) {
    const struct service *spec = run->services[service].spec;
    struct curves *curves = mem_zalloc(1, sizeof *curves);
    for (size_t i = 0; i < run->segments.count; i++) {
        const struct recorded_segment *s = &run->segments.at[i];
        if (s->kind == SEGMENT_SERVE && s->end_ns > s->start_ns &&
            run->replicas.at[s->job - run->first_replica].service == service)
            add_segment(curves, run, s, step_s);
    }
    bool outputs = run->folder->models.models[spec->model].serving.unit == UNIT_OUTPUT;
    json_out_open(out, '{');
    json_out_member_text(out, "name", spec->name);
    json_out_member_text(out, "unit", outputs ? "outputs" : "tokens");
    add_values(out, "replicas", curves->replicas);
    add_values(out, "served", curves->served);
    add_values(out, "capacity", curves->capacity);
    json_out_close(out, '}');
    free(curves);
}

void service_curves_add(struct str *out, const struct recorded_run *run) {
    double end_s = units_s(run->part->end_ns), step_s = end_s / BINS;
    json_out_key(out, "service_curves");
    if (run->service_count == 0 || !(end_s > 0)) {
        json_out_text(out, NULL);
        return;
    }
    json_out_open(out, '{');
    json_out_member_real(out, "end_s", end_s);
    json_out_member_real(out, "step_s", step_s);
    json_out_member_open(out, "services", '[');
    for (uint32_t s = 0; s < run->service_count; s++)
        add_service(out, run, s, step_s);
    json_out_close(out, ']');
    json_out_close(out, '}');
}
