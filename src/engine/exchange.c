/* Tries and carries out exchanges: sets of jobs that start, stop and change their GPUs with each
   other, all or none. Also checks whether a single action of the policy can be tried. Invariant: a
   trial leaves placement as it was, and what is done for real comes to the same GPUs, which depend
   on those free, not on who left them. */
#include "engine/internal.h"

#include "engine/gpus.h"
#include "engine/jobs.h"
#include "engine/power_cap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- action_checks --- */

bool action_has_capability(const struct sim *sim, uint32_t capability) {
    return sim->module->policy->capabilities & capability;
}

/* A configuration of the job's own range. */
static bool allows_config(const struct sim *sim, uint32_t job, uint32_t config) {
    const struct easim_job *j = &sim->view.jobs[job];
    return config >= j->first_config && config - j->first_config < j->config_count;
}

enum refusal action_check_start(const struct sim *sim, uint32_t job, uint32_t config) {
    if (job >= sim->workload->jobs.count)
        return REFUSED_NO_SUCH_JOB;
    if (sim->view.jobs[job].state != EASIM_JOB_WAITING)
        return REFUSED_STATE;
    return allows_config(sim, job, config) ? REFUSED_NOT : REFUSED_CONFIG;
}

/* Whether a job runs, and not only since this very plan started or resized it. */
static bool ran_before_plan(const struct sim *sim, uint32_t job) {
    const struct job_run *run = &sim->runs[job];
    return sim->view.jobs[job].state == EASIM_JOB_RUNNING && job_run_uses_gpus(run) &&
           !run->resizing;
}

/* List policies may always resize: the option is the host's. */
static bool has_resize(const struct sim *sim) {
    return action_has_capability(sim, EASIM_CAPABILITY_RESIZE) || sim->module->policy->list;
}

bool action_keeps_config(const struct sim *sim, uint32_t job, uint32_t config) {
    return has_resize(sim) && job < sim->workload->jobs.count &&
           sim->view.jobs[job].state == EASIM_JOB_RUNNING && sim->view.jobs[job].config == config &&
           !job_limit_is_own(sim, job);
}

/* In rounds the host preempts and asks for the next round, even if the policy declares neither. */
enum refusal action_check_preempt(const struct sim *sim, uint32_t job) {
    if (!action_has_capability(sim, EASIM_CAPABILITY_PREEMPT) && !list_in_rounds(&sim->list))
        return REFUSED_CAPABILITY;
    if (job >= sim->workload->jobs.count)
        return REFUSED_NO_SUCH_JOB;
    if (!ran_before_plan(sim, job))
        return REFUSED_STATE;
    return sim->view.jobs[job].preemptible ? REFUSED_NOT : REFUSED_NOT_PREEMPTIBLE;
}

enum refusal action_check_resize(const struct sim *sim, uint32_t job, uint32_t config) {
    if (!has_resize(sim))
        return REFUSED_CAPABILITY;
    if (job >= sim->workload->jobs.count)
        return REFUSED_NO_SUCH_JOB;
    if (!ran_before_plan(sim, job) || sim->view.configs[sim->runs[job].config].milli > 0)
        return REFUSED_STATE;
    return allows_config(sim, job, config) ? REFUSED_NOT : REFUSED_CONFIG;
}

enum refusal action_check_reject(const struct sim *sim, uint32_t job) {
    if (!action_has_capability(sim, EASIM_CAPABILITY_REJECT))
        return REFUSED_CAPABILITY;
    if (job >= sim->workload->jobs.count)
        return REFUSED_NO_SUCH_JOB;
    return sim->view.jobs[job].state == EASIM_JOB_WAITING ? REFUSED_NOT : REFUSED_STATE;
}

enum refusal action_check_limit(const struct sim *sim, uint32_t job, double watts) {
    if (!action_has_capability(sim, EASIM_CAPABILITY_FREQUENCY))
        return REFUSED_CAPABILITY;
    if (!sim->limits || !params_set_limits(sim->params))
        return REFUSED_NO_LIMITS;
    if (job >= sim->workload->jobs.count)
        return REFUSED_NO_SUCH_JOB;
    if (!ran_before_plan(sim, job))
        return REFUSED_STATE;
    if (sim->view.configs[sim->runs[job].config].milli > 0)
        return REFUSED_SHARES;
    return isfinite(watts) && watts > 0 ? REFUSED_NOT : REFUSED_WATTS;
}

enum refusal action_check_scale_up(const struct sim *sim, uint32_t replica_config) {
    if (!sim->services.by_policy)
        return REFUSED_CAPABILITY;
    if (replica_config >= sim->view.scaling->replica_config_count)
        return REFUSED_NO_SUCH_REPLICA;
    const struct easim_replica_config *config = &sim->view.replica_configs[replica_config];
    const struct easim_service *service = &sim->view.services[config->service];
    if (service->ready + service->loading >= service->max)
        return REFUSED_REPLICAS;
    bool fits = placement_node_free_max(&sim->placement, config->gpu_type) >= config->k;
    return fits ? REFUSED_NOT : REFUSED_NOFIT;
}

enum refusal action_check_scale_down(const struct sim *sim, uint32_t replica) {
    if (!sim->services.by_policy)
        return REFUSED_CAPABILITY;
    if (replica >= sim->view.scaling->replica_count ||
        sim->view.replicas[replica].state == EASIM_REPLICA_NONE)
        return REFUSED_NO_SUCH_REPLICA;
    const struct easim_service *service = &sim->view.services[sim->view.replicas[replica].service];
    return service->ready + service->loading > service->min ? REFUSED_NOT : REFUSED_REPLICAS;
}

/* --- exchange --- */

#define EXCHANGE_WHOLE UINT32_MAX /* no part of it in particular */

#define LEAST_PART_BYTES (offsetof(struct easim_part, at_once) + sizeof(bool))

/* --- reading --- */

bool exchange_read(struct exchange *exchange, const struct sim *sim, const void *parts,
                   uint32_t count, size_t part_bytes) {
    if (count == 0 || count > sim->workload->jobs.count || !parts || part_bytes < LEAST_PART_BYTES)
        return false;
    size_t bytes = part_bytes < sizeof *exchange->parts ? part_bytes : sizeof *exchange->parts;
    exchange->count = count;
    exchange->parts = mem_zalloc(count, sizeof *exchange->parts);
    exchange->allocations = mem_zalloc(count, sizeof *exchange->allocations);
    for (uint32_t i = 0; i < count; i++)
        memcpy(&exchange->parts[i], (const char *)parts + i * part_bytes, bytes);
    return true;
}

void exchange_finish(struct exchange *exchange) {
    for (uint32_t i = 0; i < exchange->count; i++)
        allocation_finish(&exchange->allocations[i]);
    free(exchange->parts);
    free(exchange->allocations);
}

/* --- checks of single parts --- */

static enum refusal check_part(const struct sim *sim, const struct easim_part *part) {
    switch (part->action) {
    case EASIM_PART_START:
        return action_check_start(sim, part->job, part->config);
    case EASIM_PART_PREEMPT:
        return action_check_preempt(sim, part->job);
    case EASIM_PART_RESIZE:
        return action_keeps_config(sim, part->job, part->config)
                   ? REFUSED_NOT
                   : action_check_resize(sim, part->job, part->config);
    default:
        return REFUSED_FORM;
    }
}

/* The first part whose job an earlier part names, or EXCHANGE_WHOLE. */
static uint32_t find_repeated(const struct exchange *exchange) {
    uint32_t count = exchange->count, repeated = EXCHANGE_WHOLE;
    uint32_t *jobs = mem_zalloc(count, sizeof *jobs);
    for (uint32_t i = 0; i < count; i++)
        jobs[i] = exchange->parts[i].job;
    qsort(jobs, count, sizeof *jobs, by_uint32);
    for (uint32_t k = 1; k < count; k++) {
        if (jobs[k] != jobs[k - 1])
            continue;
        uint32_t at = 0, seen = 0;
        for (uint32_t i = 0; i < count && seen < 2; i++)
            if (exchange->parts[i].job == jobs[k] && ++seen == 2)
                at = i;
        repeated = at < repeated ? at : repeated;
    }
    free(jobs);
    return repeated;
}

static enum refusal check_parts(const struct sim *sim, const struct exchange *exchange,
                                uint32_t *ret_part) {
    uint32_t repeated = find_repeated(exchange);
    for (uint32_t i = 0; i < exchange->count; i++) {
        enum refusal refusal = i == repeated ? REFUSED_TWICE : check_part(sim, &exchange->parts[i]);
        *ret_part = i;
        if (refusal != REFUSED_NOT)
            return refusal;
    }
    return REFUSED_NOT;
}

/* A job that is to have what it has keeps its GPUs, too, or changes its power limit alone. */
static void drop_idle_parts(const struct sim *sim, struct exchange *exchange) {
    for (uint32_t i = 0; i < exchange->count; i++) {
        struct easim_part *part = &exchange->parts[i];
        if (part->action == EASIM_PART_RESIZE && action_keeps_config(sim, part->job, part->config))
            part->action = EXCHANGE_NOTHING;
        else if (part->action == EASIM_PART_RESIZE &&
                 job_limit_alone_differs(sim, part->job, part->config))
            part->action = EXCHANGE_LIMIT;
    }
}

/* --- the trial --- */

/* Whether the GPUs of a part's job are free for the others: they change hands, or nothing is
   written to them first. */
static bool gives_gpus(const struct sim *sim, const struct easim_part *part) {
    return part->action == EASIM_PART_RESIZE ||
           (part->action == EASIM_PART_PREEMPT &&
            checkpoint_write_ns(sim, part->job, part->at_once ? STOP_AT_ONCE : STOP_ON_DEMAND) ==
                0);
}

static bool takes_gpus(const struct easim_part *part) {
    return part->action == EASIM_PART_START || part->action == EASIM_PART_RESIZE;
}

static int64_t lend_all(struct sim *sim, const struct exchange *exchange) {
    int64_t lent_nw = 0;
    for (uint32_t i = 0; i < exchange->count; i++)
        if (gives_gpus(sim, &exchange->parts[i]))
            lent_nw += gpus_lend(sim, exchange->parts[i].job);
        else if (exchange->parts[i].action == EXCHANGE_LIMIT)
            lent_nw += gpus_try_limit(sim, exchange->parts[i].job, exchange->parts[i].config);
    return lent_nw;
}

static void reclaim_all(struct sim *sim, const struct exchange *exchange) {
    for (uint32_t i = exchange->count; i-- > 0;)
        if (gives_gpus(sim, &exchange->parts[i]))
            gpus_reclaim(sim, exchange->parts[i].job);
}

/* Parts up to the first that does not fit; how many. */
static uint32_t borrow_all(struct sim *sim, struct exchange *exchange, int64_t *ret_added_nw) {
    uint32_t i = 0;
    for (*ret_added_nw = 0; i < exchange->count; i++) {
        const struct easim_part *part = &exchange->parts[i];
        if (takes_gpus(part) &&
            !gpus_borrow(sim, part->job, part->config, &exchange->allocations[i], ret_added_nw))
            break;
    }
    return i;
}

enum refusal exchange_try(struct sim *sim, struct exchange *exchange, uint32_t *ret_part,
                          int64_t *ret_committed_nw) {
    int64_t added_nw, lent_nw;
    enum refusal refusal = check_parts(sim, exchange, ret_part);
    if (refusal != REFUSED_NOT)
        return refusal;
    drop_idle_parts(sim, exchange);
    lent_nw = lend_all(sim, exchange);
    uint32_t fitting = borrow_all(sim, exchange, &added_nw);
    bool takes = false;
    for (uint32_t i = fitting; i-- > 0;) {
        if (takes_gpus(&exchange->parts[i]))
            gpus_hand_back(sim, &exchange->allocations[i]);
        else if (exchange->parts[i].action != EXCHANGE_LIMIT)
            continue;
        *ret_part = takes ? *ret_part : i;
        takes = true;
    }
    reclaim_all(sim, exchange);
    int64_t committed_nw = sim->committed_nw + lent_nw + added_nw;
    bool is_over_cap = power_cap_end_trial(sim, &committed_nw, ret_committed_nw);
    if (ret_committed_nw)
        *ret_committed_nw = committed_nw;
    if (fitting < exchange->count) {
        *ret_part = fitting;
        return REFUSED_NOFIT;
    }
    return takes && is_over_cap ? REFUSED_CAP : REFUSED_NOT;
}

/* --- for real --- */

void exchange_take_gpus(struct sim *sim, struct exchange *exchange) {
    for (uint32_t i = 0; i < exchange->count; i++) {
        const struct easim_part *part = &exchange->parts[i];
        if (part->action == EASIM_PART_PREEMPT)
            interrupt_yield_gpus(sim, part->job, part->at_once);
        else if (part->action == EASIM_PART_RESIZE)
            gpus_let_go(sim, part->job);
        else if (part->action == EXCHANGE_LIMIT)
            job_limit_change(sim, part->job, part->config, INFINITY);
    }
    for (uint32_t i = 0; i < exchange->count; i++) {
        struct easim_part *part = &exchange->parts[i];
        struct job_start start = {.job = part->job, .config = part->config};
        bool taken = true;
        if (part->action == EASIM_PART_START)
            taken = jobs_take_gpus(sim, part->job, part->config, &start.allocation);
        else if (part->action == EASIM_PART_RESIZE)
            taken = job_resize_take_free_gpus(sim, &start);
        if (!taken)
            sim_fail(sim, "check: an exchange that fits does not");
        part->config = start.config;
        exchange->allocations[i] = start.allocation;
    }
}
