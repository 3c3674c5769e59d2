/* Actions: see actions.h. Invariant: an accepted action holds its GPUs from the moment of the
   answer, so a plan always commits. */
#include "engine/actions.h"

#include "base/units.h"
#include "engine/gpus.h"
#include "engine/interrupt.h"
#include "engine/job_resize.h"
#include "engine/look.h"
#include "engine/power_cap.h"
#include "engine/progress.h"
#include "engine/rejection.h"

#include <math.h>
#include <stdlib.h>

static void fail_refused(struct sim *sim, const struct action_record *action) {
    bool exists = action->job < sim->workload->jobs.count;
    sim_fail(sim, ERROR_RUN, "policy %s: %s%s%s refused: %s", sim->module->policy->name,
             action_names[action->kind], action->kind == ACTION_WAKE ? "" : " of job ",
             action->kind == ACTION_WAKE ? ""
             : exists                    ? sim->workload->jobs.at[action->job].id
                                         : "(none)",
             refusal_names[action->refusal]);
}

/* Tells observers of an action; its answer for the policy. */
static int answer_action(struct sim *sim, const struct action_record *action) {
    for (const struct observer *const *o = sim->observers; *o; o++)
        if ((*o)->action)
            (*o)->action((*o)->context, sim, action);
    if (action->refusal == REFUSED_NOT)
        return EASIM_OK;
    sim->refused[action->refusal]++;
    if (sim->options.strict)
        fail_refused(sim, action);
    return action->refusal == REFUSED_NOFIT ? EASIM_NOFIT
           : action->refusal == REFUSED_CAP ? EASIM_CAP
                                            : EASIM_INVAL;
}

static bool has_capability(const struct sim *sim, uint32_t capability) {
    return sim->module->policy->capabilities & capability;
}

static bool allows_config(const struct easim_job *job, uint32_t config) {
    return config >= job->first_config && config - job->first_config < job->config_count;
}

/* Why a start cannot even be tried; REFUSED_NOT if it can. */
static enum refusal check_start(struct sim *sim, uint32_t job, uint32_t config) {
    if (job >= sim->workload->jobs.count)
        return REFUSED_NO_SUCH_JOB;
    const struct easim_job *j = &sim->view.jobs[job];
    if (j->state != EASIM_JOB_WAITING)
        return REFUSED_STATE;
    if (!allows_config(j, config))
        return REFUSED_CONFIG;
    return power_cap_forbids(sim, job, config) ? REFUSED_CAP : REFUSED_NOT;
}

static int host_start(struct easim_plan *plan, uint32_t job, uint32_t config) {
    struct sim *sim = plan->sim;
    struct action_record record = {ACTION_START, check_start(sim, job, config), job, config};
    struct action action = {.kind = ACTION_START, .start = {.job = job, .config = config}};
    if (record.refusal == REFUSED_NOT) {
        look_ends(sim, false);
        if (jobs_take_gpus(sim, job, config, &action.start.allocation))
            array_push(&plan->actions, action);
        else
            record.refusal = REFUSED_NOFIT;
        look_begins(sim);
    }
    return answer_action(sim, &record);
}

/* Whether a job runs, and not only since this very plan started or resized it. */
static bool ran_before_plan(const struct sim *sim, uint32_t job) {
    const struct job_run *run = &sim->runs[job];
    return sim->view.jobs[job].state == EASIM_JOB_RUNNING && job_run_uses_gpus(run) &&
           !run->resizing;
}

/* In rounds the host preempts, and asks for the next one, whatever the policy declares. */
static enum refusal check_preempt(const struct sim *sim, uint32_t job) {
    if (!has_capability(sim, EASIM_CAPABILITY_PREEMPT) && !list_in_rounds(&sim->list))
        return REFUSED_CAPABILITY;
    if (job >= sim->workload->jobs.count)
        return REFUSED_NO_SUCH_JOB;
    const struct easim_job *j = &sim->view.jobs[job];
    if (!ran_before_plan(sim, job))
        return REFUSED_STATE;
    return j->preemptible ? REFUSED_NOT : REFUSED_NOT_PREEMPTIBLE;
}

static int host_preempt(struct easim_plan *plan, uint32_t job, bool at_once) {
    struct sim *sim = plan->sim;
    struct action_record record = {ACTION_PREEMPT, check_preempt(sim, job), job, EASIM_NONE};
    if (record.refusal == REFUSED_NOT) {
        look_ends(sim, false);
        interrupt_yield_gpus(sim, job, at_once);
        array_push(
            &plan->actions,
            ((struct action){.kind = ACTION_PREEMPT, .at_once = at_once, .start = {.job = job}}));
        look_begins(sim);
    }
    return answer_action(sim, &record);
}

/* Whether a job may be resized: not one that shares a GPU. */
static bool may_resize(const struct sim *sim, uint32_t job) {
    return ran_before_plan(sim, job) && sim->view.configs[sim->runs[job].config].milli == 0;
}

/* List policies may always resize: the option is the host's. */
static enum refusal check_resize(struct sim *sim, uint32_t job, uint32_t config) {
    if (!has_capability(sim, EASIM_CAPABILITY_RESIZE) && !sim->module->policy->list)
        return REFUSED_CAPABILITY;
    if (job >= sim->workload->jobs.count)
        return REFUSED_NO_SUCH_JOB;
    if (!may_resize(sim, job))
        return REFUSED_STATE;
    if (!allows_config(&sim->view.jobs[job], config) || config == sim->view.jobs[job].config)
        return REFUSED_CONFIG;
    return power_cap_forbids(sim, job, config) ? REFUSED_CAP : REFUSED_NOT;
}

static int host_resize(struct easim_plan *plan, uint32_t job, uint32_t config) {
    struct sim *sim = plan->sim;
    struct action_record record = {ACTION_RESIZE, check_resize(sim, job, config), job, config};
    struct action action = {.kind = ACTION_RESIZE, .start = {.job = job, .config = config}};
    if (record.refusal == REFUSED_NOT) {
        look_ends(sim, false);
        if (job_resize_take_gpus(sim, &action.start))
            array_push(&plan->actions, action);
        else
            record.refusal = REFUSED_NOFIT;
        look_begins(sim);
    }
    return answer_action(sim, &record);
}

static int host_try_config(struct easim_plan *plan, uint32_t job, uint32_t config,
                           double *ret_power_w) {
    struct sim *sim = plan->sim;
    if (job >= sim->workload->jobs.count || !allows_config(&sim->view.jobs[job], config) ||
        (sim->view.jobs[job].state != EASIM_JOB_WAITING && !may_resize(sim, job)))
        return EASIM_NOFIT;
    int64_t committed_nw;
    int span = gpus_try_config(sim, job, config, &committed_nw);
    if (ret_power_w)
        *ret_power_w = power_w(committed_nw);
    return span;
}

static int host_wake_at(struct easim_plan *plan, double time_s) {
    struct sim *sim = plan->sim;
    double now_s = sim->view.v->now_s;
    bool rounds = list_in_rounds(&sim->list),
         may = rounds || has_capability(sim, EASIM_CAPABILITY_TICK),
         later = time_s > now_s || (rounds && time_s == now_s); /* still at this instant */
    enum refusal refusal = !may                            ? REFUSED_CAPABILITY
                           : later && time_s <= TIME_MAX_S ? REFUSED_NOT
                                                           : REFUSED_TIME;
    if (refusal == REFUSED_NOT)
        sim_push(sim, units_ns_not_before(time_s), EVENT_TIMER, EASIM_NONE);
    return answer_action(sim,
                         &(struct action_record){ACTION_WAKE, refusal, EASIM_NONE, EASIM_NONE});
}

static enum refusal check_reject(const struct sim *sim, uint32_t job) {
    if (!has_capability(sim, EASIM_CAPABILITY_REJECT))
        return REFUSED_CAPABILITY;
    if (job >= sim->workload->jobs.count)
        return REFUSED_NO_SUCH_JOB;
    return sim->view.jobs[job].state == EASIM_JOB_WAITING ? REFUSED_NOT : REFUSED_STATE;
}

static int host_reject(struct easim_plan *plan, uint32_t job, const char *reason) {
    struct sim *sim = plan->sim;
    struct action_record record = {ACTION_REJECT, check_reject(sim, job), job, EASIM_NONE};
    if (record.refusal == REFUSED_NOT) {
        look_ends(sim, false);
        rejection_take(sim, job, rejection_words(sim, reason));
        array_push(&plan->actions, ((struct action){.kind = ACTION_REJECT, .start = {.job = job}}));
        look_begins(sim);
    }
    return answer_action(sim, &record);
}

static void *host_scratch(struct easim_plan *plan, size_t bytes) {
    return arena_alloc(&plan->sim->scratch, bytes);
}

static double host_uniform(struct easim_plan *plan) {
    return gsl_rng_uniform(plan->sim->policy_rng);
}

static void host_fail(struct easim_plan *plan, const char *message) {
    plan->failure.length = 0;
    str_add_visible(&plan->failure, message ? message : "");
}

static void host_count(struct easim_plan *plan, const char *what, const char *name) {
    struct str text = {0};
    str_add_visible(&text, what ? what : "");
    tally_add(&plan->sim->counted, text.text ? text.text : "", 1);
    tally_name(&plan->sim->counted, text.text ? text.text : "", name);
    str_finish(&text);
}

/* GPUs of another configuration, which it gets in this plan: what it has done is booked already. */
static double host_remaining(struct easim_plan *plan, uint32_t job) {
    struct sim *sim = plan->sim;
    const struct easim_job *j = easim_view_job(sim->view.v, job);
    if (!j)
        return NAN;
    const struct job_run *run = &sim->runs[job];
    if (sim->workload->jobs.at[job].kind == JOB_KIND_RIGID)
        return easim_job_remaining(sim->view.v, j);
    if (run->segment != SEGMENT_RUN || run->resizing)
        return run->remaining;
    return fmax(0, run->remaining - progress_work(sim, job, progress_computing_ns(sim, job)));
}

static const struct easim_host host = {.struct_size = sizeof host,
                                       .plan_start = host_start,
                                       .plan_preempt = host_preempt,
                                       .plan_resize = host_resize,
                                       .try_config = host_try_config,
                                       .plan_wake_at = host_wake_at,
                                       .scratch = host_scratch,
                                       .uniform = host_uniform,
                                       .fail = host_fail,
                                       .count = host_count,
                                       .remaining = host_remaining,
                                       .plan_reject = host_reject};

static void commit_plan(struct sim *sim, struct easim_plan *plan) {
    for (size_t i = 0; i < plan->actions.count; i++) {
        const struct action *action = &plan->actions.at[i];
        if (action->kind == ACTION_PREEMPT)
            interrupt_preempt(sim, action->start.job, action->at_once);
        else if (action->kind == ACTION_RESIZE)
            job_resize_carry_out(sim, &action->start);
        else if (action->kind == ACTION_REJECT)
            rejection_carry_out(sim, action->start.job);
    }
    for (size_t i = 0; i < plan->actions.count; i++)
        if (plan->actions.at[i].kind == ACTION_START)
            jobs_start(sim, &plan->actions.at[i].start);
}

/* A failed decision starts nothing: the GPUs that its actions hold go back. */
static void drop_plan(struct sim *sim, struct easim_plan *plan) {
    for (size_t i = 0; i < plan->actions.count; i++) {
        struct action *action = &plan->actions.at[i];
        if (action->kind == ACTION_START || action->kind == ACTION_RESIZE)
            gpus_give_back(sim, action->start.job, action->start.config, &action->start.allocation);
    }
}

struct easim_pass actions_pass(struct easim_plan *plan) {
    struct sim *sim = plan->sim;
    return (struct easim_pass){
        .view = sim->view.shown,
        .host = &host,
        .plan = plan,
        .params = sim->params->own,
        .state = sim->policy_state,
        .job_memory = sim->job_memory,
        .job_memory_stride = sim->job_memory_stride,
    };
}

void actions_finish(struct easim_plan *plan) {
    struct sim *sim = plan->sim;
    if (sim->error.code < 0)
        drop_plan(sim, plan);
    else
        commit_plan(sim, plan);
    free(plan->actions.at);
    str_finish(&plan->failure);
    arena_reset(&sim->scratch);
}
