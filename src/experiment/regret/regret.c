/* Regret of a policy: first its own runs, which tell how many decision points there are, then those
   of which some are copied, one replication after the other: the copies are side by side. Last,
   sums up the regret by decision point and by group of points. */
#include "experiment/regret/regret.h"

#include "base/rng.h"
#include "metrics/job_stats.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_sort.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- The policy's own runs ---- */

struct own_end {
    struct run_figures figures;
    uint32_t points;
    struct error error;
};

struct owns {
    struct regret *regret;
    uint32_t first; /* replication, from 0 */
    struct error error;
};

static void count_start(void *context, const struct sim *sim, const struct action_record *action) {
    uint32_t *points = context;
    (void)sim;
    *points += action->kind == ACTION_START && action->refusal == REFUSED_NOT;
}

static void run_own(void *context, size_t task, struct crash_context *crash, struct str *out) {
    const struct owns *owns = context;
    const struct regret *regret = owns->regret;
    const uint32_t replication = owns->first + (uint32_t)task;
    struct own_end end = {.points = 0};
    struct workload workload = {0};
    struct problems problems = {0};
    const struct observer counter = {.context = &end.points, .action = count_start};
    struct base_run base = {.study = regret->study,
                            .workload = &workload,
                            .replication = replication,
                            .how = regret->how,
                            .crash = crash,
                            .observer = &counter,
                            .alone = true};
    crash_context_policy(crash, &regret->study->module);
    crash->generating = replication + 1;
    int r = study_generate(regret->study, replication, &workload, &problems);
    crash->generating = 0;
    if (r < 0)
        error_set(&end.error, ERROR_INPUT, "%s",
                  problems.count > 0 ? problems.texts[0] : "no workload");
    if (r == 0)
        r = base_run_simulate(&base, &end.error);
    if (r == 0)
        end.figures = base_run_figures(&base);
    str_add_bytes(out, (const char *)&end, sizeof end);
}

static int keep_own(void *context, size_t task, struct slice result, const char *failure) {
    struct owns *owns = context;
    struct own_end end = {.points = 0};
    if (!failure && result.length == sizeof end)
        memcpy(&end, result.at, sizeof end);
    else
        error_set(&end.error, ERROR_RUN, "%s", failure ? failure : "a result cannot be read");
    owns->regret->replications[owns->first + task].own = end.figures;
    owns->regret->replications[owns->first + task].points = end.points;
    if (end.error.code < 0)
        owns->error = end.error;
    return end.error.code;
}

static int run_owns(struct regret *regret, struct error *reterr) {
    struct owns owns = {.regret = regret, .first = regret->only > 0 ? regret->only - 1 : 0};
    const struct isolated tasks = {.count = regret->only > 0 ? 1 : regret->count,
                                   .processes = regret->how->processes,
                                   .cancel = regret->how->cancel,
                                   .context = &owns,
                                   .work = run_own,
                                   .done = keep_own};
    int r = isolated_run(&tasks, reterr);
    if (owns.error.code < 0) {
        *reterr = owns.error;
        r = owns.error.code;
    }
    return r;
}

/* ---- Which decision points ---- */

struct sample {
    uint32_t *points;     /* from 1 in their replication */
    size_t *first, count; /* by replication: the first of them; one entry more */
};

static int refuse_nothing(const struct regret *regret, struct error *reterr) {
    double deadlines = 0;
    for (uint32_t r = 0; r < regret->count; r++)
        deadlines += regret->replications[r].own.deadlines;
    if (regret->points == 0)
        return error_set(reterr, ERROR_INPUT,
                         "policy %s starts no job within the run: there is no decision to try "
                         "another way",
                         regret->study->policy);
    if (regret->by == REGRET_MISSES && deadlines == 0)
        return error_set(
            reterr, ERROR_INPUT,
            "no job has a deadline that is due within the run, so no deadline can be missed");
    return 0;
}

/* Without replacement, of all points alike, by a stream of its own. */
static void draw_sample(const struct regret *regret, struct sample *sample) {
    uint64_t *all = mem_alloc(regret->points * sizeof *all);
    uint64_t *drawn = mem_alloc(regret->wanted * sizeof *drawn);
    gsl_rng *rng = rng_create((uint64_t)regret->study->scenario.seed, 0, "regret");
    for (uint64_t i = 0; i < regret->points; i++)
        all[i] = i;
    gsl_ran_choose(rng, drawn, regret->wanted, all, regret->points, sizeof *all);
    gsl_rng_free(rng);
    sample->points = mem_alloc(regret->wanted * sizeof *sample->points);
    sample->first = mem_zalloc(regret->count + (size_t)1, sizeof *sample->first);
    uint64_t before = 0;
    for (uint32_t r = 0; r < regret->count; r++) {
        uint64_t end = before + regret->replications[r].points;
        for (; sample->count < regret->wanted && drawn[sample->count] < end; sample->count++)
            sample->points[sample->count] = (uint32_t)(drawn[sample->count] - before) + 1;
        before = end;
        sample->first[r + 1] = sample->count;
    }
    free(all);
    free(drawn);
}

/* ---- Looking at them ---- */

struct sampled_runs {
    struct regret *regret;
    struct sample sample;
    const uint32_t *replications; /* by task */
    struct error error;
    bool cut_short;
};

static struct decision_task task_of(const struct sampled_runs *sampled, uint32_t replication) {
    const struct regret *regret = sampled->regret;
    const struct sample *sample = &sampled->sample;
    size_t first = sample->points ? sample->first[replication] : 0;
    return (struct decision_task){.study = regret->study,
                                  .how = regret->how,
                                  .replication = replication,
                                  .points = sample->points ? sample->points + first : NULL,
                                  .point_count =
                                      sample->points ? sample->first[replication + 1] - first : 0,
                                  .job = regret->job,
                                  .every = regret->hindsight,
                                  .wish = regret->wish,
                                  .improves = regret->hindsight,
                                  .checks = regret->how->check,
                                  .by = regret->by};
}

static void run_replication(void *context, size_t task, struct crash_context *crash,
                            struct str *out) {
    const struct sampled_runs *sampled = context;
    const struct decision_task what = task_of(sampled, sampled->replications[task]);
    struct regret_rows rows = {.at = {0}};
    struct decision_end end;
    crash_context_policy(crash, &what.study->module);
    decision_points_run(&what, crash, &rows, &end);
    str_add_bytes(out, (const char *)&end, sizeof end);
    regret_rows_add_bytes(&rows, out);
}

static int keep_replication(void *context, size_t task, struct slice result, const char *failure) {
    struct sampled_runs *sampled = context;
    struct regret *regret = sampled->regret;
    struct decision_end end = {.points = 0};
    if (failure) {
        error_set(&end.error, ERROR_RUN, "%s", failure);
    } else if (result.length < sizeof end) {
        error_set(&end.error, ERROR_RUN, "a result cannot be read");
    } else {
        memcpy(&end, result.at, sizeof end);
        const struct slice rows = {result.at + sizeof end, result.length - sizeof end};
        if (!regret_rows_take_bytes(&regret->rows, rows))
            error_set(&end.error, ERROR_RUN, "a result cannot be read");
    }
    regret->replications[sampled->replications[task]].end = end;
    regret->looked_at += end.looked_at;
    sampled->cut_short = sampled->cut_short || end.cut_short;
    if (end.error.code < 0 && sampled->error.code == 0)
        sampled->error = end.error;
    return end.error.code;
}

static int run_sampled(struct sampled_runs *sampled, size_t count, struct error *reterr) {
    const struct isolated tasks = {.count = count,
                                   .processes = 1,
                                   .cancel = sampled->regret->how->cancel,
                                   .context = sampled,
                                   .work = run_replication,
                                   .done = keep_replication};
    int r = isolated_run(&tasks, reterr);
    if (sampled->error.code < 0) {
        *reterr = sampled->error;
        return sampled->error.code;
    }
    if (r == 0 && sampled->cut_short)
        r = error_set(reterr, ERROR_CANCELLED, "interrupted");
    return r;
}

static bool has_points(const struct sampled_runs *sampled, uint32_t replication) {
    const struct regret *regret = sampled->regret;
    if (regret->only > 0 && replication + 1 != regret->only)
        return false;
    return regret->hindsight || regret->job ||
           sampled->sample.first[replication + 1] > sampled->sample.first[replication];
}

static void note_failures(struct regret *regret) {
    for (size_t i = 0; i < regret->rows.at.count; i++)
        if (regret->rows.at.at[i].failure > 0 && regret->failed++ == 0)
            regret->failure = text_places_at(&regret->rows.texts, regret->rows.at.at[i].failure);
}

static int look_at_points(struct regret *regret, struct error *reterr) {
    struct sampled_runs sampled = {.regret = regret};
    uint32_t *replications = mem_alloc(regret->count * sizeof *replications);
    size_t count = 0;
    bool all = regret->hindsight || regret->job;
    regret->wanted = all || regret->sample > regret->points ? regret->points : regret->sample;
    if (!all)
        draw_sample(regret, &sampled.sample);
    for (uint32_t r = 0; r < regret->count; r++)
        if (has_points(&sampled, r))
            replications[count++] = r;
    sampled.replications = replications;
    if (regret->expect)
        regret->expect(regret->context, regret->wanted);
    int r = run_sampled(&sampled, count, reterr);
    note_failures(regret);
    free(replications);
    free(sampled.sample.points);
    free(sampled.sample.first);
    return r;
}

int regret_run(struct regret *regret, struct error *reterr) {
    regret->count = (uint32_t)regret->study->scenario.replications;
    regret->replications = mem_zalloc(regret->count, sizeof *regret->replications);
    int r = run_owns(regret, reterr);
    for (uint32_t i = 0; i < regret->count; i++)
        regret->points += regret->replications[i].points;
    if (r == 0)
        r = refuse_nothing(regret, reterr);
    return r < 0 ? r : look_at_points(regret, reterr);
}

void regret_finish(struct regret *regret) {
    free(regret->replications);
    regret_rows_finish(&regret->rows);
}

/* --- summary of regret --- */

static struct regret_point point_of(const struct regret *regret, size_t first) {
    const struct regret_row *rows = regret->rows.at.at;
    struct regret_point point = {.first = first, .count = 1, .best = first};
    for (size_t i = first + 1; i < regret->rows.at.count && rows[i].action != REGRET_CHOSEN;
         i++, point.count++)
        if (rows[i].known &&
            regret_is_better(rows[i].of[regret->by], rows[point.best].of[regret->by]))
            point.best = i;
    point.regret = rows[first].of[regret->by] - rows[point.best].of[regret->by];
    return point;
}

/* The largest power of two that is not above. */
static uint64_t power_of_two(uint64_t value) {
    uint64_t power = 1;
    while (2 * power <= value)
        power *= 2;
    return power;
}

static uint64_t key_of(const struct regret_row *row, enum regret_grouping grouping) {
    return grouping == REGRET_BY_TYPE      ? row->gpu_type
           : grouping == REGRET_BY_WAITING ? power_of_two(row->waiting)
           : row->milli > 0                ? 0
                                           : row->k;
}

static void add_to_groups(struct regret_summary *summary, const struct regret_row *row,
                          const struct regret_point *point) {
    for (enum regret_grouping g = 0; g < REGRET_GROUPINGS; g++) {
        const uint64_t key = key_of(row, g);
        size_t at = 0;
        while (at < summary->groups[g].count && summary->groups[g].at[at].key < key)
            at++;
        if (at == summary->groups[g].count || summary->groups[g].at[at].key != key) {
            array_push(&summary->groups[g], (struct regret_group){.key = key});
            for (size_t i = summary->groups[g].count - 1; i > at; i--)
                summary->groups[g].at[i] = summary->groups[g].at[i - 1];
            summary->groups[g].at[at] = (struct regret_group){.key = key};
        }
        struct regret_group *group = &summary->groups[g].at[at];
        group->points++;
        group->best += point->best == point->first;
        group->sum += point->regret;
    }
}

ORDER_BY(compare_regrets, struct regret_point, DESC(regret) ASC(first))

static void sort_worst(struct regret_summary *summary) {
    for (size_t p = 0; p < summary->points.count; p++)
        if (summary->points.at[p].regret > 0)
            array_push(&summary->worst, summary->points.at[p]);
    sort_array(summary->worst.at, summary->worst.count, compare_regrets);
}

static void describe_regrets(struct regret_summary *summary) {
    size_t count = summary->points.count;
    double *regrets = mem_alloc(count * sizeof *regrets), sum = 0;
    for (size_t p = 0; p < count; p++) {
        regrets[p] = summary->points.at[p].regret;
        sum += regrets[p];
    }
    gsl_sort(regrets, 1, count);
    summary->mean = count > 0 ? sum / (double)count : NAN;
    summary->median = job_stats_percentile(regrets, count, 0.5);
    summary->p90 = job_stats_percentile(regrets, count, 0.9);
    summary->most = job_stats_percentile(regrets, count, 1);
    free(regrets);
}

void regret_summary_init(struct regret_summary *summary, const struct regret *regret) {
    const struct regret_row *rows = regret->rows.at.at;
    *summary = (struct regret_summary){.best = 0};
    for (size_t i = 0; i < regret->rows.at.count;) {
        struct regret_point point = point_of(regret, i);
        array_push(&summary->points, point);
        summary->best += point.best == point.first;
        summary->waits += rows[point.best].action == REGRET_WAIT;
        add_to_groups(summary, &rows[point.first], &point);
        i += point.count;
    }
    describe_regrets(summary);
    sort_worst(summary);
}

void regret_summary_finish(struct regret_summary *summary) {
    free(summary->points.at);
    free(summary->worst.at);
    for (int g = 0; g < REGRET_GROUPINGS; g++)
        free(summary->groups[g].at);
}
