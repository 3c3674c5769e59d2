/* Rules of synchronization: jobs on more nodes than they need, and time spent waiting for each
   other. */
#include "base/units.h"
#include "insight/network_use.h"
#include "insight/rules/gathered.h"
#include "insight/rules/internal.h"

#include <math.h>
#include <stdlib.h>

/* ---- SPREAD ---- */

enum { NODES, LEAST_NODES, COMM, SLOWDOWN };

static uint32_t count_nodes(const struct recorded_run *run,
                            const struct recorded_segment *segment) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < segment->gpus_count; i++) {
        uint32_t before = 0;
        while (before < i &&
               run->gpus.at[segment->gpus + before].node != run->gpus.at[segment->gpus + i].node)
            before++;
        count += before == i;
    }
    return count;
}

static void gather_spread(const struct rule_run *rule_run, const struct kept_piece *piece,
                          const void *thresholds, struct gathered_list *list) {
    const struct spread_thresholds *t = thresholds;
    const struct easim_config *c = piece->config;
    uint32_t span = piece->segment->span, there = kept_work_span(piece);
    uint32_t most = rule_run->folder->cluster.gpu_types[c->gpu_type].node_gpus_max;
    uint32_t nodes = count_nodes(rule_run->run, piece->segment);
    uint32_t least = c->k / most + (c->k % most > 0);
    bool by_tier = rule_run->folder->cluster.network.tier_count > 0;
    if ((nodes <= least && span <= there) || c->goodput[span] <= 0)
        return;
    double slowdown = c->goodput[there] / c->goodput[span];
    double share = team_sync_share(rule_run->run, piece->job, c, span);
    if (slowdown - 1 <= t->least_slowdown)
        return;
    double lost_j = piece->work * (kept_work_unit_j(c, span) - kept_work_unit_j(c, there));
    struct gathered *g = gathered_find(list, piece->spec->model, by_tier ? span : EASIM_NONE,
                                       by_tier ? there : EASIM_NONE);
    g->work += piece->work;
    g->lost_j += lost_j;
    g->lost_gpu_s += piece->work * (kept_work_unit_gpu_s(c, span) - kept_work_unit_gpu_s(c, there));
    g->means[NODES] += piece->work * nodes;
    g->means[LEAST_NODES] += piece->work * least;
    g->means[COMM] += piece->work * share;
    g->means[SLOWDOWN] += piece->work * slowdown;
    g->least = fmin(g->least, c->k);
    gathered_add_piece(g, piece, lost_j);
}

/* " of one leaf": follows a number of nodes; nothing if the cluster has no network. */
static const char *place_words(const struct rule_run *rule_run, uint32_t span,
                               struct insights *insights) {
    const struct network *network = &rule_run->folder->cluster.network;
    return span == EASIM_NONE || span == EASIM_ONE_NODE
               ? ""
               : arena_printf(&insights->arena, " of one %s", network_span_name(network, span));
}

static void report_spread(const struct rule_run *rule_run, struct gathered *g,
                          struct insights *insights) {
    struct insight *insight =
        gathered_report(rule_run, g, "kWh for being spread", 1 / J_PER_KWH, insights);
    insight_find(insight,
                 "%u jobs on %.3g nodes%s where %.3g%s would hold them: %.3g times as long, %.4g "
                 "kWh",
                 g->jobs, gathered_mean(g, NODES), place_words(rule_run, g->type, insights),
                 gathered_mean(g, LEAST_NODES), place_words(rule_run, g->other, insights),
                 gathered_mean(g, SLOWDOWN), g->lost_j / J_PER_KWH);
    SHOW(insight, spread, .jobs = g->jobs, .nodes = gathered_mean(g, NODES),
         .least_nodes = gathered_mean(g, LEAST_NODES),
         .communication_share = gathered_mean(g, COMM), .slowdown = gathered_mean(g, SLOWDOWN),
         .energy_lost = g->lost_j / J_PER_KWH, .lost = g->lost_gpu_s / S_PER_H);
    insight->recommendation = "jobs that take fewer GPUs, which fit onto a node";
    if (g->least > 1)
        (void)narrower_k(insight, (uint32_t)g->least - 1);
    insight_weigh(insight, fmax(g->lost_j, 0), rule_run->energy_j);
}

void find_spread(const struct rule_run *rule_run, const void *thresholds,
                 struct insights *insights) {
    gathered_rule(rule_run, thresholds, gather_spread, report_spread, insights);
}

/* ---- COMM ---- */

/* By model, and by model and number of GPUs: means by GPU time. */
static void gather_comm(const struct rule_run *rule_run, const struct kept_piece *piece,
                        struct gathered_list *models, struct gathered_list *counts) {
    double share = team_sync_share(rule_run->run, piece->job, piece->config, piece->segment->span);
    struct gathered *both[] = {
        gathered_find(models, piece->spec->model, EASIM_NONE, EASIM_NONE),
        gathered_find(counts, piece->spec->model, piece->config->k, EASIM_NONE)};
    for (int i = 0; i < 2 && !isnan(share); i++) {
        both[i]->work += piece->gpu_s;
        both[i]->lost_gpu_s += share * piece->gpu_s;
        both[i]->means[COMM] += share * piece->gpu_s;
        gathered_add_piece(both[i], piece, share * piece->gpu_s);
    }
}

/* The most GPUs with which all configurations of the model's jobs stay below the share; 0: none. */
static uint32_t most_gpus_within(const struct rule_run *rule_run, uint32_t model,
                                 double most_share) {
    uint32_t least_over = UINT32_MAX;
    bool *seen = mem_zalloc(rule_run->run->workload.table.sets.count, sizeof *seen);
    struct kept_piece piece;
    for (size_t at = 0; kept_work_next(rule_run, &at, &piece);) {
        struct kept_configs all = kept_work_configs(rule_run, piece.set);
        if (piece.spec->model != model || seen[piece.set])
            continue;
        seen[piece.set] = true;
        for (uint32_t i = 0; i < all.count; i++) {
            struct kept_piece other = piece;
            other.config = &all.at[i];
            for (uint32_t span = 0; span < other.config->span_count; span++)
                if (other.config->goodput[span] > 0 && other.config->k < least_over &&
                    team_sync_share(rule_run->run, other.job, other.config, span) > most_share)
                    least_over = other.config->k;
        }
    }
    free(seen);
    return least_over - 1;
}

static void report_comm(const struct rule_run *rule_run, struct gathered *g,
                        const struct gathered_list *counts, double most_share,
                        struct insights *insights) {
    struct insight *insight =
        gathered_report(rule_run, g, "GPU h of synchronization", 1 / S_PER_H, insights);
    insight_find(insight,
                 "%.0f %% of the time of its iterations is synchronization: %.4g of %.4g GPU h",
                 100 * gathered_mean(g, COMM), g->lost_gpu_s / S_PER_H, g->gpu_s / S_PER_H);
    SHOW(insight, comm, .communication_share = gathered_mean(g, COMM),
         .synchronisation = g->lost_gpu_s / S_PER_H, .gpu_hours = g->gpu_s / S_PER_H);
    for (size_t i = 0; i < counts->at.count; i++)
        if (counts->at.at[i].model == g->model && counts->at.at[i].work > 0)
            insight_figure_of(insight, comm_k_figures,
                              arena_printf(&insights->arena, "%u", counts->at.at[i].type),
                              gathered_mean(&counts->at.at[i], COMM));
    insight->recommendation = "fewer GPUs";
    uint32_t most = most_gpus_within(rule_run, g->model, most_share);
    if (most > 0)
        narrower_k(insight, most);
    else
        insight->what_if.note = "no number of GPUs is below the threshold";
    insight_weigh(insight, g->lost_gpu_s, rule_run->gpu_s);
}

void find_comm(const struct rule_run *rule_run, const void *thresholds, struct insights *insights) {
    const struct comm_thresholds *t = thresholds;
    struct gathered_list models = {0}, counts = {0};
    struct kept_piece piece;
    for (size_t at = 0; kept_work_next(rule_run, &at, &piece);)
        gather_comm(rule_run, &piece, &models, &counts);
    for (size_t i = 0; i < models.at.count; i++)
        if (models.at.at[i].work > 0 && gathered_mean(&models.at.at[i], COMM) > t->most_share)
            report_comm(rule_run, &models.at.at[i], &counts, t->most_share, insights);
    gathered_list_finish(&models);
    gathered_list_finish(&counts);
}
