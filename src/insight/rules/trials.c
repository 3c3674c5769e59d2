/* Proposals simulated and judged: see trials.h. */
#include "insight/rules/trials.h"

#include "experiment/statistics.h"
#include "policy/fault.h"
#include "policy/interface.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One change, which several insights may propose. */
struct trial {
    const char *policy, *const *sets; /* of scenario_overrides */
    size_t set_count;
    const char *reason;        /* why it was not simulated; NULL: it was */
    struct summary *summaries; /* by replication */
};

struct known_policy {
    const char *name;
    uint32_t reads, keeps;
};

struct trials {
    struct trials_request *request;
    const struct rule_run *rule_run;
    struct arena *arena;
    struct summary *base; /* by recorded replication; NULL: not read yet */
    uint32_t count;
    double base_events;
    bool one_run;    /* the replications are of one log, or there is one */
    unsigned groups; /* of metrics, of the runs */
    ARRAY_OF(struct trial) at;
    ARRAY_OF(struct known_policy) policies;
    struct error *reterr; /* interrupted, or the machine failed: its code */
};

/* ---- The run as it was ---- */

static bool same_job(const struct recorded_run *run, const struct job_segments *segments,
                     uint32_t job) {
    const struct recorded_segment *was = recorded_run_segments(run, &run->jobs[job]);
    size_t count;
    const struct job_segment *const *is = job_segments_of(segments, job, &count);
    bool same = count == run->jobs[job].segment_count;
    for (size_t i = 0; i < count && same; i++)
        same = was[i].kind == is[i]->told.kind && was[i].start_ns == is[i]->told.start_ns &&
               was[i].end_ns == is[i]->told.end_ns && was[i].energy == is[i]->told.energy;
    return same;
}

/* In the process of the replication. */
static void render_same(void *context, const struct replication *replication, struct str *out) {
    const struct recorded_run *run = context;
    uint32_t job = 0;
    while (job < run->part->jobs_submitted && same_job(run, replication->segments, job))
        job++;
    str_add(out, job == run->part->jobs_submitted ? "same" : "");
}

static int take_same(void *context, uint32_t number, const struct summary *summary,
                     struct slice rendered, struct error *reterr) {
    (void)context, (void)number, (void)summary;
    return rendered.length > 0 ? 0 : error_set(reterr, ERROR_RUN, "jobs run at other times");
}

static bool same_summary(const struct summary *was, const struct summary *is) {
    for (unsigned c = 0; c < SUMMARY_COUNT; c++) {
        double before = summary_value(was, c), after = summary_value(is, c);
        if (before != after && (isfinite(before) || isfinite(after)))
            return false;
    }
    return true;
}

/* The replications that the result does not have yet, up to `count`, with a change or none. */
static int run_change(struct trials *t, const struct trial *trial, uint32_t count,
                      const struct replicate_sink *sink, struct replicate_result *result,
                      struct error *reterr) {
    const struct scenario_overrides overrides = {
        .policy = trial->policy, .sets = trial->sets, .set_count = trial->set_count};
    struct replicate_options how = *t->request->how;
    struct study study = {.drawn = NULL};
    struct problems problems = {0};
    int r = t->request->loader.load(t->request->loader.context, &overrides, &study, &problems);
    if (r < 0) {
        r = error_set(reterr, ERROR_INPUT, "%s", problems.count > 0 ? problems.texts[0] : "");
    } else {
        how.record = sink->render != NULL;
        t->one_run = t->count < 2 || source_repeats_arrivals(&study.source);
        t->groups |= study_metric_groups(&study);
        study_set_replications(&study, count);
        r = replicate_run(&study, &how, sink, result, reterr);
    }
    if (r == ERROR_CANCELLED || r == ERROR_MACHINE)
        *t->reterr = *reterr; /* another time it may do */
    study_finish(&study);
    problems_finish(&problems);
    return r;
}

/* The chosen replication, which must do what it did; those before are as good as done. */
static int repeat_run(struct trials *t, struct error *reterr) {
    const struct recorded_run *run = t->rule_run->run;
    const uint32_t number = run->part->replication;
    const struct trial as_it_was = {.policy = NULL};
    const struct replicate_sink sink = {
        .context = (void *)run, .render = render_same, .emit = take_same};
    struct replicate_result result = {.count = number - 1};
    int r = run_change(t, &as_it_was, number, &sink, &result, reterr);
    if (r == 0 && !same_summary(&run->summary, &result.summaries[number - 1]))
        r = error_set(reterr, ERROR_RUN, "its figures differ");
    replicate_result_finish(&result);
    return r;
}

static bool fits(const struct trials_request *request, double events) {
    return (double)request->events + events <= (double)request->most_events;
}

static int read_base(struct trials *t, struct error *reterr) {
    const struct recorded_folder *folder = t->rule_run->folder;
    const struct recorded_part *own = t->rule_run->run->part;
    t->base = arena_alloc(t->arena, folder->parts.count * sizeof *t->base);
    for (size_t i = 0; i < folder->parts.count; i++) {
        const struct recorded_part *part = &folder->parts.at[i];
        if (part->policy != own->policy)
            continue;
        if (part->replication != t->count + 1)
            return error_set(reterr, ERROR_RUN, "replication %u is not recorded", t->count + 1);
        int r = recorded_summary_load(folder, part, &t->base[t->count], reterr);
        if (r < 0)
            return r;
        t->base_events += t->base[t->count++].events;
    }
    return 0;
}

/* Once, before the first change is tried. */
static void repeat_once(struct trials *t) {
    struct trials_request *request = t->request;
    struct error error = {0};
    const double own_events = t->rule_run->run->summary.events;
    if (t->base || request->reason)
        return;
    int r = read_base(t, &error);
    if (r == 0 && !fits(request, own_events + t->base_events)) {
        request->reason = request->spent;
        return;
    }
    if (r == 0)
        r = repeat_run(t, &error);
    request->events += (uint64_t)own_events;
    if (r < 0)
        request->reason =
            arena_printf(t->arena, "the run cannot be repeated as it was: %s", error.text);
}

/* ---- The run with a change ---- */

static bool same_change(const struct trial *a, const struct trial *b) {
    bool same = a->set_count == b->set_count && !a->policy == !b->policy &&
                (!a->policy || strcmp(a->policy, b->policy) == 0);
    for (size_t i = 0; i < a->set_count && same; i++)
        same = strcmp(a->sets[i], b->sets[i]) == 0;
    return same;
}

static void simulate(struct trials *t, struct trial *trial) {
    struct replicate_result result = {.count = 0};
    struct error error = {0};
    int r = run_change(t, trial, t->count, &replicate_summaries_only, &result, &error);
    for (uint32_t n = 0; n < result.count; n++) {
        t->request->events += (uint64_t)result.summaries[n].events;
        result.summaries[n].service_count = 0; /* they do not outlive the result */
    }
    if (r < 0) {
        trial->reason = arena_strdup(t->arena, error.text);
    } else {
        trial->summaries = arena_alloc(t->arena, t->count * sizeof *trial->summaries);
        memcpy(trial->summaries, result.summaries, t->count * sizeof *trial->summaries);
    }
    replicate_result_finish(&result);
}

/* Its place among the trials; simulated unless the same change was, or it is not possible. */
static size_t try_change(struct trials *t, struct trial trial) {
    size_t place = 0;
    while (place < t->at.count && !same_change(&t->at.at[place], &trial))
        place++;
    if (place < t->at.count)
        return place;
    repeat_once(t);
    if (t->request->reason)
        trial.reason = t->request->reason;
    else if (!fits(t->request, t->base_events))
        trial.reason = t->request->reason = t->request->spent;
    else if (t->reterr->code == 0)
        simulate(t, &trial);
    array_push(&t->at, trial);
    return place;
}

/* ---- What it gave ---- */

static unsigned completion_column(const struct rule_run *rule_run) {
    return rule_run->folder->scenario.horizon_ns == TIME_NONE_NS
               ? SUMMARY_COLUMN(jct_mean_s)
               : SUMMARY_COLUMN(jct_restricted_mean_s);
}

/* For a metric over the replications; *ret_p: of the paired test. */
static struct insight_effect effect_of(const struct trials *t, const struct trial *trial,
                                       unsigned column, double *ret_p) {
    double *before = mem_zalloc(t->count, sizeof *before),
           *after = mem_zalloc(t->count, sizeof *after);
    bool lost = false; /* known before, and no longer */
    for (uint32_t n = 0; n < t->count; n++) {
        before[n] = summary_value(&t->base[n], column);
        after[n] = summary_value(&trial->summaries[n], column);
        lost = lost || (isfinite(before[n]) && !isfinite(after[n]));
    }
    struct paired paired = paired_test(after, before, t->count);
    double size = fabs(paired.base_mean), by = paired.diff.mean;
    double loss = metric_table[column].better == METRIC_MORE ? -by : by;
    struct insight_effect effect = {.column = column,
                                    .before = paired.base_mean,
                                    .after = paired.base_mean + by,
                                    .change = size > 0 ? by / size : NAN,
                                    .ci95 = size > 0 ? paired.diff.ci95 / size : NAN,
                                    .worse = lost || loss > TRIALS_MOST_LOSS * size};
    *ret_p = t->count > 1 && paired.diff.n < 2 ? 1 : paired.p_value;
    free(before);
    free(after);
    return effect;
}

/* Its own measure, then the others that there are in this run: five, and what was done of the work,
   so that doing less is no gain. */
static void list_effects(const struct trials *t, const struct trial *trial, unsigned own,
                         struct insight_outcome *outcome, double *ret_p) {
    const unsigned columns[INSIGHT_MOST_EFFECTS - 1] = {
        SUMMARY_COLUMN(energy_kwh),      completion_column(t->rule_run),
        SUMMARY_COLUMN(deadline_missed), SUMMARY_COLUMN(cap_violation_j),
        SUMMARY_COLUMN(co2_kg),          SUMMARY_COLUMN(jobs_finished),
        SUMMARY_COLUMN(slo_share)};
    double ignored;
    own = own == SUMMARY_COLUMN(jct_mean_s) ? completion_column(t->rule_run) : own;
    outcome->effects[0] = effect_of(t, trial, own, ret_p);
    outcome->effect_count = 1;
    for (size_t i = 0; i < INSIGHT_MOST_EFFECTS - 1; i++) {
        struct insight_effect e = effect_of(t, trial, columns[i], &ignored);
        bool any = e.worse || e.before > 0 || e.after > 0;
        if (columns[i] != own && any && summary_shows(t->groups, columns[i]))
            outcome->effects[outcome->effect_count++] = e;
    }
}

/* By how much of itself the measure is better; 0 if it is not known. */
static double gain_of(const struct insight_effect *own) {
    double more = own->after - own->before, size = fabs(own->before);
    double gain = metric_table[own->column].better == METRIC_MORE ? more : -more;
    return gain > 0 ? size > 0 ? gain / size : INFINITY : 0;
}

static enum insight_verdict judge(const struct trials *t, const struct insight_outcome *outcome,
                                  double p, bool assumed) {
    double gain = gain_of(&outcome->effects[0]);
    if (gain < (t->one_run ? TRIALS_ONE_RUN_GAIN : TRIALS_LEAST_GAIN) ||
        p >= TRIALS_MOST_P) /* NAN: one run, or all of them gain the same */
        return VERDICT_NO_GAIN;
    for (size_t i = 0; i < outcome->effect_count && !assumed; i++)
        if (outcome->effects[i].worse)
            return VERDICT_TRADE;
    return assumed ? VERDICT_ASSUMPTION : VERDICT_RECOMMENDED;
}

/* ---- What there is to try ---- */

static void note_policy(const char *name, const struct easim_policy *policy, void *context) {
    struct trials *t = context;
    for (uint32_t i = 0; i < policy->param_count; i++)
        if (policy->params[i].type == EASIM_PARAM_TEXT)
            return; /* without which it decides nothing */
    array_push(&t->policies,
               ((struct known_policy){arena_strdup(t->arena, name), policy->reads, policy->keeps}));
}

/* Whether it is the policy of the run; its variant does not matter. */
static bool is_own_policy(const struct trials *t, const char *name) {
    size_t length = strlen(name);
    const char *own = t->rule_run->policy;
    return strncmp(own, name, length) == 0 && (own[length] == '\0' || own[length] == ':');
}

static struct trial change_of(struct trials *t, const struct insight_what_if *what_if) {
    const char **sets = arena_alloc(t->arena, (what_if->changes.count + 1) * sizeof *sets);
    for (size_t i = 0; i < what_if->changes.count; i++)
        sets[i] = arena_printf(t->arena, "%s=%s", what_if->changes.at[i].path,
                               what_if->changes.at[i].value);
    return (struct trial){.sets = sets, .set_count = what_if->changes.count};
}

struct proposed {
    ARRAY_OF(struct trial) at;
};

static void list_candidates(struct trials *t, const struct insight_what_if *what_if,
                            struct proposed *proposed) {
    if (what_if->changes.count > 0)
        array_push(&proposed->at, change_of(t, what_if));
    if (!what_if->reads && !what_if->keeps)
        return;
    if (t->policies.count == 0)
        policy_names_each(note_policy, t);
    for (size_t i = 0; i < t->policies.count; i++) {
        const struct known_policy *known = &t->policies.at[i];
        if ((known->reads & what_if->reads || known->keeps & what_if->keeps) &&
            !is_own_policy(t, known->name))
            array_push(&proposed->at, ((struct trial){.policy = known->name}));
    }
}

/* A policy takes the place of the changes. */
static void leave_change(struct trials *t, struct insight *insight, const struct trial *best) {
    struct insight_what_if *what_if = &insight->what_if;
    struct str reads = {0};
    what_if->policy = best ? best->policy : NULL;
    if (!best || best->policy) {
        what_if->changes.count = 0;
        what_if->assumes = what_if->note = NULL;
    }
    if (!what_if->policy)
        return;
    interface_write_reads(what_if->reads, &reads);
    insight->recommendation =
        arena_printf(t->arena, "policy %s, which %s%s", what_if->policy,
                     what_if->reads ? "reads " : "keeps the cap", what_if->reads ? reads.text : "");
    str_finish(&reads);
}

/* ---- All of them ---- */

/* If changes were tried in part: why some were not, with their number and the first reason. */
static const char *why_untried(const struct trials *t, const size_t *places, size_t count,
                               size_t tried) {
    size_t i = 0;
    while (i < count && t->at.at[places[i]].summaries)
        i++;
    if (i == count)
        return NULL;
    const struct trial *first = &t->at.at[places[i]];
    return arena_printf(t->arena, "%zu more not simulated: %s%s%s", count - tried,
                        first->policy ? first->policy : "", first->policy ? ": " : "",
                        first->reason ? first->reason : "interrupted");
}

/* The best simulated trial: by verdict, then by its gain. */
static const struct trial *choose(const struct trials *t, const size_t *places, size_t count,
                                  struct insight *insight) {
    const struct trial *best = NULL;
    struct insight_outcome *all = mem_zalloc(count, sizeof *all);
    double *p = mem_zalloc(count, sizeof *p), *holm = mem_zalloc(count, sizeof *holm);
    for (size_t i = 0; i < count; i++) {
        p[i] = NAN;
        if (t->at.at[places[i]].summaries)
            list_effects(t, &t->at.at[places[i]], insight->column, &all[i], &p[i]);
    }
    paired_test_holm(p, count, holm);
    for (size_t i = 0; i < count; i++) {
        const struct trial *trial = &t->at.at[places[i]];
        if (!trial->summaries)
            continue;
        enum insight_verdict verdict =
            judge(t, &all[i], holm[i], insight->what_if.assumes && !trial->policy);
        bool better = !best || verdict > insight->outcome.verdict ||
                      (verdict == insight->outcome.verdict &&
                       gain_of(&all[i].effects[0]) > gain_of(&insight->outcome.effects[0]));
        all[i].tried = insight->outcome.tried + 1;
        all[i].one_run = t->one_run;
        all[i].verdict = verdict;
        if (better)
            insight->outcome = all[i];
        insight->outcome.tried = all[i].tried;
        best = better ? trial : best;
    }
    free(all);
    free(p);
    free(holm);
    return best;
}

static void try_insight(struct trials *t, struct insight *insight) {
    struct proposed proposed = {0};
    list_candidates(t, &insight->what_if, &proposed);
    size_t count = proposed.at.count;
    size_t *places = mem_zalloc(count + 1, sizeof *places);
    bool any = false;
    for (size_t i = 0; i < count && insight_is_shown(insight); i++) {
        places[i] = try_change(t, proposed.at.at[i]);
        any = any || t->at.at[places[i]].summaries;
    }
    if (any) {
        const struct trial *best = choose(t, places, count, insight);
        leave_change(t, insight, insight->outcome.verdict == VERDICT_NO_GAIN ? NULL : best);
        insight->outcome.reason = why_untried(t, places, count, insight->outcome.tried);
    } else if (count > 0) {
        insight->outcome.verdict = VERDICT_NOT_SIMULATED;
        insight->outcome.reason =
            insight_is_shown(insight) ? t->at.at[places[0]].reason : "there is too little to gain";
        leave_change(t, insight, &proposed.at.at[0]);
    } else if (!insight->what_if.note) {
        insight->what_if.note = "no other policy that is found declares what it takes";
    }
    free(places);
    free(proposed.at.at);
}

int trials_run(struct trials_request *request, const struct rule_run *rule_run,
               struct insights *insights, struct error *reterr) {
    struct trials t = {.request = request,
                       .rule_run = rule_run,
                       .arena = &insights->arena,
                       .reterr = &(struct error){0}};
    for (size_t i = 0; i < insights->at.count && t.reterr->code == 0; i++)
        try_insight(&t, insights->at.at[i]);
    if (t.reterr->code < 0)
        *reterr = *t.reterr;
    free(t.at.at);
    free(t.policies.at);
    return t.reterr->code;
}
