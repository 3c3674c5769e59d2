/* Bounds, a process for each replication: see bound_replications.h. */
#include "study/bound_replications.h"

#include <string.h>

struct bounding {
    const struct study *study;
    const struct config_extras *extras;
    const struct replicate_options *how;
    struct bounds *bounds;
    struct error error;
};

/* What comes back as bytes: in the parent, pointers into easim are what they are here. */
struct outcome {
    struct bounds bounds;
    struct error error;
};

static void bound_one(void *context, size_t task, struct crash_context *crash, struct str *out) {
    const struct bounding *all = context;
    const struct study *study = all->study;
    struct workload workload = {0};
    struct problems problems = {0};
    struct outcome outcome = {.error = {0}};
    crash->generating = (uint32_t)task + 1;
    int r = source_generate(&study->source, (uint32_t)task, all->extras, &workload, &problems);
    if (r < 0)
        error_set(&outcome.error, ERROR_INPUT, "%s",
                  problems.count > 0 ? problems.texts[0] : "no workload");
    else
        outcome.bounds =
            bounds_find(&(struct bound_case){&workload, &study->scenario, (uint32_t)task});
    workload_finish(&workload);
    problems_finish(&problems);
    str_add_bytes(out, (const char *)&outcome, sizeof outcome);
}

static int keep_bounds(void *context, size_t task, struct slice result, const char *failure) {
    struct bounding *all = context;
    struct outcome outcome = {.error = {0}};
    if (!failure && result.length == sizeof outcome)
        memcpy(&outcome, result.at, sizeof outcome);
    else
        error_set(&outcome.error, ERROR_MACHINE, "the bounds of replication %zu: %s", task + 1,
                  failure ? failure : "they are incomplete");
    all->bounds[task] = outcome.bounds;
    if (outcome.error.code < 0)
        all->error = outcome.error;
    if (all->how->done)
        atomic_fetch_add(all->how->done, 1);
    return outcome.error.code;
}

int bound_replications_check(const struct study *study, struct error *reterr) {
    if (study->source.services.count > 0)
        return error_set(reterr, ERROR_INPUT, "easim cannot bound runs with services");
    return 0;
}

int bound_replications(const struct study *study, const struct config_extras *extras,
                       const struct replicate_options *how, uint32_t count,
                       struct bounds *ret_bounds, struct error *reterr) {
    if (bound_replications_check(study, reterr) < 0)
        return reterr->code;
    struct bounding all = {.study = study, .extras = extras, .how = how, .bounds = ret_bounds};
    const struct isolated tasks = {.count = count,
                                   .processes = how->processes < count ? how->processes : count,
                                   .cancel = how->cancel,
                                   .context = &all,
                                   .work = bound_one,
                                   .done = keep_bounds,
                                   .shares = !how->alone};
    int r = isolated_run(&tasks, reterr);
    if (all.error.code < 0) {
        *reterr = all.error;
        r = all.error.code;
    }
    return r;
}
