/* Checks of actions: see action_checks.h. */
#include "engine/action_checks.h"

bool action_has_capability(const struct sim *sim, uint32_t capability) {
    return sim->module->policy->capabilities & capability;
}

bool action_allows_config(const struct sim *sim, uint32_t job, uint32_t config) {
    const struct easim_job *j = &sim->view.jobs[job];
    return config >= j->first_config && config - j->first_config < j->config_count;
}

enum refusal action_check_start(const struct sim *sim, uint32_t job, uint32_t config) {
    if (job >= sim->workload->jobs.count)
        return REFUSED_NO_SUCH_JOB;
    if (sim->view.jobs[job].state != EASIM_JOB_WAITING)
        return REFUSED_STATE;
    return action_allows_config(sim, job, config) ? REFUSED_NOT : REFUSED_CONFIG;
}

/* Whether a job runs, and not only since this very plan started or resized it. */
static bool ran_before_plan(const struct sim *sim, uint32_t job) {
    const struct job_run *run = &sim->runs[job];
    return sim->view.jobs[job].state == EASIM_JOB_RUNNING && job_run_uses_gpus(run) &&
           !run->resizing;
}

bool action_may_resize(const struct sim *sim, uint32_t job) {
    return ran_before_plan(sim, job) && sim->view.configs[sim->runs[job].config].milli == 0;
}

/* In rounds the host preempts, and asks for the next one, whatever the policy declares. */
enum refusal action_check_preempt(const struct sim *sim, uint32_t job) {
    if (!action_has_capability(sim, EASIM_CAPABILITY_PREEMPT) && !list_in_rounds(&sim->list))
        return REFUSED_CAPABILITY;
    if (job >= sim->workload->jobs.count)
        return REFUSED_NO_SUCH_JOB;
    if (!ran_before_plan(sim, job))
        return REFUSED_STATE;
    return sim->view.jobs[job].preemptible ? REFUSED_NOT : REFUSED_NOT_PREEMPTIBLE;
}

/* List policies may always resize: the option is the host's. */
enum refusal action_check_resize(const struct sim *sim, uint32_t job, uint32_t config) {
    if (!action_has_capability(sim, EASIM_CAPABILITY_RESIZE) && !sim->module->policy->list)
        return REFUSED_CAPABILITY;
    if (job >= sim->workload->jobs.count)
        return REFUSED_NO_SUCH_JOB;
    if (!action_may_resize(sim, job))
        return REFUSED_STATE;
    if (!action_allows_config(sim, job, config) || config == sim->view.jobs[job].config)
        return REFUSED_CONFIG;
    return REFUSED_NOT;
}

enum refusal action_check_reject(const struct sim *sim, uint32_t job) {
    if (!action_has_capability(sim, EASIM_CAPABILITY_REJECT))
        return REFUSED_CAPABILITY;
    if (job >= sim->workload->jobs.count)
        return REFUSED_NO_SUCH_JOB;
    return sim->view.jobs[job].state == EASIM_JOB_WAITING ? REFUSED_NOT : REFUSED_STATE;
}

enum refusal action_check_scale_up(const struct sim *sim, uint32_t replica_config) {
    if (!sim->services.by_policy)
        return REFUSED_CAPABILITY;
    if (replica_config >= sim->view.v->replica_config_count)
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
    if (replica >= sim->view.v->replica_count ||
        sim->view.replicas[replica].state == EASIM_REPLICA_NONE)
        return REFUSED_NO_SUCH_REPLICA;
    const struct easim_service *service = &sim->view.services[sim->view.replicas[replica].service];
    return service->ready + service->loading > service->min ? REFUSED_NOT : REFUSED_REPLICAS;
}
