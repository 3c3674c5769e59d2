/* A second run of a replication in which a list policy decides plainly, against the actions of the
   first. Wake-ups are not compared: a callback that asks for one may be asked more often. */
#include "base/units.h"
#include "engine/loop.h"
#include "study/internal.h"

#include <stdlib.h>
#include <string.h>

/* --- decision_log --- */

static struct logged_action logged_of(const struct sim *sim, const struct action_record *action) {
    return (struct logged_action){.time_ns = sim->now_ns,
                                  .decision = sim->decision_total,
                                  .kind = action->kind,
                                  .refusal = action->refusal,
                                  .job = action->job,
                                  .config = action->config};
}

static void log_action(void *context, const struct sim *sim, const struct action_record *action) {
    struct decision_log *log = context;
    if (action->kind == ACTION_WAKE)
        return;
    if (sim->decision_total > PLAIN_DECISIONS)
        log->is_cut = true;
    else
        array_push(&log->actions, logged_of(sim, action));
}

const struct observer *decision_log_init(struct decision_log *log) {
    *log = (struct decision_log){.observer = {.context = log, .action = log_action}};
    return &log->observer;
}

/* --- plain_run --- */

/* The second run so far. */
struct comparison {
    const struct decision_log *log;
    size_t compared;
    struct str difference; /* in words; "": none */
};

/* "starts job a on 2 x a100 (batch 64) at t = 10 s (decision 4)". */
static void add_action(const struct sim *sim, const struct logged_action *action, struct str *out) {
    static const char *const verbs[] = {[ACTION_START] = "starts",
                                        [ACTION_PREEMPT] = "preempts",
                                        [ACTION_REJECT] = "rejects",
                                        [ACTION_RESIZE] = "resizes"};
    const struct easim_view *view = sim->view.v;
    if (!action) {
        str_add(out, "does nothing more");
        return;
    }
    bool has_verb = action->kind < sizeof verbs / sizeof *verbs && verbs[action->kind];
    str_add(out, has_verb ? verbs[action->kind] : action_names[action->kind]);
    if (action->job < sim->workload->jobs.count)
        str_addf(out, " job %.60s", sim->workload->jobs.at[action->job].id);
    if (action->config < view->config_count) {
        const struct easim_config *config = easim_view_config(view, action->config);
        str_addf(out, " on %g x %.60s", easim_config_gpus(config),
                 easim_view_gpu_type(view, config->gpu_type)->name);
        if (config->batch > 0)
            str_addf(out, " (batch %g)", config->batch);
    }
    if (action->refusal < REFUSAL_COUNT)
        str_addf(out, ", refused as %s,", refusal_names[action->refusal]);
    str_addf(out, " at t = %.9g s (decision %llu)", units_s(action->time_ns),
             (unsigned long long)action->decision);
}

static void note_difference(struct comparison *comparison, const struct sim *sim,
                            const struct logged_action *before, const struct logged_action *anew) {
    struct str *text = &comparison->difference;
    str_add(text, "first it ");
    add_action(sim, before, text);
    str_add(text, "; asked anew it ");
    add_action(sim, anew, text);
}

static bool is_equal(const struct logged_action *a, const struct logged_action *b) {
    return a->time_ns == b->time_ns && a->kind == b->kind && a->refusal == b->refusal &&
           a->job == b->job && a->config == b->config;
}

static void compare_action(void *context, const struct sim *sim,
                           const struct action_record *action) {
    struct comparison *comparison = context;
    const struct decision_log *log = comparison->log;
    bool left = comparison->compared < log->actions.count;
    const struct logged_action *before = left ? &log->actions.at[comparison->compared] : NULL,
                               anew = logged_of(sim, action);
    if (action->kind == ACTION_WAKE || comparison->difference.length > 0 || (!left && log->is_cut))
        return;
    if (left && is_equal(before, &anew))
        comparison->compared++;
    else
        note_difference(comparison, sim, before, &anew);
}

static int run_plainly(struct sim *sim, struct comparison *comparison, struct error *reterr) {
    const struct decision_log *log = comparison->log;
    struct error error = {0};
    int r = loop_init(sim, &error);
    if (r == 0)
        r = loop_run(sim, &error);
    if (comparison->difference.length == 0 && r == 0 && comparison->compared < log->actions.count)
        note_difference(comparison, sim, &log->actions.at[comparison->compared], NULL);
    if (comparison->difference.length == 0 && r < 0 && error.code == ERROR_RUN)
        return error_set(reterr, ERROR_RUN, "with all callbacks asked anew at each decision: %s",
                         error.text);
    if (comparison->difference.length == 0 && r < 0)
        *reterr = error;
    return comparison->difference.length > 0 ? ERROR_RUN : r;
}

/* Of a run that has ended well. */
static int run_again(const struct decision_log *log, const struct study *study,
                     const struct sim *first, struct tally *counted, struct error *reterr) {
    struct comparison comparison = {.log = log};
    const struct observer observer = {.context = &comparison, .action = compare_action};
    const struct observer *observers[] = {&observer, log->watch, NULL};
    struct sim sim = study_sim(study, first->workload);
    size_t count = log->actions.count;
    sim.options = first->options;
    sim.options.check = sim.options.time_decisions = false;
    sim.options.progress = NULL;
    sim.options.plain = true;
    sim.options.stop_ns = !log->is_cut || count == 0 ? 0 : log->actions.at[count - 1].time_ns + 1;
    sim.observers = observers;
    int r = run_plainly(&sim, &comparison, reterr);
    bool differs = comparison.difference.length > 0, drew = first->list.drew || sim.list.drew;
    loop_finish(&sim);
    if (differs && drew)
        tally_add(counted, "decisions were not compared: callbacks about jobs draw random numbers",
                  1);
    else if (differs)
        error_set(
            reterr, ERROR_RUN,
            "policy %s decides otherwise if the host asks all its callbacks anew at each decision: %s: a callback looks at what it may not (policies/README.md, \"What the host keeps\")",
            study->policy, comparison.difference.text);
    str_finish(&comparison.difference);
    return differs && drew ? 0 : r;
}

int decision_log_close(struct decision_log *log, int r, const struct study *study,
                       const struct sim *first, struct tally *counted, struct error *reterr) {
    if (r == 0 && log->observer.action)
        r = run_again(log, study, first, counted, reterr);
    free(log->actions.at);
    *log = (struct decision_log){0};
    return r;
}
