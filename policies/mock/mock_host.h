/* mock_host.h: the host of the mock, which records what the policy asks for and answers as easim
   does. Part of policy_mock.h. */
#ifndef EASIM_MOCK_HOST_H
#define EASIM_MOCK_HOST_H

#include "mock_services.h"

MOCK_FUNCTION bool mock_in_range(const struct mock *m, uint32_t job, uint32_t config) {
    return job < m->view.job_count &&
           config - m->jobs[job].first_config < m->jobs[job].config_count;
}

MOCK_FUNCTION bool mock_running(const struct mock *m, uint32_t job) {
    return job < m->view.job_count && m->jobs[job].state == EASIM_JOB_RUNNING;
}

MOCK_FUNCTION bool mock_waiting(const struct mock *m, uint32_t job) {
    return job < m->view.job_count && m->jobs[job].state == EASIM_JOB_WAITING;
}

/* Whether the policy may resize, and the job runs. */
MOCK_FUNCTION bool mock_resizable(const struct mock *m, uint32_t job) {
    bool may = m->policy->list || (m->policy->capabilities & EASIM_CAPABILITY_RESIZE);
    return may && mock_running(m, job);
}

/* A resize to the configuration that a job has changes nothing. */
MOCK_FUNCTION bool mock_keeps(const struct mock *m, uint32_t job, uint32_t config) {
    return mock_resizable(m, job) && m->jobs[job].config == config;
}

/* Span and power if job, which waits or runs, got config of its range now; a running one gives its
   GPUs back for the question. EASIM_NOFIT, or EASIM_CAP with the power. */
MOCK_FUNCTION int mock_place(const struct mock *m, uint32_t job, uint32_t config, double *power_w) {
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
    if (span < 0)
        return span;
    double with_w =
        m->view.power_w + freed_w + c->k * (fmax(type->ctx_w, c->power_w[span]) - type->idle_w);
    if (power_w)
        *power_w = with_w;
    bool capped = m->policy->capabilities & EASIM_CAPABILITY_POWER_CAP;
    return capped && with_w > m->view.power_cap_w ? (int)EASIM_CAP : span;
}

MOCK_FUNCTION int mock_try(struct easim_plan *plan, uint32_t job, uint32_t config,
                           double *power_w) {
    const struct mock *m = plan->mock;
    bool valid = mock_in_range(m, job, config) && (mock_waiting(m, job) || mock_resizable(m, job));
    if (valid && !mock_keeps(m, job, config))
        return mock_place(m, job, config, power_w);
    if (valid && power_w)
        *power_w = m->view.power_w;
    return valid ? (int)m->jobs[job].span : (int)EASIM_INVAL;
}

MOCK_FUNCTION int mock_plan_start(struct easim_plan *plan, uint32_t job, uint32_t config) {
    struct mock *m = plan->mock;
    bool valid = mock_in_range(m, job, config) && mock_waiting(m, job);
    int span = valid ? mock_place(m, job, config, NULL) : (int)EASIM_INVAL;
    if (span >= 0)
        mock_run_in(m, job, config, (uint32_t)span, m->jobs[job].setup_s);
    return mock_answer(
        m, (struct mock_action){MOCK_START, span < 0 ? span : EASIM_OK, job, config, false, 0});
}

/* EASIM_OK, after which it has no GPUs, or why not. */
MOCK_FUNCTION int mock_preempt(struct mock *m, uint32_t job, bool at_once) {
    bool may = m->policy->capabilities & EASIM_CAPABILITY_PREEMPT;
    if (!may || !mock_running(m, job) || !m->jobs[job].preemptible)
        return EASIM_INVAL;
    struct easim_job *j = &m->jobs[job];
    const struct easim_config *c = &m->configs[j->config];
    const struct easim_checkpointing entry = {job, c->gpu_type, c->k, 0, m->view.now_ns};
    double lost = easim_job_lost_s(&m->view, j, at_once) * j->goodput_now;
    j->remaining = fmin(j->remaining, easim_job_remaining(&m->view, j) + lost);
    j->held_gpu_s = easim_job_held_gpu_s(&m->view, j);
    mock_stop(m, job);
    j->state = EASIM_JOB_CHECKPOINTING; /* back in the queue when the decision ends */
    j->running_slot = m->view.checkpointing_count;
    MOCK_APPEND(m, checkpointing, m->view.checkpointing_count, entry);
    j->started_before = true;
    j->setup_s = j->restart_s;
    j->preemptions++;
    return EASIM_OK;
}

MOCK_FUNCTION int mock_plan_preempt(struct easim_plan *plan, uint32_t job, bool at_once) {
    int answer = mock_preempt(plan->mock, job, at_once);
    return mock_answer(plan->mock,
                       (struct mock_action){MOCK_PREEMPT, answer, job, EASIM_NONE, at_once, 0});
}

/* Moves a job that was `before` and has no GPUs now. */
MOCK_FUNCTION void mock_move(struct mock *m, uint32_t job, const struct easim_job *before,
                             uint32_t config, uint32_t span) {
    struct easim_job *j = &m->jobs[job];
    struct easim_choice moved = easim_predict_resized(&m->view, before, config, span);
    j->held_gpu_s = easim_job_held_gpu_s(&m->view, before);
    j->remaining = (moved.time_s - moved.setup_s) * m->configs[config].goodput[span];
    mock_run_in(m, job, config, span, moved.setup_s);
    j->resized_s = m->view.now_s;
    j->resizes++;
}

MOCK_FUNCTION int mock_plan_resize(struct easim_plan *plan, uint32_t job, uint32_t config) {
    struct mock *m = plan->mock;
    if (mock_keeps(m, job, config))
        return EASIM_OK;
    bool valid = mock_resizable(m, job) && mock_in_range(m, job, config);
    int span = valid ? mock_place(m, job, config, NULL) : (int)EASIM_INVAL;
    if (span >= 0) {
        struct easim_job before = m->jobs[job];
        mock_stop(m, job);
        mock_move(m, job, &before, config, (uint32_t)span);
    }
    return mock_answer(
        m, (struct mock_action){MOCK_RESIZE, span < 0 ? span : EASIM_OK, job, config, false, 0});
}

/* The limit holds at once: power min(P, limit), and speed by the default law (s 0.3, m 0.7). */
MOCK_FUNCTION int mock_plan_limit(struct easim_plan *plan, uint32_t job, double watts) {
    struct mock *m = plan->mock;
    bool may = m->policy->capabilities & EASIM_CAPABILITY_FREQUENCY,
         valid = may && mock_running(m, job) && isfinite(watts) && watts > 0;
    struct mock_action action = {MOCK_LIMIT, valid ? EASIM_OK : EASIM_INVAL, job, EASIM_NONE, false,
                                 watts};
    if (!valid)
        return mock_answer(m, action);
    struct easim_job *j = &m->jobs[job];
    struct easim_power_job *p = &m->power_jobs[job];
    double full_w = m->configs[j->config].power_w[j->span];
    action.time_s = fmax(p->least_w, fmin(watts, p->most_w));
    p->wish_w = action.time_s < p->most_w ? action.time_s : INFINITY;
    p->draw_w = fmin(full_w, fmax(action.time_s, 0.4 * full_w));
    p->speed = 1 / (0.7 + 0.3 * 0.7 / (p->draw_w / full_w - 0.3));
    j->remaining = easim_job_remaining(&m->view, j);
    j->rate_s = m->view.now_s;
    j->goodput_now = m->configs[j->config].goodput[j->span] * p->speed;
    j->power_now_w = p->draw_w;
    mock_count(m);
    return mock_answer(m, action);
}

MOCK_FUNCTION int mock_plan_reject(struct easim_plan *plan, uint32_t job, const char *reason) {
    struct mock *m = plan->mock;
    bool may = m->policy->capabilities & EASIM_CAPABILITY_REJECT;
    bool valid = may && mock_waiting(m, job);
    (void)reason;
    if (valid) {
        m->jobs[job].state = EASIM_JOB_REJECTED;
        m->jobs[job].here = false;
        mock_link_waiting(m);
    }
    return mock_answer(m, (struct mock_action){MOCK_REJECT, valid ? EASIM_OK : EASIM_INVAL, job,
                                               EASIM_NONE, false, 0});
}

MOCK_FUNCTION int mock_plan_wake_at(struct easim_plan *plan, double time_s) {
    struct mock *m = plan->mock;
    bool valid = (m->policy->capabilities & EASIM_CAPABILITY_TICK) && time_s > m->view.now_s;
    return mock_answer(m, (struct mock_action){MOCK_WAKE, valid ? EASIM_OK : EASIM_INVAL,
                                               EASIM_NONE, EASIM_NONE, false, time_s});
}

/* The test itself says when it is what time: nothing is kept. */
MOCK_FUNCTION int mock_plan_wake_clear(struct easim_plan *plan) {
    struct mock *m = plan->mock;
    bool valid = m->policy->capabilities & EASIM_CAPABILITY_TICK;
    return mock_answer(m, (struct mock_action){MOCK_WAKE_CLEAR, valid ? EASIM_OK : EASIM_INVAL,
                                               EASIM_NONE, EASIM_NONE, false, 0});
}

/* --- exchanges --- */

/* What an exchange may change; what it appends to actions and lists is taken back by counts. */
struct mock_before {
    struct easim_view view;
    struct easim_gpu_type *gpu_types;
    struct easim_node *nodes;
    struct easim_user *users;
    struct easim_job *jobs;
    struct easim_running *running;
    uint32_t *held;
};

MOCK_FUNCTION void *mock_copy(const void *array, size_t bytes) {
    void *copy = malloc(bytes + 1);
    MOCK_MUST(copy);
    return bytes > 0 ? memcpy(copy, array, bytes) : copy;
}

MOCK_FUNCTION struct mock_before mock_keep(const struct mock *m) {
    const struct easim_view *v = &m->view;
    return (struct mock_before){
        .view = *v,
        .gpu_types = mock_copy(m->gpu_types, v->gpu_type_count * sizeof *m->gpu_types),
        .nodes = mock_copy(m->nodes, v->node_count * sizeof *m->nodes),
        .users = mock_copy(m->users, v->user_count * sizeof *m->users),
        .jobs = mock_copy(m->jobs, v->job_count * sizeof *m->jobs),
        .running = mock_copy(m->running, v->running_count * sizeof *m->running),
        .held = mock_copy(m->held, (size_t)v->job_count * v->node_count * sizeof *m->held)};
}

MOCK_FUNCTION void mock_forget(struct mock *m, struct mock_before *before, bool restore) {
    const struct easim_view *v = &before->view;
    if (restore) {
        memcpy(m->gpu_types, before->gpu_types, v->gpu_type_count * sizeof *m->gpu_types);
        memcpy(m->nodes, before->nodes, v->node_count * sizeof *m->nodes);
        memcpy(m->users, before->users, v->user_count * sizeof *m->users);
        memcpy(m->jobs, before->jobs, v->job_count * sizeof *m->jobs);
        if (v->running_count > 0)
            memcpy(m->running, before->running, v->running_count * sizeof *m->running);
        memcpy(m->held, before->held, (size_t)v->job_count * v->node_count * sizeof *m->held);
        m->view = *v;
        mock_point(m);
    }
    free(before->gpu_types);
    free(before->nodes);
    free(before->users);
    free(before->jobs);
    free(before->running);
    free(before->held);
}

/* Whether a part is in order as things stand before the exchange. */
MOCK_FUNCTION bool mock_part_is_valid(const struct mock *m, const struct easim_part *parts,
                                      uint32_t i) {
    const struct easim_part *p = &parts[i];
    for (uint32_t j = 0; j < i; j++)
        if (parts[j].job == p->job)
            return false;
    if (p->action == EASIM_PART_START)
        return mock_in_range(m, p->job, p->config) && m->jobs[p->job].state == EASIM_JOB_WAITING;
    if (p->action == EASIM_PART_RESIZE)
        return mock_resizable(m, p->job) &&
               (mock_in_range(m, p->job, p->config) || mock_keeps(m, p->job, p->config));
    return p->action == EASIM_PART_PREEMPT && mock_running(m, p->job) &&
           m->jobs[p->job].preemptible && (m->policy->capabilities & EASIM_CAPABILITY_PREEMPT);
}

/* Does it; the answer, and the part to blame if it must be taken back. */
MOCK_FUNCTION int mock_exchange(struct mock *m, const struct mock_before *before,
                                const struct easim_part *parts, uint32_t count,
                                uint32_t *ret_part) {
    for (uint32_t i = 0; i < count; i++)
        if (*ret_part = i, !mock_part_is_valid(m, parts, i))
            return EASIM_INVAL;
    for (uint32_t i = 0; i < count; i++)
        if (parts[i].action == EASIM_PART_PREEMPT)
            mock_preempt(m, parts[i].job, parts[i].at_once);
        else if (parts[i].action == EASIM_PART_RESIZE &&
                 !mock_keeps(m, parts[i].job, parts[i].config))
            mock_stop(m, parts[i].job);
    bool takes = false;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t job = parts[i].job, config = parts[i].config;
        if (parts[i].action == EASIM_PART_PREEMPT || m->jobs[job].config == config)
            continue;
        int span = easim_fit(&m->view, &m->configs[config]);
        *ret_part = i;
        takes = true;
        if (span < 0)
            return EASIM_NOFIT;
        if (parts[i].action == EASIM_PART_START)
            mock_run_in(m, job, config, (uint32_t)span, m->jobs[job].setup_s);
        else
            mock_move(m, job, &before->jobs[job], config, (uint32_t)span);
    }
    bool capped = takes && (m->policy->capabilities & EASIM_CAPABILITY_POWER_CAP);
    return capped && m->view.power_w > m->view.power_cap_w ? (int)EASIM_CAP : (int)EASIM_OK;
}

MOCK_FUNCTION int mock_try_exchange(struct easim_plan *plan, const struct easim_part *parts,
                                    uint32_t count, size_t part_bytes, uint32_t *ret_part,
                                    double *power_w) {
    struct mock *m = plan->mock;
    struct mock_before before = mock_keep(m);
    uint32_t part = EASIM_NONE;
    bool valid = parts && count > 0 && part_bytes == sizeof *parts;
    int answer = valid ? mock_exchange(m, &before, parts, count, &part) : (int)EASIM_INVAL;
    if (ret_part)
        *ret_part = answer == EASIM_OK ? EASIM_NONE : part;
    if (power_w && (answer == EASIM_OK || answer == EASIM_CAP))
        *power_w = m->view.power_w;
    mock_forget(m, &before, true);
    return answer;
}

/* Each part is an action of the test's; of a refused exchange the one to blame. */
MOCK_FUNCTION int mock_plan_exchange(struct easim_plan *plan, const struct easim_part *parts,
                                     uint32_t count, size_t part_bytes, uint32_t *ret_part) {
    static const enum mock_kind kinds[] = {MOCK_START, MOCK_PREEMPT, MOCK_RESIZE};
    struct mock *m = plan->mock;
    struct mock_before before = mock_keep(m);
    uint32_t part = EASIM_NONE;
    bool valid = parts && count > 0 && part_bytes == sizeof *parts;
    int answer = valid ? mock_exchange(m, &before, parts, count, &part) : (int)EASIM_INVAL;
    for (uint32_t i = 0; valid && i < count; i++) {
        const struct easim_part *p = &parts[i];
        bool tells = answer == EASIM_OK
                         ? p->action != EASIM_PART_RESIZE || before.jobs[p->job].config != p->config
                         : i == part && p->action <= EASIM_PART_RESIZE;
        if (tells)
            mock_answer(m, (struct mock_action){kinds[p->action], answer, p->job, p->config,
                                                p->at_once, 0});
    }
    mock_forget(m, &before, answer != EASIM_OK);
    if (ret_part)
        *ret_part = answer == EASIM_OK ? EASIM_NONE : part;
    return answer;
}

/* --- the rest --- */

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

/* Of m->told, whose story the test asks for; the last reason of all. */
MOCK_FUNCTION void mock_host_reason(struct easim_plan *plan, uint32_t job, const char *text) {
    if (job == plan->mock->told)
        snprintf(plan->mock->reason, sizeof plan->mock->reason, "%s", text ? text : "");
}

MOCK_FUNCTION uint32_t mock_job_nodes(struct easim_plan *plan, uint32_t job,
                                      struct easim_job_node *ret, uint32_t most) {
    const struct mock *m = plan->mock;
    uint32_t count = 0;
    for (uint32_t n = 0; job < m->view.job_count && n < m->view.node_count; n++) {
        uint32_t gpus = m->held[(size_t)job * m->view.node_count + n];
        if (gpus > 0 && count++ < most && ret)
            ret[count - 1] = (struct easim_job_node){n, gpus};
    }
    return count;
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
    .plan_wake_clear = mock_plan_wake_clear,
    .job_nodes = mock_job_nodes,
    .scratch = mock_scratch,
    .uniform = mock_uniform,
    .fail = mock_fail,
    .count = mock_host_count,
    .remaining = mock_remaining,
    .plan_reject = mock_plan_reject,
    .plan_exchange = mock_plan_exchange,
    .try_exchange = mock_try_exchange,
    .reason = mock_host_reason};

#endif
