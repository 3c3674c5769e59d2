/* Decisions. Invariant: an accepted action holds its GPUs from the moment of the answer, so a plan
 * always commits.
 */
#include "engine/actions.h"

#include "base/units.h"
#include "engine/gpus.h"
#include "engine/interrupt.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

struct action {
    enum action_kind kind;
    bool at_once;           /* of a preemption */
    struct job_start start; /* of a preemption only the job */
};

struct easim_plan {
    struct sim *sim;
    ARRAY_OF(struct action) actions;
    struct str failure; /* from host->fail; "": none */
};

const char *const action_names[] = {"start", "preempt", "wake", "reject", "resize"};

const char *const refusal_names[] = {
    [REFUSED_NOFIT] = "not enough free GPUs",
    [REFUSED_CAP] = "over the power cap",
    [REFUSED_NO_SUCH_JOB] = "no such job",
    [REFUSED_STATE] = "job is not in the right state",
    [REFUSED_CONFIG] = "not a configuration of that job",
    [REFUSED_CAPABILITY] = "capability not declared",
    [REFUSED_NOT_PREEMPTIBLE] = "job is not preemptible",
    [REFUSED_TIME] = "not a time in the future",
    [REFUSED_NOT] = "ok",
};

static void fail_refused(struct sim *sim, const struct action_record *action) {
    bool exists = action->job < sim->workload->jobs.count;
    sim_fail(sim, ERROR_RUN, "policy %s: %s%s%s refused: %s", sim->module->policy->name,
             action_names[action->kind], action->kind == ACTION_WAKE ? "" : " of job ",
             action->kind == ACTION_WAKE ? ""
             : exists                    ? sim->workload->jobs.at[action->job].id
                                         : "(none)",
             refusal_names[action->refusal]);
}

/* Decisions 1, 2, 4, 8 ...: checked as a whole, so that all of them together cost as much as the
 * last. */
static bool checks_all(const struct sim *sim) {
    return (sim->decision_total & (sim->decision_total - 1)) == 0;
}

static void fail_damage(struct sim *sim) {
    char place[VIEW_PLACE_BYTES];
    view_damage(&sim->view, place);
    sim_fail(sim, ERROR_RUN, "policy %s " PLAN_DAMAGE ": %s", sim->module->policy->name, place);
}

/* The policy has looked at the view, and the host goes on. */
static void end_look(struct sim *sim, bool all) {
    if (!view_look_ends(&sim->view, all))
        fail_damage(sim);
}

/* Tells observers of an action; its answer for the policy. */
static int answer(struct sim *sim, const struct action_record *action) {
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

static bool capable(const struct sim *sim, uint32_t capability) {
    return sim->module->policy->capabilities & capability;
}

/* Whether starting or resizing to config now would lift the committed power over the cap. */
static bool over_cap(struct sim *sim, uint32_t job, uint32_t config) {
    double cap_w = sim->view.v->power_cap_w;
    if (!capable(sim, EASIM_CAPABILITY_POWER_CAP) || !isfinite(cap_w))
        return false;
    int64_t committed_nw;
    return gpus_try_config(sim, job, config, &committed_nw) >= 0 && committed_nw > power_nw(cap_w);
}

static bool in_range(const struct easim_job *job, uint32_t config) {
    return config >= job->first_config && config - job->first_config < job->config_count;
}

/* Why a start cannot even be tried; REFUSED_NOT if it can. */
static enum refusal check_start(struct sim *sim, uint32_t job, uint32_t config) {
    if (job >= sim->workload->jobs.count)
        return REFUSED_NO_SUCH_JOB;
    const struct easim_job *j = &sim->view.jobs[job];
    if (j->state != EASIM_JOB_WAITING)
        return REFUSED_STATE;
    if (!in_range(j, config))
        return REFUSED_CONFIG;
    return over_cap(sim, job, config) ? REFUSED_CAP : REFUSED_NOT;
}

static int host_start(struct easim_plan *plan, uint32_t job, uint32_t config) {
    struct sim *sim = plan->sim;
    struct action_record record = {ACTION_START, check_start(sim, job, config), job, config};
    struct action action = {.kind = ACTION_START, .start = {.job = job, .config = config}};
    if (record.refusal == REFUSED_NOT) {
        end_look(sim, false);
        if (jobs_take_gpus(sim, job, config, &action.start.allocation))
            array_push(&plan->actions, action);
        else
            record.refusal = REFUSED_NOFIT;
        view_look_begins(&sim->view);
    }
    return answer(sim, &record);
}

/* Whether a job runs, and not only since this very plan started or resized it. */
static bool settled(const struct sim *sim, uint32_t job) {
    const struct job_run *run = &sim->runs[job];
    return sim->view.jobs[job].state == EASIM_JOB_RUNNING && run->phase != PHASE_NONE &&
           !run->resizing;
}

static enum refusal check_preempt(const struct sim *sim, uint32_t job) {
    if (!capable(sim, EASIM_CAPABILITY_PREEMPT))
        return REFUSED_CAPABILITY;
    if (job >= sim->workload->jobs.count)
        return REFUSED_NO_SUCH_JOB;
    const struct easim_job *j = &sim->view.jobs[job];
    if (!settled(sim, job))
        return REFUSED_STATE;
    return j->preemptible ? REFUSED_NOT : REFUSED_NOT_PREEMPTIBLE;
}

static int host_preempt(struct easim_plan *plan, uint32_t job, bool at_once) {
    struct sim *sim = plan->sim;
    struct action_record record = {ACTION_PREEMPT, check_preempt(sim, job), job, EASIM_NONE};
    if (record.refusal == REFUSED_NOT) {
        end_look(sim, false);
        interrupt_yield_gpus(sim, job, at_once);
        array_push(
            &plan->actions,
            ((struct action){.kind = ACTION_PREEMPT, .at_once = at_once, .start = {.job = job}}));
        view_look_begins(&sim->view);
    }
    return answer(sim, &record);
}

/* Whether a job may be resized: not one that shares a GPU. */
static bool may_resize(const struct sim *sim, uint32_t job) {
    return settled(sim, job) && sim->view.configs[sim->runs[job].config].milli == 0;
}

/* List policies may always resize: the option is the host's. */
static enum refusal check_resize(struct sim *sim, uint32_t job, uint32_t config) {
    if (!capable(sim, EASIM_CAPABILITY_RESIZE) && !sim->module->policy->list)
        return REFUSED_CAPABILITY;
    if (job >= sim->workload->jobs.count)
        return REFUSED_NO_SUCH_JOB;
    if (!may_resize(sim, job))
        return REFUSED_STATE;
    if (!in_range(&sim->view.jobs[job], config) || config == sim->view.jobs[job].config)
        return REFUSED_CONFIG;
    return over_cap(sim, job, config) ? REFUSED_CAP : REFUSED_NOT;
}

static int host_resize(struct easim_plan *plan, uint32_t job, uint32_t config) {
    struct sim *sim = plan->sim;
    struct action_record record = {ACTION_RESIZE, check_resize(sim, job, config), job, config};
    struct action action = {.kind = ACTION_RESIZE, .start = {.job = job, .config = config}};
    if (record.refusal == REFUSED_NOT) {
        end_look(sim, false);
        if (interrupt_swap_gpus(sim, job, config, &action.start.allocation))
            array_push(&plan->actions, action);
        else
            record.refusal = REFUSED_NOFIT;
        view_look_begins(&sim->view);
    }
    return answer(sim, &record);
}

static int host_try_config(struct easim_plan *plan, uint32_t job, uint32_t config,
                           double *ret_power_w) {
    struct sim *sim = plan->sim;
    if (job >= sim->workload->jobs.count || !in_range(&sim->view.jobs[job], config) ||
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
    bool future = time_s > sim->view.v->now_s && time_s <= TIME_MAX_S;
    enum refusal refusal = !capable(sim, EASIM_CAPABILITY_TICK) ? REFUSED_CAPABILITY
                           : future                             ? REFUSED_NOT
                                                                : REFUSED_TIME;
    if (refusal == REFUSED_NOT)
        eventq_push(&sim->events, units_ns_not_before(time_s), jobs_rank(sim, EVENT_TIMER),
                    EVENT_TIMER, EASIM_NONE);
    return answer(sim, &(struct action_record){ACTION_WAKE, refusal, EASIM_NONE, EASIM_NONE});
}

static void *host_scratch(struct easim_plan *plan, size_t bytes) {
    return arena_alloc(&plan->sim->scratch, bytes);
}

static double host_uniform(struct easim_plan *plan) {
    return gsl_rng_uniform(plan->sim->policy_rng);
}

static void host_fail(struct easim_plan *plan, const char *message) {
    plan->failure.length = 0;
    str_add(&plan->failure, message);
}

static const struct easim_host host = {.struct_size = sizeof host,
                                       .plan_start = host_start,
                                       .plan_preempt = host_preempt,
                                       .plan_resize = host_resize,
                                       .try_config = host_try_config,
                                       .plan_wake_at = host_wake_at,
                                       .scratch = host_scratch,
                                       .uniform = host_uniform,
                                       .fail = host_fail};

static void commit(struct sim *sim, struct easim_plan *plan) {
    for (size_t i = 0; i < plan->actions.count; i++) {
        const struct action *action = &plan->actions.at[i];
        if (action->kind == ACTION_PREEMPT)
            interrupt_preempt(sim, action->start.job, action->at_once);
        else if (action->kind == ACTION_RESIZE)
            interrupt_resize(sim, &action->start);
    }
    for (size_t i = 0; i < plan->actions.count; i++)
        if (plan->actions.at[i].kind == ACTION_START)
            jobs_start(sim, &plan->actions.at[i].start);
}

/* A failed decision starts nothing: the GPUs that its actions hold go back. */
static void drop(struct sim *sim, struct easim_plan *plan) {
    for (size_t i = 0; i < plan->actions.count; i++) {
        struct action *action = &plan->actions.at[i];
        if (action->kind != ACTION_PREEMPT)
            gpus_give_back(sim, action->start.job, action->start.config, &action->start.allocation);
    }
}

static struct easim_pass make_pass(struct easim_plan *plan) {
    struct sim *sim = plan->sim;
    return (struct easim_pass){sim->view.shown, &host, plan, sim->params->own, sim->policy_state};
}

/* Carries out what the policy has asked for, unless the run has failed. */
static void finish_plan(struct sim *sim, struct easim_plan *plan) {
    if (sim->error.code < 0)
        drop(sim, plan);
    else
        commit(sim, plan);
    free(plan->actions.at);
    str_finish(&plan->failure);
    arena_reset(&sim->scratch);
}

/* For what easim does with the callbacks of a list policy: not each of their calls is noted, of
 * which there are many. */
#define LIST_CALLBACK "a callback"

static void note_call(const struct sim *sim, const char *name) {
    if (sim->options.calling)
        *sim->options.calling = name;
}

static void call(struct sim *sim, int (*function)(const struct easim_pass *), const char *name) {
    struct easim_plan plan = {.sim = sim};
    struct easim_pass pass = make_pass(&plan);
    sim->list.recheck_all = sim->list.recheck_all || (sim->options.check && checks_all(sim));
    view_look_begins(&sim->view);
    note_call(sim, function ? name : LIST_CALLBACK);
    int r = function ? function(&pass) : list_decide(&sim->list, &pass);
    note_call(sim, NULL);
    end_look(sim, checks_all(sim));
    if (r < 0)
        sim_fail(sim, ERROR_RUN, "policy %s: %s failed: %s", sim->module->policy->name, name,
                 plan.failure.length > 0 ? plan.failure.text : "it gave no reason");
    finish_plan(sim, &plan);
}

bool plan_may_admit(struct sim *sim, uint32_t job) {
    if (!sim->module->policy->list)
        return true;
    struct easim_plan plan = {.sim = sim};
    struct easim_pass pass = make_pass(&plan);
    view_job(&sim->view, job)->state = EASIM_JOB_WAITING; /* as the policy will see it, or never */
    view_look_begins(&sim->view);
    note_call(sim, LIST_CALLBACK);
    bool may = list_may_admit(&sim->list, &pass, easim_view_job(pass.view, job), sim->over_cap);
    note_call(sim, NULL);
    end_look(sim, false);
    finish_plan(sim, &plan);
    return may;
}

/* Processor time of this thread. */
static uint64_t thread_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

void plan_decide(struct sim *sim) {
    uint64_t start_ns = sim->options.time_decisions ? thread_ns() : 0;
    sim->decision_total++;
    call(sim, sim->module->policy->decide, "decide");
    if (sim->options.time_decisions)
        sim->decide_ns += thread_ns() - start_ns;
    view_header(&sim->view)->event_count = 0;
}

void plan_call_init(struct sim *sim) {
    if (sim->module->policy->init)
        call(sim, sim->module->policy->init, "init");
}

void plan_call_finish(struct sim *sim) {
    const struct easim_policy *policy = sim->module->policy;
    struct easim_plan plan = {.sim = sim};
    struct easim_pass pass = make_pass(&plan);
    note_call(sim, "finish");
    if (policy->finish)
        policy->finish(&pass);
    note_call(sim, NULL);
    str_finish(&plan.failure);
}

void plan_check_view(struct sim *sim) {
    view_look_begins(&sim->view); /* what the host has written since the last look is its own */
    end_look(sim, true);
}

bool plan_explain(struct sim *sim, char text[static RECHECK_BYTES]) {
    struct easim_plan plan = {.sim = sim};
    struct easim_pass pass = make_pass(&plan);
    text[0] = '\0';
    view_look_begins(&sim->view);
    note_call(sim, LIST_CALLBACK);
    bool found = sim->module->policy->list && recheck_at_end(&sim->list.index, &pass, text);
    note_call(sim, NULL);
    end_look(sim, true);
    arena_reset(&sim->scratch);
    return found;
}
