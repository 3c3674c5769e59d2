/* Checks the invariants of a run with --check. Everything is derived again from jobs and nodes, not
   from running totals of the engine or from what placement keeps of switches. */
#include "engine/internal.h"
#include "engine/limits.h"

#include "engine/contention.h"
#include "engine/gpus.h"
#include "engine/jobs.h"
#include "engine/nodes.h"
#include "model/laws.h"

#include <math.h>
#include <stdlib.h>

/* --- span_checks: what a checked run looks at of spans --- */

/* Whether one switch of a tier, the cluster without tiers, holds all nodes of an allocation. */
static bool is_held(const struct sim *sim, const struct allocation *allocation, uint32_t span) {
    const struct piece *pieces = allocation_pieces(allocation);
    uint32_t nodes = cluster_span_nodes(sim->cluster, span);
    for (uint32_t i = 1; i < allocation->count; i++)
        if (pieces[i].node / nodes != pieces[0].node / nodes)
            return false;
    return true;
}

/* The span of a job that holds GPUs is the lowest that holds all of their nodes, and its
   configuration is known there. */
static void span_checks_job(struct sim *sim, uint32_t job) {
    const struct job_run *run = &sim->runs[job];
    const struct easim_job *shown = &sim->view.jobs[job];
    uint32_t lowest = 0;
    while (!is_held(sim, &run->allocation, lowest))
        lowest++;
    if (run->span != lowest || shown->span != lowest)
        sim_fail(sim, "check: job %s has span %u and shows %u, its nodes have %u",
                 sim->workload->jobs.at[job].id, run->span, shown->span, lowest);
    else if (!(sim->view.configs[run->config].goodput[lowest] > 0))
        sim_fail(sim, "check: job %s runs in a span in which it is not known",
                 sim->workload->jobs.at[job].id);
}

/* Checks one span, place by place; places are runs of nodes. */
static void check_span(struct sim *sim, uint32_t gpu_type, uint32_t span) {
    const struct cluster *cluster = sim->cluster;
    const struct type_placement *type = &sim->placement.types[gpu_type];
    uint32_t width = cluster_span_nodes(cluster, span), most = 0;
    for (uint32_t first = 0, place = 0; first < cluster->node_count; first += width, place++) {
        uint32_t free = 0;
        for (uint32_t n = first; n - first < width && n < cluster->node_count; n++)
            free += cluster->nodes[n].gpu_type == gpu_type ? sim->placement.node_free[n] : 0;
        most = free > most ? free : most;
        if (span > 0 && span < sim->placement.level_count && type->switch_free[span][place] != free)
            sim_fail(sim, "check: switch %u of tier %s has %u free GPUs, not %u", place,
                     network_span_name(&cluster->network, span), free,
                     type->switch_free[span][place]);
    }
    if (sim->view.gpu_types[gpu_type].span_free_max[span] != most)
        sim_fail(sim, "check: type %s shows at most %u free GPUs in span %s, not %u",
                 cluster->gpu_types[gpu_type].name,
                 sim->view.gpu_types[gpu_type].span_free_max[span],
                 network_span_name(&cluster->network, span), most);
}

/* The free GPUs of every switch, and the most of any, which policies see. */
static void span_checks_switches(struct sim *sim) {
    for (uint32_t h = 0; h < sim->cluster->gpu_type_count; h++)
        for (uint32_t span = 0; span < sim->view.v->span_count; span++)
            check_span(sim, h, span);
}

/* --- invariants --- */

struct totals {
    uint32_t *node_busy, *node_shared, *node_jobs;
    int64_t *share_milli[CLUSTER_MAX_TYPES]; /* held of GPU number i; NULL: no GPU of the type was
                                                ever shared */
    uint32_t type_shared[CLUSTER_MAX_TYPES];
    int64_t room_milli[CLUSTER_MAX_TYPES]; /* free of shared GPUs */
    uint32_t type_free[CLUSTER_MAX_TYPES], type_asleep[CLUSTER_MAX_TYPES],
        type_failed[CLUSTER_MAX_TYPES];
    uint32_t waiting, running, checkpointing, finished, rejected;
    uint32_t waiting_for[CLUSTER_MAX_TYPES];
    struct check_node *nodes;       /* all but jobs with limits */
    int64_t power_nw, committed_nw; /* of those, and of the network */
    int128 energy;                  /* of jobs and replicas */
};

/* The true speed of a computing job, and its finish. A job due now may keep its last speed. */
static void check_speed(struct sim *sim, uint32_t job) {
    const struct job_run *run = &sim->runs[job];
    if (run->segment != SEGMENT_RUN)
        return;
    if (!node_batches_know(sim, job)) {
        sim_fail(sim, "check: job %s is not in the batch of its node",
                 sim->workload->jobs.at[job].id);
        return;
    }
    int64_t finish_ns = job_finish_pending_ns(sim, job);
    if (finish_ns <= sim->now_ns)
        return;
    struct progress place;
    const struct progress *p = progress_of(sim, job, &place);
    if (finish_ns != job_finish_next_ns(sim, job) || (p && p->factor != progress_factor(sim, job)))
        sim_fail(sim, "check: job %s does not end when its speed says",
                 sim->workload->jobs.at[job].id);
    double done = progress_work(sim, job, progress_computing_ns(sim, job));
    double rounding =
        1e-9 * run->remaining + 1e-6 * sim->view.configs[run->config].goodput[run->span];
    if (done > run->remaining + rounding ||
        (p && (done < p->stretch_work || p->stretch_work < p->kept_work)))
        sim_fail(sim, "check: job %s has done %g of %g", sim->workload->jobs.at[job].id, done,
                 run->remaining);
}

/* A job's phase is that of the work it has left, its configurations are those of the phase. */
static void check_phase(struct sim *sim, uint32_t job) {
    const struct job_run *run = &sim->runs[job];
    const struct easim_job *j = &sim->view.jobs[job];
    const struct config_set *set = phase_set(sim, job);
    double work = sim->workload->jobs.at[job].work, left = work - account_work_done(sim, job);
    bool over = job_run_uses_gpus(run) && run->segment == SEGMENT_RUN &&
                job_finish_pending_ns(sim, job) <= sim->now_ns;
    uint8_t least = phase_of_work(sim, job, left - 1e-10 * work);
    if (j->phase != run->phase || j->first_config != set->first || j->config_count != set->count ||
        least < run->phase || (!over && left < phase_end_work(sim, job) - 1e-10 * work))
        sim_fail(sim, "check: job %s is in phase %u with %g of %g left",
                 sim->workload->jobs.at[job].id, run->phase, left, work);
}

/* The value that holds at the work done, found from the first step on; a step that is due now may
   not have come yet. NAN: the engine has another. */
static double utilization_of_work(const struct sim *sim, uint32_t job) {
    const struct job_spec *spec = &sim->workload->jobs.at[job];
    const struct utilization_steps *steps = spec->utilization;
    const struct use *use = &sim->uses[job];
    double done = account_work_done(sim, job), rounding = 1e-9 + 1e-10 * spec->work;
    bool due = use->event != EVENT_NONE && eventq_time_ns(&sim->events, use->event) <= sim->now_ns;
    uint32_t least = 0, most;
    while (least + 1 < steps->count && steps->at[least + 1].from_s <= done - rounding)
        least++;
    for (most = least; most + 1 < steps->count && steps->at[most + 1].from_s <= done + rounding;)
        most++;
    bool known = use->step <= most && (use->step >= least || due || done >= spec->work - rounding);
    return known ? steps->at[use->step].value : NAN;
}

/* Power of one GPU of a computing job. */
static double computing_w(struct sim *sim, uint32_t job, const struct easim_config *config) {
    const struct gpu_type *type = &sim->cluster->gpu_types[config->gpu_type];
    if (contention_share(sim, job) < 1) {
        const struct job_run *run = &sim->runs[job];
        const struct config_rate rate =
            config_rate_of(&sim->workload->table, sim->workload->jobs.at[job].model, run->phase,
                           config, run->span);
        return config_rate_power_w(&rate, contention_share(sim, job));
    }
    if (!sim->workload->jobs.at[job].utilization)
        return config->power_w[sim->runs[job].span];
    double value = utilization_of_work(sim, job);
    if (isnan(value))
        sim_fail(sim, "check: job %s has not the utilization of the work it has done",
                 sim->workload->jobs.at[job].id);
    return power_rigid_w(cluster_rigid_busy_w(type), type->tdp_w, value);
}

/* Adds the GPUs that a job holds at its nodes: whole ones, or part of one. */
static void add_pieces(struct sim *sim, const struct allocation *allocation,
                       const struct easim_config *config, struct totals *totals) {
    const struct piece *pieces = allocation_pieces(allocation);
    for (uint32_t i = 0; i < allocation->count; i++) {
        int64_t milli = allocation->milli + (int64_t)pieces[i].gpus * WHOLE_GPU_MILLI;
        totals->node_busy[pieces[i].node] += pieces[i].gpus;
        totals->node_jobs[pieces[i].node]++;
        int64_t cpu_nw = milli * sim->meter.cpu_milli_nw[pieces[i].node];
        check_node_add(&totals->nodes[pieces[i].node], cpu_nw, cpu_nw);
    }
    if (allocation->milli == 0)
        return;
    const struct shared_gpu *gpu = placement_shared_gpu(&sim->placement, allocation);
    totals->share_milli[config->gpu_type][allocation->gpu] += allocation->milli;
    if (gpu->node != allocation->first.node)
        sim_fail(sim, "check: GPU %u is on node %u, not %u", allocation->gpu, gpu->node,
                 allocation->first.node);
}

/* Thousandths of GPUs, from the allocation. */
static int64_t allocated_milli(const struct allocation *allocation) {
    const struct piece *pieces = allocation_pieces(allocation);
    int64_t milli = allocation->milli;
    for (uint32_t i = 0; i < allocation->count; i++)
        milli += (int64_t)pieces[i].gpus * WHOLE_GPU_MILLI;
    return milli;
}

/* The GPU types that a waiting job could use. */
static void add_wanted(const struct sim *sim, uint32_t job, struct totals *totals) {
    uint64_t types = phase_set(sim, job)->type_mask;
    for (uint32_t h = 0; h < sim->cluster->gpu_type_count; h++)
        totals->waiting_for[h] += types >> h & 1;
}

/* GPUs that are still waking up are held in set-up, or by a job that is to write its checkpoint on
 * them. */
static void check_waking(struct sim *sim, uint32_t job) {
    const struct job_run *run = &sim->runs[job];
    const struct piece *pieces = allocation_pieces(&run->allocation);
    for (uint32_t i = 0; sim->nodes.sleep.nodes && i < run->allocation.count; i++) {
        uint32_t waking = sleep_waking(&sim->nodes.sleep, pieces[i].node, job, sim->now_ns);
        if (waking > pieces[i].gpus || (waking > 0 && run->segment == SEGMENT_RUN))
            sim_fail(sim, "check: job %s holds %u GPUs of node %u, and %u are still waking up",
                     sim->workload->jobs.at[job].id, pieces[i].gpus, pieces[i].node, waking);
    }
}

/* The entry of a job that writes a checkpoint, which ends when the event says. */
static void check_checkpointing(struct sim *sim, uint32_t job) {
    const struct job_run *run = &sim->runs[job];
    const struct easim_job *j = &sim->view.jobs[job];
    const struct easim_config *config = &sim->view.configs[run->config];
    const struct easim_checkpointing *entry = &sim->view.checkpointing[j->running_slot];
    if (j->running_slot >= sim->view.v->checkpointing_count || entry->job != job ||
        entry->end_ns != eventq_time_ns(&sim->events, run->event) || j->config != run->config ||
        entry->gpu_type != config->gpu_type || entry->k != config->k ||
        entry->milli != config->milli)
        sim_fail(sim, "check: the view has another checkpoint of job %s",
                 sim->workload->jobs.at[job].id);
}

/* The view of a job's past must agree with what the engine keeps of it. */
static void check_past(struct sim *sim, uint32_t job) {
    double held_s = easim_job_held_gpu_s(sim->view.v, &sim->view.jobs[job]),
           true_s = (double)account_gpu_ps(sim, job) * 1e-12;
    if (fabs(held_s - true_s) > 1e-6 + 1e-9 * true_s)
        sim_fail(sim, "check: job %s has held %g GPU-seconds, not %g",
                 sim->workload->jobs.at[job].id, true_s, held_s);
    if (!job_memory_is_whole(sim, job))
        sim_fail(sim, "policy %s has written past its memory of job %s", sim->module->policy->name,
                 sim->workload->jobs.at[job].id);
}

/* Whether it is there, and what a running one does now: no limit and no shared link counts. */
static void check_now(struct sim *sim, uint32_t job, uint32_t state) {
    const struct easim_job *j = &sim->view.jobs[job];
    const struct job_run *run = &sim->runs[job];
    bool here = state == EASIM_JOB_WAITING || job_run_uses_gpus(run),
         runs = state == EASIM_JOB_RUNNING;
    const struct easim_config *config = &sim->view.configs[runs ? run->config : 0];
    double goodput = runs ? config->goodput[run->span] : 0,
           now_w = runs ? config->power_w[run->span] : 0;
    if (runs && limits_has_flag(sim, job, LIMIT_SHOWN)) {
        goodput = limits_member(sim, job)->hold.goodput;
        now_w = power_w(limits_member(sim, job)->hold.nw) / config->k;
    }
    if (j->here != here || (!limits_has_flag(sim, job, LIMIT_UNSHOWN) &&
                            (j->goodput_now != goodput || j->power_now_w != now_w)))
        sim_fail(sim, "check: job %s shows another present state", sim->workload->jobs.at[job].id);
    const struct easim_power_job power = job_limit_power(sim, job);
    if (sim->view.shows_power && !limits_has_flag(sim, job, LIMIT_UNSHOWN) &&
        memcmp(&power, &sim->view.power_jobs[job], sizeof power) != 0)
        sim_fail(sim, "check: job %s shows another power limit", sim->workload->jobs.at[job].id);
}

static void add_job(struct sim *sim, uint32_t job, struct totals *totals) {
    const struct job_run *run = &sim->runs[job];
    uint32_t state = sim_job_state(sim, job);
    bool holds = state == EASIM_JOB_RUNNING || state == EASIM_JOB_CHECKPOINTING;
    totals->waiting += state == EASIM_JOB_WAITING;
    totals->running += state == EASIM_JOB_RUNNING;
    totals->checkpointing += state == EASIM_JOB_CHECKPOINTING;
    totals->finished += state == EASIM_JOB_FINISHED;
    totals->rejected += state == EASIM_JOB_REJECTED;
    totals->energy += run->energy;
    if (sim->workload->table.has_phases && (state == EASIM_JOB_WAITING || holds))
        check_phase(sim, job);
    if (state == EASIM_JOB_WAITING)
        add_wanted(sim, job, totals);
    if (holds != (run->allocation.count > 0) || holds != (job_run_uses_gpus(run)))
        sim_fail(sim, "check: job %s holds GPUs in the wrong state",
                 sim->workload->jobs.at[job].id);
    check_past(sim, job);
    check_now(sim, job, state);
    if (state == EASIM_JOB_CHECKPOINTING)
        check_checkpointing(sim, job);
    if (!holds)
        return;
    const struct easim_config *config = &sim->view.configs[run->config];
    double ctx_w = sim->cluster->gpu_types[config->gpu_type].ctx_w;
    int64_t milli = allocated_milli(&run->allocation);
    add_pieces(sim, &run->allocation, config, totals);
    span_checks_job(sim, job);
    if (milli != (config->milli > 0 ? config->milli : (int64_t)config->k * WHOLE_GPU_MILLI))
        sim_fail(sim, "check: job %s holds %g GPUs instead of %g", sim->workload->jobs.at[job].id,
                 (double)milli / WHOLE_GPU_MILLI, easim_config_gpus(config));
    int64_t held_nw =
        power_of_gpus_nw(run->segment == SEGMENT_RUN ? computing_w(sim, job, config) : ctx_w,
                         config->k, config->milli);
    bool is_member = limits_have(sim, job);
    if (is_member && run->segment == SEGMENT_RUN)
        held_nw = limits_member(sim, job)->hold.nw;
    if (is_member) {
        totals->power_nw += held_nw;
        totals->committed_nw += limits_want_nw(sim, sim->limits->class_of[job]);
    } else {
        check_node_add(&totals->nodes[allocation_pieces(&run->allocation)->node], held_nw,
                       gpus_committed_nw(sim, run->config, run->span));
    }
    totals->energy += account_since(sim, job, held_nw);
    check_speed(sim, job);
    check_waking(sim, job);
}

/* Sleeping GPUs of a node: together with those awake they are its free GPUs, and an event is
   pending for when the next of them falls asleep. */
static uint32_t count_asleep(struct sim *sim, uint32_t node) {
    const struct sleep *sleep = &sim->nodes.sleep;
    if (!sleep->nodes)
        return 0;
    uint32_t asleep = sleep->nodes[node].asleep, event = sim->nodes.sleep_events[node];
    if (asleep + sleep_awake(sleep, node) != sim->placement.node_free[node])
        sim_fail(sim, "check: node %u has %u free GPUs, %u asleep and %u awake", node,
                 sim->placement.node_free[node], asleep, sleep_awake(sleep, node));
    int64_t next_ns = sleep_next_ns(sleep, node);
    if ((event == EVENT_NONE) != (next_ns == INT64_MAX) || next_ns < sim->now_ns ||
        (event != EVENT_NONE && eventq_time_ns(&sim->events, event) != next_ns))
        sim_fail(sim, "check: free GPUs of node %u do not fall asleep in time", node);
    return asleep;
}

/* The parts of a shared GPU that jobs hold and the free part add up to the whole GPU. */
static void check_shared(struct sim *sim, struct totals *totals) {
    for (uint32_t h = 0; h < sim->cluster->gpu_type_count; h++) {
        const struct sharing *sharing = &sim->placement.types[h].sharing;
        for (uint32_t i = 0; totals->share_milli[h] && i < sharing->gpu_count; i++) {
            const struct shared_gpu *gpu = &sharing->gpus[i];
            int64_t held = totals->share_milli[h][i];
            if (held == 0 && (gpu->free_milli == 0 ||
                              gpu->free_milli == WHOLE_GPU_MILLI)) /* 0: never shared yet */
                continue;
            if (held + gpu->free_milli != WHOLE_GPU_MILLI)
                sim_fail(sim,
                         "check: %lld and %u thousandths of GPU %u of type %u are held and free",
                         (long long)held, gpu->free_milli, i, h);
            totals->node_shared[gpu->node]++;
            totals->type_shared[h]++;
            totals->room_milli[h] += gpu->free_milli;
            int64_t idle_nw = gpu->free_milli * sim->meter.types[h].idle_milli_nw;
            check_node_add(&totals->nodes[gpu->node], idle_nw, idle_nw);
        }
    }
}

static void check_nodes(struct sim *sim, struct totals *totals) {
    uint32_t failed = 0, failed_nodes = 0;
    for (uint32_t n = 0; n < sim->cluster->node_count; n++) {
        const struct node *node = &sim->cluster->nodes[n];
        uint32_t free = sim->placement.node_free[n], asleep = count_asleep(sim, n);
        uint32_t available = sim->view.nodes[n].failed ? 0 : node->gpus;
        if (totals->node_busy[n] + totals->node_shared[n] + free != available ||
            sim->view.nodes[n].free != free)
            sim_fail(sim, "check: node %u has %u GPUs, %u held, %u shared and %u free", n,
                     available, totals->node_busy[n], totals->node_shared[n], free);
        if (sim->nodes.jobs && sim->nodes.jobs[n].list.count != totals->node_jobs[n])
            sim_fail(sim, "check: node %u has %u jobs, not %zu", n, totals->node_jobs[n],
                     sim->nodes.jobs[n].list.count);
        failed += node->gpus - available;
        failed_nodes += available == 0;
        totals->type_free[node->gpu_type] += free;
        totals->type_asleep[node->gpu_type] += asleep;
        totals->type_failed[node->gpu_type] += node->gpus - available;
        if (available == 0)
            continue;
        const struct power_type *type = &sim->meter.types[node->gpu_type];
        int64_t idle_nw = type->idle_milli_nw * WHOLE_GPU_MILLI,
                committed_nw = power_nw(node->fixed_w) + free * idle_nw;
        check_node_add(&totals->nodes[n], committed_nw + asleep * (type->sleep_nw - idle_nw),
                       committed_nw);
    }
    if (failed != sim->failures.gpus || failed_nodes != sim->failures.nodes)
        sim_fail(sim, "check: %u nodes with %u GPUs have failed, not %u with %u", failed_nodes,
                 failed, sim->failures.nodes, sim->failures.gpus);
}

static void check_types(struct sim *sim, struct totals *totals) {
    uint64_t room = 0;
    for (uint32_t h = 0; h < sim->cluster->gpu_type_count; h++) {
        const struct easim_gpu_type *type = &sim->view.gpu_types[h];
        const struct power_type *meter = &sim->meter.types[h];
        if (type->free != totals->type_free[h] || type->asleep != totals->type_asleep[h] ||
            type->failed != totals->type_failed[h] || meter->asleep != type->asleep ||
            meter->failed != type->failed ||
            type->node_free_max != placement_node_free_max(&sim->placement, h))
            sim_fail(sim,
                     "check: type %s shows %u free, %u asleep and %u failed GPUs, not %u, %u, %u",
                     type->name, type->free, type->asleep, type->failed, totals->type_free[h],
                     totals->type_asleep[h], totals->type_failed[h]);
        if (type->shared != totals->type_shared[h] ||
            type->shared_free_milli != (uint64_t)totals->room_milli[h] ||
            type->shared_free_max_milli != sharing_free_max(&sim->placement.types[h].sharing))
            sim_fail(sim,
                     "check: type %s shows %u shared GPUs with %llu thousandths free, not %u, %lld",
                     type->name, type->shared, (unsigned long long)type->shared_free_milli,
                     totals->type_shared[h], (long long)totals->room_milli[h]);
        if (sim->waiting_for[h] != totals->waiting_for[h])
            sim_fail(sim, "check: %u jobs wait for type %s, not %u", totals->waiting_for[h],
                     type->name, sim->waiting_for[h]);
        room += type->shared_free_milli;
    }
    if (room != sim->view.v->shared_free_milli)
        sim_fail(sim, "check: shared GPUs have %llu thousandths free, not %llu",
                 (unsigned long long)room, (unsigned long long)sim->view.v->shared_free_milli);
}

/* Energy once more, as the integral of the power that held at the end of each instant. */
static void integrate_power(struct sim *sim, int64_t power_nw) {
    struct check_past *past = &sim->past;
    past->integral += (int128)past->power_nw * (sim->now_ns - past->time_ns);
    past->power_nw = power_nw;
    past->time_ns = sim->now_ns;
    if (past->integral != power_meter_energy(&sim->meter) || past->integral != sim->meter.energy)
        sim_fail(sim, "check: energy is not the integral of the power of jobs, GPUs and nodes");
}

/* Sums up the jobs that are over, once, up to the first that is not: they do not change. */
static void pass_by(struct sim *sim) {
    struct check_past *past = &sim->past;
    for (; past->jobs < sim->next_arrival; past->jobs++) {
        uint32_t state = sim_job_state(sim, past->jobs);
        if (state != EASIM_JOB_FINISHED && state != EASIM_JOB_REJECTED)
            return;
        past->finished += state == EASIM_JOB_FINISHED;
        past->rejected += state == EASIM_JOB_REJECTED;
        past->energy += sim->runs[past->jobs].energy;
    }
}

/* With more jobs than that not every event is checked (internal.h). */
#define JOBS_PER_EVENT 64u
#define JOBS_AHEAD     4u /* fetched from memory while others are checked */

void invariants_check(struct sim *sim) {
    pass_by(sim);
    if (++sim->past.events * JOBS_PER_EVENT < sim->next_arrival - sim->past.jobs)
        integrate_power(sim, power_meter_total_nw(&sim->meter));
    else
        invariants_check_all(sim);
}

void invariants_check_all(struct sim *sim) {
    sim->past.events = 0;
    const int64_t network_nw = power_meter_network_nw(sim->cluster);
    struct totals totals = {
        .power_nw = network_nw,
        .committed_nw = network_nw,
        .node_busy = mem_zalloc(sim->cluster->node_count, sizeof *totals.node_busy),
        .node_shared = mem_zalloc(sim->cluster->node_count, sizeof *totals.node_shared),
        .node_jobs = mem_zalloc(sim->cluster->node_count, sizeof *totals.node_jobs),
        .nodes = mem_zalloc(sim->cluster->node_count, sizeof *totals.nodes),
        .finished = sim->past.finished,
        .rejected = sim->past.rejected,
        .energy = sim->past.energy};
    for (uint32_t h = 0; h < sim->cluster->gpu_type_count; h++)
        if (sim->placement.types[h].sharing.gpus)
            totals.share_milli[h] =
                mem_zalloc(sim->cluster->gpu_types[h].gpus, sizeof *totals.share_milli[h]);
    for (uint32_t j = sim->past.jobs; j < sim->next_arrival; j++) {
        uint32_t next = j + JOBS_AHEAD < sim->next_arrival ? j + JOBS_AHEAD : j;
        __builtin_prefetch(&sim->runs[next]);
        __builtin_prefetch(&sim->view.jobs[next]);
        add_job(sim, j, &totals);
    }
    struct services_held held = {.node_gpus = totals.node_busy, .nodes = totals.nodes};
    services_check(sim, &held);
    totals.energy += held.energy;
    check_shared(sim, &totals);
    check_nodes(sim, &totals);
    check_types(sim, &totals);
    for (uint32_t n = 0; n < sim->cluster->node_count; n++) {
        totals.power_nw += totals.nodes[n].drawn_nw;
        totals.committed_nw += totals.nodes[n].committed_nw;
    }
    span_checks_switches(sim);
    if (sim->contention)
        contention_check(sim);
    if (sim->limits && sim->past.is_settled)
        limits_check(sim, totals.nodes);
    if (totals.waiting != sim->waiting || totals.waiting != sim->view.v->waiting_count ||
        totals.running != sim->running || totals.running != sim->view.v->running_count ||
        totals.checkpointing != sim->checkpointing ||
        totals.checkpointing != sim->view.v->checkpointing_count ||
        totals.finished != sim->finished || totals.rejected != sim->rejected)
        sim_fail(sim, "check: counts of job states do not add up");
    if (totals.power_nw != power_meter_total_nw(&sim->meter) ||
        totals.committed_nw != sim->committed_nw)
        sim_fail(sim, "check: power is not the sum over jobs, idle GPUs and nodes");
    int128 idle = sim->meter.base_energy;
    for (uint32_t h = 0; h < sim->meter.type_count; h++)
        idle += sim->meter.types[h].idle_energy;
    if (totals.energy + idle != power_meter_energy(&sim->meter))
        sim_fail(sim, "check: energy of jobs, idle GPUs and nodes is not the integral of power");
    integrate_power(sim, totals.power_nw);
    for (uint32_t h = 0; h < sim->cluster->gpu_type_count; h++)
        free(totals.share_milli[h]);
    free(totals.node_busy);
    free(totals.node_shared);
    free(totals.node_jobs);
    free(totals.nodes);
}
