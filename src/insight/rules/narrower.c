/* Narrower choices: see narrower.h. */
#include "insight/rules/narrower.h"

#define NOT_ONE_LIST "the scenario has several streams, each with choices of its own"

static const struct yaml_node *workload_of(const struct rule_run *rule_run) {
    const struct yaml_node *root = rule_run->folder->scenario.doc.root;
    return root ? yaml_find(root, "workload") : NULL;
}

/* Whether the section has one list for all jobs. A log may state them by job besides. */
static bool has_lists(const struct rule_run *rule_run, struct insight *insight) {
    const struct yaml_node *workload = workload_of(rule_run);
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

bool narrower_k(const struct rule_run *rule_run, struct insights *insights, struct insight *insight,
                uint32_t most) {
    uint32_t counts[CONFIG_MAX_CHOICES];
    struct str list = {0};
    if (!has_lists(rule_run, insight))
        return false;
    size_t count = list_counts(rule_run, counts), kept = 0;
    str_add_char(&list, '[');
    for (size_t i = 0; i < count; i++)
        if (counts[i] <= most)
            str_addf(&list, "%s%u", kept++ > 0 ? ", " : "", counts[i]);
    str_add_char(&list, ']');
    if (kept > 0)
        insight_change(insights, insight, "workload.k", list.text);
    else
        insight->what_if.note = "no job may take fewer GPUs";
    str_finish(&list);
    return kept > 0;
}

bool narrower_b(const struct rule_run *rule_run, struct insights *insights, struct insight *insight,
                const double *batches, size_t count) {
    struct str list = {0};
    if (!has_lists(rule_run, insight))
        return false;
    str_add_char(&list, '[');
    for (size_t i = 0; i < count; i++) {
        str_add(&list, i > 0 ? ", " : "");
        str_add_real(&list, batches[i]);
    }
    str_add_char(&list, ']');
    insight_change(insights, insight, "workload.b", list.text);
    str_finish(&list);
    return true;
}

bool narrower_h(const struct rule_run *rule_run, struct insights *insights, struct insight *insight,
                uint32_t gpu_type) {
    if (!has_lists(rule_run, insight))
        return false;
    insight_change(
        insights, insight, "workload.h",
        arena_printf(&insights->arena, "[%s]", rule_run->folder->cluster.gpu_types[gpu_type].name));
    return true;
}
