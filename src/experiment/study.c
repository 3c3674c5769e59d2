/* Loading of a whole scenario. */
#include "experiment/study.h"

#include <math.h>
#include <stdlib.h>

/* Idle and busy power must fit the meter (POWER_MAX_W). */
static void check_power(const struct study *s, struct problems *problems) {
    double most_w = 0;
    for (uint32_t n = 0; n < s->cluster.node_count; n++) {
        const struct node *node = &s->cluster.nodes[n];
        most_w +=
            node->fixed_w + node->gpus * (node->cpu_w_per_busy_gpu + s->cluster.gpu_types[node->gpu_type].tdp_w);
    }
    if (most_w > POWER_MAX_W)
        problems_add(problems, s->scenario.cluster->where, "cluster",
                     "expected a peak power of at most %g W, got %g", POWER_MAX_W, most_w);
}

/* params_by_policy of this policy's name first, then policy.params over them. */
static int bind_params(struct study *s, const struct binding *b) {
    const struct easim_policy *policy = s->module.policy;
    const struct yaml_node *by_policy = s->scenario.params_by_policy;
    const struct yaml_node *own = by_policy ? yaml_find(by_policy, policy->name) : NULL;
    const char *own_path = arena_printf(b->arena, "params_by_policy.%s", policy->name);
    params_init(&s->params, policy);
    int first = params_bind(&s->params, own, own_path, b);
    int second = params_bind(&s->params, s->scenario.policy.params, "policy.params", b);
    return first < 0 ? first : second;
}

static int load_policy(struct study *s, struct problems *problems) {
    const struct scenario_policy *policy = &s->scenario.policy;
    struct binding binding = {&s->arena, problems};
    struct error error = {0};
    if (!policy->name)
        return ERROR_INPUT; /* reported already */
    if (module_open(policy->name, &s->module, &error) < 0) {
        const struct yaml_node *name = yaml_find(yaml_find(s->scenario.doc.root, "policy"), "name");
        problems_add(problems, name->where, "policy.name", "%s", error.text);
        return ERROR_INPUT;
    }
    return bind_params(s, &binding);
}

int study_load(struct study *s, const char *path, const struct scenario_overrides *overrides,
               const struct trace_reader *const *readers, struct problems *problems) {
    *s = (struct study){0};
    struct binding binding = {&s->arena, problems};
    size_t before = problems->count;
    if (scenario_load(&s->scenario, path, overrides, problems) < 0 && !s->scenario.doc.root)
        return ERROR_INPUT;
    int policy = load_policy(s, problems);
    int cluster = s->scenario.cluster ? cluster_bind(&s->cluster, s->scenario.cluster, &binding) : ERROR_INPUT;
    int models = model_set_load(&s->models, s->scenario.models, &binding);
    int source = s->scenario.workload ? source_bind(&s->source, &s->scenario, &binding) : ERROR_INPUT;
    if (cluster == 0 && models == 0 && source == 0)
        source = source_load(&s->source, &s->cluster, &s->models, readers, &binding);
    if (cluster == 0)
        check_power(s, problems);
    if (source == 0 && s->source.warmup_ns >= s->scenario.horizon_ns)
        problems_add(problems, s->scenario.workload->where, "workload.warmup", "expected less than the horizon");
    return policy < 0 || problems->count > before ? ERROR_INPUT : 0;
}

void study_finish(struct study *s) {
    source_finish(&s->source);
    module_close(&s->module);
    params_finish(&s->params);
    scenario_finish(&s->scenario);
    arena_finish(&s->arena);
}
