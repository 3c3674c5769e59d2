/* What the models say of every configuration, feasible or not: the rows of `easim models`. Figures
   are those that a simulation computes with. */
#ifndef EASIM_MODEL_SURVEY_H
#define EASIM_MODEL_SURVEY_H

#include "model/config_table.h"

/* Whether a job may run so, and if not why not: the first that holds. */
enum survey_state {
    SURVEY_OK,
    SURVEY_GPUS,     /* more GPUs than there are of this type */
    SURVEY_BATCH,    /* a batch that neither model nor workload allows */
    SURVEY_MEMORY,   /* does not fit the memory of a GPU */
    SURVEY_NO_POINT, /* outside the lookup table, which is never extrapolated */
    SURVEY_NO_PLAN,  /* no plan of a transformer divides so many GPUs */
    SURVEY_STATES
};

enum survey_range { SURVEY_INSIDE, SURVEY_OUTSIDE, SURVEY_NOT_STATED };

extern const char *const survey_state_names[],
    *const survey_range_names[]; /* by their enum; NULL-terminated */

/* One configuration. What is not defined is NAN; figures of a row that is not SURVEY_OK are what
   the model would say. */
struct survey_row {
    const struct model *model;
    const struct gpu_model *gpu_model;
    const struct gpu_type *type;
    const struct cluster *cluster; /* that the type is of */
    uint32_t phase;                /* of the model, from 0 */
    uint32_t k;
    struct plan plan; /* of a transformer: its batch is the micro-batch, NAN without a plan */
    enum plan_origin plan_origin;
    uint32_t published_k; /* of PLAN_PUBLISHED: of the run that its plan is of */
    double batch;         /* per GPU, of all steps of an iteration */
    double samples;       /* of all GPUs in an iteration */
    double steps;         /* in which it is computed */
    uint32_t span;        /* of the cluster's network; as read of a measured one: enum easim_span */
    double power_limit_w; /* INFINITY: none */
    enum survey_state state;
    enum survey_range range;
    double iteration_s, rate, efficiency,
        goodput;       /* rate, goodput: units of work/s of all k GPUs */
    double power_w;    /* of one GPU; NAN: not known */
    double energy_j;   /* k * power / goodput: of all k GPUs per unit of work */
    double memory_gib; /* of one GPU; NAN: not stated */
    /* Against the fewest GPUs of which the model says how fast they run this batch under this
       limit, base_k (0: none): base_k times the ratio of the rates, and that divided by k. */
    uint32_t base_k;
    double speedup, scaling_efficiency;
};

/* What to look at. Lists of numbers have any order; count 0: what is usual. */
struct survey_list {
    const double *at;
    size_t count;
};

struct survey_wishes {
    const char *const *models, *const *gpus; /* names; count 0: all */
    size_t model_count, gpu_count;
    struct survey_list k;
    struct survey_list batches; /* asked for: those that are not allowed are shown as such */
    struct survey_list allowed; /* by the workload, in place of the model's batches */
    bool spans[2];              /* by enum easim_span: in one node, and all across nodes */
    bool power_limits;          /* also the rows of each limit */
};

/* A measured point beside what the model says of the same configuration. */
struct survey_point {
    struct survey_row measured, modelled;
    const char *source; /* what holds it: "lookup", "power_limits" or "profile" */
    enum evidence evidence;
};

struct survey_pair {
    const struct model *model;
    const struct gpu_model *gpu_model;
    const struct gpu_type *type;
    const struct cluster *cluster;
    bool other_nodes;         /* than those that it was measured on */
    struct plan_table *plans; /* of the survey */
};

/* Zero-initialise; release with survey_finish. */
struct survey {
    ARRAY_OF(struct survey_pair) pairs; /* that were looked at, by model and GPU type */
    ARRAY_OF(struct survey_row) rows;   /* the same, then by k, phase, batch, span, falling limit */
    ARRAY_OF(struct survey_point) points;
    struct plan_table plans;
};

/* Whether a list of wishes has the name, or none. */
bool survey_wants(const char *const *names, size_t count, const char *name);
/* Looks at all models of the set on all GPU types of the cluster that they know: appends pairs,
   rows, and the points that their files hold. */
void survey_make(struct survey *survey, const struct model_set *models,
                 const struct cluster *cluster, const struct survey_wishes *wishes);
/* The pair of these names, or NULL if it was not looked at. */
const struct survey_pair *survey_find(const struct survey *survey, const char *model,
                                      const char *gpu);
/* Adds a point of the pair: k, batch, span, power_limit_w, rate and power_w of *measured. */
void survey_add_point(struct survey *survey, const struct survey_pair *pair,
                      const struct survey_row *measured, const char *source,
                      enum evidence evidence);
void survey_finish(struct survey *survey);

#endif
