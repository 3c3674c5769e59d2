/* Turns the jobs of a log into GPUs in use over time, by GPU type and group of jobs, for a fit of
   power. Also describes the cluster whose power is metered. */
#include "calibrate/metered/internal.h"

#include "base/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define METERED_MOST_GROUPS 64 /* further ones are one, METERED_OTHERS */
#define METERED_NO_TYPE     "gpu"
#define METERED_NO_GROUP    "(none)"

/* Where the group of a row stands. */
struct grouping {
    enum { BY_NOTHING, BY_MODEL, BY_USER, BY_LABEL } kind;
    size_t label;
};

static bool some_job_has_model(const struct trace *trace) {
    for (size_t i = 0; i < trace->rows.count; i++)
        if (trace->rows.at[i].model)
            return true;
    return false;
}

static int find_grouping(struct grouping *grouping, const struct trace *trace, const char *file,
                         const char *by, struct problems *problems) {
    *grouping = (struct grouping){0};
    if (!by && some_job_has_model(trace))
        by = "model";
    if (!by || strcmp(by, "none") == 0)
        return 0;
    if (strcmp(by, "model") == 0)
        grouping->kind = BY_MODEL;
    if (strcmp(by, "user") == 0)
        grouping->kind = BY_USER;
    for (size_t i = 0; i < trace->label_names.count; i++)
        if (strncmp(by, "label.", 6) == 0 && strcmp(by + 6, trace->label_names.at[i]) == 0)
            *grouping = (struct grouping){BY_LABEL, i};
    if (grouping->kind != BY_NOTHING)
        return 0;
    return problems_add_setting(
        problems, (struct location){.file = file}, "by",
        "expected none, model, user or a column label.NAME of the log, got \"%s\"", by);
}

static const char *group_of(const struct grouping *grouping, const struct trace_row *row) {
    const char *text = grouping->kind == BY_MODEL                  ? row->model
                       : grouping->kind == BY_USER                 ? row->user
                       : grouping->kind == BY_LABEL && row->labels ? row->labels[grouping->label]
                                                                   : NULL;
    return text && text[0] ? text : METERED_NO_GROUP;
}

/* Place of the name, added if it is new. */
#define PLACE_OF(names, name) place_of(&(names)->at, &(names)->count, &(names)->capacity, name)
static uint32_t place_of(const char ***at, size_t *count, size_t *capacity, const char *name) {
    for (size_t i = 0; i < *count; i++)
        if (strcmp((*at)[i], name) == 0)
            return (uint32_t)i;
    if (*count == *capacity)
        *at = array_grow(*at, capacity, sizeof **at);
    (*at)[*count] = name;
    return (uint32_t)(*count)++;
}

static bool check_row(const struct trace_row *row, const char *file, struct problems *problems) {
    const struct location where = {file, row->line, 0};
    if (isnan(row->duration_s))
        problems_add(problems, where, "duration_s", "expected how long the job ran, got \"\"");
    if (row->gpus == 0)
        problems_add(problems, where, "gpus", "expected the GPUs of the job, got \"\"");
    return !isnan(row->duration_s) && row->gpus > 0;
}

static void add_job(struct metered_jobs *jobs, const struct trace *trace, uint32_t number,
                    uint32_t group) {
    const struct trace_row *row = &trace->rows.at[number];
    double start_s = units_s(row->submit_ns);
    double part = row->gpu_milli > 0 ? (double)row->gpu_milli / WHOLE_GPU_MILLI : 1;
    const char *type = row->gpu_type ? row->gpu_type : METERED_NO_TYPE;
    jobs->first_s = fmin(jobs->first_s, start_s);
    jobs->last_s = fmax(jobs->last_s, start_s + row->duration_s);
    array_push(&jobs->at, ((struct metered_job){.start_s = start_s,
                                                .end_s = start_s + row->duration_s,
                                                .gpus = row->gpus * part,
                                                .type = PLACE_OF(&jobs->types, type),
                                                .group = group,
                                                .row = number,
                                                .use = row->utilization}));
}

/* ---- Groups by what they hold ---- */

struct group_time {
    const char *name;
    double gpu_s;
    uint32_t old;
};

ORDER_BY(compare_group_times, struct group_time, DESC(gpu_s) ASC(old))

/* Those with most GPU time first; what is over the limit becomes one. */
static void order_groups(struct metered_jobs *jobs) {
    size_t count = jobs->groups.count;
    struct group_time *times = mem_zalloc(count, sizeof *times);
    uint32_t *place = mem_zalloc(count, sizeof *place);
    for (size_t g = 0; g < count; g++)
        times[g] = (struct group_time){jobs->groups.at[g], 0, (uint32_t)g};
    for (size_t i = 0; i < jobs->at.count; i++) {
        const struct metered_job *job = &jobs->at.at[i];
        times[job->group].gpu_s += job->gpus * (job->end_s - job->start_s);
    }
    sort_array(times, count, compare_group_times);
    bool over = count > METERED_MOST_GROUPS;
    size_t kept = over ? METERED_MOST_GROUPS - 1 : count;
    for (size_t g = 0; g < count; g++) {
        place[times[g].old] = (uint32_t)(g < kept ? g : kept);
        if (g < kept)
            jobs->groups.at[g] = times[g].name;
    }
    for (size_t i = 0; i < jobs->at.count; i++)
        jobs->at.at[i].group = place[jobs->at.at[i].group];
    if (over)
        jobs->groups.at[kept] = METERED_OTHERS;
    jobs->merged_groups = count - kept;
    jobs->groups.count = kept + over;
    free(times);
    free(place);
}

int metered_jobs_make(struct metered_jobs *jobs, const struct trace *trace, const char *file,
                      const char *by, struct problems *problems) {
    struct grouping grouping;
    struct intern names = {0}; /* of groups: there may be thousands */
    size_t before = problems->count;
    *jobs = (struct metered_jobs){.first_s = INFINITY, .last_s = -INFINITY};
    if (find_grouping(&grouping, trace, file, by, problems) < 0)
        return ERROR_INPUT;
    jobs->by = grouping.kind == BY_NOTHING ? NULL : by ? by : "model";
    for (uint32_t i = 0; i < trace->rows.count; i++) {
        const struct trace_row *row = &trace->rows.at[i];
        if (!check_row(row, file, problems))
            continue;
        if (row->duration_s <= 0) {
            jobs->instant++;
            continue;
        }
        const char *name = group_of(&grouping, row);
        bool is_new;
        uint32_t group = intern(&names, name, strlen(name), &is_new);
        if (is_new)
            array_push(&jobs->groups, name);
        add_job(jobs, trace, i, group);
    }
    intern_finish(&names);
    if (problems->count == before && jobs->at.count == 0)
        problems_add(problems, (struct location){.file = file}, NULL,
                     "expected at least one job with a duration, got none");
    if (jobs->types.count > METERED_MOST_TYPES)
        problems_add(problems, (struct location){.file = file}, "gpu_type",
                     "expected at most %d GPU types, got %zu", METERED_MOST_TYPES,
                     jobs->types.count);
    if (problems->count == before)
        order_groups(jobs);
    return problems->count > before ? ERROR_INPUT : 0;
}

void metered_jobs_finish(struct metered_jobs *jobs) {
    free(jobs->at.at);
    free(jobs->types.at);
    free(jobs->groups.at);
}

/* ---- Use over time ---- */

void metered_jobs_drop_models(struct trace *trace) {
    for (size_t i = 0; i < trace->rows.count; i++) {
        struct trace_row *row = &trace->rows.at[i];
        row->model = NULL;
        row->work_samples = NAN;
        row->batch = 0;
    }
}

double metered_job_use(const struct metered_job *job, uint32_t i) {
    const struct utilization_steps *steps = job->steps;
    return isnan(steps->at[i].value) && i + 1 < steps->count ? steps->at[i + 1].value
                                                             : steps->at[i].value;
}

static double mean_of_steps(const struct metered_job *job) {
    double duration_s = job->end_s - job->start_s, sum = 0;
    for (uint32_t i = 0; i < job->steps->count; i++) {
        bool last = i + 1 == job->steps->count;
        double to_s = last ? duration_s : job->steps->at[i + 1].from_s;
        sum += (to_s - job->steps->at[i].from_s) * metered_job_use(job, i);
    }
    return fmin(1, sum / duration_s);
}

void metered_jobs_take_steps(struct metered_jobs *jobs, const struct trace *trace) {
    for (size_t i = 0; i < jobs->at.count; i++) {
        struct metered_job *job = &jobs->at.at[i];
        job->steps = trace->rows.at[job->row].steps;
        if (job->steps && isnan(job->use))
            job->use = mean_of_steps(job);
    }
}

/* ---- How many at once ---- */

struct gpu_change {
    double time_s, gpus;
};

/* At one time GPUs are given back before they are taken. */
ORDER_BY(compare_changes, struct gpu_change, ASC(time_s) ASC(gpus))

double metered_jobs_peak(const struct metered_jobs *jobs, uint32_t type) {
    struct gpu_change *changes = mem_alloc(2 * jobs->at.count * sizeof *changes);
    size_t count = 0;
    double now = 0, most = 0;
    for (size_t i = 0; i < jobs->at.count; i++) {
        const struct metered_job *job = &jobs->at.at[i];
        if (job->type != type)
            continue;
        changes[count++] = (struct gpu_change){job->start_s, job->gpus};
        changes[count++] = (struct gpu_change){job->end_s, -job->gpus};
    }
    sort_array(changes, count, compare_changes);
    for (size_t i = 0; i < count; i++) {
        now += changes[i].gpus;
        most = fmax(most, now);
    }
    free(changes);
    return most;
}

/* --- metered_cluster --- */

int metered_cluster_complete(struct metered_cluster *cluster, const struct metered_jobs *jobs,
                             const char *file, struct problems *problems) {
    size_t before = problems->count;
    cluster->type_count = jobs->types.count;
    cluster->nodes = cluster->gpus = 0;
    for (uint32_t t = 0; t < jobs->types.count; t++) {
        struct metered_type *type = &cluster->types[t];
        type->name = jobs->types.at[t];
        type->peak = metered_jobs_peak(jobs, t);
        type->nodes_given = type->nodes > 0;
        if (!type->nodes_given)
            type->nodes = ceil(type->peak / type->gpus_of_node);
        if (type->peak > type->nodes * type->gpus_of_node * (1 + 1e-12))
            problems_add_setting(problems, (struct location){.file = file}, "node-count",
                                 "expected nodes for the %.9g GPUs of type %s that jobs hold at "
                                 "once, got %.9g of %.9g GPUs",
                                 type->peak, type->name, type->nodes, type->gpus_of_node);
        cluster->nodes += type->nodes;
        cluster->gpus += type->nodes * type->gpus_of_node;
    }
    return problems->count > before ? ERROR_INPUT : 0;
}

double metered_cluster_floor_w(const struct metered_cluster *cluster) {
    if (!isnan(cluster->idle_w))
        return cluster->idle_w * cluster->gpus;
    return isnan(cluster->base_w) ? 0 : cluster->base_w * cluster->nodes;
}

double metered_cluster_idle_w(const struct metered_cluster *cluster, double rest_w) {
    double base_w = isnan(cluster->base_w) ? 0 : cluster->base_w;
    return isnan(cluster->idle_w) ? (rest_w - base_w * cluster->nodes) / cluster->gpus
                                  : cluster->idle_w;
}

double metered_cluster_base_w(const struct metered_cluster *cluster, double rest_w) {
    if (!isnan(cluster->idle_w))
        return (rest_w - cluster->idle_w * cluster->gpus) / cluster->nodes;
    return isnan(cluster->base_w) ? 0 : cluster->base_w;
}
