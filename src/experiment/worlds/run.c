/* Runs of all worlds: see run.h. Results have places of their own, so the order in which they end
   does not matter. */
#include "experiment/worlds/run.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- world_results --- */

static size_t run_index(const struct world_results *results, struct world_run run) {
    size_t world = run.set * results->worlds + run.world;
    return (world * results->replications + run.replication) * results->policies + run.policy;
}

void world_results_init(struct world_results *results) {
    size_t count = results->sets * results->worlds * results->replications * results->policies;
    results->values = mem_alloc(count * SUMMARY_COUNT * sizeof *results->values);
    for (size_t i = 0; i < count * SUMMARY_COUNT; i++)
        results->values[i] = NAN;
}

void world_results_finish(struct world_results *results) {
    free(results->values);
    results->values = NULL;
}

double *world_results_at(const struct world_results *results, struct world_run run) {
    return results->values + run_index(results, run) * SUMMARY_COUNT;
}

double world_results_value(const struct world_results *results, struct world_run run,
                           unsigned column) {
    return world_results_at(results, run)[column];
}

/* Every run that there is has a measured time. */
bool world_results_has(const struct world_results *results, struct world_run run) {
    return !isnan(world_results_value(results, run, SUMMARY_COLUMN(sim_s)));
}

void world_results_drop(struct world_results *results, size_t set, uint32_t world) {
    double *first = world_results_at(results, (struct world_run){.set = set, .world = world});
    for (size_t i = 0; i < results->replications * results->policies * SUMMARY_COUNT; i++)
        first[i] = NAN;
}

/* --- world_run --- */

/* A policy in a world, with all replications. */
struct task {
    size_t set;
    uint32_t world;
    size_t policy;
};

/* The end of a task. Ends are reported in the order of tasks, not of time. */
struct ending {
    bool over;      /* it has, one way or the other */
    char *failure;  /* or NULL */
    char *warnings; /* one after the other, an empty one at the end; or NULL */
};

struct pool_work {
    const struct world_run_plan *plan;
    struct world_results *results;
    struct world_outcome *outcome;
    struct study_workloads drawn;
    struct ending *endings; /* by task */
};

/* Whole worlds one after the other, so that an interruption leaves as many as can be. */
static struct task task_of(const struct world_results *results, size_t number) {
    struct task task = {.policy = number % results->policies};
    number /= results->policies;
    task.world = (uint32_t)(number % results->worlds);
    task.set = number / results->worlds;
    return task;
}

static size_t task_count(const struct world_results *results) {
    return results->sets * results->worlds * results->policies;
}

/* ---- In a child: what went wrong, the summaries, the warnings ---- */

/* Warnings begin with the path that they are of; numbers in them differ from world to world. */
static size_t sort_length(const char *text) {
    return strcspn(text, ":");
}

static bool is_central_warning(const struct study *central, const char *text) {
    size_t length = sort_length(text);
    for (size_t i = 0; i < central->warnings.count; i++) {
        const char *own = central->warnings.at[i];
        if (sort_length(own) == length && strncmp(own, text, length) == 0)
            return true;
    }
    return false;
}

static void run_study(const struct pool_work *work, struct study *study,
                      struct crash_context *crash, struct str *out) {
    struct replicate_options how = work->plan->how;
    struct replicate_result result = {0};
    struct error error = {0};
    how.processes = 0; /* this is one */
    how.crash = crash;
    study->drawn = &work->drawn;
    study_set_replications(study, work->results->replications);
    crash_context_policy(crash, &study->module);
    int r = replicate_run(study, &how, &replicate_summaries_only, &result, &error);
    str_add_bytes(out, (const char *)&error, sizeof error);
    if (r == 0)
        str_add_bytes(out, (const char *)result.summaries, result.count * sizeof *result.summaries);
    for (size_t i = 0; i < study->warnings.count && r == 0; i++) /* none is empty */
        if (!is_central_warning(work->plan->worlds->central, study->warnings.at[i]))
            str_add_bytes(out, study->warnings.at[i], strlen(study->warnings.at[i]) + 1);
    replicate_result_finish(&result);
}

static void run_task(void *context, size_t number, struct crash_context *crash, struct str *out) {
    const struct pool_work *work = context;
    const struct task task = task_of(work->results, number);
    struct arena arena = {0};
    struct study study;
    struct problems problems = {0};
    size_t count;
    const char **sets = worlds_sets(work->plan->worlds, task.set, task.world, &arena, &count);
    if (worlds_load(work->plan->worlds, sets, count, work->plan->policies[task.policy], &study,
                    &problems) == 0) {
        run_study(work, &study, crash, out);
    } else {
        struct error error = {0};
        error_set(&error, ERROR_RUN, "%s", problems.count > 0 ? problems.texts[0] : "");
        str_add_bytes(out, (const char *)&error, sizeof error);
    }
    study_finish(&study);
    problems_finish(&problems);
    arena_finish(&arena);
}

/* ---- In the parent ---- */

static void keep_summaries(const struct pool_work *work, const struct task *task,
                           const char *bytes) {
    struct world_run run = {.set = task->set, .world = task->world, .policy = task->policy};
    for (; run.replication < work->results->replications; run.replication++)
        memcpy(world_results_at(work->results, run),
               bytes + run.replication * sizeof(struct summary), SUMMARY_COUNT * sizeof(double));
}

static int finish_task(void *context, size_t number, struct slice result, const char *failure) {
    struct pool_work *work = context;
    const struct task task = task_of(work->results, number);
    size_t summaries = work->results->replications * sizeof(struct summary);
    struct error error = {0};
    if (!failure && result.length >= sizeof error)
        memcpy(&error, result.at, sizeof error);
    if (!failure && (result.length < sizeof error ||
                     (error.code == 0 && result.length < sizeof error + summaries)))
        failure = "the runs returned damaged data; the policy may have caused this";
    if (!failure && error.code == ERROR_CANCELLED)
        return 0; /* not over */
    struct ending *ending = &work->endings[number];
    ending->over = true;
    if (failure || error.code < 0) {
        ending->failure = mem_strdup(failure ? failure : error.text);
        return 0;
    }
    keep_summaries(work, &task, result.at + sizeof error);
    size_t before = sizeof error + summaries, length = result.length - before;
    if (length > 0) {
        ending->warnings = mem_zalloc(length + 1, 1);
        memcpy(ending->warnings, result.at + before, length);
    }
    return 0;
}

/* ---- What is told of all ---- */

static void add_warning(struct world_outcome *outcome, const char *text) {
    size_t length = sort_length(text);
    for (size_t i = 0; i < outcome->warnings.count; i++) {
        struct world_remark *remark = &outcome->warnings.at[i];
        if (sort_length(remark->text) == length && strncmp(remark->text, text, length) == 0) {
            remark->worlds++;
            return;
        }
    }
    array_push(&outcome->warnings, ((struct world_remark){mem_strdup(text), 1}));
}

/* Warnings of one policy in each world of the first set: the physics are the same for all. */
static void tell_ending(const struct pool_work *work, size_t number) {
    const struct task task = task_of(work->results, number);
    const struct ending *ending = &work->endings[number];
    if (ending->failure) {
        struct str text = {0};
        str_addf(&text, "%s: %s", work->results->policy_names[task.policy], ending->failure);
        tally_add(&work->outcome->failures, text.text, 1);
        str_finish(&text);
    }
    const char *at = task.set == 0 && task.policy == 0 ? ending->warnings : NULL;
    for (; at && *at; at += strlen(at) + 1)
        add_warning(work->outcome, at);
}

/* Counts the worlds that are whole. A world in which some policy has not run yet would look like a
   failure of that policy, so it is dropped. */
static void count_finished(const struct pool_work *work) {
    struct world_results *r = work->results;
    for (size_t number = 0; number < task_count(r); number += r->policies) {
        struct task task = task_of(r, number);
        bool whole = true;
        for (size_t p = 0; p < r->policies; p++)
            whole = whole && work->endings[number + p].over;
        if (!whole)
            world_results_drop(r, task.set, task.world);
        else if (task.set == 0)
            work->outcome->finished++;
        else
            work->outcome->changed++;
    }
}

int world_run(const struct world_run_plan *plan, struct world_results *results,
              struct world_outcome *outcome, struct error *reterr) {
    struct pool_work work = {plan, results, outcome, {0}, NULL};
    struct problems problems = {0};
    const struct isolated all = {.count = task_count(results),
                                 .processes = plan->how.processes,
                                 .limit_s = plan->how.limit_s,
                                 .cancel = plan->how.cancel,
                                 .context = &work,
                                 .work = run_task,
                                 .done = finish_task,
                                 .shares = !plan->how.alone};
    int r = study_draw(plan->worlds->central, results->replications, &work.drawn, &problems);
    work.endings = mem_zalloc(all.count, sizeof *work.endings);
    if (r < 0)
        error_set(reterr, r, "%s", problems.count > 0 ? problems.texts[0] : "no workload");
    else
        r = isolated_run(&all, reterr);
    count_finished(&work);
    for (size_t i = 0; i < all.count; i++) {
        tell_ending(&work, i);
        free(work.endings[i].failure);
        free(work.endings[i].warnings);
    }
    free(work.endings);
    study_workloads_finish(&work.drawn);
    problems_finish(&problems);
    return r;
}

void world_outcome_finish(struct world_outcome *outcome) {
    tally_finish(&outcome->failures);
    for (size_t i = 0; i < outcome->warnings.count; i++)
        free(outcome->warnings.at[i].text);
    free(outcome->warnings.at);
}
