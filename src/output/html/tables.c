/* Writes tables of the page, of jobs too, distributions over the jobs, and curves of what services
 * served. */
#include "output/html/internal.h"

#include "base/arena.h"
#include "base/intern.h"
#include "base/numfmt.h"
#include "base/sort_doubles.h"
#include "base/units.h"
#include "described_columns.h"
#include "metrics/job_stats.h"
#include "output/plot/source.h"

#include <math.h>
#include <stdlib.h>

enum cell { CELL_NUMBER, CELL_TEXT, CELL_EITHER };

/* The type of the column by the description of the table. Axes of a sweep have their own. */
static enum cell cell_of(const char *file, const char *column) {
    struct str row = {0};
    str_addf(&row, "\n%s,%s,text,", file, column);
    bool is_text = strcmp(column, "policy") == 0 || strncmp(column, "label.", 6) == 0 ||
                   strstr(described_columns, row.text) != NULL;
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

static int add_row(struct str *out, const struct csv *csv, const enum cell *cells,
                   struct error *reterr) {
    int r = 0;
    json_out_open(out, '[');
    for (size_t c = 0; c < csv_column_count(csv) && r == 0; c++)
        r = add_cell(out, csv, c, cells[c], reterr);
    json_out_close(out, ']');
    return r;
}

static int add_rows(struct str *out, struct csv *csv, const char *name, double replication,
                    struct error *reterr) {
    enum cell *cells = mem_zalloc(csv_column_count(csv), sizeof *cells);
    int column = csv_column(csv, "replication"), r = 0, got;
    for (size_t c = 0; c < csv_column_count(csv); c++)
        cells[c] = cell_of(name, csv_column_name(csv, c));
    json_out_member_open(out, "rows", '[');
    while (r == 0 && (got = csv_next(csv, reterr)) != 0) {
        double of = 0;
        r = got < 0 ? got : 0;
        if (r == 0 && column >= 0 && replication > 0)
            r = plot_source_real(csv, column, &of, reterr);
        if (r == 0 && (of == 0 || of == replication))
            r = add_row(out, csv, cells, reterr);
    }
    json_out_close(out, ']');
    free(cells);
    return r;
}

int table_json_add(struct str *out, const char *key, const char *folder, const char *name,
                   int64_t replication, struct error *reterr) {
    static const char *const none[] = {NULL};
    struct csv *csv = NULL;
    json_out_key(out, key);
    if (!plot_source_exists(folder, name)) {
        json_out_text(out, NULL);
        return 0;
    }
    int r = plot_source_table(folder, name, none, NULL, &csv, reterr);
    if (r < 0)
        return r;
    json_out_open(out, '{');
    ADD_COLUMN(out, "columns", csv_column_count(csv), c,
               json_out_text(out, csv_column_name(csv, c)));
    r = add_rows(out, csv, name, (double)replication, reterr);
    json_out_close(out, '}');
    csv_close(csv);
    return r;
}

/* --- jobs_json --- */
/* One pass over jobs.csv: distributions over all jobs that count, and a list of jobs. */

#define MOST_POINTS 400
#define LAST_POINTS 40
#define MOST_DIGITS 15 /* of the number that an id ends with: a double keeps them */

enum { JCT, SLOWDOWN, WAIT, CURVES };

static const char *const curve_names[CURVES] = {"jct_s", "slowdown", "wait_s"};

/* Columns of jobs.csv: texts, then numbers. */
enum { USER, MODEL, STATUS, JOB_ID, JOB_TEXTS };
enum { SUBMIT_S, START_S, FINISH_S, WAIT_S, EXEC_S, JCT_S, DEADLINE_S, MISSED, ENERGY_J, REALS };

static const char *const job_columns[] = {
    "user",   "model",  "status", "job_id",     "submit_s", "start_s",  "finish_s",
    "wait_s", "exec_s", "jct_s",  "deadline_s", "missed",   "energy_j", NULL};

/* Columns of the page: numbers of the texts, an id without the number at its end, that number or
   -1, and times, each from the one before on; -1: none. */
enum { NUMBER = JOB_TEXTS, SUBMIT, WAIT_MS, REST, DUE, DEADLINE, ENERGY, LISTED };

static const char *const listed_names[LISTED] = {"user",   "model",       "status",     "job_id",
                                                 "number", "submit_ms",   "wait_ms",    "rest_ms",
                                                 "due",    "deadline_ms", "energy_real"};

struct listed_job {
    int64_t of[LISTED];
};

struct job_lists {
    ARRAY_OF(double) curves[CURVES]; /* the values that exist */
    size_t counted;                  /* rows */
    ARRAY_OF(struct listed_job) jobs;
    size_t all, most; /* rows of the replication, and those that are listed */
    double replication;
    struct intern texts[JOB_TEXTS];
};

static void add_to_curves(struct job_lists *lists, const double *of) {
    lists->counted++;
    if (!isnan(of[JCT_S]))
        array_push(&lists->curves[JCT], of[JCT_S]);
    if (!isnan(of[JCT_S]) && !isnan(of[EXEC_S]))
        array_push(&lists->curves[SLOWDOWN], job_stats_slowdown(of[JCT_S], of[EXEC_S]));
    if (!isnan(of[WAIT_S]))
        array_push(&lists->curves[WAIT], of[WAIT_S]);
}

static int64_t ms_of(double time_s, int64_t since_ms) {
    return isnan(time_s) ? -1 : llround(time_s * 1000) - since_ms;
}

/* The bytes of an id before the number at its end; of no number, all. */
static size_t find_number(struct slice id) {
    size_t at = id.length;
    while (at > 0 && id.length - at < MOST_DIGITS && id.at[at - 1] >= '0' && id.at[at - 1] <= '9')
        at--;
    while (at + 1 < id.length && id.at[at] == '0')
        at++;
    return at;
}

static void add_to_list(struct job_lists *lists, const struct csv *csv, const int *columns,
                        const double *reals) {
    int64_t *of = array_add(&lists->jobs)->of;
    for (int t = 0; t < JOB_TEXTS; t++) {
        struct slice text = csv_field(csv, columns[t]);
        size_t before = t == JOB_ID ? find_number(text) : text.length;
        if (t == JOB_ID && !numfmt_parse_int(text.at + before, text.length - before, &of[NUMBER]))
            of[NUMBER] = -1;
        of[t] = intern(&lists->texts[t], text.at, before, NULL);
    }
    of[SUBMIT] = ms_of(reals[SUBMIT_S], 0);
    of[WAIT_MS] = ms_of(reals[START_S], of[SUBMIT]);
    of[REST] = ms_of(reals[FINISH_S], of[SUBMIT] + (of[WAIT_MS] > 0 ? of[WAIT_MS] : 0));
    of[DUE] = isnan(reals[DEADLINE_S]) ? DEADLINE_NONE
              : isnan(reals[MISSED])   ? DEADLINE_OPEN
              : reals[MISSED] == 0     ? DEADLINE_KEPT
                                       : DEADLINE_MISSED;
    of[DEADLINE] = ms_of(reals[DEADLINE_S], of[SUBMIT]);
    of[ENERGY] = packed_real(reals[ENERGY_J]);
}

static int read_job(struct job_lists *lists, const struct plot_jobs *jobs, const int *columns,
                    struct error *reterr) {
    double of[REALS], replication = NAN;
    int r = plot_source_real(jobs->csv, jobs->replication, &replication, reterr);
    for (int c = 0; c < REALS && r == 0; c++)
        r = plot_source_real(jobs->csv, columns[JOB_TEXTS + c], &of[c], reterr);
    if (r == 0 && !jobs->is_left_out)
        add_to_curves(lists, of);
    if (r == 0 && replication == lists->replication && lists->all++ < lists->most)
        add_to_list(lists, jobs->csv, columns, of);
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

static void add_curves(struct str *out, struct job_lists *lists) {
    json_out_member_open(out, "curves", '{');
    json_out_member_int(out, "jobs", (int64_t)lists->counted);
    for (int c = 0; c < CURVES; c++) {
        sort_doubles(lists->curves[c].at, lists->curves[c].count);
        add_curve(out, curve_names[c], lists->curves[c].at, lists->curves[c].count, lists->counted);
    }
    json_out_close(out, '}');
}

static void add_list(struct str *out, struct packed *packed, const struct job_lists *lists,
                     bool energy) {
    static const char *const names[JOB_TEXTS] = {"users", "models", "statuses", "heads"};
    json_out_member_open(out, "jobs", '{');
    json_out_member_int(out, "all", (int64_t)lists->all);
    for (int t = 0; t < JOB_TEXTS; t++)
        ADD_COLUMN(out, names[t], lists->texts[t].entries.count, i,
                   json_out_text(out, intern_text(&lists->texts[t], (uint32_t)i)));
    for (int c = 0; c < (energy ? LISTED : ENERGY); c++)
        ADD_PACKED(out, packed, listed_names[c], lists->jobs.count, i, lists->jobs.at[i].of[c]);
    json_out_close(out, '}');
}

int jobs_json_add(struct str *out, struct packed *packed, const char *folder, int64_t replication,
                  size_t policies, struct error *reterr) {
    struct job_lists lists = {.most = MOST_JOBS / policies, .replication = (double)replication};
    struct plot_jobs jobs = {.csv = NULL};
    int columns[JOB_TEXTS + REALS], r = 0, got;
    bool there = plot_source_exists(folder, "jobs.csv");
    if (there)
        r = plot_jobs_open(&jobs, folder, job_columns, columns, reterr);
    while (there && r == 0 && (got = plot_jobs_next(&jobs, reterr)) != 0)
        r = got < 0 ? got : read_job(&lists, &jobs, columns, reterr);
    plot_jobs_close(&jobs);
    if (there && r == 0) {
        add_curves(out, &lists);
        add_list(out, packed, &lists, policies > 1);
    } else {
        json_out_member_text(out, "curves", NULL);
        json_out_member_text(out, "jobs", NULL);
    }
    for (int c = 0; c < CURVES; c++)
        free(lists.curves[c].at);
    for (int t = 0; t < JOB_TEXTS; t++)
        intern_finish(&lists.texts[t]);
    free(lists.jobs.at);
    return r;
}

/* --- slowed jobs --- */

#define MOST_SLOWED 10

enum { LOST_S, THROTTLED_S, HELD_S, SLOWED };

struct slowed_job {
    double of[SLOWED];
    const char *id;
};

/* Into those of the most lost time, before others of less. */
static void note_slowed(struct slowed_job *most, const struct slowed_job *job) {
    size_t i = MOST_SLOWED;
    for (; i > 0 && !(most[i - 1].of[LOST_S] >= job->of[LOST_S]); i--)
        if (i < MOST_SLOWED)
            most[i] = most[i - 1];
    if (i < MOST_SLOWED)
        most[i] = *job;
}

int slowed_json_add(struct str *out, const char *folder, int64_t replication,
                    struct error *reterr) {
    static const char *const names[] = {"limit_lost_s", "throttled_s", "exec_s",
                                        "job_id",       "replication", NULL};
    struct slowed_job most[MOST_SLOWED] = {{.id = NULL}};
    struct arena arena = {0};
    struct csv *csv = NULL;
    int columns[SLOWED + 2], got;
    int r = plot_source_table(folder, "jobs.csv", names, columns, &csv, reterr);
    while (r == 0 && (got = csv_next(csv, reterr)) != 0) {
        struct slowed_job job = {.id = NULL};
        double of = 0;
        r = got < 0 ? got : plot_source_real(csv, columns[SLOWED + 1], &of, reterr);
        for (int c = 0; c < SLOWED && r == 0; c++)
            r = plot_source_real(csv, columns[c], &job.of[c], reterr);
        if (r < 0 || of != (double)replication ||
            !(job.of[LOST_S] > most[MOST_SLOWED - 1].of[LOST_S]))
            continue;
        struct slice id = csv_field(csv, columns[SLOWED]);
        job.id = arena_strndup(&arena, id.at, id.length);
        note_slowed(most, &job);
    }
    csv_close(csv);
    json_out_member_open(out, "slowed", '[');
    for (size_t i = 0; i < MOST_SLOWED && most[i].id; i++) {
        json_out_open(out, '{');
        json_out_member_text(out, "job", most[i].id);
        for (int c = 0; c < SLOWED; c++)
            json_out_member_real(out, names[c], most[i].of[c]);
        json_out_close(out, '}');
    }
    json_out_close(out, ']');
    arena_finish(&arena);
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
