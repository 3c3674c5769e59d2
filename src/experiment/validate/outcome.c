/* Errors and verdicts: see outcome.h. */
#include "experiment/validate/outcome.h"

#include "base/units.h"
#include "experiment/statistics.h"

#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>

#define MOST_NAMED 5 /* jobs in a note */

const char *const verdict_names[] = {"", "pass", "fail", "skipped"};

/* ---- Notes ---- */

/* Jobs of one sort, for a note. */
struct named {
    size_t count;
    struct str names;
};

static void name_job(struct named *named, const char *id) {
    if (named->count < MOST_NAMED)
        str_addf(&named->names, "%s%s", named->count > 0 ? ", " : "", id);
    else if (named->count == MOST_NAMED)
        str_add(&named->names, ", ...");
    named->count++;
}

/* Several figures may have the same to say. */
static void add_note(struct outcome *o, const char *text) {
    for (size_t i = 0; i < o->notes.count; i++)
        if (strcmp(o->notes.at[i], text) == 0)
            return;
    array_push(&o->notes, text);
}

/* "3 of 120 measured jobs ...: a, b, c" */
static void note_jobs(struct outcome *o, struct named *named, size_t of, const char *what) {
    if (named->count > 0)
        add_note(o, arena_printf(&o->arena, "%zu of %zu %s: %s", named->count, of, what,
                                 named->names.text));
    str_finish(&named->names);
}

/* ---- Jobs, predicted and measured ---- */

static void match_jobs(struct outcome *o, const struct job_table *predicted) {
    const struct job_table *measured = &o->validation->jobs;
    struct named strangers = {0}, other_gpus = {0}, early = {0}, unmeasured = {0};
    for (uint32_t i = 0; i < measured->rows.count; i++) {
        struct outcome_job *job = array_add(&o->jobs);
        size_t length = measured->ids.entries.at[i].length;
        job->id = intern_text(&measured->ids, i);
        job->measured = measured->rows.at[i];
        job->predicted = job_table_find(predicted, job->id, length);
        if (!job->predicted) {
            name_job(&strangers, job->id);
            continue;
        }
        double *m = job->measured.values;
        const double *p = job->predicted->values;
        m[JOB_SUBMIT] = isnan(m[JOB_SUBMIT]) ? p[JOB_SUBMIT] : m[JOB_SUBMIT];
        job_row_complete(&job->measured);
        if (job_time_between(m[JOB_SUBMIT], m[JOB_START]) < 0 ||
            job_time_between(m[JOB_SUBMIT], m[JOB_FINISH]) < 0)
            name_job(&early, job->id);
        if (m[JOB_GPUS] < p[JOB_GPUS] || m[JOB_GPUS] > p[JOB_GPUS])
            name_job(&other_gpus, job->id);
    }
    for (uint32_t i = 0; i < predicted->rows.count; i++) {
        const struct intern_entry *entry = &predicted->ids.entries.at[i];
        if (!job_table_find(measured, entry->key, entry->length))
            name_job(&unmeasured, intern_text(&predicted->ids, i));
    }
    note_jobs(o, &strangers, measured->rows.count,
              "measured jobs are not in the run, so figures over jobs cannot pass");
    note_jobs(o, &unmeasured, predicted->rows.count, "jobs of the run were not measured");
    note_jobs(o, &other_gpus, measured->rows.count,
              "measured jobs had another number of GPUs in the run");
    note_jobs(o, &early, measured->rows.count,
              "measured jobs began before the run submits them: are times counted from the same "
              "instant?");
}

double outcome_job_error(const struct outcome_job *job, enum job_column column) {
    double measured = job->measured.values[column];
    return job->predicted && measured > 0 ? job->predicted->values[column] / measured - 1 : NAN;
}

/* ---- Figures over jobs ---- */

/* Values of the jobs that have one on both sides. */
struct pairs {
    double *predicted, *measured;
    size_t count;
};

static struct pairs pairs_of(const struct outcome *o, struct outcome_row *row,
                             struct named *missing) {
    enum job_column c = row->measure->column;
    struct pairs pairs = {.predicted = mem_zalloc(o->jobs.count, sizeof(double)),
                          .measured = mem_zalloc(o->jobs.count, sizeof(double))};
    for (size_t i = 0; i < o->jobs.count; i++) {
        const struct outcome_job *job = &o->jobs.at[i];
        double predicted = job->predicted ? job->predicted->values[c] : NAN;
        if (isnan(job->measured.values[c]))
            continue;
        if (isnan(predicted)) {
            row->missing++;
            if (job->predicted) /* the others are reported once, for all figures */
                name_job(missing, job->id);
            continue;
        }
        pairs.predicted[pairs.count] = predicted;
        pairs.measured[pairs.count++] = job->measured.values[c];
    }
    row->jobs = pairs.count;
    return pairs;
}

static double sum_of(const double *values, size_t count) {
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += values[i];
    return sum;
}

static double error_figure(const double *sorted, size_t count, int32_t over) {
    if (over == OVER_MEAN_ERROR)
        return gsl_stats_mean(sorted, 1, count);
    double share = over == OVER_MEDIAN_ERROR ? 0.5 : over == OVER_P90_ERROR ? 0.9 : 1;
    return gsl_stats_quantile_from_sorted_data(sorted, 1, count, share);
}

/* The error over relative errors, without their signs; a measured 0 has none. */
static double error_over_jobs(const struct pairs *pairs, int32_t over, size_t *ret_without) {
    double *errors = mem_zalloc(pairs->count, sizeof *errors);
    size_t count = 0;
    for (size_t i = 0; i < pairs->count; i++)
        if (pairs->measured[i] > 0)
            errors[count++] = fabs(pairs->predicted[i] / pairs->measured[i] - 1);
    gsl_sort(errors, 1, count);
    double figure = count > 0 ? error_figure(errors, count, over) : NAN;
    *ret_without = pairs->count - count;
    free(errors);
    return figure;
}

static void note_row(struct outcome *o, const struct outcome_row *row, struct named *missing,
                     size_t without) {
    const char *metric = row->measure->metric;
    note_jobs(o, missing, o->jobs.count,
              arena_printf(&o->arena, "measured jobs have no %s in the run", metric));
    if (without > 0)
        add_note(
            o, arena_printf(&o->arena,
                            "%zu of %zu jobs have a measured %s of 0, so their error is undefined",
                            without, row->jobs + without, metric));
}

static void compare_over_jobs(struct outcome *o, struct outcome_row *row) {
    struct named missing = {0};
    struct pairs pairs = pairs_of(o, row, &missing);
    int32_t over = row->measure->over;
    size_t without = 0;
    if (over >= OVER_MEDIAN_ERROR && over < OVER_NONE) {
        row->error = error_over_jobs(&pairs, over, &without);
        row->jobs -= without;
    } else if (pairs.count > 0) {
        double by = over == OVER_MEAN ? (double)pairs.count : 1;
        row->predicted = sum_of(pairs.predicted, pairs.count) / by;
        row->measured = sum_of(pairs.measured, pairs.count) / by;
    }
    note_row(o, row, &missing, without);
    free(pairs.predicted);
    free(pairs.measured);
}

/* From the first submission to the last finish, both of measured jobs. */
static void compare_makespan(struct outcome *o, struct outcome_row *row) {
    double first[2] = {INFINITY, INFINITY}, last[2] = {-INFINITY, -INFINITY};
    struct named missing = {0};
    struct pairs pairs = pairs_of(o, row, &missing);
    for (size_t i = 0; i < o->jobs.count; i++) {
        const struct outcome_job *job = &o->jobs.at[i];
        if (!job->predicted || isnan(job->predicted->values[JOB_FINISH]) ||
            isnan(job->measured.values[JOB_FINISH]))
            continue;
        const struct job_row *both[2] = {job->predicted, &job->measured};
        for (int side = 0; side < 2; side++) {
            first[side] = fmin(first[side], both[side]->values[JOB_SUBMIT]);
            last[side] = fmax(last[side], both[side]->values[JOB_FINISH]);
        }
    }
    if (pairs.count > 0) {
        row->predicted = last[0] - first[0];
        row->measured = last[1] - first[1];
    }
    note_row(o, row, &missing, 0);
    free(pairs.predicted);
    free(pairs.measured);
}

static void compare_job(struct outcome *o, struct outcome_row *row, const struct job_table *jobs) {
    const char *id = row->measure->job;
    const struct job_row *job = job_table_find(jobs, id, strlen(id));
    row->measured = row->measure->value;
    if (job)
        row->predicted = job->values[row->measure->column];
    if (isnan(row->predicted)) {
        row->missing = 1;
        add_note(o, arena_printf(&o->arena, "job %s %s %s", id,
                                 job ? "has no" : "is not in the run:", row->measure->metric));
    }
}

/* ---- Against the meter ---- */

#define WORST_HOURS 3

static void note_power(struct outcome *o) {
    const struct validate_power *p = &o->power;
    struct meter_hour worst[WORST_HOURS];
    size_t count = meter_worst_hours(&p->curves, -INFINITY, INFINITY, worst, WORST_HOURS);
    struct str text = {0};
    str_addf(&text, "%zu readings of %.6g h", p->errors.readings, p->errors.hours);
    if (!isnan(p->errors.r2))
        str_addf(&text, ", R^2 %.3f", p->errors.r2);
    for (size_t i = 0; i < count; i++)
        str_addf(&text, "%s%.6g h %+.4g W",
                 i ? ", " : "; worst hours: ", worst[i].begin_s / S_PER_H,
                 worst[i].predicted_w - worst[i].measured_w);
    if (p->unknown > 0)
        str_addf(&text, "; %zu readings are of a time that the run does not have", p->unknown);
    add_note(o, arena_strdup(&o->arena, text.text));
    str_finish(&text);
}

static void compare_meter(const struct outcome *o, struct outcome_row *row) {
    const struct meter_errors *e = &o->power.errors;
    row->missing = e->readings == 0;
    if (row->measure->meter == METER_ABSOLUTE) {
        row->error = e->absolute;
    } else {
        row->measured = e->mean_w;
        row->predicted = e->mean_w * (1 + e->energy);
    }
}

/* ---- Rows ---- */

static void judge_row(struct outcome_row *row) {
    if (isnan(row->error) && fabs(row->measured) > 0)
        row->error = row->predicted / row->measured - 1;
    else if (isnan(row->error) && fabs(row->predicted) <= 0 && fabs(row->measured) <= 0)
        row->error = 0;
    if (isnan(row->measure->tolerance))
        return;
    row->verdict = row->missing == 0 && fabs(row->error) <= row->measure->tolerance ? VERDICT_PASS
                                                                                    : VERDICT_FAIL;
}

static void begin_outcome(struct outcome *o, const struct validate_case *v, enum verdict verdict) {
    o->validation = v;
    o->rows = arena_alloc(&o->arena, v->measure_count * sizeof *o->rows);
    for (size_t i = 0; i < v->measure_count; i++)
        o->rows[i] = (struct outcome_row){
            .measure = &v->measures[i],
            .predicted = NAN,
            .measured = v->measures[i].meter == METER_NO_FIGURE ? v->measures[i].value : NAN,
            .error = NAN,
            .verdict = verdict};
}

void outcome_compare(struct outcome *o, const struct validate_case *v,
                     const struct outcome_run *run) {
    begin_outcome(o, v, VERDICT_NONE);
    if (v->has_jobs && run->jobs)
        match_jobs(o, run->jobs);
    if (v->meter.given && run->power) {
        validate_power_compare(&o->power, &v->meter, run->power);
        note_power(o);
    }
    for (size_t i = 0; i < v->measure_count; i++) {
        struct outcome_row *row = &o->rows[i];
        const struct validate_measure *m = row->measure;
        if (m->meter != METER_NO_FIGURE)
            compare_meter(o, row);
        else if (m->job)
            compare_job(o, row, run->jobs);
        else if (m->over != OVER_NONE)
            compare_over_jobs(o, row);
        else if (isnan(m->value))
            compare_makespan(o, row);
        else
            row->predicted =
                t_interval_of_column(run->summaries, run->count, (unsigned)m->summary).mean;
        if (run->nodes_draw && (m->job || m->over != OVER_NONE) && m->column == JOB_ENERGY)
            add_note(
                o,
                "the predicted energy_j is that of the GPUs of a job, without base_w and other power of its nodes");
        judge_row(row);
    }
}

void outcome_skip(struct outcome *o, const struct validate_case *v, const char *missing) {
    begin_outcome(o, v, VERDICT_SKIPPED);
    o->skipped = arena_strdup(&o->arena, missing);
}

void outcome_fail(struct outcome *o, const struct validate_case *v, const char *why) {
    begin_outcome(o, v, VERDICT_FAIL);
    o->failure = arena_strdup(&o->arena, why);
}

void outcome_finish(struct outcome *o) {
    free(o->jobs.at);
    free(o->notes.at);
    validate_power_finish(&o->power);
    arena_finish(&o->arena);
    *o = (struct outcome){.rows = NULL};
}

/* ---- Words and counts ---- */

bool outcome_is_expected(const struct outcome *o, const struct outcome_row *row) {
    if (row->verdict == VERDICT_NONE || row->verdict == VERDICT_SKIPPED)
        return true;
    if (o->failure || row->missing > 0 || isnan(row->error))
        return false; /* it cannot be expected for the reason given */
    return (row->verdict == VERDICT_FAIL) == (row->measure->expect == 1);
}

bool outcome_needs_jobs(const struct validate_case *v) {
    for (size_t i = 0; i < v->measure_count; i++)
        if (v->measures[i].meter == METER_NO_FIGURE &&
            (v->measures[i].summary < 0 || isnan(v->measures[i].value)))
            return true;
    return false;
}

const char *outcome_of(const struct outcome_row *row, struct arena *arena) {
    static const char *const words[] = {
        "mean", "sum", "median error", "90 % error", "mean error", "largest error", ""};
    const struct validate_measure *m = row->measure;
    if (m->job)
        return arena_printf(arena, "job %s", m->job);
    if (m->over == OVER_NONE && row->jobs == 0)
        return "";
    return row->jobs == 0 ? words[m->over]
                          : arena_printf(arena, "%s%s%zu jobs", words[m->over],
                                         m->over == OVER_NONE ? "" : " of ", row->jobs);
}

const char *outcome_unit(const struct validate_measure *m) {
    if (m->meter != METER_NO_FIGURE)
        return m->meter == METER_MEAN ? "W" : "";
    return m->summary >= 0 ? metric_table[m->summary].unit : job_column_unit(m->column);
}

void outcome_count(const struct outcome *o, struct outcome_counts *counts) {
    counts->skipped_files += o->skipped != NULL;
    for (size_t i = 0; i < o->validation->measure_count; i++) {
        const struct outcome_row *row = &o->rows[i];
        if (row->verdict == VERDICT_SKIPPED)
            counts->skipped++;
        else if (row->verdict == VERDICT_NONE)
            counts->without_verdict++;
        else if (!outcome_is_expected(o, row))
            counts->unexpected++;
        else if (row->verdict == VERDICT_PASS)
            counts->passed++;
        else
            counts->failed_as_expected++;
    }
}
