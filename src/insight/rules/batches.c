/* Rules of the batch and of the memory that it fills. */
#include "base/units.h"
#include "insight/rules/gathered.h"
#include "insight/rules/internal.h"

#include <math.h>
#include <stdlib.h>

/* Memory of a GPU that computes a configuration; 0: the model has no figure. */
static double memory_gib(const struct rule_run *rule_run, const struct kept_piece *piece) {
    const struct model *model = &rule_run->folder->models.models[piece->spec->model];
    double gib = model->mem0_gib + model->mem1_gib * piece->config->batch;
    return isfinite(gib) ? gib : 0;
}

static double share_of_memory(const struct rule_run *rule_run, const struct kept_piece *piece) {
    return memory_gib(rule_run, piece) /
           rule_run->folder->cluster.gpu_types[piece->config->gpu_type].memory_gib;
}

/* ---- BATCH ---- */

enum { OWN_J, BEST_J, OWN_BATCH, BEST_BATCH, MEMORY };

/* The larger batch of least energy, with the same GPUs and limit; NULL: none takes less. */
static const struct easim_config *find_larger_batch(struct kept_configs all,
                                                    const struct kept_piece *piece, uint32_t span) {
    const struct easim_config *own = piece->config, *best = NULL;
    double least = kept_work_unit_j(own, span);
    for (uint32_t i = 0; i < all.count; i++) {
        const struct easim_config *c = &all.at[i];
        if (c->gpu_type != own->gpu_type || c->k != own->k || c->batch <= own->batch ||
            c->power_limit_w != own->power_limit_w || c->goodput[span] <= 0 ||
            kept_work_unit_j(c, span) >= least)
            continue;
        least = kept_work_unit_j(c, span);
        best = c;
    }
    return best;
}

static void gather_batch(const struct rule_run *rule_run, const struct kept_piece *piece,
                         const void *thresholds, struct gathered_list *list) {
    const struct batch_thresholds *t = thresholds;
    uint32_t span = kept_work_span(piece);
    const struct easim_config *best =
        find_larger_batch(kept_work_configs(rule_run, piece->set), piece, span);
    if (!best)
        return;
    double own_j = kept_work_unit_j(piece->config, span), best_j = kept_work_unit_j(best, span);
    if (own_j - best_j < t->least_gain * own_j)
        return;
    struct gathered *g = gathered_find(list, piece->spec->model, EASIM_NONE, EASIM_NONE);
    g->work += piece->work;
    g->lost_j += piece->work * (own_j - best_j);
    g->means[OWN_J] += piece->work * own_j;
    g->means[BEST_J] += piece->work * best_j;
    g->means[OWN_BATCH] += piece->work * piece->config->batch;
    g->means[BEST_BATCH] += piece->work * best->batch;
    g->means[MEMORY] += piece->work * share_of_memory(rule_run, piece);
    g->least = fmin(g->least, best->batch);
    gathered_add_piece(g, piece, piece->work * (own_j - best_j));
}

/* The batches of least energy, of all jobs that computed: for each model and number of GPUs. */
static size_t list_best_batches(const struct rule_run *rule_run, double *batches, size_t most) {
    struct kept_piece piece;
    size_t count = 0;
    for (size_t at = 0; kept_work_next(rule_run, &at, &piece);) {
        uint32_t span = kept_work_span(&piece);
        const struct easim_config *best =
            find_larger_batch(kept_work_configs(rule_run, piece.set), &piece, span);
        double batch = (best ? best : piece.config)->batch;
        size_t place = 0;
        while (place < count && batches[place] < batch)
            place++;
        if (place < count && batches[place] == batch)
            continue;
        if (count == most)
            return 0;
        for (size_t i = count++; i > place; i--)
            batches[i] = batches[i - 1];
        batches[place] = batch;
    }
    return count;
}

static void propose_batches(const struct rule_run *rule_run, struct insight *insight) {
    double batches[CONFIG_MAX_CHOICES];
    size_t count = list_best_batches(rule_run, batches, CONFIG_MAX_CHOICES);
    if (count == 0)
        insight->what_if.note = "too many batches would be best for some job";
    else
        (void)narrower_b(insight, batches, count);
}

static void report_batch(const struct rule_run *rule_run, struct gathered *g,
                         struct insights *insights) {
    struct insight *insight =
        gathered_report(rule_run, g, "kWh over the best batch", 1 / J_PER_KWH, insights);
    insight_find(insight,
                 "%u jobs with %.4g samples per GPU take %.4g J per sample, with %.4g they would "
                 "take %.4g: %.4g kWh",
                 g->jobs, gathered_mean(g, OWN_BATCH), gathered_mean(g, OWN_J),
                 gathered_mean(g, BEST_BATCH), gathered_mean(g, BEST_J), g->lost_j / J_PER_KWH);
    SHOW(insight, batch, .jobs = g->jobs, .energy_per_sample = gathered_mean(g, OWN_J),
         .energy_per_sample_best = gathered_mean(g, BEST_J), .batch = gathered_mean(g, OWN_BATCH),
         .batch_best = gathered_mean(g, BEST_BATCH), .memory_share = gathered_mean(g, MEMORY),
         .energy_over_best = g->lost_j / J_PER_KWH);
    insight->recommendation =
        "a larger batch where the memory holds it; check that training still converges";
    propose_batches(rule_run, insight);
    insight_weigh(insight, g->lost_j, rule_run->energy_j);
}

void find_batch(const struct rule_run *rule_run, const void *thresholds,
                struct insights *insights) {
    gathered_rule(rule_run, thresholds, gather_batch, report_batch, insights);
}

/* ---- MEM-STRAND ---- */

static double least_memory_gib(const struct cluster *cluster) {
    double least = INFINITY;
    for (uint32_t h = 0; h < cluster->gpu_type_count; h++)
        if (cluster->gpu_types[h].gpus > 0)
            least = fmin(least, cluster->gpu_types[h].memory_gib);
    return least;
}

static void gather_stranded(const struct rule_run *rule_run, const struct kept_piece *piece,
                            const void *thresholds, struct gathered_list *list) {
    const struct mem_strand_thresholds *t = thresholds;
    const struct cluster *cluster = &rule_run->folder->cluster;
    double has_gib = cluster->gpu_types[piece->config->gpu_type].memory_gib;
    double used_gib = memory_gib(rule_run, piece);
    if (used_gib <= 0 || has_gib <= least_memory_gib(cluster) || used_gib >= t->most_used * has_gib)
        return;
    struct gathered *g = gathered_find(list, EASIM_NONE, piece->config->gpu_type, EASIM_NONE);
    g->work += piece->gpu_s; /* means by GPU time */
    g->means[OWN_J] += piece->gpu_s * used_gib;
    gathered_add_piece(g, piece, piece->gpu_s);
}

static void report_stranded(const struct rule_run *rule_run, struct gathered *g,
                            struct insights *insights) {
    const struct gpu_type *type = &rule_run->folder->cluster.gpu_types[g->type];
    struct insight *insight =
        gathered_report(rule_run, g, "GPU h with nearly empty memory", 1 / S_PER_H, insights);
    double used_gib = gathered_mean(g, OWN_J);
    insight_find(insight,
                 "%.4g GPU h of %u jobs that use %.3g of %.4g GiB, though there are GPUs with less",
                 g->gpu_s / S_PER_H, g->jobs, used_gib, type->memory_gib);
    SHOW(insight, mem_strand, .memory_used = used_gib,
         .memory_stranded = type->memory_gib - used_gib, .memory = type->memory_gib,
         .gpu_hours = g->gpu_s / S_PER_H, .jobs = g->jobs);
    insight->recommendation = "GPUs with less memory, several instances on one, or colocation";
    insight->what_if.note = "jobs with a model take whole GPUs, and only their owner knows which "
                            "of them need the large ones";
    insight_weigh(insight, g->gpu_s, rule_run->gpu_s);
}

void find_mem_strand(const struct rule_run *rule_run, const void *thresholds,
                     struct insights *insights) {
    gathered_rule(rule_run, thresholds, gather_stranded, report_stranded, insights);
}
