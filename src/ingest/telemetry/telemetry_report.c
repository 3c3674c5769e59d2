/* Samples of power become energy, means and a profile row. */
#include "ingest/telemetry/telemetry_report.h"
#include "ingest/telemetry/telemetry.h"

#include <gsl/gsl_linalg.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- power_fit --- */
/* Non-negative least squares of three variables: the best of the eight subsets whose own solution
   has no negative part. The minimum is one of them: there the variables that are not 0 solve their
   own problem (Lawson and Hanson, Solving Least Squares Problems, 1974, theorem 23.4). */

#define POWER          POWER_FIT_MOST
#define FEWEST_POINTS  8
#define LEAST_PART     1e-9 /* of an activity's variance that others must leave unexplained */
#define LEAST_VARIANCE 1e-12

void power_fit_add(struct power_fit *fit, const double activities[static POWER_FIT_MOST],
                   double power_w) {
    double before[POWER_FIT_MOST + 1], values[POWER_FIT_MOST + 1];
    fit->points++;
    for (int i = 0; i <= POWER; i++) {
        values[i] = i == POWER ? power_w : activities[i];
        before[i] = values[i] - fit->means[i];
        fit->means[i] += before[i] / (double)fit->points;
    }
    for (int i = 0; i <= POWER; i++) /* Welford */
        for (int k = 0; k <= POWER; k++)
            fit->products[i][k] += before[i] * (values[k] - fit->means[k]);
}

/* The subset's solution, scaled to unit deviations; false: not unique or with a negative part. */
static bool solve_subset(const struct power_fit *fit, unsigned subset,
                         double watts[static POWER_FIT_MOST]) {
    double matrix[POWER_FIT_MOST * POWER_FIT_MOST], right[POWER_FIT_MOST], scale[POWER_FIT_MOST];
    size_t members[POWER_FIT_MOST], count = 0;
    for (size_t i = 0; i < POWER_FIT_MOST; i++)
        if (subset >> i & 1)
            members[count++] = i;
    for (size_t i = 0; i < count; i++)
        scale[i] = sqrt(fit->products[members[i]][members[i]]);
    for (size_t i = 0; i < count; i++) {
        right[i] = fit->products[members[i]][POWER] / scale[i];
        for (size_t k = 0; k < count; k++)
            matrix[i * count + k] = fit->products[members[i]][members[k]] / (scale[i] * scale[k]);
    }
    gsl_matrix_view a = gsl_matrix_view_array(matrix, count, count);
    gsl_vector_view x = gsl_vector_view_array(right, count);
    if (gsl_linalg_cholesky_decomp1(&a.matrix) != 0)
        return false;
    for (size_t i = 0; i < count; i++)
        if (!(matrix[i * count + i] * matrix[i * count + i] > LEAST_PART))
            return false;
    gsl_linalg_cholesky_svx(&a.matrix, &x.vector);
    for (size_t i = 0; i < POWER_FIT_MOST; i++)
        watts[i] = 0;
    for (size_t i = 0; i < count; i++)
        watts[members[i]] = right[i] / scale[i];
    return watts[0] >= 0 && watts[1] >= 0 && watts[2] >= 0;
}

/* Sum of squares that the solution of a subset leaves. */
static double rest_of(const struct power_fit *fit, const double watts[static POWER_FIT_MOST]) {
    double rest = fit->products[POWER][POWER];
    for (int i = 0; i < POWER_FIT_MOST; i++)
        rest -= watts[i] * fit->products[i][POWER];
    return fmax(rest, 0);
}

bool power_fit_solve(const struct power_fit *fit, struct power_model *model) {
    double best[POWER_FIT_MOST] = {0}, rest = fit->products[POWER][POWER];
    unsigned usable = 0, active = 0;
    for (unsigned i = 0; i < POWER_FIT_MOST; i++)
        if (fit->products[i][i] > LEAST_VARIANCE * (double)fit->points)
            usable |= 1u << i;
    if (fit->points < FEWEST_POINTS || usable == 0)
        return false;
    for (unsigned subset = 1; subset < 1u << POWER_FIT_MOST; subset++) {
        double watts[POWER_FIT_MOST];
        if ((subset & ~usable) != 0 || !solve_subset(fit, subset, watts) ||
            !(rest_of(fit, watts) < rest))
            continue;
        rest = rest_of(fit, watts);
        active = subset;
        for (int i = 0; i < POWER_FIT_MOST; i++)
            best[i] = watts[i];
    }
    *model = (struct power_model){.idle_w = fit->means[POWER]};
    for (unsigned i = 0; i < POWER_FIT_MOST; i++) {
        model->watts[i] = usable >> i & 1 ? best[i] : NAN;
        model->idle_w -= best[i] * fit->means[i];
    }
    double parameters = 1 + __builtin_popcount(active);
    model->residual_w = sqrt(rest / ((double)fit->points - parameters));
    model->r_squared =
        fit->products[POWER][POWER] > 0 ? 1 - rest / fit->products[POWER][POWER] : NAN;
    return true;
}

/* --- telemetry_power --- */
/* P = P_idle + a * SM activity + b * tensor activity + c * DRAM activity, at one instant. */

ORDER_BY(activity_by_time, struct telemetry_activity, ASC(time_ns))

/* In the order of time, one entry for each instant: some files have one metric after the other. */
static void order_activities(struct telemetry_device *device) {
    struct telemetry_activity *all = device->activities.at;
    size_t count = device->activities.count, kept = 0;
    sort_array(all, count, activity_by_time);
    for (size_t i = 0; i < count; i++) {
        if (kept == 0 || all[kept - 1].time_ns != all[i].time_ns) {
            all[kept++] = all[i];
            continue;
        }
        for (size_t k = 0; k < TELEMETRY_ACTIVITIES; k++)
            if (!isnan(all[i].at[k]))
                all[kept - 1].at[k] = all[i].at[k];
    }
    device->activities.count = kept;
}

/* An activity the device never shows is 0 all the time, and so has no part; else it must be there
 * at that instant.
 */
static bool is_complete_activity(const struct telemetry_device *device,
                                 const struct telemetry_activity *seen,
                                 double activities[static POWER_FIT_MOST]) {
    for (size_t k = 0; k < POWER_FIT_MOST; k++) {
        bool shown = device->metrics[TELEMETRY_SM_ACTIVE + k].count > 0;
        activities[k] = shown ? (double)seen->at[k] : 0;
        if (isnan(activities[k]))
            return false;
    }
    return true;
}

static void fit_device(struct telemetry_device *device, struct power_fit *own,
                       struct power_fit *all) {
    size_t next = 0;
    order_activities(device);
    for (size_t i = 0; i < device->points.count; i++) {
        const struct telemetry_point *point = &device->points.at[i];
        double activities[POWER_FIT_MOST];
        while (next < device->activities.count &&
               device->activities.at[next].time_ns < point->time_ns)
            next++;
        if (next == device->activities.count ||
            device->activities.at[next].time_ns != point->time_ns ||
            !is_complete_activity(device, &device->activities.at[next], activities))
            continue;
        power_fit_add(own, activities, point->power_w);
        power_fit_add(all, activities, point->power_w);
    }
}

static void add_power_model(struct figure *list, const char *device, const struct power_fit *fit) {
    struct power_model model;
    if (!power_fit_solve(fit, &model))
        return;
    struct figure *row = figures_group(list, NULL);
    figures_text(row, "device", device);
    figures_int(row, "points", (int64_t)fit->points);
    figures_real(row, "idle_w", model.idle_w);
    figures_real(row, "sm_w", model.watts[0]);
    figures_real(row, "tensor_w", model.watts[1]);
    figures_real(row, "dram_w", model.watts[2]);
    figures_real(row, "r_squared", model.r_squared);
    figures_real(row, "residual_w", model.residual_w);
}

/* Power as a function of activity, for each device that has both. Points are in order. */
static void telemetry_add_power_model(struct telemetry *telemetry, struct figure *root) {
    struct figure *list = NULL;
    struct power_fit all = {0};
    for (size_t i = 0; i < telemetry->devices.count; i++) {
        struct power_fit own = {0};
        if (telemetry->devices.at[i].activities.count == 0)
            continue;
        list = list ? list : figures_list(root, "power_model");
        fit_device(&telemetry->devices.at[i], &own, &all);
        add_power_model(list, intern_text(&telemetry->keys, (uint32_t)i), &own);
    }
    if (list && telemetry->devices.count > 1)
        add_power_model(list, "all", &all);
}

/* --- telemetry_report --- */

struct power {
    size_t samples, changes; /* changes: samples that differ from the one before */
    double duration_s, energy_j, mean_w, sample_mean_w, p50_w, p95_w, p99_w, max_w;
};

ORDER_BY(sample_by_time, struct telemetry_point, ASC(time_ns))

/* Points without work at both ends are no part of the job. */
static void trim_idle(struct telemetry_device *device) {
    struct telemetry_point *points = device->points.at;
    size_t first = 0, count = device->points.count;
    while (first < count && points[first].utilization == 0)
        first++;
    while (count > first && points[count - 1].utilization == 0)
        count--;
    if (count > first && first > 0)
        memmove(points, points + first, (count - first) * sizeof *points);
    if (count > first)
        device->points.count = count - first;
}

static struct power power_of_device(const struct telemetry_device *device) {
    const struct telemetry_point *points = device->points.at;
    size_t count = device->points.count;
    struct power p = {.samples = count, .max_w = NAN};
    double *values = mem_alloc((count + 1) * sizeof *values);
    for (size_t i = 0; i < count; i++) {
        values[i] = points[i].power_w;
        p.changes += i == 0 || points[i].power_w != points[i - 1].power_w;
        if (i > 0)
            p.energy_j += (double)(points[i].time_ns - points[i - 1].time_ns) / 1e9 *
                          (points[i].power_w + points[i - 1].power_w) / 2;
    }
    if (count > 0) {
        p.duration_s = (double)(points[count - 1].time_ns - points[0].time_ns) / 1e9;
        p.sample_mean_w = gsl_stats_mean(values, 1, count);
        p.mean_w = p.duration_s > 0 ? p.energy_j / p.duration_s : p.sample_mean_w;
        gsl_sort(values, 1, count);
        p.p50_w = gsl_stats_quantile_from_sorted_data(values, 1, count, 0.5);
        p.p95_w = gsl_stats_quantile_from_sorted_data(values, 1, count, 0.95);
        p.p99_w = gsl_stats_quantile_from_sorted_data(values, 1, count, 0.99);
        p.max_w = values[count - 1];
    }
    free(values);
    return p;
}

static double counter_s(const struct telemetry_device *device) {
    return (double)(device->counter_last_ns - device->counter_first_ns) / 1e9;
}

static bool has_counter(const struct telemetry_device *device) {
    return !isnan(device->last_counter_j) && counter_s(device) > 0;
}

/* The count of the meter is better than a sum of samples. */
static double mean_power_w(const struct telemetry_device *device, const struct power *p) {
    return has_counter(device) ? device->counter_j / counter_s(device) : p->mean_w;
}

static void add_device(struct figure *list, const char *key, const struct telemetry_device *device,
                       const struct power *p) {
    static const struct {
        const char *name;
        enum telemetry_metric metric;
        bool most;
    } metrics[] = {{"utilization_mean_%", TELEMETRY_UTILIZATION, false},
                   {"memory_used_max_mib", TELEMETRY_MEMORY_USED, true},
                   {"sm_active_mean", TELEMETRY_SM_ACTIVE, false},
                   {"tensor_active_mean", TELEMETRY_TENSOR_ACTIVE, false},
                   {"dram_active_mean", TELEMETRY_DRAM_ACTIVE, false},
                   {"power_capped_share", TELEMETRY_POWER_CAPPED, false}};
    struct figure *row = figures_group(list, NULL);
    figures_text(row, "device", key);
    figures_int(row, "samples", (int64_t)p->samples);
    figures_int(row, "changes", (int64_t)p->changes);
    figures_real(row, "duration_s", p->duration_s);
    figures_real(row, "energy_j", p->energy_j);
    figures_real(row, "counter_energy_j", has_counter(device) ? device->counter_j : NAN);
    figures_real(row, "power_mean_w", p->mean_w);
    figures_real(row, "power_sample_mean_w", p->sample_mean_w);
    figures_real(row, "power_p50_w", p->p50_w);
    figures_real(row, "power_p95_w", p->p95_w);
    figures_real(row, "power_p99_w", p->p99_w);
    figures_real(row, "power_max_w", p->max_w);
    for (size_t i = 0; i < sizeof metrics / sizeof *metrics; i++) {
        const struct telemetry_metric_sum *sum = &device->metrics[metrics[i].metric];
        if (sum->count > 0)
            figures_real(row, metrics[i].name, metrics[i].most ? sum->most : telemetry_mean(sum));
    }
    figures_text(row, "gpu", device->gpu);
}

/* ---- The row ---- */

static void note_count(struct profile *profile, uint64_t count, const char *what) {
    if (count > 0)
        problems_say(&profile->notes, "%llu %s", (unsigned long long)count, what);
}

static bool has_utilization(const struct telemetry *telemetry) {
    for (size_t i = 0; i < telemetry->devices.count; i++)
        if (telemetry->devices.at[i].metrics[TELEMETRY_UTILIZATION].count > 0)
            return true;
    return false;
}

/* Values of other metrics than power that a row should have had. */
static void note_missing_values(const struct telemetry *telemetry, struct profile *profile) {
    static const char *const names[TELEMETRY_METRICS] = {
        [TELEMETRY_UTILIZATION] = "samples without utilization",
        [TELEMETRY_MEMORY_USED] = "samples without memory used",
        [TELEMETRY_SM_ACTIVE] = "samples without SM activity",
        [TELEMETRY_TENSOR_ACTIVE] = "samples without tensor activity",
        [TELEMETRY_DRAM_ACTIVE] = "samples without DRAM activity",
        [TELEMETRY_FP64_ACTIVE] = "samples without FP64 activity",
        [TELEMETRY_FP32_ACTIVE] = "samples without FP32 activity",
        [TELEMETRY_FP16_ACTIVE] = "samples without FP16 activity",
        [TELEMETRY_SM_CLOCK] = "samples without SM clock",
        [TELEMETRY_POWER_CAPPED] = "samples without readable clock reasons",
        [TELEMETRY_POWER_LIMIT] = "samples without power limit"};
    for (size_t i = 0; i < TELEMETRY_METRICS; i++)
        note_count(profile, telemetry->missing_metrics[i], names[i]);
    note_count(profile, telemetry->missing_energies,
               "samples without a reading of the energy counter");
}

static void note_rows(const struct telemetry *telemetry, struct profile *profile) {
    if (telemetry->bad_rows > 0)
        problems_add(&profile->notes,
                     (struct location){telemetry->first_bad_file, telemetry->first_bad_line, 0},
                     NULL, "%llu rows that cannot be read left out, this is the first",
                     (unsigned long long)telemetry->bad_rows);
    if (telemetry->damage)
        problems_say(&profile->notes, "%s, %llu rows kept", telemetry->damage,
                     (unsigned long long)telemetry->rows);
    note_count(profile, telemetry->repeated_rows, "rows that repeat an earlier one left out");
    note_count(profile, telemetry->partial_rows, "last lines without a line end left out");
    note_count(profile, telemetry->crowded, "samples of more than 65536 devices left out");
}

static void add_notes(const struct telemetry *telemetry, const struct profile_options *options,
                      struct profile *profile) {
    note_rows(telemetry, profile);
    note_count(profile, telemetry->missing, "samples without power left out");
    note_missing_values(telemetry, profile);
    note_count(profile, telemetry->backward, "times before the one above: rows were sorted");
    if (options->trim_idle && !has_utilization(telemetry))
        problems_add_setting(&profile->notes, (struct location){0}, "trim-idle",
                             "no effect: the input has no utilization");
    for (size_t i = 0; i < telemetry->devices.count; i++)
        note_count(profile, telemetry->devices.at[i].resets, "resets of an energy counter");
    if (!telemetry->no_times && options->given & PROFILE_INTERVAL)
        problems_add_setting(&profile->notes, (struct location){0}, "interval",
                             "no effect: the input has times");
    if (telemetry->no_times)
        problems_add_setting(&profile->notes, (struct location){0}, "interval",
                             "no times in the file: rows taken to be %g s apart",
                             options->interval_s);
}

/* The power sensors of A100 and H100 look at about a quarter of the time (arXiv 2312.02741): what
   samples say of phases shorter than the sampling is chance. */
static bool has_partial_sensor(const struct telemetry_device *device) {
    return device->gpu && (strstr(device->gpu, "A100") || strstr(device->gpu, "H100")) &&
           !has_counter(device) && device->points.count > 0;
}

static void note_sensors(const struct telemetry *telemetry, struct profile *profile) {
    uint64_t count = 0;
    for (size_t i = 0; i < telemetry->devices.count; i++)
        count += has_partial_sensor(&telemetry->devices.at[i]);
    note_count(profile, count,
               "A100 or H100 without an energy counter: their sensors see about 25 % of the time");
}

/* Figures of all devices for the row. */
struct totals {
    double power_w, duration_s;
    size_t devices, counters;
    const struct telemetry_metric_sum *limit; /* of the first device */
    const char *gpu;
};

static void add_total(struct totals *totals, const struct telemetry_device *device,
                      const struct power *p) {
    if (p->samples == 0 && !has_counter(device))
        return;
    totals->devices++;
    totals->counters += has_counter(device);
    totals->power_w += mean_power_w(device, p);
    if (p->duration_s > totals->duration_s)
        totals->duration_s = p->duration_s;
    if (!totals->gpu)
        totals->gpu = device->gpu;
    if (!totals->limit)
        totals->limit = &device->metrics[TELEMETRY_POWER_LIMIT];
}

static void add_telemetry_row(const struct totals *totals, const char *format, const char *path,
                              const struct profile_options *options, struct profile *profile) {
    struct profile_row *row = profile_add_row(profile, options);
    const struct telemetry_metric_sum *limit = totals->limit;
    if (row->gpus == 0)
        row->gpus = (uint32_t)totals->devices;
    if (!row->gpu && totals->gpu)
        row->gpu = arena_strdup(&profile->arena, totals->gpu);
    if (isnan(row->power_limit_w) && limit->count > 0 && limit->least == limit->most)
        row->power_limit_w = limit->most;
    row->power_w_per_gpu = totals->power_w / (double)totals->devices;
    if (options->samples > 0 && totals->duration_s > 0)
        row->throughput_samples_s = options->samples / totals->duration_s;
    row->source =
        arena_printf(&profile->arena, "%s %s, %s", format, path,
                     totals->counters == totals->devices ? "energy counter" : "power samples");
}

/* A problem if damage is one; negative then. */
static int check_damage(const struct telemetry *telemetry, const struct telemetry_job *job) {
    if (job->options->strict && telemetry->bad_rows > 0)
        return problems_add(
            job->problems,
            (struct location){telemetry->first_bad_file, telemetry->first_bad_line, 0}, NULL,
            "row that cannot be read");
    if (job->options->strict && telemetry->damage)
        return problems_say(job->problems, "%s", telemetry->damage);
    job->profile->damaged = telemetry->bad_rows > 0 || telemetry->damage;
    return 0;
}

/* Why there is no power: an empty file, one of another kind, or one without that metric. */
static void explain_no_power(const struct telemetry *telemetry, const char *format,
                             const char *path, struct problems *problems) {
    if (telemetry->damage)
        problems_say(problems, "%s", telemetry->damage);
    if (telemetry->rows == 0 || telemetry->bad_rows == telemetry->rows)
        problems_say(problems, "%s: expected what %s writes, found no %s of it", path, format,
                     telemetry->rows == 0 ? "row" : "readable row");
    else
        problems_say(problems, "%s: no power of any GPU", path);
}

static int show_samples(struct telemetry *telemetry, const char *format,
                        const struct telemetry_job *job) {
    note_rows(telemetry, job->profile);
    if (telemetry->rows == 0 || telemetry->bad_rows == telemetry->rows) {
        explain_no_power(telemetry, format, job->paths[0], job->problems);
        return ERROR_INPUT;
    }
    for (size_t i = 0; i < telemetry->devices.count; i++)
        order_activities(&telemetry->devices.at[i]);
    if (check_damage(telemetry, job) < 0)
        return ERROR_INPUT;
    job->options->watch->see(job->options->watch->watcher, telemetry);
    return 0;
}

int telemetry_report(struct telemetry *telemetry, const char *format,
                     const struct telemetry_job *job) {
    if (job->options->watch)
        return show_samples(telemetry, format, job);
    const struct profile_options *options = job->options;
    struct profile *profile = job->profile;
    struct problems *problems = job->problems;
    struct totals totals = {0};
    profile->figures = figures_create(&profile->arena);
    figures_int(profile->figures, "rows", (int64_t)telemetry->rows);
    figures_int(profile->figures, "bad_rows", (int64_t)telemetry->bad_rows);
    figures_int(profile->figures, "repeated_rows", (int64_t)telemetry->repeated_rows);
    struct figure *list = figures_list(profile->figures, "devices");
    for (size_t i = 0; telemetry->backward > 0 && i < telemetry->devices.count; i++)
        sort_array(telemetry->devices.at[i].points.at, telemetry->devices.at[i].points.count,
                   sample_by_time);
    telemetry_add_power_model(telemetry, profile->figures);
    double *power_w = mem_alloc((telemetry->devices.count + 1) * sizeof *power_w);
    for (size_t i = 0; i < telemetry->devices.count; i++) {
        struct telemetry_device *device = &telemetry->devices.at[i];
        if (options->trim_idle)
            trim_idle(device);
        struct power power = power_of_device(device);
        add_device(list, intern_text(&telemetry->keys, (uint32_t)i), device, &power);
        add_total(&totals, device, &power);
        power_w[i] = mean_power_w(device, &power);
    }
    telemetry_add_flops(telemetry, power_w, job);
    free(power_w);
    add_notes(telemetry, options, profile);
    note_sensors(telemetry, profile);
    if (totals.devices == 0) {
        explain_no_power(telemetry, format, job->paths[0], problems);
        return ERROR_INPUT;
    }
    if (check_damage(telemetry, job) < 0)
        return ERROR_INPUT;
    add_telemetry_row(&totals, format, job->paths[0], options, profile);
    return 0;
}

/* --- telemetry_lines: telemetry that is read line by line: one loop for all formats --- */

/* A line with a NUL byte is a bad row; a compressed file that ends early keeps what came before. */
static int read_telemetry_lines(struct telemetry *telemetry, const struct telemetry_format *format,
                                struct error *reterr) {
    struct slice line;
    int got, status = format->begin ? format->begin(telemetry, reterr) : 0;
    while (status == 0 && (got = lines_next(telemetry->lines, &line, reterr)) != 0) {
        if (got == ERROR_INPUT) {
            telemetry->rows++;
            telemetry_bad_row(telemetry);
        } else if (got < 0 && lines_is_damaged(telemetry->lines)) {
            telemetry_damaged(telemetry, reterr->text);
            break;
        } else if (got < 0) {
            return got;
        } else if (line.length > 0) {
            status = format->line(telemetry, line, reterr);
        }
    }
    return status == 0 && format->end ? format->end(telemetry, reterr) : status;
}

int telemetry_read(const struct telemetry_format *format, const struct telemetry_job *job,
                   void *reader) {
    size_t before = job->problems->count;
    struct telemetry t;
    telemetry_init(&t, job, reader);
    for (size_t i = 0; i < job->count; i++) {
        struct error error = {0};
        t.path = job->paths[i];
        if (lines_open(t.path, &t.lines, &error) < 0 ||
            read_telemetry_lines(&t, format, &error) < 0)
            problems_say(job->problems, "%s", error.text);
        lines_close(t.lines);
        t.lines = NULL;
    }
    if (job->problems->count == before)
        (void)telemetry_report(&t, format->name, job);
    telemetry_finish(&t);
    return job->problems->count > before ? ERROR_INPUT : 0;
}
