/* IMBALANCE: nodes and GPU types that differ in how busy they are. */
#include "base/units.h"
#include "insight/rules/gathered.h"
#include "insight/rules/internal.h"

#include <math.h>
#include <stdlib.h>

/* GPU-seconds held in the measured time, by node and by GPU type; failed ones count as held. */
struct busyness {
    double *nodes, types[CLUSTER_MAX_TYPES];
    double cv, mean;      /* over nodes */
    double lagging_gpu_s; /* that nodes hold less than the mean */
};

static void measure_busyness(const struct rule_run *rule_run, struct busyness *busy) {
    const struct recorded_run *run = rule_run->run;
    const struct cluster *cluster = &rule_run->folder->cluster;
    double s = rule_run->to_s - rule_run->from_s, sum = 0, squares = 0;
    busy->nodes = mem_zalloc(cluster->node_count, sizeof *busy->nodes);
    for (uint32_t n = 0; n < cluster->node_count; n++)
        busy->nodes[n] = s * cluster->nodes[n].gpus;
    for (size_t i = 0; i < run->rests.count; i++) {
        const struct recorded_rest *rest = &run->rests.at[i];
        if (rest->state != RECORDED_FAILED)
            busy->nodes[rest->node] -=
                rest->count * rule_run_overlap_s(rule_run, rest->start_ns, rest->end_ns);
    }
    for (uint32_t n = 0; n < cluster->node_count; n++) {
        busy->types[cluster->nodes[n].gpu_type] += busy->nodes[n];
        sum += busy->nodes[n] / (s * cluster->nodes[n].gpus);
    }
    busy->mean = sum / cluster->node_count;
    for (uint32_t n = 0; n < cluster->node_count; n++) {
        double whole = s * cluster->nodes[n].gpus, off = busy->nodes[n] / whole - busy->mean;
        squares += off * off;
        busy->lagging_gpu_s += fmax(-off, 0) * whole;
    }
    busy->cv = busy->mean > 0 ? sqrt(squares / cluster->node_count) / busy->mean : 0;
}

static double type_share(const struct rule_run *rule_run, const struct busyness *busy,
                         uint32_t gpu_type) {
    uint32_t gpus = rule_run->folder->cluster.gpu_types[gpu_type].gpus;
    return gpus > 0 ? busy->types[gpu_type] / (gpus * (rule_run->to_s - rule_run->from_s)) : NAN;
}

/* Whether one type is full while another has room. */
static bool has_uneven_types(const struct rule_run *rule_run, const struct busyness *busy,
                             const struct imbalance_thresholds *t) {
    bool full = false, room = false;
    for (uint32_t h = 0; h < rule_run->folder->cluster.gpu_type_count; h++) {
        double share = type_share(rule_run, busy, h);
        full = full || share >= t->full;
        room = room || share < t->half;
    }
    return full && room;
}

static void add_least_busy(const struct rule_run *rule_run, const struct busyness *busy,
                           struct insight *insight) {
    const struct cluster *cluster = &rule_run->folder->cluster;
    struct top_list idle = {0};
    double s = rule_run->to_s - rule_run->from_s;
    for (uint32_t n = 0; n < cluster->node_count; n++)
        top_list_add(&idle,
                     (struct top_entry){.weight = 1 - busy->nodes[n] / (s * cluster->nodes[n].gpus),
                                        .index = n});
    for (size_t i = 0; i < idle.count; i++)
        insight_evidence(insight, EVIDENCE_INTERVAL,
                         arena_printf(insight->arena, "node %u", idle.at[i].index),
                         rule_run->from_s, rule_run->to_s, "held %.1f %% of the time",
                         100 * (1 - idle.at[i].weight));
    insight->evidence_count = idle.total;
}

static void report_imbalance(const struct rule_run *rule_run, const struct busyness *busy,
                             bool uneven, struct insights *insights) {
    const struct cluster *cluster = &rule_run->folder->cluster;
    struct insight *insight = insights_add(insights, rule_run->from_s, rule_run->to_s);
    insight_find(
        insight, "nodes are held %.0f %% of the time, with a coefficient of variation of %.2f%s",
        100 * busy->mean, busy->cv, uneven ? "; one GPU type is full while another has room" : "");
    SHOW(insight, imbalance, .node_busy_cv = busy->cv, .node_busy_mean = busy->mean);
    for (uint32_t h = 0; h < cluster->gpu_type_count; h++)
        insight_figure_of(insight, busy_figures, cluster->gpu_types[h].name,
                          type_share(rule_run, busy, h));
    SHOW(insight, below_mean, .below_mean = busy->lagging_gpu_s / S_PER_H);
    add_least_busy(rule_run, busy, insight);
    insight->recommendation = "another choice of GPU types";
    proposal_policies(insight, EASIM_READS_RUN_TIMES, 0);
    insight_weigh(insight, busy->lagging_gpu_s, rule_run->gpu_s);
}

void find_imbalance(const struct rule_run *rule_run, const void *thresholds,
                    struct insights *insights) {
    const struct imbalance_thresholds *t = thresholds;
    struct busyness busy = {0};
    if (rule_run->to_s <= rule_run->from_s || rule_run->folder->cluster.node_count < 2)
        return;
    measure_busyness(rule_run, &busy);
    bool uneven = has_uneven_types(rule_run, &busy, t);
    if (busy.cv > t->most_cv || uneven)
        report_imbalance(rule_run, &busy, uneven, insights);
    free(busy.nodes);
}
