/* The plans that jobs of transformers take, found once for each model, GPU type and k. */
#ifndef EASIM_MODEL_PLAN_TABLE_H
#define EASIM_MODEL_PLAN_TABLE_H

#include "base/intern.h"
#include "cluster/cluster.h"
#include "easim/policy.h"
#include "model/laws.h"
#include "model/model.h"

enum plan_origin { PLAN_NONE, PLAN_OF_LEAST_TIME, PLAN_STATED, PLAN_PUBLISHED };
extern const char *const plan_origin_names[];

/* The plan that the model states for k; else, if jobs take published plans, that of the nearest
   published k, with as many replicas as k takes, that can be and fits the memory; else that of
   least time where the empty cluster places k GPUs. A job keeps it wherever it is placed. */
struct plan_choice {
    struct plan plan; /* no plan: 0 GPUs */
    enum plan_origin origin;
    uint32_t published_k; /* of PLAN_PUBLISHED: of the run that it is of */
    double least_gib; /* what the least of all plans, or the stated one, needs; INFINITY: none can
                         be */
};

struct plan_table {
    bool published;     /* jobs take published plans before those of least time */
    struct intern keys; /* (model, type, k) -> choice */
    ARRAY_OF(struct plan_choice) choices;
};

void plan_table_finish(struct plan_table *table);

/* The model has to be a transformer with an entry for the type, which is one of the cluster. The
   answer is the table's, until the next call. */
const struct plan_choice *plan_table_find(struct plan_table *table, const struct model *model,
                                          const struct cluster *cluster,
                                          const struct gpu_type *type, uint32_t k);

/* What plans of a model run on; a type without nodes counts as nodes of one GPU. */
struct plan_hardware plan_hardware_of(const struct gpu_model *gpu_model,
                                      const struct gpu_type *type);

/* Time of an iteration and power of one GPU under a plan: p0 + (pmax - p0) times the share of the
   peak that it reaches, not cut at any limit. */
struct interpolation_value plan_value(const struct model *model, const struct gpu_model *gpu_model,
                                      const struct gpu_type *type, const struct plan *plan,
                                      uint32_t span);

/* Share of an iteration in which its GPUs send each other data: within layers, between stages, and
   gradients. */
double plan_transfer_share(const struct model *model, const struct gpu_model *gpu_model,
                           const struct gpu_type *type, const struct plan *plan, uint32_t span);
/* The configuration of k GPUs of a type under a plan, in all of its spans. */
void plan_table_tabulate(const struct model *model, const struct cluster *cluster,
                         const struct plan *plan, struct easim_config *config);

#endif
