/* Points in processes. Results are files of their own, so their order does not matter. */
#include "experiment/sweep/sweep_run.h"

#include "study/study_load.h"

#include <string.h>

int sweep_study(const struct sweep *sweep, size_t point, const struct trace_reader *const *readers,
                struct study *study, struct problems *problems) {
    size_t count;
    struct arena arena = {0};
    const char **sets = sweep_set_texts(sweep, point, &arena, &count);
    const struct scenario_overrides overrides = {.sets = sets,
                                                 .set_count = count,
                                                 .policies = sweep->policies.at,
                                                 .policy_count = sweep->policies.count};
    int r = study_load_apart(study, sweep->base, &overrides, readers, problems);
    if (r == 0 && scenario_hash(&study->scenario) != sweep->points[point].id) {
        problems_add(problems, (struct location){.file = sweep->base}, NULL,
                     "changed while the sweep was running");
        r = ERROR_INPUT;
    }
    arena_finish(&arena);
    return r;
}

static int run_loaded(const struct sweep_run *run, size_t point, const struct study *study,
                      struct trail *trail, struct error *reterr) {
    struct replicate_options how = run->how;
    struct replicate_result result = {0};
    struct error failure = {0};
    how.processes = 0; /* this is one */
    how.done = NULL;
    how.trail = trail;
    trail_policy(trail, &study->module);
    int r = replicate_run(study, &how, &replicate_summaries_only, &result, &failure);
    if (r == ERROR_CANCELLED)
        *reterr = failure;
    else if (r < 0)
        r = run->sink.emit(run->sink.context, point, NULL, NULL, failure.text, reterr);
    else
        r = run->sink.emit(run->sink.context, point, study, &result, NULL, reterr);
    replicate_result_finish(&result);
    return r;
}

static int run_point(const struct sweep_run *run, size_t point, struct trail *trail,
                     struct error *reterr) {
    struct study study;
    struct problems problems = {0};
    int r;
    if (sweep_study(run->sweep, point, run->readers, &study, &problems) < 0) {
        struct str text = {0};
        for (size_t i = 0; i < problems.count; i++)
            str_addf(&text, "%s%s", i > 0 ? "; " : "", problems.texts[i]);
        r = run->sink.emit(run->sink.context, point, NULL, NULL, text.text, reterr);
        str_finish(&text);
    } else {
        r = run_loaded(run, point, &study, trail, reterr);
    }
    study_finish(&study);
    problems_finish(&problems);
    return r;
}

/* ---- In processes ---- */

struct state {
    const struct sweep_run *run;
    struct error error;
};

static void run_one_task(void *context, size_t task, struct trail *trail, FILE *out) {
    const struct sweep_run *run = ((const struct state *)context)->run;
    struct error error = {0};
    (void)run_point(run, run->points[task], trail, &error);
    fwrite(&error, sizeof error, 1, out);
}

static int finish_point(void *context, size_t task, struct slice result, const char *failure) {
    struct state *state = context;
    const struct sweep_run *run = state->run;
    struct error error = {0};
    if (!failure && result.length != sizeof error)
        failure = "what the run gave back was spoilt, by its policy perhaps";
    if (failure)
        (void)run->sink.emit(run->sink.context, run->points[task], NULL, NULL, failure, &error);
    else
        memcpy(&error, result.at, sizeof error);
    if (error.code < 0 && (state->error.code == 0 || state->error.code == ERROR_CANCELLED))
        state->error = error;
    if (run->how.done)
        atomic_fetch_add(run->how.done, 1);
    return error.code;
}

int sweep_run(const struct sweep_run *run, struct error *reterr) {
    struct state state = {.run = run};
    const struct isolated all = {.count = run->count,
                                 .processes = run->how.processes,
                                 .limit_s = run->how.limit_s,
                                 .cancel = run->how.cancel,
                                 .context = &state,
                                 .work = run_one_task,
                                 .done = finish_point};
    struct error error = {0};
    if (isolated_run(&all, &error) < 0)
        state.error = error;
    if (state.error.code == ERROR_CANCELLED)
        error_set(reterr, ERROR_CANCELLED, "%s: what was finished is kept", state.error.text);
    else if (state.error.code < 0)
        *reterr = state.error;
    return state.error.code;
}
