/* Calls the policy: for a decision, at the beginning and the end of a run, and for questions. Also
   puts a job that arrives into the queue, or rejects it. */
#include "engine/internal.h"

#include "base/machine.h"
#include "base/own_state.h"
#include "base/units.h"
#include "engine/actions.h"
#include "engine/gpus.h"
#include "engine/jobs.h"
#include "engine/power_cap.h"
#include "policy/interface.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* --- callbacks --- */

/* Decisions 1, 2, 4, 8 ... compare all of the view: few,
   however long the run is. */
static bool checks_all(const struct sim *sim) {
    return (sim->decision_total & (sim->decision_total - 1)) == 0;
}

/* The name of all callbacks of a list policy: there are too many calls of them to note each one's
   name. */
#define LIST_CALLBACK "a callback"

/* Looks for side effects of a call of the policy on the process. */
static void end_call(struct sim *sim, const char *name) {
    sim_note_call(sim, NULL);
    if (sim->options.original && !*sim->options.original)
        _exit(EXIT_FAILURE);
    if (rounding_is_usual())
        return;
    rounding_set_usual();
    sim_fail(sim, "policy %s: %s has changed how floating-point numbers are rounded",
             sim->module->policy->name, name);
}

static void call_policy(struct sim *sim, int (*function)(const struct easim_pass *),
                        const char *name) {
    /* a plan that a policy has kept is none where its view moves */
    bool moves = HAS_FEATURES && (sim->options.grown >> GROWN_MOVES & sim->decision_total & 1);
    struct easim_plan plans[1 + HAS_FEATURES] = {{.sim = NULL}}, *plan = &plans[moves];
    struct easim_pass pass;
    plan->sim = sim;
    if (SIM_HAS(sim, limits)) {
        job_limit_show_all(sim);
        power_cap_forget(sim);
    }
    const struct easim_pass *shown = actions_pass(plan, &pass);
    policy_code_begins(sim);
    sim_note_call(sim, function ? name : LIST_CALLBACK);
    int r = function ? function(shown) : list_decide(&sim->list, &pass);
    end_call(sim, function ? name : LIST_CALLBACK);
    policy_code_ends(sim, checks_all(sim));
    const char *why = plan->failure.length > 0 ? plan->failure.text : "it gave no reason";
    if (r < 0 && machine_is_named(why)) /* a policy may have a program, or a file */
        machine_end("policy %s: %s failed: %s", sim->module->policy->name, name, why);
    if (r < 0)
        sim_fail(sim, "policy %s: %s failed: %s", sim->module->policy->name, name, why);
    if (r > 0)
        sim_fail(sim, "policy %s: %s returned %d: expected 0, or a negative number if it failed",
                 sim->module->policy->name, name, r);
    actions_finish(plan);
}

/* Whether a list policy may ever admit a job that is being submitted, alone on the cluster and
   under the constant cap of sim->over_cap. A free policy does not say. */
static bool callbacks_may_admit(struct sim *sim, uint32_t job) {
    const struct easim_list *list = sim->module->policy->list;
    if (!list || (!list->key && !list->minimise && !sim->list.rules.plain))
        return true; /* of a list without a rule of its own: what has a time is admitted */
    struct easim_plan plan = {.head.refuses = true, .sim = sim}; /* the job is not in the queue */
    struct easim_pass pass;
    actions_pass(&plan, &pass);
    struct easim_job *shown = view_job(&sim->view, job);
    shown->state = EASIM_JOB_WAITING; /* as the policy will see it if it is admitted */
    shown->here = true;
    policy_code_begins(sim);
    sim_note_call(sim, LIST_CALLBACK);
    bool may = list_may_admit(&sim->list, &pass, host_job(pass.view, job), sim->over_cap);
    end_call(sim, LIST_CALLBACK);
    policy_code_ends(sim, false);
    actions_finish(&plan);
    return may;
}

/* Processor time of this thread. */
static uint64_t thread_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

/* Shows the energy since the last decision, unless nobody looks at it now. */
static void show_energy(struct sim *sim, bool is_seen) {
    if (is_seen)
        view_header(&sim->view)->energy_j = power_j(sim->meter.energy - sim->decided_energy);
    sim->decided_energy = sim->meter.energy;
}

/* Whether a decision counts, but nothing has to be done: after most finishes, if few jobs wait. */
static bool is_idle(const struct sim *sim) {
    const struct easim_policy *policy = sim->module->policy;
    return policy->list && !policy->decide && !SIM_HAS(sim, options.check) && !checks_all(sim) &&
           sim->told == EASIM_NONE && list_is_idle(&sim->list, sim->view.v);
}

void callbacks_decide(struct sim *sim) {
    uint64_t start_ns = sim->options.time_decisions ? thread_ns() : 0;
    sim->decision_total++;
    bool idle = is_idle(sim);
    show_energy(sim, (!idle && !sim->list.asks_nothing) || sim->over_cap); /* then at admission */
    if (SIM_HAS(sim, services.count > 0))
        service_view_update(sim);
    if (!idle)
        call_policy(sim, sim->module->policy->decide, "decide");
    if (sim->options.time_decisions)
        sim->decide_ns += thread_ns() - start_ns;
    view_end_decision(&sim->view, sim->next_arrival);
    if (sim->options.past_is_dropped && sim->view.past > sim->dropped)
        jobs_drop_past(sim);
}

void callbacks_init(struct sim *sim) {
    if (sim->module->policy->init)
        call_policy(sim, sim->module->policy->init, "init");
}

void callbacks_finish(struct sim *sim) {
    const struct easim_policy *policy = sim->module->policy;
    struct easim_plan plan = {.sim = sim};
    struct easim_pass pass;
    const struct easim_pass *shown = actions_pass(&plan, &pass);
    if (sim->ended)
        return;
    sim->ended = true;
    show_energy(sim, true);
    policy_code_begins(sim);
    sim_note_call(sim, "finish");
    if (policy->finish)
        policy->finish(shown);
    end_call(sim, "finish");
    str_finish(&plan.failure);
}

void callbacks_check_view(struct sim *sim) {
    policy_code_begins(sim); /* what the host itself has written since then is no damage */
    policy_code_ends(sim, true);
}

bool callbacks_explain(struct sim *sim, char text[static EXPLANATION_BYTES]) {
    struct easim_plan plan = {.sim = sim};
    struct easim_pass pass;
    actions_pass(&plan, &pass);
    const struct error before = sim->error;
    struct list anew;
    size_t i = 0;
    text[0] = '\0';
    if (!sim->module->policy->list || list_in_rounds(&sim->list))
        return false;
    list_init(&anew, sim->params, (uint32_t)sim->workload->jobs.count, true,
              sim->cap ? sim->view.power : NULL);
    policy_code_begins(sim);
    sim_note_call(sim, LIST_CALLBACK);
    int r = list_decide(&anew, &pass);
    end_call(sim, LIST_CALLBACK);
    policy_code_ends(sim, true);
    list_finish(&anew);
    while (r >= 0 && i < plan.actions.count && plan.actions.at[i].kind != ACTION_START)
        i++;
    if (r >= 0 && i < plan.actions.count)
        snprintf(
            text, EXPLANATION_BYTES,
            "it would start job %.60s if the host asked all its callbacks again: one of them looks at what it may not",
            sim->workload->jobs.at[plan.actions.at[i].start.job].id);
    sim->error.code = ERROR_RUN; /* so that the plan is dropped */
    actions_finish(&plan);
    sim->error = before;
    return text[0] != '\0';
}

/* --- admission --- */

static const char *reject_reason(struct sim *sim, uint32_t job) {
    const struct config_set *set = &sim->workload->table.sets.at[sim->workload->jobs.at[job].set];
    if (set->count == 0)
        return set->reason;
    if (SIM_HAS(sim, over_cap) && power_cap_forbids_job(sim, job))
        return "over the power cap in every configuration, even alone on the cluster";
    if (sim->view.jobs[job].time_best_s > TIME_MAX_S)
        return "would run longer than 4e9 s";
    return SIM_HAS(sim, over_cap) && !callbacks_may_admit(sim, job)
               ? "over the power cap in every configuration that the policy admits, even alone on the cluster"
               : NULL;
}

void admission_submit(struct sim *sim, uint32_t job) {
    jobs_arrive(sim, job);
    const char *reason = reject_reason(sim, job);
    if (reason)
        jobs_reject(sim, job, reason);
    else
        jobs_submit(sim, job);
}
