/* Invariants: see check.h. Everything is derived again from the jobs, not from running totals of the engine. */
#include "engine/check.h"

#include "engine/jobs.h"
#include "engine/progress.h"

#include <stdlib.h>

struct totals {
    uint32_t *node_busy, *node_jobs;
    uint32_t type_free[CLUSTER_MAX_TYPES], type_asleep[CLUSTER_MAX_TYPES], type_failed[CLUSTER_MAX_TYPES];
    uint32_t waiting, running, checkpointing, finished, rejected;
    int64_t power_nw, committed_nw;
    int128 energy; /* of jobs */
};

/* The true speed of a computing job, and its finish. A job that is due now may have kept its last speed. */
static void check_speed(struct sim *sim, uint32_t job) {
    const struct job_run *run = &sim->runs[job];
    if (run->phase != PHASE_COMPUTING)
        return;
    int64_t finish_ns = eventq_time_ns(&sim->events, run->event);
    if (finish_ns <= sim->now_ns)
        return;
    const struct progress *p = sim->progress ? &sim->progress[job] : NULL;
    if (finish_ns != progress_finish_ns(sim, job) || (p && p->factor != progress_factor(sim, job)))
        sim_fail(sim, ERROR_RUN, "check: job %s does not end when its speed says", sim->workload->jobs.at[job].id);
    double done = progress_work(sim, job, sim->now_ns - run->phase_start_ns);
    double rounding = 1e-9 * run->remaining + 1e-6 * sim->view.configs[run->config].goodput[run->span];
    if (done > run->remaining + rounding || (p && (done < p->stretch_work || p->stretch_work < p->kept_work)))
        sim_fail(sim, ERROR_RUN, "check: job %s has done %g of %g", sim->workload->jobs.at[job].id, done,
                 run->remaining);
}

static void add_job(struct sim *sim, uint32_t job, struct totals *t) {
    const struct job_run *run = &sim->runs[job];
    uint32_t state = sim->view.jobs[job].state;
    bool holds = state == EASIM_JOB_RUNNING || state == EASIM_JOB_CHECKPOINTING;
    t->waiting += state == EASIM_JOB_WAITING;
    t->running += state == EASIM_JOB_RUNNING;
    t->checkpointing += state == EASIM_JOB_CHECKPOINTING;
    t->finished += state == EASIM_JOB_FINISHED;
    t->rejected += state == EASIM_JOB_REJECTED;
    t->energy += run->energy;
    if (holds != (run->allocation.count > 0) || holds != (run->phase != PHASE_NONE))
        sim_fail(sim, ERROR_RUN, "check: job %s holds GPUs in the wrong state", sim->workload->jobs.at[job].id);
    if (!holds)
        return;
    const struct easim_config *config = &sim->view.configs[run->config];
    const struct power_type *type = &sim->meter.types[config->gpu_type];
    const struct piece *pieces = allocation_pieces(&run->allocation);
    uint32_t gpus = 0;
    for (uint32_t i = 0; i < run->allocation.count; i++) {
        t->node_busy[pieces[i].node] += pieces[i].gpus;
        t->node_jobs[pieces[i].node]++;
        t->power_nw += (int64_t)pieces[i].gpus * sim->meter.cpu_nw_per_busy_gpu[pieces[i].node];
        t->committed_nw += (int64_t)pieces[i].gpus * sim->meter.cpu_nw_per_busy_gpu[pieces[i].node];
        gpus += pieces[i].gpus;
    }
    if (gpus != config->k)
        sim_fail(sim, ERROR_RUN, "check: job %s holds %u GPUs instead of %u", sim->workload->jobs.at[job].id, gpus,
                 config->k);
    int64_t gpu_nw = run->phase == PHASE_COMPUTING ? power_nw(config->power_w[run->span]) : type->ctx_nw;
    t->power_nw += config->k * gpu_nw;
    t->committed_nw += config->k * jobs_committed_gpu_nw(sim, run->config, run->span);
    t->energy += (int128)(config->k * gpu_nw) * (sim->now_ns - run->phase_start_ns);
    check_speed(sim, job);
}

/* Sleeping GPUs of a node: with those awake they are its free ones, and the next to fall asleep has its event. */
static uint32_t count_asleep(struct sim *sim, uint32_t node) {
    const struct sleep *sleep = &sim->nodes.sleep;
    if (!sleep->nodes)
        return 0;
    uint32_t asleep = sleep->nodes[node].asleep, event = sim->nodes.sleep_events[node];
    if (asleep + sleep_awake(sleep, node) != sim->placement.node_free[node])
        sim_fail(sim, ERROR_RUN, "check: node %u has %u free GPUs, %u asleep and %u awake", node,
                 sim->placement.node_free[node], asleep, sleep_awake(sleep, node));
    int64_t next_ns = sleep_next_ns(sleep, node);
    if ((event == EVENT_NONE) != (next_ns == INT64_MAX) || next_ns < sim->now_ns ||
        (event != EVENT_NONE && eventq_time_ns(&sim->events, event) != next_ns))
        sim_fail(sim, ERROR_RUN, "check: free GPUs of node %u do not fall asleep in time", node);
    return asleep;
}

static void check_nodes(struct sim *sim, struct totals *t) {
    uint32_t failed = 0, failed_nodes = 0;
    for (uint32_t n = 0; n < sim->cluster->node_count; n++) {
        const struct node *node = &sim->cluster->nodes[n];
        uint32_t free = sim->placement.node_free[n], asleep = count_asleep(sim, n);
        uint32_t available = sim->view.nodes[n].failed ? 0 : node->gpus;
        if (t->node_busy[n] + free != available || sim->view.nodes[n].free != free)
            sim_fail(sim, ERROR_RUN, "check: node %u has %u GPUs, %u held and %u free", n, available,
                     t->node_busy[n], free);
        if (sim->nodes.jobs && sim->nodes.jobs[n].list.count != t->node_jobs[n])
            sim_fail(sim, ERROR_RUN, "check: node %u has %u jobs, not %zu", n, t->node_jobs[n],
                     sim->nodes.jobs[n].list.count);
        failed += node->gpus - available;
        failed_nodes += available == 0;
        t->type_free[node->gpu_type] += free;
        t->type_asleep[node->gpu_type] += asleep;
        t->type_failed[node->gpu_type] += node->gpus - available;
        if (available == 0)
            continue;
        const struct power_type *type = &sim->meter.types[node->gpu_type];
        t->power_nw += power_nw(node->fixed_w) + (int64_t)(free - asleep) * type->idle_nw + asleep * type->sleep_nw;
        t->committed_nw += power_nw(node->fixed_w) + (int64_t)free * type->idle_nw;
    }
    if (failed != sim->failures.gpus || failed_nodes != sim->failures.nodes)
        sim_fail(sim, ERROR_RUN, "check: %u nodes with %u GPUs have failed, not %u with %u", failed_nodes, failed,
                 sim->failures.nodes, sim->failures.gpus);
}

static void check_types(struct sim *sim, const struct totals *t) {
    for (uint32_t h = 0; h < sim->cluster->gpu_type_count; h++) {
        const struct easim_gpu_type *type = &sim->view.gpu_types[h];
        const struct power_type *meter = &sim->meter.types[h];
        if (type->free != t->type_free[h] || type->asleep != t->type_asleep[h] ||
            type->failed != t->type_failed[h] || meter->asleep != type->asleep || meter->failed != type->failed ||
            type->node_free_max != placement_node_free_max(&sim->placement, h))
            sim_fail(sim, ERROR_RUN, "check: type %s shows %u free, %u asleep and %u failed GPUs, not %u, %u, %u",
                     type->name, type->free, type->asleep, type->failed, t->type_free[h], t->type_asleep[h],
                     t->type_failed[h]);
    }
}

/* Energy once more, as the integral of the power found at the last check of each instant. */
static void integrate(struct sim *sim, int64_t power_nw) {
    struct check_past *past = &sim->past;
    past->integral += (int128)past->power_nw * (sim->now_ns - past->time_ns);
    past->power_nw = power_nw;
    past->time_ns = sim->now_ns;
    if (past->integral != power_meter_energy(&sim->meter))
        sim_fail(sim, ERROR_RUN, "check: energy is not the integral of the power of jobs, GPUs and nodes");
}

/* Jobs that are over stay as they are: they are summed up once, from the first on. */
static void pass_by(struct sim *sim) {
    struct check_past *past = &sim->past;
    for (; past->jobs < sim->next_arrival; past->jobs++) {
        uint32_t state = sim->view.jobs[past->jobs].state;
        if (state != EASIM_JOB_FINISHED && state != EASIM_JOB_REJECTED)
            return;
        past->finished += state == EASIM_JOB_FINISHED;
        past->rejected += state == EASIM_JOB_REJECTED;
        past->energy += sim->runs[past->jobs].energy;
    }
}

void check_invariants(struct sim *sim) {
    pass_by(sim);
    struct totals t = {.node_busy = mem_zalloc(sim->cluster->node_count, sizeof *t.node_busy),
                       .node_jobs = mem_zalloc(sim->cluster->node_count, sizeof *t.node_jobs),
                       .finished = sim->past.finished,
                       .rejected = sim->past.rejected,
                       .energy = sim->past.energy};
    for (uint32_t j = sim->past.jobs; j < sim->next_arrival; j++)
        add_job(sim, j, &t);
    check_nodes(sim, &t);
    check_types(sim, &t);
    if (t.waiting != sim->waiting || t.waiting != sim->view.v->waiting_count || t.running != sim->running ||
        t.running != sim->view.v->running_count || t.checkpointing != sim->checkpointing ||
        t.finished != sim->finished || t.rejected != sim->rejected)
        sim_fail(sim, ERROR_RUN, "check: counts of job states do not add up");
    if (t.power_nw != power_meter_total_nw(&sim->meter) || t.committed_nw != sim->committed_nw)
        sim_fail(sim, ERROR_RUN, "check: power is not the sum over jobs, idle GPUs and nodes");
    int128 idle = sim->meter.base_energy;
    for (uint32_t h = 0; h < sim->meter.type_count; h++)
        idle += sim->meter.types[h].idle_energy;
    if (t.energy + idle != power_meter_energy(&sim->meter))
        sim_fail(sim, ERROR_RUN, "check: energy of jobs, idle GPUs and nodes is not the integral of power");
    integrate(sim, t.power_nw);
    free(t.node_busy);
    free(t.node_jobs);
}
