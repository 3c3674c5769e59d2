/* Changes that several rules propose to try: each sets the what-if of an insight, or says why there
   is none. */
#include "insight/rules/internal.h"

#include "base/numfmt.h"

#include <math.h>

bool proposal_param(struct insight *insight, const char *role, const char *value) {
    const struct policy_param *param = policy_facts_param(&insight->rule_run->facts, role);
    if (!param || strcmp(param->value, value) == 0)
        return false;
    insight_change(insight, arena_printf(insight->arena, "policy.params.%s", param->name), value);
    return true;
}

const struct yaml_node *proposal_section(const struct insight *insight, const char *key) {
    const struct yaml_node *root = insight->rule_run->folder->scenario.doc.root;
    return root ? yaml_find(root, key) : NULL;
}

const char *proposal_number(struct insight *insight, double value) {
    char text[NUMFMT_BYTES];
    numfmt_real(text, value);
    return arena_strdup(insight->arena, text);
}

bool proposal_duration(struct insight *insight, const char *role, double factor, double usual_s) {
    const struct policy_param *param = policy_facts_param(&insight->rule_run->facts, role);
    double value_s = 0;
    if (!param)
        return false;
    if (!numfmt_parse_real(param->value, strlen(param->value), &value_s) || value_s <= 0)
        value_s = usual_s / factor;
    return proposal_param(insight, role, proposal_number(insight, factor * value_s));
}

void proposal_free_cap(struct insight *insight) {
    const struct cluster *cluster = &insight->rule_run->folder->cluster;
    double most_w = network_power_w(&cluster->network);
    for (uint32_t n = 0; n < cluster->node_count; n++) {
        const struct node *node = &cluster->nodes[n];
        most_w += node->fixed_w + node->gpus * (cluster->gpu_types[node->gpu_type].tdp_w +
                                                node->cpu_w_per_busy_gpu);
    }
    const struct yaml_node *cap = yaml_find(proposal_section(insight, "cluster"), "power_cap");
    const char *watts = proposal_number(insight, ceil(most_w));
    if (cap && yaml_find(cap, "file"))
        insight_change(insight, "cluster.power_cap",
                       arena_printf(insight->arena, "{watts: %s, enforce: throttle}", watts));
    else
        insight_change(insight, cap ? "cluster.power_cap.watts" : "cluster.power_cap_w", watts);
    insight->what_if.assumes = "the power cap were lifted";
}

bool proposal_smaller_k(struct insight *insight) {
    const struct yaml_node *workload = proposal_section(insight, "workload");
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
        insight_change(insight, "workload.k", all.text);
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

bool proposal_power_limits(struct insight *insight) {
    return have_levels(&insight->rule_run->folder->models) &&
           proposal_param(insight, "limits", "true");
}

void proposal_override(struct insight *insight, const char *entry) {
    const struct yaml_node *list = proposal_section(insight, "model_overrides");
    size_t place = list && list->kind == YAML_NODE_SEQUENCE ? list->count : 0;
    insight_change(insight, arena_printf(insight->arena, "model_overrides[%zu]", place), entry);
}

/* --- narrower --- */

#define NOT_ONE_LIST "the scenario has several streams, each with choices of its own"

/* Whether the section has one list for all jobs. A log may have lists by job, too. */
static bool has_lists(struct insight *insight) {
    const struct yaml_node *workload = proposal_section(insight, "workload");
    if (!workload || yaml_find(workload, "streams")) {
        insight->what_if.note = NOT_ONE_LIST;
        return false;
    }
    return true;
}

/* All numbers of GPUs that some job with a model may take. */
static size_t list_counts(const struct rule_run *rule_run, uint32_t *counts) {
    const struct config_table *table = &rule_run->run->workload.table;
    size_t count = 0;
    for (size_t s = 0; s < table->sets.count; s++) {
        const struct config_request *request = table->sets.at[s].request;
        for (uint32_t i = 0; request && request->kind == JOB_KIND_MALLEABLE && i < request->k_count;
             i++) {
            size_t at = 0;
            while (at < count && counts[at] != request->k[i])
                at++;
            if (at == count && count < CONFIG_MAX_CHOICES)
                counts[count++] = request->k[i];
        }
    }
    sort_array(counts, count, by_uint32);
    return count;
}

bool narrower_k(struct insight *insight, uint32_t most) {
    uint32_t counts[CONFIG_MAX_CHOICES];
    struct str list = {0};
    if (!has_lists(insight))
        return false;
    size_t count = list_counts(insight->rule_run, counts), kept = 0;
    str_add_char(&list, '[');
    for (size_t i = 0; i < count; i++)
        if (counts[i] <= most)
            str_addf(&list, "%s%u", kept++ > 0 ? ", " : "", counts[i]);
    str_add_char(&list, ']');
    if (kept > 0)
        insight_change(insight, "workload.k", list.text);
    else
        insight->what_if.note = "no job may take fewer GPUs";
    str_finish(&list);
    return kept > 0;
}

bool narrower_b(struct insight *insight, const double *batches, size_t count) {
    struct str list = {0};
    if (!has_lists(insight))
        return false;
    str_add_char(&list, '[');
    for (size_t i = 0; i < count; i++) {
        str_add(&list, i > 0 ? ", " : "");
        str_add_real(&list, batches[i]);
    }
    str_add_char(&list, ']');
    insight_change(insight, "workload.b", list.text);
    str_finish(&list);
    return true;
}

bool narrower_h(struct insight *insight, uint32_t gpu_type) {
    if (!has_lists(insight))
        return false;
    insight_change(insight, "workload.h",
                   arena_printf(insight->arena, "[%s]",
                                insight->rule_run->folder->cluster.gpu_types[gpu_type].name));
    return true;
}
