/* Finds the least that the jobs of a replication need, whoever schedules them: the input of all
   bounds (semantics 27.1). Also schedules of one machine, and jobs present at least. */
#include "bounds/internal.h"

#include "base/array.h"
#include "base/idset.h"
#include "base/mem.h"
#include "base/timeheap.h"
#include "base/units.h"
#include "easim/predict.h"
#include "model/gpu_value.h"

#include <stdbool.h>
#include <stdlib.h>

/* A busy GPU lets the CPU of its node draw more: the least that a node of the type does. */
static double least_cpu_w(const struct cluster *cluster, uint32_t gpu_type) {
    double least_w = INFINITY;
    for (uint32_t n = 0; n < cluster->node_count; n++)
        if (cluster->nodes[n].gpu_type == gpu_type)
            least_w = fmin(least_w, cluster->nodes[n].cpu_w_per_busy_gpu);
    return least_w;
}

static void find_static_power(struct demand *demand) {
    const struct cluster *cluster = demand->cluster;
    demand->idle_w = arena_alloc(&demand->arena, cluster->gpu_type_count * sizeof *demand->idle_w);
    for (uint32_t h = 0; h < cluster->gpu_type_count; h++) {
        const struct gpu_type *type = &cluster->gpu_types[h];
        demand->idle_w[h] =
            type->sleep_after_s < INFINITY ? fmin(type->idle_w, type->sleep_w) : type->idle_w;
        demand->static_w = low_add(demand->static_w, low_multiply(type->gpus, demand->idle_w[h]));
    }
    for (uint32_t n = 0; n < cluster->node_count; n++)
        demand->static_w = low_add(demand->static_w, cluster->nodes[n].fixed_w);
    demand->static_w = low_add(demand->static_w, network_power_w(&cluster->network));
}

/* A span that the configuration may ever be placed in: never a tighter one than on the empty
   cluster, and one GPU is on one node. */
static bool may_have_span(const struct easim_config *c, uint32_t span) {
    return c->goodput[span] > 0 && span >= c->empty_span && (c->k > 1 || span == c->empty_span);
}

/* Of a GPU of c at a power and speed. */
static struct demand_rate rate_of(const struct demand *demand, const struct easim_config *c,
                                  double power_w, double goodput) {
    uint32_t h = c->gpu_type;
    double gpus = easim_config_gpus(c), cpu_w = least_cpu_w(demand->cluster, h);
    double above_w = low_add(low_add(power_w, -demand->idle_w[h]), cpu_w);
    return (struct demand_rate){.gpu_type = h,
                                .gpus = gpus,
                                .gpu_s = low_divide(gpus, goodput),
                                .energy_j = low_divide(low_multiply(gpus, above_w), goodput)};
}

static void add_rates(struct demand_group *group, const struct demand *demand,
                      const struct easim_config *c) {
    uint32_t h = c->gpu_type;
    const struct gpu_type *type = &demand->cluster->gpu_types[h];
    double gpus = easim_config_gpus(c), cpu_w = least_cpu_w(demand->cluster, h);
    for (uint32_t span = 0; span < c->span_count; span++) {
        if (!may_have_span(c, span))
            continue;
        struct demand_rate rate = rate_of(demand, c, c->power_w[span], c->goodput[span]);
        array_push(&group->rates, rate);
        group->least_gpu_s[h] = fmin(group->least_gpu_s[h], rate.gpu_s);
        group->fastest = fmax(group->fastest, c->goodput[span]);
        group->least_spread_w = fmin(group->least_spread_w, c->power_w[span] - type->idle_w);
    }
    group->least_gpus[h] = fmin(group->least_gpus[h], gpus);
    group->least_spread_w = fmin(group->least_spread_w, type->ctx_w - type->idle_w);
    double setup_w = low_multiply(gpus, low_add(low_add(type->ctx_w, -demand->idle_w[h]), cpu_w));
    group->setup_w = fmin(group->setup_w, fmax(0, setup_w));
}

/* --- limits that change while jobs run --- */

#define LIMIT_PARTS 32

/* From the least draw under a limit to the power without one: each part has its least draw and
   highest speed, so all draws in between take at least as much time and energy. */
static void add_limited(struct demand_group *group, const struct demand *demand,
                        const struct power_limits *limits, const struct easim_config *c) {
    const struct gpu_type *type = &demand->cluster->gpu_types[c->gpu_type];
    for (uint32_t span = 0; span < c->span_count; span++) {
        struct limit_curve curve;
        if (!may_have_span(c, span))
            continue;
        limit_curve_init(&curve, limits, type, c, span);
        double least_w = limit_curve_least_w(&curve), above_w = c->power_w[span] - least_w;
        for (int i = 0; i < LIMIT_PARTS && above_w > 0; i++) {
            double low_w = least_w + above_w * i / LIMIT_PARTS;
            double high_w = least_w + above_w * (i + 1) / LIMIT_PARTS;
            double goodput = c->goodput[span] * limit_curve_speed(&curve, high_w);
            array_push(&group->limited, rate_of(demand, c, low_w, goodput));
        }
        group->least_spread_w = fmin(group->least_spread_w, least_w - type->idle_w);
        limit_curve_finish(&curve);
    }
}

/* Of all configurations without a limit on whole GPUs. */
static void add_all_limited(struct demand_group *group, const struct demand *demand,
                            const struct config_table *table, const struct config_set *set) {
    for (uint32_t i = set->first; i < set->first + set->count; i++) {
        const struct easim_config *c = &table->configs.at[i];
        const char *type = demand->cluster->gpu_types[c->gpu_type].name;
        if (c->milli == 0 && !(c->power_limit_w < INFINITY))
            add_limited(group, demand, model_limits(table->models, set->request->model, type), c);
    }
}

static double *all_infinite(struct demand *demand) {
    uint32_t types = demand->cluster->gpu_type_count;
    double *values = arena_alloc(&demand->arena, types * sizeof *values);
    for (uint32_t h = 0; h < types; h++)
        values[h] = INFINITY;
    return values;
}

static void fill_group(struct demand *demand, const struct config_table *table, uint32_t set) {
    struct demand_group *group = &demand->groups[set];
    const struct config_set *configs = &table->sets.at[set];
    group->least_gpu_s = all_infinite(demand);
    group->least_gpus = all_infinite(demand);
    group->setup_w = group->least_spread_w = INFINITY;
    for (uint32_t i = 0; i < configs->count; i++)
        add_rates(group, demand, &table->configs.at[configs->first + i]);
    if (table->extras.any_limits || demand->cluster->cap_rules.enforce != ENFORCE_NONE)
        add_all_limited(group, demand, table, configs);
}

static void leave_out(struct demand *demand, const struct job_spec *spec, int64_t warmup_ns,
                      int64_t end_ns) {
    bool measured = spec->submit_ns >= warmup_ns;
    demand->impossible++;
    demand->impossible_measured += measured;
    if (measured && end_ns != TIME_NONE_NS)
        demand->impossible_s += units_s(end_ns - spec->submit_ns);
}

void demand_find(struct demand *demand, const struct workload *workload,
                 const struct noise_draw *noise, int64_t end_ns, const double *done) {
    const struct config_table *table = &workload->table;
    demand->cluster = table->cluster;
    demand->group_count = table->sets.count;
    demand->groups = mem_zalloc(demand->group_count, sizeof *demand->groups);
    find_static_power(demand);
    for (size_t j = 0; j < workload->jobs.count; j++) {
        const struct job_spec *spec = &workload->jobs.at[j];
        struct demand_group *group = &demand->groups[spec->set];
        if (spec->submit_ns >= end_ns)
            continue;
        if (table->sets.at[spec->set].count == 0) {
            leave_out(demand, spec, workload->warmup_ns, end_ns);
            continue;
        }
        if (group->jobs++ == 0)
            fill_group(demand, table, spec->set);
        const struct start_costs *costs = workload_costs(workload, spec);
        double work = done ? done[j] : spec->work;
        *array_add(&demand->jobs) =
            (struct demand_job){.submit_s = units_s(spec->submit_ns),
                                .work = work / speed_noise(noise, (uint32_t)j, spec->kind),
                                .setup_s = work > 0 ? fmin(costs->start_s, costs->restart_s) : 0,
                                .group = spec->set,
                                .measured = spec->submit_ns >= workload->warmup_ns};
    }
}

void demand_finish(struct demand *demand) {
    for (size_t g = 0; g < demand->group_count; g++)
        free(demand->groups[g].rates.at), free(demand->groups[g].limited.at);
    free(demand->groups);
    free(demand->jobs.at);
    arena_finish(&demand->arena);
}

double demand_alone_s(const struct demand *demand, const struct demand_job *job) {
    return job->setup_s + job->work / demand->groups[job->group].fastest;
}

/* --- one_machine --- */

/* How long a job was in the system in the time that counts. */
static double stay_s(const struct machine_job *job, double from_s, double until_s) {
    return fmax(0, until_s - fmax(job->release_s, from_s));
}

double one_machine_srpt_s(const struct machine_job *jobs, size_t count, double from_s,
                          double end_s) {
    struct timeheap waiting = {0}; /* by what remains */
    double now_s = 0, sum_s = 0;
    uint32_t job;
    for (size_t next = 0; next < count || waiting.entries.count > 0;) {
        if (waiting.entries.count == 0)
            now_s = fmax(now_s, jobs[next].release_s);
        for (; next < count && jobs[next].release_s <= now_s; next++)
            timeheap_push(&waiting, jobs[next].size_s, (uint32_t)next);
        double remaining_s = waiting.entries.at[0].time_s;
        double until_s = next < count ? jobs[next].release_s : end_s;
        (void)timeheap_pop_due(&waiting, INFINITY, &job);
        if (now_s + remaining_s <= until_s) {
            now_s += remaining_s;
            sum_s += stay_s(&jobs[job], from_s, now_s);
        } else if (next == count) { /* it is not done by the end, nor are the others */
            now_s = end_s;
            sum_s += stay_s(&jobs[job], from_s, end_s);
        } else {
            timeheap_push(&waiting, remaining_s - (until_s - now_s), job);
            now_s = until_s;
        }
    }
    timeheap_finish(&waiting);
    return sum_s;
}

struct ranked {
    double key; /* size / weight: the least first */
    uint32_t job;
};

ORDER_BY(compare_ranked, struct ranked, ASC(key) ASC(job))

/* A job in the order of its rank: work still to do, and the integral of time over work done. */
struct turn {
    uint32_t job;
    double remaining_s, busy_s2;
};

struct machine {
    const struct machine_job *jobs;
    size_t count, next; /* next: to be released */
    double now_s;
    struct turn *turns; /* by rank */
    uint32_t *ranks;    /* by job */
    struct idset there; /* ranks of those released and not done */
};

static void rank_jobs(struct machine *machine) {
    struct ranked *order = mem_alloc(machine->count * sizeof *order);
    for (size_t j = 0; j < machine->count; j++) {
        const struct machine_job *job = &machine->jobs[j];
        order[j] =
            (struct ranked){job->weight > 0 ? job->size_s / job->weight : INFINITY, (uint32_t)j};
    }
    sort_array(order, machine->count, compare_ranked);
    for (size_t r = 0; r < machine->count; r++) {
        machine->ranks[order[r].job] = (uint32_t)r;
        machine->turns[r] = (struct turn){order[r].job, machine->jobs[order[r].job].size_s, 0};
    }
    free(order);
}

/* Works on the first in rank until it is done or the next job comes; false: all is done. */
static bool work_on_first(struct machine *machine, double *ret_busy_s) {
    const struct machine_job *jobs = machine->jobs;
    uint64_t rank = idset_next(&machine->there, 0);
    double until_s = machine->next < machine->count ? jobs[machine->next].release_s : INFINITY;
    if (rank != IDSET_NONE) {
        struct turn *turn = &machine->turns[rank];
        bool ends = machine->now_s + turn->remaining_s <= until_s;
        double to_s = ends ? machine->now_s + turn->remaining_s : until_s;
        turn->busy_s2 += (to_s - machine->now_s) * (to_s + machine->now_s) / 2;
        turn->remaining_s -= to_s - machine->now_s;
        machine->now_s = to_s;
        if (ends) {
            idset_remove(&machine->there, rank);
            ret_busy_s[turn->job] = turn->busy_s2 / jobs[turn->job].size_s;
        }
        return true;
    }
    if (machine->next < machine->count)
        machine->now_s = until_s;
    return machine->next < machine->count;
}

void one_machine_busy(const struct machine_job *jobs, size_t count, double *ret_busy_s) {
    struct machine machine = {.jobs = jobs,
                              .count = count,
                              .turns = mem_alloc(count * sizeof *machine.turns),
                              .ranks = mem_alloc(count * sizeof *machine.ranks)};
    idset_init(&machine.there, count);
    rank_jobs(&machine);
    do {
        for (; machine.next < count && jobs[machine.next].release_s <= machine.now_s;
             machine.next++) {
            ret_busy_s[machine.next] = jobs[machine.next].release_s;
            if (jobs[machine.next].size_s > 0)
                idset_insert(&machine.there, machine.ranks[machine.next]);
        }
    } while (work_on_first(&machine, ret_busy_s));
    idset_finish(&machine.there);
    free(machine.ranks);
    free(machine.turns);
}

/* --- presence --- */
/* At t let A be the jobs with release + alone <= t: the others that have come are there for
   certain. Of A as few are left as if the machine had worked for them alone, shortest remaining
   time first; it forgets everything when all that has come would be done, so each busy period
   counts alone. */

#define MOST_STEPS 500000.0 /* jobs of A, summed over the changes of A: a few 0.01 s */

struct departure {
    double earliest_s; /* release + alone */
    size_t job;
};

ORDER_BY(compare_departures, struct departure, ASC(earliest_s) ASC(job))

/* Of a busy period: what A leaves, integrated. With many jobs A grows in steps of several, and is
   smaller than it could be in between. */
static double left_behind_s(const struct machine_job *jobs, const double *alone_s, size_t count,
                            double end_s) {
    struct departure *departures = mem_alloc(count * sizeof *departures);
    struct machine_job *chosen = mem_alloc(count * sizeof *chosen);
    bool *is_chosen = mem_zalloc(count, sizeof *is_chosen);
    size_t step = 1 + (size_t)((double)count * (double)count / 2 / MOST_STEPS);
    double sum_s = 0;
    for (size_t j = 0; j < count; j++)
        departures[j] = (struct departure){jobs[j].release_s + alone_s[j], j};
    sort_array(departures, count, compare_departures);
    for (size_t d = 0; d < count; d += step) {
        size_t next = d + step < count ? d + step : count, chosen_count = 0;
        double from_s = departures[next - 1].earliest_s;
        double to_s = next < count
                          ? departures[next + step < count ? next + step - 1 : count - 1].earliest_s
                          : end_s;
        for (size_t i = d; i < next; i++)
            is_chosen[departures[i].job] = true;
        for (size_t j = 0; j < count; j++)
            if (is_chosen[j])
                chosen[chosen_count++] = jobs[j];
        if (to_s > from_s)
            sum_s += one_machine_srpt_s(chosen, chosen_count, from_s, to_s);
    }
    free(is_chosen);
    free(chosen);
    free(departures);
    return sum_s;
}

double presence_s(const struct machine_job *jobs, const double *alone_s, size_t count,
                  double end_s) {
    double sum_s = 0;
    for (size_t first = 0, next; first < count; first = next) {
        double idle_s = jobs[first].release_s;
        for (next = first; next < count && (next == first || jobs[next].release_s < idle_s); next++)
            idle_s += jobs[next].size_s;
        sum_s += left_behind_s(&jobs[first], &alone_s[first], next - first, end_s);
    }
    for (size_t j = 0; j < count; j++)
        sum_s += alone_s[j];
    return sum_s;
}
