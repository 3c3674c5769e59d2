/* Calls of the policy: see callbacks.h. */
#include "engine/callbacks.h"

#include "base/units.h"
#include "engine/actions.h"
#include "engine/look.h"

#include <time.h>

/* Decisions 1, 2, 4, 8 ...: checked as a whole, so that all of them together cost as much as the
 * last. */
static bool checks_all(const struct sim *sim) {
    return (sim->decision_total & (sim->decision_total - 1)) == 0;
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
    struct easim_pass pass = actions_pass(&plan);
    sim->list.recheck_all = sim->list.recheck_all || (sim->options.check && checks_all(sim));
    look_begins(sim);
    note_call(sim, function ? name : LIST_CALLBACK);
    int r = function ? function(&pass) : list_decide(&sim->list, &pass);
    note_call(sim, NULL);
    look_ends(sim, checks_all(sim));
    if (r < 0)
        sim_fail(sim, ERROR_RUN, "policy %s: %s failed: %s", sim->module->policy->name, name,
                 plan.failure.length > 0 ? plan.failure.text : "it gave no reason");
    actions_finish(&plan);
}

bool callbacks_may_admit(struct sim *sim, uint32_t job) {
    if (!sim->module->policy->list)
        return true;
    struct easim_plan plan = {.sim = sim};
    struct easim_pass pass = actions_pass(&plan);
    view_job(&sim->view, job)->state = EASIM_JOB_WAITING; /* as the policy will see it, or never */
    look_begins(sim);
    note_call(sim, LIST_CALLBACK);
    bool may = list_may_admit(&sim->list, &pass, easim_view_job(pass.view, job), sim->over_cap);
    note_call(sim, NULL);
    look_ends(sim, false);
    actions_finish(&plan);
    return may;
}

/* Processor time of this thread. */
static uint64_t thread_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

void callbacks_decide(struct sim *sim) {
    uint64_t start_ns = sim->options.time_decisions ? thread_ns() : 0;
    sim->decision_total++;
    call(sim, sim->module->policy->decide, "decide");
    if (sim->options.time_decisions)
        sim->decide_ns += thread_ns() - start_ns;
    view_header(&sim->view)->event_count = 0;
}

void callbacks_init(struct sim *sim) {
    if (sim->module->policy->init)
        call(sim, sim->module->policy->init, "init");
}

void callbacks_finish(struct sim *sim) {
    const struct easim_policy *policy = sim->module->policy;
    struct easim_plan plan = {.sim = sim};
    struct easim_pass pass = actions_pass(&plan);
    note_call(sim, "finish");
    if (policy->finish)
        policy->finish(&pass);
    note_call(sim, NULL);
    str_finish(&plan.failure);
}

void callbacks_check_view(struct sim *sim) {
    look_begins(sim); /* what the host has written since the last look is its own */
    look_ends(sim, true);
}

bool callbacks_explain(struct sim *sim, char text[static RECHECK_BYTES]) {
    struct easim_plan plan = {.sim = sim};
    struct easim_pass pass = actions_pass(&plan);
    text[0] = '\0';
    look_begins(sim);
    note_call(sim, LIST_CALLBACK);
    bool found = sim->module->policy->list && recheck_at_end(&sim->list.index, &pass, text);
    note_call(sim, NULL);
    look_ends(sim, true);
    arena_reset(&sim->scratch);
    return found;
}
