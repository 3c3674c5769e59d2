/* Invariants: see check.h. Everything is derived again from the jobs, not from running totals of the engine. */
#include "engine/check.h"

#include "engine/jobs.h"

#include <stdlib.h>

struct totals {
    uint32_t *node_busy;
    uint32_t waiting, running, checkpointing, finished, rejected;
    int64_t power_nw, committed_nw;
    int128 energy; /* of jobs */
};

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
}

static void check_nodes(struct sim *sim, struct totals *t) {
    for (uint32_t n = 0; n < sim->cluster->node_count; n++) {
        const struct node *node = &sim->cluster->nodes[n];
        uint32_t free = sim->placement.node_free[n];
        if (t->node_busy[n] + free != node->gpus || sim->view.nodes[n].free != free)
            sim_fail(sim, ERROR_RUN, "check: node %u has %u GPUs, %u held and %u free", n, node->gpus,
                     t->node_busy[n], free);
        int64_t idle_nw = power_nw(node->fixed_w) + (int64_t)free * sim->meter.types[node->gpu_type].idle_nw;
        t->power_nw += idle_nw;
        t->committed_nw += idle_nw;
    }
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
                       .finished = sim->past.finished,
                       .rejected = sim->past.rejected,
                       .energy = sim->past.energy};
    for (uint32_t j = sim->past.jobs; j < sim->next_arrival; j++)
        add_job(sim, j, &t);
    check_nodes(sim, &t);
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
    free(t.node_busy);
}
