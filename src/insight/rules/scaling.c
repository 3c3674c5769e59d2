/* Rules of the number of GPUs: more than a job makes use of, or fewer than it could have had. */
#include "base/sort_doubles.h"
#include "base/units.h"
#include "insight/rules/gathered.h"
#include "insight/rules/internal.h"

#include <math.h>
#include <stdlib.h>

/* --- scaling_curve --- */
/* The growth of a job's speed with its GPUs: for every allowed number the fastest configuration of
   one GPU type, without a power limit, in the span of the empty cluster. */

struct scaling_curve {
    const struct easim_config *at[CONFIG_MAX_CHOICES]; /* by number of GPUs, ascending */
    uint32_t count;
};

static void scaling_curve_make(struct scaling_curve *curve, struct kept_configs configs,
                               uint32_t gpu_type) {
    curve->count = 0;
    for (uint32_t i = 0; i < configs.count; i++) {
        const struct easim_config *c = &configs.at[i];
        if (c->gpu_type != gpu_type || c->milli > 0 || isfinite(c->power_limit_w) ||
            c->goodput[c->empty_span] <= 0)
            continue;
        const struct easim_config **last = &curve->at[curve->count > 0 ? curve->count - 1 : 0];
        if (curve->count == 0 || (*last)->k != c->k) {
            if (curve->count < CONFIG_MAX_CHOICES)
                curve->at[curve->count++] = c;
        } else if (c->goodput[c->empty_span] > (*last)->goodput[(*last)->empty_span]) {
            *last = c;
        }
    }
}

/* The place of k GPUs; count: it is not there. */
static uint32_t scaling_curve_find(const struct scaling_curve *curve, uint32_t k) {
    uint32_t at = 0;
    while (at < curve->count && curve->at[at]->k != k)
        at++;
    return at;
}

static double speed_at(const struct scaling_curve *curve, uint32_t place) {
    const struct easim_config *c = curve->at[place];
    return c->goodput[c->empty_span];
}

static double speed_of_one(const struct scaling_curve *curve) {
    return speed_at(curve, 0) / curve->at[0]->k;
}

/* Speed of a GPU there over that of a GPU at the first place. */
static double scaling_efficiency_at(const struct scaling_curve *curve, uint32_t place) {
    return speed_at(curve, place) / curve->at[place]->k / speed_of_one(curve);
}

/* Speed that each GPU more than at the place before adds, over that of one GPU; place > 0. */
static double scaling_marginal(const struct scaling_curve *curve, uint32_t place) {
    uint32_t more = curve->at[place]->k - curve->at[place - 1]->k;
    return (speed_at(curve, place) - speed_at(curve, place - 1)) / more / speed_of_one(curve);
}

/* --- growth: UNDERSCALE: free GPUs that running jobs could have used --- */

/* A segment that could have had more. */
struct grower {
    uint32_t segment, gpu_type, more;
    double gain; /* of its time: 1 - speed now / speed then */
    double used_gpu_s, saved_s;
    size_t place; /* among those that compute now */
};

/* Changes at an instant: ends before begins. */
enum growth_change { FREE_ENDS, WAIT_ENDS, GROWER_ENDS, FREE_BEGINS, WAIT_BEGINS, GROWER_BEGINS };

struct growth_event {
    int64_t time_ns;
    uint32_t change, index; /* of the run's rests, or of the growers */
};

struct growth {
    const struct rule_run *rule_run;
    ARRAY_OF(struct growth_event) events;
    ARRAY_OF(struct grower) growers;
    ARRAY_OF(uint32_t) active;        /* growers that compute now */
    uint32_t free[CLUSTER_MAX_TYPES]; /* awake, of a type */
    uint32_t waiting;
};

static void add_grower(struct growth *growth, const struct kept_piece *piece, double least) {
    struct scaling_curve curve;
    scaling_curve_make(&curve, kept_work_configs(growth->rule_run, piece->set),
                       piece->config->gpu_type);
    uint32_t own = scaling_curve_find(&curve, piece->config->k), span = kept_work_span(piece);
    if (own + 1 >= curve.count || scaling_efficiency_at(&curve, own + 1) <= least)
        return;
    const struct easim_config *more = curve.at[own + 1];
    uint32_t there = more->empty_span;
    if (kept_work_unit_j(more, there) > kept_work_unit_j(piece->config, span) * (1 + 1e-12) ||
        more->goodput[there] <= piece->config->goodput[span])
        return;
    uint32_t segment = (uint32_t)(piece->segment - growth->rule_run->run->segments.at);
    array_push(&growth->growers,
               ((struct grower){.segment = segment,
                                .gpu_type = more->gpu_type,
                                .more = more->k - piece->config->k,
                                .gain = 1 - piece->config->goodput[span] / more->goodput[there]}));
}

/* Gives GPUs that are free for s to jobs that could grow, in the order in which they began. */
static void share_free_gpus(struct growth *growth, double s) {
    uint32_t left[CLUSTER_MAX_TYPES], any = 0;
    uint32_t types = growth->rule_run->folder->cluster.gpu_type_count;
    for (uint32_t h = 0; h < types; h++)
        any += left[h] = growth->free[h];
    for (size_t i = 0; any > 0 && i < growth->active.count; i++) {
        struct grower *grower = &growth->growers.at[growth->active.at[i]];
        if (grower->more > left[grower->gpu_type])
            continue;
        left[grower->gpu_type] -= grower->more;
        any -= grower->more;
        grower->used_gpu_s += s * grower->more;
        grower->saved_s += s * grower->gain;
    }
}

static void change_active(struct growth *growth, uint32_t grower, bool begins) {
    if (begins) {
        growth->growers.at[grower].place = growth->active.count;
        array_push(&growth->active, grower);
        return;
    }
    size_t place = growth->growers.at[grower].place;
    uint32_t last = growth->active.at[--growth->active.count];
    growth->active.at[place] = last;
    growth->growers.at[last].place = place;
}

static void apply_change(struct growth *growth, const struct growth_event *event) {
    const struct recorded_run *run = growth->rule_run->run;
    bool begins = event->change >= FREE_BEGINS;
    if (event->change == GROWER_BEGINS || event->change == GROWER_ENDS) {
        change_active(growth, event->index, begins);
    } else if (event->change == WAIT_BEGINS || event->change == WAIT_ENDS) {
        growth->waiting += begins ? 1 : -1u;
    } else {
        const struct recorded_rest *rest = &run->rests.at[event->index];
        uint32_t gpu_type = run->folder->cluster.nodes[rest->node].gpu_type;
        growth->free[gpu_type] += begins ? rest->count : -rest->count;
    }
}

static void add_interval(struct growth *growth, int64_t from_ns, int64_t to_ns,
                         enum growth_change ends, enum growth_change begins, size_t index) {
    if (from_ns == to_ns)
        return;
    array_push(&growth->events, ((struct growth_event){from_ns, begins, (uint32_t)index}));
    array_push(&growth->events, ((struct growth_event){to_ns, ends, (uint32_t)index}));
}

ORDER_BY(compare_growth_events, struct growth_event, ASC(time_ns) ASC(change) ASC(index))

static void list_growth_events(struct growth *growth) {
    const struct recorded_run *run = growth->rule_run->run;
    for (size_t i = 0; i < run->segments.count; i++)
        if (run->segments.at[i].kind == SEGMENT_QUEUED)
            add_interval(growth, run->segments.at[i].start_ns, run->segments.at[i].end_ns,
                         WAIT_ENDS, WAIT_BEGINS, i);
    for (size_t i = 0; i < run->rests.count; i++)
        if (run->rests.at[i].state == RECORDED_FREE)
            add_interval(growth, run->rests.at[i].start_ns, run->rests.at[i].end_ns, FREE_ENDS,
                         FREE_BEGINS, i);
    for (size_t i = 0; i < growth->growers.count; i++) {
        const struct recorded_segment *s = &run->segments.at[growth->growers.at[i].segment];
        add_interval(growth, s->start_ns, s->end_ns, GROWER_ENDS, GROWER_BEGINS, i);
    }
    sort_array_by(growth->events.at, growth->events.count, time_ns, compare_growth_events);
}

static void replay_growth(struct growth *growth) {
    list_growth_events(growth);
    for (size_t e = 0; e + 1 < growth->events.count; e++) {
        const struct growth_event *event = &growth->events.at[e];
        apply_change(growth, event);
        if (event[1].time_ns == event->time_ns || growth->waiting > 0)
            continue;
        double s = rule_run_overlap_s(growth->rule_run, event->time_ns, event[1].time_ns);
        if (s > 0)
            share_free_gpus(growth, s);
    }
}

static void report_underscale(const struct rule_run *rule_run, struct gathered *g,
                              struct insights *insights) {
    struct insight *insight = gathered_report(rule_run, g, "s saved with more GPUs", 1, insights);
    insight_find(insight,
                 "%.4g GPU h were idle with which, by the models, %u jobs would have saved %.4g h, "
                 "for no more energy of their own",
                 g->gpu_s / S_PER_H, g->jobs, g->gained_s / S_PER_H);
    SHOW(insight, underscale, .idle = g->gpu_s / S_PER_H, .time_saved = g->gained_s,
         .jobs = g->jobs);
    insight->recommendation = "let jobs grow into free GPUs when no job waits for these";
    if (!proposal_param(insight, "resize", "true"))
        proposal_none(insight, "the policy has no parameter for it, or does it already");
    insight_weigh(insight, g->gpu_s, rule_run->gpu_s);
}

static void gather_growth(struct growth *growth, struct gathered_list *list) {
    const struct recorded_run *run = growth->rule_run->run;
    for (size_t i = 0; i < growth->growers.count; i++) {
        const struct grower *grower = &growth->growers.at[i];
        const struct recorded_segment *segment = &run->segments.at[grower->segment];
        if (grower->used_gpu_s <= 0)
            continue;
        struct gathered *g = gathered_find(list, EASIM_NONE, grower->gpu_type, EASIM_NONE);
        g->gpu_s += grower->used_gpu_s;
        g->gained_s += grower->saved_s;
        gathered_add(g, segment->job, segment->start_ns, segment->end_ns, grower->saved_s);
    }
}

void find_underscale(const struct rule_run *rule_run, const void *thresholds,
                     struct insights *insights) {
    const struct underscale_thresholds *t = thresholds;
    struct growth growth = {.rule_run = rule_run};
    struct gathered_list list = {0};
    struct kept_piece piece;
    for (size_t at = 0; kept_work_next(rule_run, &at, &piece);)
        add_grower(&growth, &piece, t->least_efficiency);
    if (growth.growers.count > 0)
        replay_growth(&growth);
    gather_growth(&growth, &list);
    gathered_report_all(rule_run, &list, report_underscale, insights);
    free(growth.events.at);
    free(growth.growers.at);
    free(growth.active.at);
}

/* --- scaling --- */

enum { EFFICIENCY, MARGINAL, OWN_K, KNEE_K, OWN_SAMPLE_J, KNEE_SAMPLE_J };

static bool is_above_knee(const struct scaling_curve *curve, uint32_t at,
                          const struct overscale_thresholds *t) {
    return at > 0 && (scaling_marginal(curve, at) < t->least_marginal ||
                      scaling_efficiency_at(curve, at) < t->least_efficiency);
}

static void gather_overscale(const struct rule_run *rule_run, const struct kept_piece *piece,
                             const void *thresholds, struct gathered_list *list) {
    const struct overscale_thresholds *t = thresholds;
    struct scaling_curve curve;
    scaling_curve_make(&curve, kept_work_configs(rule_run, piece->set), piece->config->gpu_type);
    uint32_t own = scaling_curve_find(&curve, piece->config->k), knee = own;
    if (own >= curve.count || !is_above_knee(&curve, own, t))
        return;
    while (is_above_knee(&curve, knee, t))
        knee--;
    const struct easim_config *c = piece->config, *less = curve.at[knee];
    uint32_t span = kept_work_span(piece), there = less->empty_span;
    double own_j = kept_work_unit_j(c, span), less_j = kept_work_unit_j(less, there);
    struct gathered *g = gathered_find(list, piece->spec->model, EASIM_NONE, EASIM_NONE);
    g->work += piece->work;
    g->lost_j += piece->work * (own_j - less_j);
    g->lost_gpu_s +=
        piece->work * (kept_work_unit_gpu_s(c, span) - kept_work_unit_gpu_s(less, there));
    g->gained_s += piece->work * (1 / less->goodput[there] - 1 / c->goodput[span]);
    g->means[EFFICIENCY] += piece->work * scaling_efficiency_at(&curve, own);
    g->means[MARGINAL] += piece->work * scaling_marginal(&curve, own);
    g->means[OWN_K] += piece->work * c->k;
    g->means[KNEE_K] += piece->work * less->k;
    g->means[OWN_SAMPLE_J] += piece->work * own_j;
    g->means[KNEE_SAMPLE_J] += piece->work * less_j;
    g->least = fmin(g->least, less->k);
    gathered_add_piece(g, piece, piece->work * (own_j - less_j));
}

static void report_overscale(const struct rule_run *rule_run, struct gathered *g,
                             struct insights *insights) {
    struct insight *insight =
        gathered_report(rule_run, g, "kWh over that at the knee", 1 / J_PER_KWH, insights);
    insight_find(insight,
                 "%u jobs on %.3g GPUs where the speed of %.3g is worth having: %.4g GPU h and "
                 "%.4g kWh for %.4g h",
                 g->jobs, gathered_mean(g, OWN_K), gathered_mean(g, KNEE_K),
                 g->lost_gpu_s / S_PER_H, g->lost_j / J_PER_KWH, g->gained_s / S_PER_H);
    SHOW(insight, overscale, .jobs = g->jobs, .k = gathered_mean(g, OWN_K),
         .k_at_knee = gathered_mean(g, KNEE_K), .efficiency = gathered_mean(g, EFFICIENCY),
         .marginal_speedup = gathered_mean(g, MARGINAL), .lost = g->lost_gpu_s / S_PER_H,
         .energy_lost = g->lost_j / J_PER_KWH, .time_gained = g->gained_s / S_PER_H);
    insight->recommendation =
        arena_printf(&insights->arena, "let jobs take at most %.0f GPUs", g->least);
    narrower_k(insight, (uint32_t)g->least);
    insight_weigh(insight, fmax(g->lost_j, 0), rule_run->energy_j);
}

void find_overscale(const struct rule_run *rule_run, const void *thresholds,
                    struct insights *insights) {
    gathered_rule(rule_run, thresholds, gather_overscale, report_overscale, insights);
}
