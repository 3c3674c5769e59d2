/* The division of a run's energy: see waste.h. One walk through the instants of the run gives the
   classes of free GPUs, and to each job, when it gets GPUs, what it could have had instead; what it
   did on them is then divided at once. */
#include "insight/waste/waste.h"

#include "base/mem.h"
#include "base/units.h"
#include "insight/network_use.h"

#include <math.h>
#include <stdlib.h>

#define ROUNDING 1e-8 /* of a sum of many doubles, and more */

/* The class of a type's free GPUs since the last change. */
struct open_window {
    enum waste_class class;
    int64_t since_ns, changed_ns; /* window; number of GPUs */
    int128 gpu_ps;                /* up to changed_ns */
    uint64_t milli;               /* 0: there is none */
};

struct division {
    struct waste *waste;
    const struct recorded_run *run;
    const struct cluster *cluster;
    int64_t from_ns, to_ns; /* the measured time */
    struct instants instants;
    struct cost_order costs;
    struct open_window *open; /* by GPU type */
    struct room_free *found;  /* by GPU type: of the job at hand */
    uint8_t *causes;          /* by job: what its set-ups count as, so far */
};

static void add_to_type(struct division *d, uint32_t gpu_type, enum waste_class class,
                        struct waste_amount amount) {
    waste_amount_add(&d->waste->types[gpu_type][class], amount);
}

static void add_to_job(struct division *d, const struct recorded_segment *segment,
                       enum waste_class class, struct waste_amount amount) {
    struct waste_job *job = &d->waste->jobs[segment->job];
    job->reconfigured_j += class == WASTE_RECONFIGURED ? amount.energy_j : 0;
    job->failed_j += class == WASTE_FAILED ? amount.energy_j : 0;
    job->useful_j += class == WASTE_USEFUL ? amount.energy_j : 0;
    add_to_type(d, recorded_run_config(d->run, segment)->gpu_type, class, amount);
}

/* The part of an interval that was measured, ns. */
static int64_t measured_ns(const struct division *d, int64_t start_ns, int64_t end_ns) {
    int64_t from_ns = start_ns > d->from_ns ? start_ns : d->from_ns;
    int64_t to_ns = end_ns < d->to_ns ? end_ns : d->to_ns;
    return to_ns > from_ns ? to_ns - from_ns : 0;
}

/* --- GPUs without a job --- */

static void close_window(struct division *d, uint32_t gpu_type) {
    struct open_window *open = &d->open[gpu_type];
    int128 energy =
        open->gpu_ps * power_nw(d->cluster->gpu_types[gpu_type].idle_w / WHOLE_GPU_MILLI);
    struct waste_amount amount = {power_j(energy), power_gpu_s(open->gpu_ps)};
    if (open->gpu_ps == 0)
        return;
    int64_t start_ns = open->since_ns > d->from_ns ? open->since_ns : d->from_ns;
    int64_t end_ns = open->changed_ns < d->to_ns ? open->changed_ns : d->to_ns;
    add_to_type(d, gpu_type, open->class, amount);
    array_push(&d->waste->windows, ((struct waste_window){start_ns, end_ns, gpu_type, open->class,
                                                          amount.gpu_s, amount.energy_j}));
}

/* Time passes up to now. */
static void pass_window(struct division *d, uint32_t gpu_type, int64_t now_ns) {
    struct open_window *open = &d->open[gpu_type];
    open->gpu_ps += (int128)open->milli * measured_ns(d, open->changed_ns, now_ns);
    open->changed_ns = now_ns;
}

static enum waste_class class_of_free(const struct instants *instants, uint32_t gpu_type) {
    const struct room_free free = room_free_of(&instants->room, gpu_type);
    if (!wanted_any(&instants->wanted, gpu_type))
        return WASTE_IDLE;
    return wanted_fits(&instants->wanted, gpu_type, &free) ? WASTE_HELD_BACK : WASTE_FRAGMENTED;
}

/* The free GPUs of each type are now as the instants has them. */
static void set_windows(struct division *d, int64_t now_ns) {
    for (uint32_t h = 0; h < d->cluster->gpu_type_count; h++) {
        struct open_window *open = &d->open[h];
        uint64_t milli = instants_awake_milli(&d->instants, h);
        enum waste_class class = milli > 0 ? class_of_free(&d->instants, h) : WASTE_IDLE;
        if (milli == open->milli && class == open->class)
            continue;
        pass_window(d, h, now_ns);
        if (class != open->class || (milli > 0) != (open->milli > 0)) {
            close_window(d, h);
            *open = (struct open_window){class, now_ns, now_ns, 0, milli};
        }
        open->milli = milli;
    }
}

/* GPUs asleep, failed or reserved. */
static void divide_rests(struct division *d) {
    static const enum waste_class classes[] = {[RECORDED_ASLEEP] = WASTE_ASLEEP,
                                               [RECORDED_FAILED] = WASTE_FAILED_NODE,
                                               [RECORDED_RESERVED] = WASTE_RESERVED};
    for (size_t i = 0; i < d->run->rests.count; i++) {
        const struct recorded_rest *rest = &d->run->rests.at[i];
        uint32_t h = d->cluster->nodes[rest->node].gpu_type;
        const struct gpu_type *type = &d->cluster->gpu_types[h];
        double power_w[] = {[RECORDED_ASLEEP] = type->sleep_w,
                            [RECORDED_FAILED] = 0,
                            [RECORDED_RESERVED] = type->idle_w};
        double gpu_s = units_s(measured_ns(d, rest->start_ns, rest->end_ns)) * rest->count;
        if (rest->state != RECORDED_FREE && gpu_s > 0)
            add_to_type(d, h, classes[rest->state],
                        (struct waste_amount){gpu_s * power_w[rest->state], gpu_s});
    }
}

/* --- nodes --- */

/* Nodes draw their own power but while all their GPUs have failed. */
static void divide_nodes(struct division *d) {
    int64_t length_ns = measured_ns(d, d->from_ns, d->to_ns);
    for (uint32_t n = 0; n < d->cluster->node_count; n++) {
        const struct node *node = &d->cluster->nodes[n];
        add_to_type(d, node->gpu_type, WASTE_BASE,
                    (struct waste_amount){node->fixed_w * units_s(length_ns), 0});
    }
    for (size_t i = 0; i < d->run->rests.count; i++) {
        const struct recorded_rest *rest = &d->run->rests.at[i];
        const struct node *node = &d->cluster->nodes[rest->node];
        double down_s =
            units_s(measured_ns(d, rest->start_ns, rest->end_ns)) * rest->count / node->gpus;
        if (rest->state == RECORDED_FAILED)
            add_to_type(d, node->gpu_type, WASTE_BASE,
                        (struct waste_amount){-node->fixed_w * down_s, 0});
    }
}

/* The network draws the same always. */
static void divide_network(struct division *d) {
    double length_s = units_s(measured_ns(d, d->from_ns, d->to_ns));
    for (uint32_t h = 0; h < d->cluster->gpu_type_count; h++)
        add_to_type(d, h, WASTE_NETWORK,
                    (struct waste_amount){power_w(fabric_nw(d->cluster, h)) * length_s, 0});
}

/* And with the GPUs of theirs that a segment holds. */
static void add_node_power(struct division *d, const struct recorded_segment *segment,
                           double time_s) {
    const struct easim_config *config = recorded_run_config(d->run, segment);
    double part = config->milli > 0 ? config->milli / (double)WHOLE_GPU_MILLI : 1, power_w = 0;
    for (uint32_t i = 0; i < segment->gpus_count; i++) {
        const struct recorded_gpus *gpus = &d->run->gpus.at[segment->gpus + i];
        power_w += d->cluster->nodes[gpus->node].cpu_w_per_busy_gpu * gpus->count * part;
    }
    add_to_type(d, config->gpu_type, WASTE_BASE, (struct waste_amount){power_w * time_s, 0});
}

/* --- jobs --- */

/* A run whose work was kept, of a job without a model: all but the time by which others slowed it
   down is useful. */
static void divide_rigid_run(struct division *d, const struct recorded_segment *segment,
                             struct waste_amount spent, double work, double time_s) {
    const struct easim_config *config = recorded_run_config(d->run, segment);
    double share = work / config->goodput[segment->span] / time_s;
    struct waste_amount useful = {spent.energy_j * share, spent.gpu_s * share};
    add_to_job(d, segment, WASTE_USEFUL, useful);
    add_to_job(d, segment, WASTE_SLOWED,
               (struct waste_amount){spent.energy_j - useful.energy_j, spent.gpu_s - useful.gpu_s});
}

/* For a run with a model: work times the steps from its cost to the least that it could have. */
static void divide_run(struct division *d, const struct recorded_segment *segment,
                       struct waste_amount spent, double work) {
    static const enum waste_class excess_over[COST_STEPS] = {
        [COST_WHEN_EMPTY] = WASTE_SPREAD,     [COST_BEST_BATCH] = WASTE_BATCH,
        [COST_BEST_SIZE] = WASTE_OVER_SCALED, [COST_BEST_THERE] = WASTE_MISPLACED,
        [COST_LEAST] = WASTE_CROWDED_OUT,
    };
    uint32_t set = d->run->workload.jobs.at[segment->job].set + segment->phase;
    struct cost steps[COST_STEPS];
    cost_steps_find(&d->costs, set, segment->config, segment->span, d->found, steps);
    const struct cost *placed = &steps[COST_AS_PLACED], *least = &steps[COST_LEAST];
    add_to_job(d, segment, WASTE_SLOWED,
               (struct waste_amount){spent.energy_j - work * placed->energy_j,
                                     spent.gpu_s - work * placed->gpu_s});
    for (int i = COST_AS_PLACED + 1; i < COST_STEPS; i++)
        if (steps[i].config != steps[i - 1].config || i == COST_WHEN_EMPTY)
            add_to_job(d, segment, excess_over[i],
                       (struct waste_amount){work * (steps[i - 1].energy_j - steps[i].energy_j),
                                             work * (steps[i - 1].gpu_s - steps[i].gpu_s)});
    add_to_job(d, segment, WASTE_USEFUL,
               (struct waste_amount){work * least->energy_j, work * least->gpu_s});
}

/* Takes out what limits changed: the time that they cost, and the energy of the work less that at
   the wish. What is left is as if the job had been at its wish. */
static void take_throttled(struct division *d, const struct recorded_segment *segment,
                           struct waste_amount *spent, double *time_s) {
    const struct recorded_limit limit = recorded_run_limit(d->run, segment);
    if (limit.throttled_ns == 0)
        return;
    double lost_s = limit.lost_s * *time_s / units_s(segment->end_ns - segment->start_ns);
    double gpus = (double)recorded_run_milli(d->run, segment) / WHOLE_GPU_MILLI;
    *time_s -= lost_s;
    struct waste_amount throttled = {spent->energy_j - limit.wish_w * *time_s, gpus * lost_s};
    spent->energy_j -= throttled.energy_j;
    spent->gpu_s -= throttled.gpu_s;
    add_to_job(d, segment, WASTE_THROTTLED, throttled);
}

static void divide_serving(struct division *d, const struct recorded_segment *segment,
                           struct waste_amount spent, double tokens) {
    const struct serving_parts parts = serving_divide(d->run, segment, spent, tokens);
    add_to_job(d, segment, WASTE_UNDERUSED, parts.underused);
    add_to_job(d, segment, WASTE_MISPLACED, parts.misplaced);
    add_to_job(d, segment, WASTE_USEFUL, parts.useful);
}

/* count: segments from this one to the last of its job. */
static void divide_segment(struct division *d, const struct recorded_segment *segment,
                           uint32_t count) {
    enum waste_class so_far = d->causes[segment->job];
    const struct job_spec *job = &d->run->workload.jobs.at[segment->job];
    int64_t length_ns = segment->end_ns - segment->start_ns;
    int64_t part_ns = measured_ns(d, segment->start_ns, segment->end_ns);
    if (part_ns == 0)
        return;
    double work = segment->work * ((double)part_ns / (double)length_ns), time_s = units_s(part_ns);
    struct waste_amount spent = {
        power_j(part_ns == length_ns ? segment->energy
                                     : segment->energy / length_ns * part_ns), /* constant: exact */
        power_gpu_s((int128)recorded_run_milli(d->run, segment) * part_ns)};
    bool on_demand = workload_costs(&d->run->workload, job)->checkpoint_interval_s == 0;
    add_node_power(d, segment, time_s);
    if (segment->kind == SEGMENT_RUN)
        take_throttled(d, segment, &spent, &time_s);
    if (segment->kind == SEGMENT_SERVE)
        divide_serving(d, segment, spent, work);
    else if (segment->kind != SEGMENT_RUN)
        add_to_job(d, segment, causes_class(so_far, segment, count, on_demand), spent);
    else if (job->kind == JOB_KIND_RIGID)
        divide_rigid_run(d, segment, spent, work, time_s);
    else
        divide_run(d, segment, spent, work);
}

/* All that a job does on GPUs that it gets now. */
static void divide_hold(struct division *d, const struct recorded_segment *first) {
    const struct recorded_job *job = &d->run->jobs[first->job];
    const struct recorded_segment *end = recorded_run_segments(d->run, job) + job->segment_count;
    uint8_t *so_far = &d->causes[first->job];
    instants_room_for(&d->instants, first, d->found);
    for (const struct recorded_segment *s = first; s < end && !recorded_segment_waits(s); s++) {
        if (s > first && instants_is_first_of_hold(s, s - 1))
            break;
        divide_segment(d, s, (uint32_t)(end - s));
        *so_far = (uint8_t)causes_after(*so_far, s);
    }
}

/* --- all --- */

static int walk(struct division *d, struct error *reterr) {
    int64_t now_ns = 0;
    set_windows(d, 0);
    while ((now_ns = instants_next_ns(&d->instants)) < INT64_MAX) {
        int result = instants_step(&d->instants, reterr);
        if (result < 0)
            return result;
        set_windows(d, now_ns);
        for (size_t i = d->instants.first_taken; i < d->instants.taken_end; i++)
            divide_hold(d, &d->run->segments.at[d->instants.events[i].index]);
    }
    for (uint32_t h = 0; h < d->cluster->gpu_type_count; h++) {
        pass_window(d, h, d->to_ns);
        close_window(d, h);
    }
    return 0;
}

static void sum_up(struct waste *waste, uint32_t gpu_types) {
    for (int i = 0; i < WASTE_CLASSES; i++) {
        for (uint32_t h = 0; h < gpu_types; h++)
            waste_amount_add(&waste->of[i], waste->types[h][i]);
        waste_amount_add(&waste->total, waste->of[i]);
    }
}

/* It is the run's energy and GPU time, except for rounding, or the files are not of one run. */
static int check_total(const struct division *d, struct error *reterr) {
    const struct summary *summary = &d->run->summary;
    double energy_j = summary->energy_kwh * J_PER_KWH, gpu_s = summary->sim_s * d->cluster->gpus;
    const struct waste_amount *total = &d->waste->total;
    if (fabs(total->energy_j - energy_j) <= ROUNDING * energy_j &&
        fabs(total->gpu_s - gpu_s) <= ROUNDING * gpu_s)
        return 0;
    return error_set(reterr, ERROR_INPUT,
                     "%s: jobs and GPUs of replication %u take %.10g J and %.10g GPU s in all, "
                     "summary.csv says %.10g and %.10g",
                     d->run->folder->path, d->run->part->replication, total->energy_j, total->gpu_s,
                     energy_j, gpu_s);
}

int waste_of_run(struct waste *waste, const struct recorded_run *run, struct error *reterr) {
    const struct cluster *cluster = &run->folder->cluster;
    *waste = (struct waste){.throttles = recorded_folder_enforces(run->folder)};
    waste->types = mem_zalloc(cluster->gpu_type_count, sizeof *waste->types);
    waste->jobs = mem_zalloc(run->workload.jobs.count, sizeof *waste->jobs);
    struct division d = {.waste = waste,
                         .run = run,
                         .cluster = cluster,
                         .from_ns = run->workload.warmup_ns,
                         .to_ns = run->part->end_ns};
    d.open = mem_zalloc(cluster->gpu_type_count, sizeof *d.open);
    d.found = mem_zalloc(cluster->gpu_type_count, sizeof *d.found);
    d.causes = mem_alloc(run->workload.jobs.count);
    memset(d.causes, WASTE_SET_UP, run->workload.jobs.count);
    serving_find_replacements(run, d.causes);
    instant_events_find(&waste->instants, run);
    instants_init(&d.instants, run, &waste->instants);
    cost_order_init(&d.costs, &run->workload.table);
    int result = walk(&d, reterr);
    if (result == 0) {
        divide_rests(&d);
        divide_nodes(&d);
        divide_network(&d);
        sum_up(waste, cluster->gpu_type_count);
        result = check_total(&d, reterr);
    }
    cost_order_finish(&d.costs);
    instants_finish(&d.instants);
    if (result < 0)
        waste_finish(waste);
    free(d.open);
    free(d.found);
    free(d.causes);
    return result;
}

void waste_finish(struct waste *waste) {
    free(waste->types);
    free(waste->jobs);
    free(waste->windows.at);
    instant_events_finish(&waste->instants);
    *waste = (struct waste){0};
}

struct waste_amount waste_of_group(const struct waste *waste, enum waste_group group) {
    struct waste_amount sum = {0};
    for (int i = 0; i < WASTE_CLASSES; i++)
        if (waste_class_group((enum waste_class)i) == group)
            waste_amount_add(&sum, waste->of[i]);
    return sum;
}
