/* Rows, fits and errors of power limits: see limit_fit.h. */
#include "calibrate/limit_fit.h"

#include "base/sort_doubles.h"
#include "calibrate/validation.h"
#include "config/csv_reader.h"
#include "io/csv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- rows --- */

static void raise_highest(struct limit_fits *fits, const char *gpu, double limit_w) {
    for (size_t i = 0; i < fits->fits.count; i++)
        if (strcmp(fits->fits.at[i].gpu, gpu) == 0) {
            fits->fits.at[i].highest_w = fmax(fits->fits.at[i].highest_w, limit_w);
            return;
        }
    array_push(&fits->fits, ((struct limit_fit){.gpu = arena_strdup(&fits->arena, gpu),
                                                .highest_w = isnan(limit_w) ? 0 : limit_w}));
}

static bool are_one_place(const struct power_level_point *a, const struct power_level_point *b) {
    return a->k == b->k && a->batch == b->batch && a->across_nodes == b->across_nodes;
}

/* The curve of the place of points[first], from its lowest limit; others come with other firsts. */
static void add_curve(struct limit_fits *fits, const struct profile_group *group,
                      const struct limits *limits, size_t first) {
    const struct power_level_point *points = limits->points.at;
    for (size_t i = 0; i < first; i++)
        if (are_one_place(&points[i], &points[first]))
            return;
    struct limit_row row = {.gpu = arena_strdup(&fits->arena, group->gpu),
                            .model = arena_strdup(&fits->arena, group->model),
                            .curve = fits->curves++,
                            .top_w = group->rows->limit_w};
    for (size_t i = 0; i < group->count; i++)
        row.evidence =
            group->rows[i].evidence > row.evidence ? group->rows[i].evidence : row.evidence;
    for (size_t i = first; i < limits->points.count; i++) {
        const struct power_level_point *p = &points[i];
        row.k = (uint32_t)p->k;
        row.batch = p->batch;
        row.limit_w = p->power_limit_w;
        row.most_w = p->power_w_per_gpu / p->power_ratio;
        row.draw = p->power_ratio;
        row.speed = 1 / p->time_ratio;
        if (are_one_place(p, &points[first]) && row.limit_w != row.top_w)
            array_push(&fits->rows, row);
    }
}

static int load_profile(struct limit_fits *fits, const char *path, struct problems *problems) {
    struct profile_table profile = {0};
    int r = profile_table_load(&profile, path, problems);
    for (size_t g = 0; r == 0 && g < profile.groups.count; g++) {
        const struct profile_group *group = &profile.groups.at[g];
        struct limits limits = {.points = {0}};
        for (size_t i = 0; i < group->count; i++)
            raise_highest(fits, group->gpu, group->rows[i].limit_w);
        raise_highest(fits, group->gpu, group->merged_w);
        limits_of_group(&limits, group);
        for (size_t i = 0; i < limits.points.count && group->rows->scope == PROFILE_SCOPE_GPU; i++)
            if (limits.points.at[i].power_limit_w != group->rows->limit_w)
                add_curve(fits, group, &limits, i);
        left_out_limits_finish(&limits);
    }
    profile_table_finish(&profile);
    return r;
}

struct metered_run {
    struct location where; /* of s_per_work */
    const char *run, *device, *op, *precision, *size;
    double limit_w, mean_w, s_per_work, on_ms, off_ms;
};

static const struct field run_columns[] = {
    {"run", STRING(metered_run, run), REQUIRED},
    {"device", STRING(metered_run, device), REQUIRED},
    {"op", STRING(metered_run, op), DEFAULT_TEXT("")},
    {"precision", STRING(metered_run, precision), DEFAULT_TEXT("")},
    {"size", STRING(metered_run, size), DEFAULT_TEXT("")},
    {"limit_w", REAL(metered_run, limit_w), REQUIRED, ABOVE(0, 1e5)},
    {"mean_w", REAL(metered_run, mean_w), REQUIRED, RANGE(0, 1e5)},
    {"s_per_work", REAL(metered_run, s_per_work), REQUIRED, RANGE(0, 1e12)},
    {"duty_on_ms", REAL(metered_run, on_ms), RANGE(0, 1e9)},
    {"duty_off_ms", REAL(metered_run, off_ms), RANGE(0, 1e9)},
    FIELDS_END};

struct runs_reader {
    const char *path;
    struct csv_reader csv;
    ARRAY_OF(struct metered_run) runs;
};

static void read_run(void *context) {
    struct runs_reader *r = context;
    struct metered_run run = {0};
    bool good = csv_reader_row(&r->csv, &run);
    run.where = csv_reader_where(&r->csv, "s_per_work");
    run.where.file = r->path;
    if (good)
        array_push(&r->runs, run);
}

static bool are_one_kernel(const struct metered_run *a, const struct metered_run *b) {
    return a->device == b->device && a->op == b->op && a->precision == b->precision &&
           a->size == b->size && a->on_ms == b->on_ms && a->off_ms == b->off_ms;
}

static bool are_measured_alike(const struct metered_run *a, const struct metered_run *b) {
    return a->limit_w == b->limit_w && a->mean_w == b->mean_w && a->s_per_work == b->s_per_work;
}

/* The run of that name; NULL after a problem. */
static const struct metered_run *find_reference(const struct runs_reader *r, const char *name) {
    const struct metered_run *found = NULL;
    for (size_t i = 0; name && i < r->runs.count; i++) {
        const struct metered_run *run = &r->runs.at[i];
        if (strcmp(run->run, name) != 0)
            continue;
        if (found && !(are_one_kernel(found, run) && are_measured_alike(found, run))) {
            problems_add(r->csv.problems, run->where, "reference",
                         "expected one run named %.80s, got another one in line %u", name,
                         found->where.line);
            return NULL;
        }
        found = found ? found : run;
    }
    if (!found)
        problems_add_setting(r->csv.problems, (struct location){.file = r->path}, "reference",
                             name ? "no run is named \"%.80s\""
                                  : "expected the name of the run without a limit, got none%s",
                             name ? name : "");
    return found;
}

static bool is_usable(const struct runs_reader *r, const struct metered_run *run) {
    if (!(run->s_per_work > 0 && run->mean_w > 0))
        problems_add(r->csv.problems, run->where, "s_per_work",
                     "expected s_per_work and mean_w above 0, got %g s and %g W", run->s_per_work,
                     run->mean_w);
    return run->s_per_work > 0 && run->mean_w > 0;
}

/* By ascending limit, each once: the least limit above `above_w` of the kernel. */
static const struct metered_run *next_run(const struct runs_reader *r,
                                          const struct metered_run *reference, double above_w) {
    const struct metered_run *next = NULL;
    for (size_t i = 0; i < r->runs.count; i++) {
        const struct metered_run *run = &r->runs.at[i];
        if (are_one_kernel(run, reference) && run->limit_w > above_w &&
            run->limit_w < (next ? next->limit_w : reference->limit_w))
            next = run;
    }
    return next;
}

static void add_runs(struct limit_fits *fits, const struct runs_reader *r,
                     const struct metered_run *reference) {
    struct limit_row row = {.gpu = arena_strdup(&fits->arena, reference->device),
                            .model = arena_printf(&fits->arena, "%s %s %s", reference->op,
                                                  reference->precision, reference->size),
                            .curve = fits->curves++,
                            .k = 1,
                            .batch = 1,
                            .most_w = reference->mean_w,
                            .top_w = reference->limit_w};
    raise_highest(fits, row.gpu, reference->limit_w);
    for (const struct metered_run *run = next_run(r, reference, 0); run;
         run = next_run(r, reference, run->limit_w)) {
        row.limit_w = run->limit_w;
        row.draw = run->mean_w / reference->mean_w;
        row.speed = reference->s_per_work / run->s_per_work;
        if (is_usable(r, run))
            array_push(&fits->rows, row);
    }
}

static int load_runs(struct limit_fits *fits, struct runs_reader *r, const char *name) {
    size_t before = r->csv.problems->count;
    fits->has_runs = true;
    if (csv_reader_load(&r->csv, r->path, read_run, r) == 0) {
        const struct metered_run *reference = find_reference(r, name);
        if (reference && is_usable(r, reference))
            add_runs(fits, r, reference);
    }
    return r->csv.problems->count > before ? ERROR_INPUT : 0;
}

/* Whether the header is that of metered runs. */
static bool holds_runs(const char *path) {
    struct error ignored = {0};
    struct csv *csv = NULL;
    bool found = csv_open(path, ',', &csv, &ignored) == 0 && csv_column(csv, "s_per_work") >= 0 &&
                 csv_column(csv, "power_limit_w") < 0;
    csv_close(csv);
    return found;
}

int limit_fits_load(struct limit_fits *fits, const char *path, const char *reference,
                    struct problems *problems) {
    struct intern texts = {0};
    struct runs_reader r = {.path = path,
                            .csv = {.columns = run_columns, .problems = problems, .texts = &texts}};
    int result =
        holds_runs(path) ? load_runs(fits, &r, reference) : load_profile(fits, path, problems);
    free(r.runs.at);
    intern_finish(&texts);
    return result;
}

/* --- fits --- */

#define STEPS 100 /* of s and m in 1 */

/* Draw by a law, as a share of P. */
static double draw_of(const struct limit_law *law, const struct limit_row *row) {
    return fmin(1, fmax(row->limit_w / row->most_w, limit_law_least(law)));
}

static double error_of(double predicted, double measured) {
    return fabs(log(predicted / measured));
}

static bool is_of(const struct limit_row *row, const char *gpu) {
    return row->fitted && (!gpu || strcmp(row->gpu, gpu) == 0);
}

/* The law of the rows of a GPU type without those at a limit; 0: of all. */
static struct limit_law find_law(const struct limit_fits *fits, const char *gpu, double but_w) {
    struct limit_law best = {.evidence = 0};
    double least = INFINITY;
    for (int s = 0; s <= (int)(0.9 * STEPS); s++)
        for (int m = 0; m <= STEPS; m++) {
            struct limit_law law = {.s = (double)s / STEPS, .m = (double)m / STEPS};
            double sum = 0;
            for (size_t i = 0; i < fits->rows.count && sum < least; i++) {
                const struct limit_row *row = &fits->rows.at[i];
                if (!is_of(row, gpu) || row->limit_w == but_w)
                    continue;
                sum += error_of(limit_law_speed(&law, draw_of(&law, row)), row->speed);
            }
            if (sum < least) {
                least = sum;
                best = law;
            }
        }
    return best;
}

/* Marks what is fitted, and counts it. */
static void count_rows(const struct limit_fits *fits, struct limit_fit *fit) {
    uint32_t last = UINT32_MAX;
    fit->from_w = INFINITY;
    for (size_t i = 0; i < fits->rows.count; i++) {
        struct limit_row *row = &fits->rows.at[i];
        if (strcmp(row->gpu, fit->gpu) != 0 || row->limit_w >= fit->highest_w ||
            row->limit_w < LIMIT_FIT_FROM * fit->highest_w)
            continue;
        bool known = false;
        for (size_t j = 0; j < i; j++)
            known = known || (is_of(&fits->rows.at[j], fit->gpu) &&
                              fits->rows.at[j].limit_w == row->limit_w);
        row->fitted = true;
        fit->limits += !known;
        fit->rows++;
        fit->curves += row->curve != last;
        last = row->curve;
        fit->from_w = fmin(fit->from_w, row->limit_w);
        fit->to_w = fmax(fit->to_w, row->limit_w);
        fit->evidence = row->evidence > fit->evidence ? row->evidence : fit->evidence;
    }
}

static void find_law_errors(struct limit_fits *fits, const struct limit_fit *fit,
                            const struct limit_law *law, double limit_w) {
    for (size_t i = 0; i < fits->rows.count; i++) {
        struct limit_row *row = &fits->rows.at[i];
        double draw = draw_of(law, row);
        if (!is_of(row, fit->gpu) || row->limit_w != limit_w)
            continue;
        row->error[LIMIT_LAW_SPEED] = error_of(limit_law_speed(law, draw), row->speed);
        row->error[LIMIT_LAW_DRAW] = error_of(draw, row->draw);
    }
}

/* Of an inner limit of the curve [begin, end), by the table of its others and no limit at the end.
 */
static void find_table_errors(const struct limit_fits *fits, size_t begin, size_t end,
                              double highest_w) {
    struct limit_point *points = mem_alloc((end - begin) * sizeof *points);
    for (size_t i = begin + 1; i < end; i++) {
        struct limit_row *row = &fits->rows.at[i];
        size_t count = 0;
        for (size_t j = begin; j < end; j++)
            if (j != i)
                points[count++] = (struct limit_point){
                    fits->rows.at[j].limit_w, fits->rows.at[j].draw, fits->rows.at[j].speed};
        points[count++] = (struct limit_point){isnan(row->top_w) ? highest_w : row->top_w, 1, 1};
        limit_table_settle(points, count);
        const struct limit_point at = limit_table_at(points, count, row->limit_w);
        row->error[LIMIT_TABLE_SPEED] = error_of(at.speed, row->speed);
        row->error[LIMIT_TABLE_DRAW] = error_of(at.draw, row->draw);
    }
    free(points);
}

static void find_errors(struct limit_fits *fits, const struct limit_fit *fit) {
    size_t begin = 0;
    for (size_t i = 0; i < fits->rows.count; i++) {
        struct limit_row *row = &fits->rows.at[i];
        begin = row->curve == fits->rows.at[begin].curve ? begin : i;
        bool last = i + 1 == fits->rows.count || row[1].curve != row->curve;
        if (last && strcmp(row->gpu, fit->gpu) == 0)
            find_table_errors(fits, begin, i + 1, fit->highest_w);
        if (!is_of(row, fit->gpu))
            continue;
        row->error[LIMIT_SHARE_SPEED] = error_of(fmin(1, row->limit_w / row->most_w), row->speed);
        row->error[LIMIT_FITTED_SPEED] =
            error_of(limit_law_speed(&fit->law, draw_of(&fit->law, row)), row->speed);
        if (fit->limits > 2 && isnan(row->error[LIMIT_LAW_SPEED])) {
            const struct limit_law law = find_law(fits, fit->gpu, row->limit_w);
            find_law_errors(fits, fit, &law, row->limit_w);
        }
    }
}

int limit_fits_make(struct limit_fits *fits, const char *path, struct problems *problems) {
    size_t before = problems->count;
    for (size_t i = 0; i < fits->rows.count; i++)
        for (int e = 0; e < LIMIT_ERRORS; e++)
            fits->rows.at[i].error[e] = NAN;
    if (fits->rows.count == 0)
        problems_add(problems, (struct location){.file = path}, NULL,
                     "expected rows with a power limit below the highest, got none");
    for (size_t f = 0; f < fits->fits.count; f++) {
        struct limit_fit *fit = &fits->fits.at[f];
        count_rows(fits, fit);
        if (fit->limits == 1 || (fit->limits == 0 && fits->fits.count == 1 && fits->rows.count > 0))
            problems_add(problems, (struct location){.file = path}, NULL,
                         "expected at least 2 power limits of %s from %g W (0.4 of the highest) to "
                         "below %g W, got %zu",
                         fit->gpu, LIMIT_FIT_FROM * fit->highest_w, fit->highest_w, fit->limits);
        if (fit->limits > 1 && problems->count == before) {
            fit->law = find_law(fits, fit->gpu, 0);
            find_errors(fits, fit);
        }
    }
    return problems->count > before ? ERROR_INPUT : 0;
}

struct limit_error_sizes limit_error_sizes_of(const struct limit_fits *fits, const char *gpu,
                                              enum limit_error error) {
    struct limit_error_sizes sizes = {0, NAN, NAN};
    double *errors = mem_alloc((fits->rows.count + 1) * sizeof *errors);
    for (size_t i = 0; i < fits->rows.count; i++)
        if (is_of(&fits->rows.at[i], gpu) && !isnan(fits->rows.at[i].error[error]))
            errors[sizes.count++] = fits->rows.at[i].error[error];
    if (sizes.count > 0) {
        sort_doubles(errors, sizes.count);
        sizes.median = (errors[(sizes.count - 1) / 2] + errors[sizes.count / 2]) / 2;
        sizes.most_of_90 = errors[(size_t)ceil(0.9 * (double)sizes.count) - 1];
    }
    free(errors);
    return sizes;
}

void limit_fits_finish(struct limit_fits *fits) {
    free(fits->rows.at);
    free(fits->fits.at);
    arena_finish(&fits->arena);
}
