/* Points in processes. Results are files of their own, so their order does not matter. */
#include "experiment/sweep/run.h"

#include "policy/module.h"
#include "study/study_load.h"

#include <stdlib.h>
#include <string.h>

static struct scenario_overrides overrides_of(const struct sweep *sweep, size_t point,
                                              struct arena *arena) {
    struct scenario_overrides overrides = {.policies = sweep->policies.at,
                                           .policy_count = sweep->policies.count,
                                           .trust = sweep->trust,
                                           .foreign = sweep->foreign,
                                           .doc = &sweep->base_doc,
                                           .like = &sweep->shared};
    overrides.sets = sweep_set_texts(sweep, point, arena, &overrides.set_count);
    return overrides;
}

bool sweep_is_foreign(const struct sweep *sweep, struct problems *problems) {
    bool foreign = false;
    for (size_t p = 0; p < sweep->count && !foreign && sweep->trust == POLICY_KNOWN; p++) {
        struct arena arena = {0};
        struct study study;
        struct problems own = {0};
        const struct scenario_overrides overrides = overrides_of(sweep, p, &arena);
        (void)!study_load_policy(&study, true, sweep->base, &overrides, &own);
        foreign = study.foreign != NULL;
        for (size_t i = 0; i < own.kept && foreign; i++)
            problems_add_text(problems, sweep->base, own.texts[i]);
        study_finish(&study);
        problems_finish(&own);
        arena_finish(&arena);
    }
    return foreign;
}

int sweep_study(const struct sweep *sweep, size_t point, const struct trace_reader *const *readers,
                struct study *study, struct problems *problems) {
    struct arena arena = {0};
    const struct scenario_overrides overrides = overrides_of(sweep, point, &arena);
    int r = study_load_apart(study, sweep->base, &overrides, readers, problems);
    struct error error = {0};
    int verified = r < 0 ? inputs_verify(&sweep->inputs, INPUTS_READ, &error)
                         : inputs_verify_study(&sweep->inputs, study, &error);
    if (verified < 0) {
        problems_say(problems, "%s", error.text);
        r = ERROR_MACHINE;
    }
    arena_finish(&arena);
    return r;
}

/* The files that the policy has read meanwhile still have their hashes. */
static int emit_result(const struct sweep_run *run, size_t point, const struct study *study,
                       const struct replicate_result *result, const char *failure,
                       struct error *reterr) {
    int r = inputs_verify(&run->sweep->inputs, INPUTS_LATE, reterr);
    return r < 0 ? r
                 : run->sink.emit(run->sink.context, point, failure ? NULL : study,
                                  failure ? NULL : result, failure, reterr);
}

static int run_loaded(const struct sweep_run *run, size_t point, const struct study *study,
                      struct crash_context *crash, struct error *reterr) {
    struct replicate_options how = run->how;
    struct replicate_result result = {0};
    struct error failure = {0};
    how.processes = 0; /* this is one */
    how.done = NULL;
    how.crash = crash;
    crash_context_policy(crash, &study->module);
    int r = replicate_run(study, &how, &replicate_summaries_only, &result, &failure);
    if (r == ERROR_CANCELLED)
        *reterr = failure;
    else
        r = emit_result(run, point, study, &result, r < 0 ? failure.text : NULL, reterr);
    replicate_result_finish(&result);
    return r;
}

/* A point that fails is tried again: the same bytes may fail for lack of memory or descriptors. */
static int load_point(const struct sweep_run *run, size_t point, struct study *study,
                      struct problems *problems) {
    int r = sweep_study(run->sweep, point, run->readers, study, problems);
    if (r == 0 || r == ERROR_MACHINE)
        return r;
    study_finish(study);
    problems_finish(problems);
    return sweep_study(run->sweep, point, run->readers, study, problems);
}

/* A point that does not load: as its failure, unless the machine is to blame. */
static int emit_problems(const struct sweep_run *run, size_t point, int code,
                         struct problems *problems, struct error *reterr) {
    struct str text = {0};
    if (code == ERROR_MACHINE)
        return error_set(reterr, code, "%s", problems->texts[problems->kept - 1]);
    problems_end(problems);
    for (size_t i = 0; i < problems->kept; i++)
        str_addf(&text, "%s%s", i > 0 ? "; " : "", problems->texts[i]);
    int r = run->sink.emit(run->sink.context, point, NULL, NULL, text.text, reterr);
    str_finish(&text);
    return r;
}

static int run_point(const struct sweep_run *run, size_t point, struct crash_context *crash,
                     struct error *reterr) {
    struct study study;
    struct problems problems = {0};
    int r = load_point(run, point, &study, &problems);
    r = r < 0 ? emit_problems(run, point, r, &problems, reterr)
              : run_loaded(run, point, &study, crash, reterr);
    study_finish(&study);
    problems_finish(&problems);
    return r;
}

/* ---- In processes ---- */

struct state {
    const struct sweep_run *run;
    struct error error;
};

/* Where emit leads to in the process of a point. */
struct gathered {
    const struct sweep_run *run;
    struct str *out;
};

static int gather_point(void *context, size_t point, const struct study *study,
                        const struct replicate_result *result, const char *failure,
                        struct error *reterr) {
    const struct gathered *gathered = context;
    const struct sweep_sink *sink = &gathered->run->sink;
    (void)reterr;
    sink->render(sink->context, point, study, result, failure, gathered->out);
    return 0;
}

static void run_one_task(void *context, size_t task, struct crash_context *crash, struct str *out) {
    const struct sweep_run *run = ((const struct state *)context)->run;
    struct error error = {0};
    struct gathered gathered = {run, out};
    struct sweep_run own = *run;
    own.sink = (struct sweep_sink){.context = &gathered, .emit = gather_point};
    (void)run_point(&own, run->points[task], crash, &error);
    if (error.code == ERROR_CANCELLED)
        str_addf(out, "%s: the run was interrupted by a signal that easim has not sent",
                 crash->policy);
    str_add_bytes(out, (const char *)&error, sizeof error);
}

static int finish_point(void *context, size_t task, struct slice result, const char *failure) {
    struct state *state = context;
    const struct sweep_run *run = state->run;
    struct error error = {0};
    if (!failure && result.length < sizeof error)
        failure = "the run returned damaged data; its policy may have caused this";
    size_t length = failure ? 0 : result.length - sizeof error;
    if (!failure)
        memcpy(&error, result.at + length, sizeof error);
    struct str stopped = {0};
    if (error.code == ERROR_CANCELLED && !(run->how.cancel && atomic_load(run->how.cancel))) {
        error = (struct error){0};
        str_add_bytes(&stopped, result.at, length);
        failure = stopped.text;
    }
    if (failure)
        (void)run->sink.emit(run->sink.context, run->points[task], NULL, NULL, failure, &error);
    else if (error.code == 0 && length > 0)
        (void)run->sink.keep(run->sink.context, run->points[task],
                             (struct slice){result.at, length}, &error);
    if (error.code < 0 && (state->error.code == 0 || state->error.code == ERROR_CANCELLED))
        state->error = error;
    if (run->how.done)
        atomic_fetch_add(run->how.done, 1);
    str_finish(&stopped);
    return error.code;
}

static int lose_point(void *context, size_t task, const char *failure) {
    const struct sweep_run *run = ((struct state *)context)->run;
    run->lost(run->sink.context, run->points[task], failure);
    if (run->how.done)
        atomic_fetch_add(run->how.done, 1);
    return 0;
}

/* Opens easim's own modules here, so that processes of points find them loaded. Modules of others
   run in these processes alone. If a module cannot be opened, they report it. */
static struct policy_module *open_modules(const struct sweep *sweep, bool *ret_leave_nothing) {
    struct policy_module *modules = mem_zalloc(sweep->policies.count, sizeof *modules);
    struct error ignored = {0};
    *ret_leave_nothing = true;
    for (size_t i = 0; i < sweep->policies.count; i++) {
        const char *name = sweep->policies.at[i];
        bool opened = module_is_own(name) && module_open(name, &modules[i], &ignored) == 0;
        *ret_leave_nothing &= opened && module_leaves_nothing(&modules[i]);
        if (!opened)
            module_close(&modules[i]);
    }
    return modules;
}

static void close_modules(const struct sweep *sweep, struct policy_module *modules) {
    for (size_t i = 0; i < sweep->policies.count; i++)
        module_close(&modules[i]);
    free(modules);
}

int sweep_run(const struct sweep_run *run, struct error *reterr) {
    struct state state = {.run = run};
    bool leave_nothing;
    struct policy_module *modules = open_modules(run->sweep, &leave_nothing);
    const struct isolated all = {.count = run->count,
                                 .processes = run->how.processes,
                                 .limit_s = run->how.limit_s,
                                 .cancel = run->how.cancel,
                                 .context = &state,
                                 .work = run_one_task,
                                 .done = finish_point,
                                 .lost = lose_point,
                                 .shares = leave_nothing && !run->how.alone};
    struct error error = {0};
    if (isolated_run(&all, &error) < 0)
        state.error = error;
    close_modules(run->sweep, modules);
    if (state.error.code == ERROR_CANCELLED)
        error_set(reterr, ERROR_CANCELLED, "%s: what was finished is kept", state.error.text);
    else if (state.error.code < 0)
        *reterr = state.error;
    return state.error.code;
}
