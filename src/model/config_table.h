/* The configurations (k, b, h, power limit) that jobs may take, with goodput and power tabulated
   once per run. Jobs with equal limits share one set of configurations. */
#ifndef EASIM_MODEL_CONFIG_TABLE_H
#define EASIM_MODEL_CONFIG_TABLE_H

#include "base/intern.h"
#include "cluster/cluster.h"
#include "easim/policy.h"
#include "model/config_speeds.h"
#include "model/job_kind.h"
#include "model/model_file.h"
#include "model/plan_table.h"

#define CONFIG_MAX_CHOICES 64 /* of k, and of b, in one request */

/* A lookup table may know a configuration in one span only (goodput 0 in the other). It is in a set
   if placement could ever give it that span, and a set in which the empty cluster gives no
   configuration its span is empty. */

/* What a job allows. Lists are ascending and without repeats. */
struct config_request {
    enum job_kind kind;
    uint32_t model; /* index, or EASIM_NONE where the kind has none */
    uint32_t k_count, batch_count;
    uint64_t type_mask; /* bit per GPU type of the cluster; 0 = every type (the model knows) */
    double utilization; /* rigid jobs only */
    uint32_t milli;     /* likewise, k = 1: thousandths of the GPU asked for; 0: whole GPUs */
    bool changes;       /* likewise: the utilization may, so no power limit holds for the job */
    uint32_t phase;     /* of the model; callers leave it 0 */
    uint32_t k[CONFIG_MAX_CHOICES];
    double batch[CONFIG_MAX_CHOICES]; /* batch_count 0: the model's batches */
};

struct config_set {
    uint32_t first, count; /* in the table; count 0: nothing is feasible, see reason */
    uint64_t type_mask;    /* bit per GPU type that a configuration has */
    struct config_speeds speeds;
    const char *reason;                   /* why nothing is feasible, in words */
    const struct config_request *request; /* what it was made for; of the table */
    /* Where the model has phases: the set of the next phase comes next in the table. */
    double until;                    /* share of the work at the end of this one; 1: the last */
    uint32_t kept_first, kept_count; /* configurations that jobs keep which find none of the set */
};

/* Which configurations there are beside those of whole GPUs without a power limit. */
struct config_extras {
    bool power_limits; /* with each power limit of the model file */
    bool law_limits;   /* without such: with limits by the law of the GPU type */
    bool shares;       /* parts of GPUs, for those who ask for them; else they get whole ones */
    bool any_limits;   /* no more configurations: bounds count with limits in between, too */
};

/* Numbers of GPUs, ascending, without repeats. */
struct k_choice {
    uint32_t *at;
    size_t count, capacity;
};

/* What a GPU does for a model, over its batches in its first phase: with k = 1 where it can run
   so, else with the least k of allowed_k that it can. */
struct config_unit {
    double goodput; /* of one GPU, reference samples/s; 0: it cannot run there */
    uint32_t gpu_type, k;
};

struct config_table {
    const struct cluster *cluster;
    const struct model_set *models;
    struct config_extras extras; /* set before the first set is made */
    const struct k_choice
        *allowed_k; /* by model; borrowed; NULL: nobody asks for more than one GPU */
    const struct config_table
        *known;          /* borrowed: a table of the same cluster, models and allowed_k
                            whose configurations are copied, if extras agree; or NULL */
    bool has_shares;     /* some configuration is part of a GPU */
    bool has_plans;      /* some configuration is that of a transformer */
    bool has_phases;     /* some set is that of a phase that is not the last */
    double *rigid_speed; /* by GPU type */
    ARRAY_OF(struct easim_config) configs;
    ARRAY_OF(struct config_set) sets;
    struct intern requests;         /* request -> set */
    struct plan_table *plans;       /* of transformers: found when asked for, by any reader */
    struct config_unit *references; /* by model, likewise; k 0: not yet */
    struct arena arena;
};

/* Reads the rigid_speed section of the models, if any, and checks their power limits against the
   cluster; negative after adding problems. */
int config_table_init(struct config_table *table, const struct cluster *cluster,
                      const struct model_set *models, struct problems *problems) MUST_CHECK;
void config_table_finish(struct config_table *table);

/* The set for a request, made on first use; of a model with phases that of the first one.
   Ownership of the request stays with the caller. */
uint32_t config_table_set(struct config_table *table, const struct config_request *request);
/* The configuration that a job in config, which another phase of its request knows, takes in the
   phase of set, placed as span: see batches.h; else its own, with the goodput of that phase. */
uint32_t config_table_in_phase(const struct config_table *table, uint32_t set, uint32_t config,
                               uint32_t span);

struct config_best config_table_best(const struct config_table *table, uint32_t set, double work,
                                     double setup_s);
/* Its time_s alone. */
static inline double config_table_best_s(const struct config_table *table, uint32_t set,
                                         double work, double setup_s) {
    return config_speeds_best_s(&table->sets.at[set].speeds, work, setup_s);
}
/* Least T over the configurations that the empty cluster places, with k <= most_k (the smallest k
   there is if none), with set-up setup_s. */
double config_table_best_time_within(const struct config_table *table, uint32_t set, double work,
                                     double setup_s, uint32_t most_k);
struct config_unit config_table_unit(const struct config_table *table, uint32_t model,
                                     uint32_t gpu_type);
/* The work unit of a model (semantics 16): that of the first GPU type that runs it with k = 1, else
   of the first that runs it at all. */
struct config_unit config_table_reference(const struct config_table *table, uint32_t model);
/* The plan under which k GPUs of a type train a model; NULL: the model is no transformer. */
const struct plan *config_table_plan(const struct config_table *table, uint32_t model,
                                     uint32_t gpu_type, uint32_t k);
/* Whether the model was measured on other nodes than those of GPU type h. */
bool config_table_other_nodes(const struct cluster *cluster, const struct gpu_model *gpu_model,
                              uint32_t h);

#endif
