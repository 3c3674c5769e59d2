/* Tuning: see tune.h. */
#include "experiment/tune/tune.h"

#include "base/arena.h"
#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* NAN unless it is defined in every replication: means over different workloads do not compare. */
static struct estimate estimate_column(const struct replicate_result *result, unsigned column) {
    struct estimate e = t_interval_of_column(result->summaries, result->count, column);
    if (e.n < result->count)
        e.mean = e.sd = e.ci95 = NAN;
    return e;
}

/* (value - start) / |start|; infinite for any change from 0. */
static double change_of(double value, double start) {
    return value == start ? 0 : (value - start) / fabs(start);
}

/* By how much a mean is beyond a bound (below 0: within), as a fraction of the start's mean or of
   an absolute limit. */
static double tune_beyond_bound(const struct tune_constraint *c, double mean, double start) {
    double value = c->absolute ? mean : change_of(mean, start);
    double beyond = c->at_least ? c->limit - value : value - c->limit;
    return c->absolute && c->limit != 0 ? beyond / fabs(c->limit) : beyond;
}

/* By how much the trial breaks its bounds. */
static double trial_violation(const struct tune *tune, const struct tune_trial *trial) {
    const struct tune_trial *start = &tune->trials.at[0];
    double sum = 0;
    for (size_t i = 0; i < tune->constraint_count; i++) {
        double beyond =
            tune_beyond_bound(&tune->constraints[i], trial->constrained[i], start->constrained[i]);
        sum += isnan(beyond) ? INFINITY : fmax(0, beyond);
    }
    return sum;
}

static void judge_trial(const struct tune *tune, struct tune_trial *trial) {
    trial->objective = estimate_column(&trial->runs, tune->objective);
    for (size_t i = 0; i < tune->constraint_count; i++)
        trial->constrained[i] = estimate_column(&trial->runs, tune->constraints[i].column).mean;
}

int tune_replicate(const struct study *study, const struct metric_set *asked,
                   const struct replicate_options *options, struct replicate_result *result,
                   struct error *reterr) {
    int r = replicate_run(study, options, &replicate_summaries_only, result, reterr);
    bool same = study->metrics.count == asked->count;
    for (size_t i = 0; i < asked->count && same; i++)
        same = strcmp(study->metrics.names[i], asked->names[i]) == 0;
    for (uint32_t i = 0; i < result->count && !same; i++)
        result->summaries[i].service_count = 0;
    return r;
}

static int evaluate_trial(void *context, const double *point, struct search_score *ret_score) {
    struct tune *t = context;
    struct error error = {0};
    struct tune_trial trial = {.objective = {.mean = NAN, .sd = NAN, .ci95 = NAN},
                               .constrained =
                                   mem_zalloc(t->constraint_count, sizeof *trial.constrained)};
    int r = tune_apply(t, point, t->study, &error);
    if (r == 0)
        r = tune_replicate(t->study, t->metrics, t->options, &trial.runs, &error);
    if (r == 0)
        judge_trial(t, &trial);
    else
        trial.failure = mem_strdup(error.text);
    array_push(&t->trials, trial);
    if (r < 0 && (t->trials.count == 1 || r == ERROR_CANCELLED || r == ERROR_MACHINE)) {
        t->error = error;
        return r;
    }
    bool more = metric_of(t->objective)->better == METRIC_MORE;
    ret_score->value = more ? -trial.objective.mean : trial.objective.mean;
    ret_score->violation = r == 0 ? trial_violation(t, &trial) : INFINITY;
    return 0;
}

/* The number that a parameter gets at a place on its axis. */
static double param_number(const struct tune_target *target, double place) {
    if (!target->numbers)
        return place;
    return place >= 0 ? target->numbers[(size_t)place] : target->start_number;
}

void tune_apply_params(const struct tune *tune, const double *point, struct study *study) {
    for (size_t i = 0; i < tune->count; i++) {
        const struct tune_target *target = &tune->targets[i];
        if (!target->path && !target->is_policy)
            params_set_number(&study->params, target->param, param_number(target, point[i]));
    }
}

void tune_add_value(const struct tune_target *target, double place,
                    const struct policy_params *params, struct str *out) {
    if (isnan(place))
        return;
    if (target->texts) {
        const char *text = place >= 0 ? target->texts[(size_t)place] : target->start_text;
        str_add(out, text ? text : "");
    } else if (target->chosen) {
        params_set_number(target->chosen, target->param, param_number(target, place));
        params_write_value(target->chosen, target->param, out);
    } else if (target->path) {
        str_add_real(out, place);
    } else {
        params_write_value(params, target->param, out);
    }
}

bool tune_chooses_policy(const struct tune *tune) {
    size_t i = 0;
    while (i < tune->count && !tune->targets[i].is_policy)
        i++;
    return i < tune->count;
}

/* Whether a target can only be set by loading the scenario. */
static bool has_paths(const struct tune *tune) {
    size_t i = 0;
    while (i < tune->count && !tune->targets[i].path)
        i++;
    return i < tune->count || tune_chooses_policy(tune);
}

int tune_apply(const struct tune *tune, const double *point, struct study *study,
               struct error *reterr) {
    struct arena arena = {0};
    const char **sets = arena_alloc(&arena, tune->count * sizeof *sets), *policy = NULL;
    size_t count = 0;
    for (size_t i = 0; i < tune->count; i++) {
        const struct tune_target *target = &tune->targets[i];
        bool as_it_is = isnan(point[i]) || (target->texts && point[i] < 0);
        struct str value = {0};
        if (target->is_policy && !as_it_is)
            policy = target->texts[(size_t)point[i]];
        if (!target->path || as_it_is)
            continue;
        tune_add_value(target, point[i], NULL, &value);
        sets[count++] = arena_printf(&arena, "%s=%s", target->path, value.text);
        str_finish(&value);
    }
    int r = has_paths(tune) ? tune->reload(tune->context, study, policy, sets, count, reterr) : 0;
    arena_finish(&arena);
    if (r == 0)
        tune_apply_params(tune, point, study);
    return r;
}

int tune_restore(const struct tune *tune, struct study *study, struct error *reterr) {
    int r = has_paths(tune) ? tune->reload(tune->context, study, NULL, NULL, 0, reterr) : 0;
    return r < 0 ? error_set(reterr, r, "the scenario cannot be loaded again: %s", reterr->text)
                 : 0;
}

static void tell_expected_trials(void *context, size_t trials) {
    const struct tune *t = context;
    t->expect(t->context, trials);
}

int tune_run(struct tune *tune, struct error *reterr) {
    double *start = mem_zalloc(tune->count, sizeof *start);
    for (size_t i = 0; i < tune->count; i++)
        start[i] = tune->targets[i].start;
    tune->search = (struct search){.axes = tune->axes,
                                   .count = tune->count,
                                   .evaluate = evaluate_trial,
                                   .context = tune,
                                   .most_trials = tune->most_trials,
                                   .expect = tune->expect ? tell_expected_trials : NULL};
    int r = search_run(&tune->search, start);
    free(start);
    if (r < 0)
        *reterr = tune->error;
    return r < 0 ? r : tune_restore(tune, tune->study, reterr);
}

void tune_finish(struct tune *tune) {
    for (size_t i = 0; i < tune->trials.count; i++) {
        replicate_result_finish(&tune->trials.at[i].runs);
        free(tune->trials.at[i].constrained);
        free(tune->trials.at[i].failure);
    }
    free(tune->trials.at);
    search_finish(&tune->search);
}

bool tune_keeps_constraints(const struct tune *tune, size_t trial) {
    return tune->search.trials.at[trial].score.violation == 0;
}

bool tune_found(const struct tune *tune) {
    return tune->search.best != 0 && tune_keeps_constraints(tune, tune->search.best);
}

size_t tune_failed(const struct tune *tune, const char **ret_first) {
    size_t count = 0;
    *ret_first = NULL;
    for (size_t i = 0; i < tune->trials.count; i++)
        if (tune->trials.at[i].failure && count++ == 0)
            *ret_first = tune->trials.at[i].failure;
    return count;
}

/* --- tune_check --- */

static enum tune_verdict verdict_of(double excess) {
    return isnan(excess) ? TUNE_UNKNOWN : excess <= 0 ? TUNE_KEPT : TUNE_BROKEN;
}

const char *tune_verdict_name(enum tune_verdict verdict) {
    static const char *const names[] = {"kept", "broken", "unknown"};
    return names[verdict];
}

/* The estimate of a metric that every run defines; otherwise the mean is NAN. */
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
