/* UNDERSCALE: free GPUs that running jobs could have used. */
#include "base/units.h"
#include "insight/rules/families.h"
#include "insight/rules/gathered.h"
#include "insight/rules/kept_work.h"
#include "insight/rules/proposal.h"
#include "insight/rules/scaling_curve.h"

#include <stdlib.h>

struct underscale_thresholds {
    double least_efficiency;
};

static const struct field underscale_fields[] = {
    {.key = "least_efficiency",
     .type = FIELD_REAL,
     .offset = offsetof(struct underscale_thresholds, least_efficiency),
     .min = 0,
     .max = 1,
     .default_value = 0.8,
     .help = "of a GPU among the next larger allowed number, in the speed of one alone"},
    FIELDS_END};

/* A segment that could have had more. */
struct grower {
    uint32_t segment, gpu_type, more;
    double gain; /* of its time: 1 - speed now / speed then */
    double used_gpu_s, saved_s;
    size_t place; /* among those that compute now */
};

/* What changes: ends before begins. */
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

/* GPUs that nobody has for so long: to those who could grow, in the order in which they began. */
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
    sort_array(growth->events.at, growth->events.count, compare_growth_events);
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
    gathered_end(g);
    struct insight *insight =
        gathered_report(rule_run, g, &rule_underscale, "s saved with more GPUs", 1, insights);
    insight->entity = ENTITY_GPU_TYPE;
    insight->name = rule_run->folder->cluster.gpu_types[g->type].name;
    insight_find(insights, insight,
                 "%.4g GPU h were idle with which, by the models, %u jobs would have saved %.4g h, "
                 "for no more energy of their own",
                 g->gpu_s / S_PER_H, g->jobs, g->gained_s / S_PER_H);
    insight_figure(insight, "idle", "GPU h", g->gpu_s / S_PER_H);
    insight_figure(insight, "time_saved", "s", g->gained_s);
    insight_figure(insight, "jobs", "", g->jobs);
    insight->recommendation = "let jobs grow into free GPUs when nobody waits for these";
    if (!proposal_param(rule_run, insights, insight, "resize", "true"))
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

static void find_underscale(const struct rule_run *rule_run, const void *thresholds,
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
    for (size_t i = 0; i < list.at.count; i++)
        report_underscale(rule_run, &list.at.at[i], insights);
    gathered_list_finish(&list);
    free(growth.events.at);
    free(growth.growers.at);
    free(growth.active.at);
}

const struct rule rule_underscale = {
    .id = "UNDERSCALE",
    .title = "free GPUs that running jobs could have used",
    .trigger = "GPUs were free, nobody waited, and a job computed that could have had the next "
               "larger allowed number of them, each with more than least_efficiency of the speed "
               "of one, for no more energy per unit of work",
    .recommends = "growing jobs",
    .measure = SHARE_OF_GPU_HOURS,
    .betters = SUMMARY_COLUMN(jct_mean_s),
    .thresholds = underscale_fields,
    .thresholds_size = sizeof(struct underscale_thresholds),
    .find = find_underscale,
};
