/* Checks whether models' powers are of what the cluster counts them as: one GPU, or its share of a
   whole node (semantics 3.3). */
#include "study/internal.h"

#include "model/gpu_value.h"
#include "model/model_fields.h"

#include <math.h>

/* A model in use on a GPU type, and where to complain about it. */
struct place_of_power {
    const struct gpu_type *type;
    const struct gpu_model *gpu_model;
    bool is_transformer;
    const char *path;
};

/* What nodes of a type draw beside their GPUs, at most. */
static double own_power_w(const struct cluster *cluster, uint32_t h) {
    double most_w = 0;
    for (uint32_t i = 0; i < cluster->node_count; i++) {
        const struct node *node = &cluster->nodes[i];
        if (node->gpu_type == h)
            most_w = fmax(most_w, node->fixed_w + node->cpu_w_per_busy_gpu * node->gpus);
    }
    return most_w;
}

static void check_node_share(const struct cluster *cluster, uint32_t h,
                             const struct place_of_power *at, struct problems *problems) {
    const char *scope = power_scope_names[at->gpu_model->power_scope];
    double own_w = own_power_w(cluster, h);
    /* pmax_w of a transformer is what the whole peak would take, which no plan reaches. */
    double most_w = at->is_transformer ? at->gpu_model->power.p0_w
                                       : gpu_value_most_w(at->gpu_model, at->type->tdp_w);
    const char *what = at->is_transformer            ? "p0_w"
                       : at->gpu_model->lookup_power ? "a lookup"
                                                     : "pmax_w";
    if (own_w > 0)
        problems_add(
            problems, at->gpu_model->where, at->path,
            "%s counts the whole node: expected nodes of %s with base_w 0 and no other power "
            "of their own, got %.9g W",
            scope, at->type->name, own_w);
    if (most_w > at->type->tdp_w)
        problems_add(problems, at->gpu_model->where, at->path,
                     "%s: expected %s at most the %.9g W that the cluster says is tdp_w of %s, the "
                     "share of a node, got %.9g W",
                     scope, what, at->type->tdp_w, at->type->name, most_w);
}

void power_scopes_check(const struct study *study, const struct usage *usage,
                        struct problems *problems) {
    struct arena scratch = {0};
    for (uint32_t h = 0; h < study->cluster.gpu_type_count; h++) {
        const struct gpu_model *first = NULL;
        const char *first_name = NULL;
        for (uint32_t m = 0; m < study->models.count; m++) {
            const struct model *model = &study->models.models[m];
            const struct gpu_type *type = &study->cluster.gpu_types[h];
            const struct gpu_model *g = model_on_gpu(model, type->name);
            if (!g || !(usage->models[m].types >> h & 1))
                continue;
            const struct place_of_power at = {
                type, g, model->is_transformer,
                arena_printf(&scratch, "models.%s.gpus.%s.power_scope", model->name, type->name)};
            if (g->power_scope != POWER_SCOPE_GPU)
                check_node_share(&study->cluster, h, &at, problems);
            if (first && first->power_scope != g->power_scope)
                problems_add(
                    problems, at.gpu_model->where, at.path,
                    "expected %s as of %s, since both draw the idle_w and ctx_w of %s, got %s",
                    power_scope_names[first->power_scope], first_name, type->name,
                    power_scope_names[g->power_scope]);
            first_name = first ? first_name : model->name;
            first = first ? first : g;
        }
    }
    arena_finish(&scratch);
}
