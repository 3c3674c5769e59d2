/* Bounds on other workloads: see tune_check.h. */
#include "experiment/tune/tune_check.h"

#include <math.h>
#include <stdlib.h>

static enum tune_verdict verdict_of(double excess) {
    return isnan(excess) ? TUNE_UNKNOWN : excess <= 0 ? TUNE_KEPT : TUNE_BROKEN;
}

const char *tune_verdict_name(enum tune_verdict verdict) {
    static const char *const names[] = {"kept", "broken", "unknown"};
    return names[verdict];
}

/* Of a metric that every run defines; the mean is NAN otherwise. */
static struct estimate estimate_all(const double *values, size_t count) {
    struct estimate e = t_interval_of(values, count);
    if (e.n < count)
        e.mean = e.ci95 = NAN;
    return e;
}

/* The excess is linear in the pair, so that its t-interval is one of the bound itself. */
struct tune_checked tune_check(const struct tune_constraint *c, const struct summary *start,
                               const struct summary *tuned, size_t count) {
    double *first = mem_zalloc(count, sizeof *first), *second = mem_zalloc(count, sizeof *second);
    for (size_t i = 0; i < count; i++) {
        first[i] = summary_value(&start[i], c->column);
        second[i] = summary_value(&tuned[i], c->column);
    }
    struct tune_checked checked = {.start = estimate_all(first, count).mean,
                                   .tuned = estimate_all(second, count).mean};
    double size = c->absolute ? 1 : fabs(checked.start);
    for (size_t i = 0; i < count; i++) {
        double bound =
            c->absolute ? c->limit : first[i] + c->limit * copysign(1, checked.start) * first[i];
        second[i] = c->at_least ? bound - second[i] : second[i] - bound;
    }
    struct estimate excess = estimate_all(second, count);
    checked.value = c->absolute ? checked.tuned : (checked.tuned - checked.start) / size;
    checked.ci95 = excess.ci95 / size;
    if (size == 0) /* a change from nothing is no share of it */
        checked.value = checked.ci95 = NAN;
    checked.mean = verdict_of(excess.mean);
    checked.limit = verdict_of(excess.mean + excess.ci95);
    free(first);
    free(second);
    return checked;
}

enum tune_verdict tune_verdict_of_training(const struct tune *tune, size_t constraint) {
    const struct tune_trial *best = &tune->trials.at[tune->search.best];
    return verdict_of(best->failure
                          ? NAN
                          : tune_beyond_bound(&tune->constraints[constraint],
                                              best->constrained[constraint],
                                              tune->trials.at[0].constrained[constraint]));
}

int tune_compare_workloads(const struct study *training, const struct study *check, bool *ret_same,
                           struct error *reterr) {
    int64_t count = training->scenario.replications < check->scenario.replications
                        ? training->scenario.replications
                        : check->scenario.replications;
    struct problems problems = {0};
    bool same = true;
    int r = 0;
    for (int64_t i = 0; i < count && same && r == 0; i++) {
        struct workload one = {.has_utilization = false}, other = {.has_utilization = false};
        r = study_generate(training, (uint32_t)i, &one, &problems);
        if (r == 0)
            r = study_generate(check, (uint32_t)i, &other, &problems);
        same = r == 0 && workload_same_jobs(&one, &other);
        workload_finish(&one);
        workload_finish(&other);
    }
    if (r < 0)
        error_set(reterr, r, "%s", problems.count > 0 ? problems.texts[0] : "no jobs can be drawn");
    problems_finish(&problems);
    *ret_same = same;
    return r;
}
