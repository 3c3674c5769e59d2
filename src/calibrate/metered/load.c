/* Computes what jobs use in each interval of a meter: exact means of the columns that power is
   fitted to (semantics 22). */
#include "calibrate/metered/internal.h"

#include <math.h>
#include <stdlib.h>

/* A column grows by so much, per second, at that time. */
struct change {
    double time_s, by;
    uint32_t column;
};

struct changes {
    ARRAY_OF(struct change) at;
};

/* ---- Columns ---- */

uint32_t load_find(const struct load *load, enum load_kind kind, uint32_t type, uint32_t group) {
    for (size_t c = 0; c < load->columns.count; c++) {
        const struct load_column *column = &load->columns.at[c];
        if (column->kind == kind && column->type == type &&
            (kind != LOAD_BUSY || column->group == group))
            return (uint32_t)c;
    }
    return LOAD_NONE;
}

/* By type and group: whether there are jobs, and jobs with and without a recorded use. */
struct seen {
    bool job, use, no_use;
};

static struct seen *see_jobs(const struct metered_jobs *jobs) {
    struct seen *seen = mem_zalloc(jobs->types.count * jobs->groups.count, sizeof *seen);
    for (size_t i = 0; i < jobs->at.count; i++) {
        const struct metered_job *job = &jobs->at.at[i];
        struct seen *one = &seen[job->type * jobs->groups.count + job->group];
        bool known = !isnan(job->use);
        one->job = true;
        one->use |= known;
        one->no_use |= !known;
    }
    return seen;
}

static void add_columns(struct load *load, const struct metered_jobs *jobs,
                        const struct seen *seen) {
    uint32_t types = (uint32_t)jobs->types.count, groups = (uint32_t)jobs->groups.count;
    array_push(&load->columns, ((struct load_column){.kind = LOAD_CONSTANT}));
    for (uint32_t i = 0; i < types * groups; i++)
        if (seen[i].job)
            array_push(&load->columns,
                       ((struct load_column){LOAD_BUSY, i / groups, i % groups, seen[i].use}));
    for (uint32_t i = 0; i < types * groups; i++)
        if (seen[i].use && seen[i].no_use &&
            load_find(load, LOAD_UNRECORDED, i / groups, 0) == LOAD_NONE)
            array_push(&load->columns,
                       ((struct load_column){.kind = LOAD_UNRECORDED, .type = i / groups}));
    for (uint32_t i = 0; i < types * groups; i++)
        if (seen[i].use && load_find(load, LOAD_USE, i / groups, 0) == LOAD_NONE)
            array_push(&load->columns,
                       ((struct load_column){.kind = LOAD_USE, .type = i / groups}));
}

/* ---- Changes ---- */

static void add_span(struct changes *changes, uint32_t column, double from_s, double to_s,
                     double by) {
    if (to_s <= from_s || by == 0)
        return;
    array_push(&changes->at, ((struct change){from_s, by, column}));
    array_push(&changes->at, ((struct change){to_s, -by, column}));
}

static void add_uses(struct changes *changes, uint32_t column, const struct metered_job *job) {
    const struct utilization_steps *steps = job->steps;
    for (uint32_t i = 0; i < steps->count; i++) {
        bool last = i + 1 == steps->count;
        double to_s = last ? job->end_s : job->start_s + steps->at[i + 1].from_s;
        add_span(changes, column, job->start_s + steps->at[i].from_s, fmin(to_s, job->end_s),
                 job->gpus * metered_job_use(job, i));
    }
}

static void add_job_changes(struct changes *changes, const struct load *load,
                            const struct metered_job *job, bool group_has_use) {
    uint32_t use = load_find(load, LOAD_USE, job->type, 0);
    add_span(changes, load_find(load, LOAD_BUSY, job->type, job->group), job->start_s, job->end_s,
             job->gpus);
    if (job->steps)
        add_uses(changes, use, job);
    else if (!isnan(job->use))
        add_span(changes, use, job->start_s, job->end_s, job->gpus * job->use);
    else if (group_has_use)
        add_span(changes, load_find(load, LOAD_UNRECORDED, job->type, 0), job->start_s, job->end_s,
                 job->gpus);
}

ORDER_BY(compare_load_changes, struct change, ASC(time_s) ASC(column))

/* ---- Means ---- */

/* While time goes on: how much each column is now, and its integral since the interval began. */
struct sweep {
    double now_s, *level, *integral;
    size_t columns;
};

static void sweep_to(struct sweep *sweep, double time_s) {
    for (size_t c = 0; c < sweep->columns && time_s > sweep->now_s; c++)
        sweep->integral[c] += sweep->level[c] * (time_s - sweep->now_s);
    sweep->now_s = fmax(sweep->now_s, time_s);
}

static void fill_means(struct load *load, const struct changes *changes) {
    size_t columns = load->columns.count, next = 0;
    struct sweep sweep = {.now_s = -INFINITY,
                          .level = mem_zalloc(columns, sizeof(double)),
                          .integral = mem_zalloc(columns, sizeof(double)),
                          .columns = columns};
    for (size_t i = 0; i < load->readings; i++) {
        double begin_s = load->at[i].begin_s, end_s = load->at[i].end_s;
        for (; next < changes->at.count && changes->at.at[next].time_s <= begin_s; next++)
            sweep.level[changes->at.at[next].column] += changes->at.at[next].by;
        sweep.now_s = begin_s;
        memset(sweep.integral, 0, columns * sizeof *sweep.integral);
        for (; next < changes->at.count && changes->at.at[next].time_s < end_s; next++) {
            sweep_to(&sweep, changes->at.at[next].time_s);
            sweep.level[changes->at.at[next].column] += changes->at.at[next].by;
        }
        sweep_to(&sweep, end_s);
        load->means[i * columns] = 1;
        for (size_t c = 1; c < columns; c++)
            load->means[i * columns + c] = sweep.integral[c] / (end_s - begin_s);
    }
    free(sweep.level);
    free(sweep.integral);
}

void load_make(struct load *load, const struct metered_jobs *jobs, const struct meter_reading *at,
               size_t readings) {
    struct changes changes = {0};
    struct seen *seen = see_jobs(jobs);
    *load = (struct load){.at = at, .readings = readings};
    add_columns(load, jobs, seen);
    load->means = mem_zalloc(readings * load->columns.count, sizeof *load->means);
    for (size_t i = 0; i < jobs->at.count; i++) {
        const struct metered_job *job = &jobs->at.at[i];
        add_job_changes(&changes, load, job, seen[job->type * jobs->groups.count + job->group].use);
    }
    sort_array(changes.at.at, changes.at.count, compare_load_changes);
    fill_means(load, &changes);
    free(changes.at.at);
    free(seen);
}

void load_finish(struct load *load) {
    free(load->columns.at);
    free(load->means);
}

const double *load_row(const struct load *load, size_t i) {
    return &load->means[i * load->columns.count];
}
