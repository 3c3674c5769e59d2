/* mock_host.h: the host of the mock, which records what the policy asks for and answers as easim
   does. Part of policy_mock.h. */
#ifndef EASIM_MOCK_HOST_H
#define EASIM_MOCK_HOST_H

#include "mock_view.h"

MOCK_FUNCTION int mock_answer(struct mock *m, struct mock_action action) {
    MOCK_APPEND(m, actions, m->action_count, action);
    return action.answer;
}

MOCK_FUNCTION bool mock_in_range(const struct mock *m, uint32_t job, uint32_t config) {
    return job < m->view.job_count &&
           config - m->jobs[job].first_config < m->jobs[job].config_count;
}

MOCK_FUNCTION bool mock_running(const struct mock *m, uint32_t job) {
    return job < m->view.job_count && m->jobs[job].state == EASIM_JOB_RUNNING;
}

/* Span and power if job got config now; a running one gives its GPUs back for the question. */
MOCK_FUNCTION int mock_try(struct easim_plan *plan, uint32_t job, uint32_t config,
                           double *power_w) {
    struct mock *m = plan->mock;
    if (!mock_in_range(m, job, config) ||
        (!mock_running(m, job) && m->jobs[job].state != EASIM_JOB_WAITING))
        return EASIM_NOFIT;
    const struct easim_config *c = &m->configs[config];
    const struct easim_gpu_type *type = &m->gpu_types[c->gpu_type];
    struct easim_job before = m->jobs[job];
    const struct easim_config *own =
        before.config == EASIM_NONE ? NULL : &m->configs[before.config];
    double freed_w =
        own ? own->k * (m->gpu_types[own->gpu_type].idle_w -
                        fmax(m->gpu_types[own->gpu_type].ctx_w, own->power_w[before.span]))
            : 0;
    uint32_t free = 0, node_free_max = 0;
    for (uint32_t n = 0; n < m->view.node_count; n++) {
        uint32_t here = m->nodes[n].free + m->held[(size_t)job * m->view.node_count + n];
        if (m->nodes[n].gpu_type != c->gpu_type)
            continue;
        free += here;
        node_free_max = here > node_free_max ? here : node_free_max;
    }
    int span = c->k <= node_free_max ? (int)EASIM_ONE_NODE
               : c->k <= free        ? (int)EASIM_ACROSS_NODES
                                     : (int)EASIM_NOFIT;
    if (power_w && span >= 0)
        *power_w =
            m->view.power_w + freed_w + c->k * (fmax(type->ctx_w, c->power_w[span]) - type->idle_w);
    return span;
}

/* What a start or resize is answered that is otherwise in order; its span or the refusal. */
MOCK_FUNCTION int mock_admit(struct easim_plan *plan, uint32_t job, uint32_t config) {
    struct mock *m = plan->mock;
    double power_w = 0;
    int span = mock_try(plan, job, config, &power_w);
    bool capped = m->policy->capabilities & EASIM_CAPABILITY_POWER_CAP;
    return span >= 0 && capped && power_w > m->view.power_cap_w ? (int)EASIM_CAP : span;
}

MOCK_FUNCTION int mock_plan_start(struct easim_plan *plan, uint32_t job, uint32_t config) {
    struct mock *m = plan->mock;
    bool valid = mock_in_range(m, job, config) && m->jobs[job].state == EASIM_JOB_WAITING;
    int span = valid ? mock_admit(plan, job, config) : (int)EASIM_INVAL;
    if (span >= 0)
        mock_run_in(m, job, config, (uint32_t)span, m->jobs[job].setup_s);
    return mock_answer(
        m, (struct mock_action){MOCK_START, span < 0 ? span : EASIM_OK, job, config, false, 0});
}

MOCK_FUNCTION int mock_plan_preempt(struct easim_plan *plan, uint32_t job, bool at_once) {
    struct mock *m = plan->mock;
    bool may = m->policy->capabilities & EASIM_CAPABILITY_PREEMPT;
    bool valid = may && mock_running(m, job) && m->jobs[job].preemptible;
    if (valid) {
        struct easim_job *j = &m->jobs[job];
        const struct easim_config *c = &m->configs[j->config];
        double lost = easim_job_lost_s(&m->view, j, at_once) * c->goodput[j->span];
        j->remaining = fmin(j->remaining, easim_job_remaining(&m->view, j) + lost);
        const struct easim_checkpointing entry = {job, c->gpu_type, c->k, 0, m->view.now_ns};
        j->held_gpu_s = easim_job_held_gpu_s(&m->view, j);
        mock_stop(m, job);
        j->state = EASIM_JOB_CHECKPOINTING; /* back in the queue when the decision ends */
        j->running_slot = m->view.checkpointing_count;
        MOCK_APPEND(m, checkpointing, m->view.checkpointing_count, entry);
        j->started_before = true;
        j->setup_s = j->restart_s;
        j->preemptions++;
    }
    int answer = valid ? (int)EASIM_OK : (int)EASIM_INVAL;
    return mock_answer(m, (struct mock_action){MOCK_PREEMPT, answer, job, EASIM_NONE, at_once, 0});
}

MOCK_FUNCTION int mock_plan_resize(struct easim_plan *plan, uint32_t job, uint32_t config) {
    struct mock *m = plan->mock;
    bool may = m->policy->list || (m->policy->capabilities & EASIM_CAPABILITY_RESIZE);
    bool valid = may && mock_running(m, job) && mock_in_range(m, job, config) &&
                 m->jobs[job].config != config;
    int span = valid ? mock_admit(plan, job, config) : (int)EASIM_INVAL;
    if (span >= 0) {
        struct easim_job *j = &m->jobs[job];
        struct easim_choice moved = easim_predict_resized(&m->view, j, config, (uint32_t)span);
        j->held_gpu_s = easim_job_held_gpu_s(&m->view, j);
        j->remaining = (moved.time_s - moved.setup_s) * m->configs[config].goodput[span];
        mock_stop(m, job);
        mock_run_in(m, job, config, (uint32_t)span, moved.setup_s);
        j->resized_s = m->view.now_s;
        j->resizes++;
    }
    return mock_answer(
        m, (struct mock_action){MOCK_RESIZE, span < 0 ? span : EASIM_OK, job, config, false, 0});
}

MOCK_FUNCTION int mock_plan_wake_at(struct easim_plan *plan, double time_s) {
    struct mock *m = plan->mock;
    bool valid = (m->policy->capabilities & EASIM_CAPABILITY_TICK) && time_s > m->view.now_s;
    return mock_answer(m, (struct mock_action){MOCK_WAKE, valid ? EASIM_OK : EASIM_INVAL,
                                               EASIM_NONE, EASIM_NONE, false, time_s});
}

MOCK_FUNCTION void *mock_scratch(struct easim_plan *plan, size_t bytes) {
    struct mock *m = plan->mock;
    void *memory = calloc(1, bytes + 1);
    MOCK_MUST(memory && m->scratch_count < 64);
    m->scratch[m->scratch_count++] = memory;
    return memory;
}

MOCK_FUNCTION double mock_uniform(struct easim_plan *plan) {
    return plan->mock->uniform;
}

MOCK_FUNCTION void mock_fail(struct easim_plan *plan, const char *message) {
    snprintf(plan->mock->failure, sizeof plan->mock->failure, "%s", message ? message : "");
}

MOCK_FUNCTION void mock_host_count(struct easim_plan *plan, const char *what, const char *name) {
    size_t length = strlen(plan->mock->counted);
    snprintf(plan->mock->counted + length, sizeof plan->mock->counted - length, "%s: %s\n", what,
             name ? name : "");
}

/* Jobs of the mock are as fast as predicted. */
MOCK_FUNCTION double mock_remaining(struct easim_plan *plan, uint32_t job) {
    const struct easim_job *j = easim_view_job(&plan->mock->view, job);
    return j ? easim_job_remaining(&plan->mock->view, j) : NAN;
}

__attribute__((unused)) static const struct easim_host mock_host = {
    .struct_size = sizeof mock_host,
    .plan_start = mock_plan_start,
    .plan_preempt = mock_plan_preempt,
    .plan_resize = mock_plan_resize,
    .try_config = mock_try,
    .plan_wake_at = mock_plan_wake_at,
    .scratch = mock_scratch,
    .uniform = mock_uniform,
    .fail = mock_fail,
    .count = mock_host_count,
    .remaining = mock_remaining};

#endif
