/* Further runs of a replication, against the actions of the first: in one a list policy decides
   plainly, in one the view is as a later host may show it. Wake-ups are not compared: a callback
   that asks for one may be asked more often. */
#include "base/child.h"
#include "base/machine.h"
#include "base/mem.h"
#include "base/units.h"
#include "engine/loop.h"
#include "study/internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* --- decision_log --- */

static struct logged_action logged_of(const struct sim *sim, const struct action_record *action) {
    return (struct logged_action){.time_ns = sim->now_ns,
                                  .decision = sim->decision_total,
                                  .kind = action->kind,
                                  .refusal = action->refusal,
                                  .job = action->job,
                                  .config = action->config,
                                  .limit_w = action->limit_w};
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

const struct observer *decision_log_init(struct decision_log *log, struct crash_context *crash) {
    *log =
        (struct decision_log){.observer = {.context = log, .action = log_action}, .crash = crash};
    return &log->observer;
}

/* --- runs that are compared --- */

struct again {
    const struct decision_log *log;
    const struct study *study;
    const struct sim *first; /* it has ended well */
    bool plain;              /* as sim_options */
    uint32_t grown;
    const volatile bool *original;
};

/* The further run so far. */
struct comparison {
    const struct decision_log *log;
    const char *then; /* "asked again" */
    size_t compared;
    struct str difference; /* in words; "": none */
};

/* "starts job a on 2 x a100 (batch 64) at t = 10 s (decision 4)". */
static void add_action(const struct sim *sim, const struct logged_action *action, struct str *out) {
    static const char *const verbs[] = {[ACTION_START] = "starts",
                                        [ACTION_PREEMPT] = "preempts",
                                        [ACTION_REJECT] = "rejects",
                                        [ACTION_RESIZE] = "resizes",
                                        [ACTION_LIMIT] = "limits"};
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
    str_addf(text, "; %s it ", comparison->then);
    add_action(sim, anew, text);
}

static bool is_equal(const struct logged_action *a, const struct logged_action *b) {
    return a->time_ns == b->time_ns && a->kind == b->kind && a->refusal == b->refusal &&
           a->job == b->job && a->config == b->config &&
           (a->limit_w == b->limit_w || (isnan(a->limit_w) && isnan(b->limit_w)));
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

static int run_again(const struct again *again, struct tally *counted, struct error *reterr) {
    const struct decision_log *log = again->log;
    const struct sim *first = again->first;
    struct comparison comparison = {.log = log, .then = again->plain ? "asked again" : "then"};
    const struct observer observer = {.context = &comparison, .action = compare_action},
                          watch = log->crash ? crash_context_observer(log->crash)
                                             : (struct observer){0};
    const struct observer *observers[] = {&observer, log->crash ? &watch : NULL, NULL};
    struct sim sim = study_sim(again->study, first->workload);
    struct error error = {0};
    size_t count = log->actions.count;
    sim.options = first->options;
    sim.options.check = sim.options.time_decisions = false;
    sim.options.progress = NULL;
    sim.options.plain = again->plain;
    sim.options.grown = again->grown;
    sim.options.original = again->original;
    sim.options.stop_ns = !log->is_cut || count == 0 ? 0 : log->actions.at[count - 1].time_ns + 1;
    sim.observers = observers;
    int r = loop_init(&sim, &error);
    if (r == 0)
        r = loop_run(&sim, &error);
    if (comparison.difference.length == 0 && r == 0 && comparison.compared < count)
        note_difference(&comparison, &sim, &log->actions.at[comparison.compared], NULL);
    bool differs = comparison.difference.length > 0,
         drew = again->plain && !again->grown && (first->list.drew || sim.list.drew);
    loop_finish(&sim);
    if (differs && drew)
        tally_add(counted, "decisions were not compared: callbacks about jobs draw random numbers",
                  1);
    else if (differs && !again->plain)
        error_set(reterr, ERROR_RUN, "%s", comparison.difference.text);
    else if (differs)
        error_set(
            reterr, ERROR_RUN,
            "policy %s decides otherwise if the host asks all its callbacks again at each decision: %s: a callback looks at what it may not (docs/reference/c-policy.md, \"What the host keeps\")",
            again->study->policy, comparison.difference.text);
    else if (r == ERROR_RUN && again->plain)
        error_set(reterr, r, "with all callbacks asked again at each decision: %s", error.text);
    else if (r < 0)
        *reterr = error;
    str_finish(&comparison.difference);
    return !differs ? r : drew ? 0 : ERROR_RUN;
}

/* --- growth --- */

/* Of processor time, beside ten times what the process has taken for the first run. */
#define GROWN_LIMIT_S 60

struct growth {
    struct again again;
    struct error *found; /* in memory that processes share */
};

static void run_grown(void *context) {
    struct growth *growth = context;
    struct tally none = {0};
    if (growth->again.log->crash)
        fault_watch(&growth->again.study->module, &growth->again.log->crash->fault);
    (void)run_again(&growth->again, &none, growth->found);
}

/* Whether it decides otherwise, or fails, with these parts of a grown view: in a process of its
   own, for it may crash. */
static bool differs_grown(void *context, uint32_t parts) {
    struct growth *growth = context;
    struct crash_context *crash = growth->again.log->crash;
    struct policy_fault *fault = crash ? &crash->fault : NULL;
    struct str end = {0};
    const double limit_s = GROWN_LIMIT_S + 10 * (double)clock() / CLOCKS_PER_SEC;
    growth->again.grown = parts;
    *growth->found = (struct error){0};
    const struct child_result result = child_run(run_grown, growth, limit_s);
    if (result.end == CHILD_NO_MEMORY)
        machine_end("check: no memory for one more run of the same jobs");
    child_explain(&result, limit_s, &end);
    if (end.length > 0 && fault && fault->words[0]) {
        end.length = 0;
        str_add(&end, fault->words);
        fault_locate(fault, &end);
        fault->words[0] = '\0';
    }
    if (end.length > 0)
        error_set(growth->found, ERROR_RUN, "%s", end.text);
    if (fault)
        calling_note(&fault->calling, NULL);
    str_finish(&end);
    return growth->found->code == ERROR_RUN; /* and not cancelled */
}

static int check_growth(struct growth *growth, struct error *reterr) {
    const char *policy = growth->again.study->policy;
    if (!differs_grown(growth, GROWN_ALL))
        return 0;
    const struct error first = *growth->found;
    if (differs_grown(growth, 0))
        return error_set(reterr, ERROR_RUN,
                         "policy %s does not do the same in a second run of the same jobs: %s",
                         policy, growth->found->text);
    return error_set(
        reterr, ERROR_RUN,
        "policy %s does not work with a later easim, whose structs are longer and whose view moves: %s: it %s",
        policy, first.text, view_blame(differs_grown, growth));
}

/* Both at once, where it grows; if anything differs then, one after the other. */
static int check_again(const struct again *again, bool grows, struct tally *counted,
                       struct error *reterr) {
    struct growth growth = {*again, mem_shared(sizeof *growth.found)};
    int r = 0;
    growth.again.original = NULL; /* it runs in a copy of this process */
    bool differs = !grows || differs_grown(&growth, GROWN_ALL);
    if (differs && again->plain)
        r = run_again(again, counted, reterr);
    growth.again.plain = false;
    if (differs && grows && r == 0)
        r = check_growth(&growth, reterr);
    mem_unshare(growth.found, sizeof *growth.found);
    return r;
}

int decision_log_close(struct decision_log *log, int r, const struct study *study,
                       const struct sim *first, struct tally *counted, struct error *reterr) {
    struct again again = {.log = log,
                          .study = study,
                          .first = first,
                          .plain = study->module.policy->list != NULL,
                          .original = first->options.original};
    if (r == 0 && log->observer.action)
        r = check_again(&again, first->options.replication == 0 && !study->effect, counted, reterr);
    free(log->actions.at);
    *log = (struct decision_log){0};
    return r;
}
