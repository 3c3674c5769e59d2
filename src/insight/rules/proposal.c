/* What rules propose: see proposal.h. */
#include "insight/rules/proposal.h"

#include "base/numfmt.h"

#include <math.h>

bool proposal_param(const struct rule_run *rule_run, struct insights *insights,
                    struct insight *insight, const char *name, const char *value) {
    if (!policy_facts_may_set(&rule_run->facts, name, value))
        return false;
    insight_change(insights, insight, arena_printf(&insights->arena, "policy.params.%s", name),
                   value);
    return true;
}

const char *proposal_number(struct insights *insights, double value) {
    char text[NUMFMT_BYTES];
    numfmt_real(text, value);
    return arena_strdup(&insights->arena, text);
}

bool proposal_duration(const struct rule_run *rule_run, struct insights *insights,
                       struct insight *insight, const char *name, double factor, double usual_s) {
    const char *now = policy_facts_param(&rule_run->facts, name);
    double value_s = 0;
    if (!now)
        return false;
    if (!numfmt_parse_real(now, strlen(now), &value_s) || value_s <= 0)
        value_s = usual_s / factor;
    return proposal_param(rule_run, insights, insight, name,
                          proposal_number(insights, factor * value_s));
}

void proposal_free_cap(const struct rule_run *rule_run, struct insights *insights,
                       struct insight *insight) {
    const struct cluster *cluster = &rule_run->folder->cluster;
    double most_w = network_power_w(&cluster->network);
    for (uint32_t n = 0; n < cluster->node_count; n++) {
        const struct node *node = &cluster->nodes[n];
        most_w += node->fixed_w + node->gpus * (cluster->gpu_types[node->gpu_type].tdp_w +
                                                node->cpu_w_per_busy_gpu);
    }
    insight_change(insights, insight, "cluster.power_cap_w",
                   proposal_number(insights, ceil(most_w)));
    insight->what_if.assumes = "the power cap were lifted";
}

bool proposal_smaller_k(const struct rule_run *rule_run, struct insights *insights,
                        struct insight *insight) {
    const struct yaml_node *root = rule_run->folder->scenario.doc.root;
    const struct yaml_node *workload = root ? yaml_find(root, "workload") : NULL;
    const struct yaml_node *k = workload ? yaml_find(workload, "k") : NULL;
    struct str list = {0};
    double least = INFINITY, value;
    if (!k || yaml_find(workload, "streams") || k->kind == YAML_NODE_MAPPING)
        return false;
    const struct yaml_node *const *items =
        k->kind == YAML_NODE_SEQUENCE ? (const struct yaml_node *const *)k->items : &k;
    size_t count = k->kind == YAML_NODE_SEQUENCE ? k->count : 1;
    for (size_t i = 0; i < count; i++) {
        if (!numfmt_parse_real(items[i]->text, items[i]->length, &value))
            return false;
        least = value < least ? value : least;
        str_addf(&list, ", %s", items[i]->text);
    }
    struct str all = {0};
    str_add(&all, "[1");
    for (double more = 2; more < least; more *= 2)
        str_addf(&all, ", %.0f", more);
    str_addf(&all, "%s]", list.text ? list.text : "");
    if (least > 1 && least < INFINITY)
        insight_change(insights, insight, "workload.k", all.text);
    str_finish(&list);
    str_finish(&all);
    return least > 1 && least < INFINITY;
}

static bool have_levels(const struct model_set *models) {
    for (uint32_t m = 0; m < models->count; m++)
        for (uint32_t g = 0; g < models->models[m].gpu_count; g++)
            if (models->models[m].gpus[g].power_limits.levels.count > 0)
                return true;
    return false;
}

bool proposal_power_limits(const struct rule_run *rule_run, struct insights *insights,
                           struct insight *insight) {
    return have_levels(&rule_run->folder->models) &&
           proposal_param(rule_run, insights, insight, "power_limits", "true");
}

void proposal_override(const struct rule_run *rule_run, struct insights *insights,
                       struct insight *insight, const char *entry) {
    const struct yaml_node *root = rule_run->folder->scenario.doc.root;
    const struct yaml_node *list = root ? yaml_find(root, "model_overrides") : NULL;
    size_t place = list && list->kind == YAML_NODE_SEQUENCE ? list->count : 0;
    insight_change(insights, insight, arena_printf(&insights->arena, "model_overrides[%zu]", place),
                   entry);
}
