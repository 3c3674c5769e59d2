/* What is known of training job kinds on GPU types. */
#ifndef EASIM_MODEL_MODEL_H
#define EASIM_MODEL_MODEL_H

#include "config/schema.h"
#include "model/laws.h"
#include "model/plan.h"
#include "model/serving.h"

enum efficiency_form { EFFICIENCY_NOISE_SCALE, EFFICIENCY_NONE };
/* What a power is of: a GPU alone, or its share of a node, metered at its wall socket (ac), behind
   the power supplies (dc), or somewhere. */
enum power_scope { POWER_SCOPE_GPU, POWER_SCOPE_NODE, POWER_SCOPE_NODE_AC, POWER_SCOPE_NODE_DC };
/* What is linear over the batch between points of a lookup table. */
enum power_between { BETWEEN_POWERS, BETWEEN_ENERGIES };

enum power_form { POWER_LINEAR, POWER_TDP }; /* p0_w and pmax_w; not measured: the GPU's tdp_w */

/* A model under a power limit: over the configurations measured at this limit and without one
   (calibrate: or at the highest), time, power and energy relative to the latter. */
struct power_level {
    struct location where;
    double power_limit_w;
    double time_ratio, power_ratio, energy_ratio; /* means of ratios; energy per sample */
    int64_t configurations;
};

/* Time and power of one configuration under a limit; the ratios are those of this place alone. */
struct power_level_point {
    struct location where;
    int64_t k;
    double batch, power_limit_w, iteration_s, power_w_per_gpu;
    double time_ratio, power_ratio; /* NAN: not stated */
    bool across_nodes;
};

struct power_limits {
    double energy_optimal_w;           /* the limit of least energy_ratio; NAN: not stated */
    struct schema_list levels, points; /* levels: by ascending limit */
};

/* Samples per GPU and iteration that jobs may choose from. At most one of the lists is not empty;
   both double, ascending, without repeats. */
struct batch_choice {
    struct schema_list batches;        /* b */
    struct schema_list global_batches; /* B: b = B / k */
};

/* On k GPUs a batch is computed in that many equal steps, with one update of weights at the end. */
struct grad_accum {
    int64_t k, steps;
    double batch; /* of all steps */
};

/* What a transformer's figures are of. */
enum precision { PRECISION_UNSTATED, PRECISION_BF16 }; /* and on, in the order of precision_names */

/* The plan that k GPUs take, or took. */
struct fixed_plan {
    struct location where;
    int64_t k;
    const char *text;
    struct plan plan;
};

/* A model on one GPU type. */
struct gpu_model {
    struct location where;
    const char *gpu;               /* GPU type name, as in the cluster section */
    struct batch_choice allowed;   /* empty: those of the model */
    double most_batch;             /* of one step, per GPU; NAN: what the memory allows */
    struct schema_list grad_accum; /* struct grad_accum; elsewhere one step */
    struct speed_params speed;
    struct gpu_links links; /* of a transformer; NAN: not stated */
    struct plan_fit plan_fit;
    struct schema_list plans; /* struct fixed_plan; of other k the plan of least time is taken */
    struct schema_list published_plans; /* struct fixed_plan: of the runs that were published */
    int32_t precision;                  /* enum precision: a record */
    int64_t gpus_per_node;              /* of the nodes it was measured on; 0: not stated */
    struct power_params power;
    int32_t power_form;  /* enum power_form */
    int32_t power_scope; /* enum power_scope */
    struct power_limits power_limits;
    const struct yaml_node
        *fit; /* how the parameters were calibrated: a record, a mapping or NULL */
    struct schema_list lookup_points; /* struct interpolation_point, as read */
    struct interpolation lookup;      /* count > 0: used instead of the formulas of what it holds */
    bool lookup_speed, lookup_power;  /* which that is */
    int32_t power_between;            /* enum power_between */
    const struct yaml_node *evidence; /* one word, or a mapping from parameter to word */
    const struct yaml_node *source;   /* text, or a mapping from parameter to text */
    enum evidence weakest;            /* of all its parameters */
    struct schema_list range_k;       /* int64_t [least, most] measured; count 0: not stated */
    struct schema_list range_batch;   /* the same, double */
    double mape_in_sample, mape_leave_one_out; /* NAN: not stated */
};

/* Costs of starting and stopping, by model. */
struct start_costs {
    double start_s, restart_s, checkpoint_s, checkpoint_interval_s;
};

/* A part of a job's work, from the end of the phase before. */
struct model_phase {
    struct location where;
    double until;               /* share of the work at its end */
    double phi;                 /* NAN: the model's */
    struct schema_list batches; /* double; count 0: the model's */
};

struct model {
    struct location where;
    const char *name;
    /* Reference global batch and gradient noise scale, samples; NAN: none. phi NAN may be left to
       the phases. */
    double m0, phi;
    int32_t efficiency; /* enum efficiency_form */
    const struct yaml_node
        *fit;                  /* how m0, phi, samples_to_target were calibrated: as in gpu_model */
    double samples_to_target;  /* at efficiency 1; NAN: not stated */
    struct schema_list phases; /* struct model_phase; count 0: one, of phi and batches above */
    struct start_costs costs;
    double mem0_gib, mem1_gib;                   /* GPU memory = mem0 + mem1 * batch per GPU */
    struct batch_choice allowed;                 /* for GPU types without their own */
    double flops_per_sample, bytes_per_sample;   /* NAN: not stated */
    double storage_bytes_per_sample, sync_bytes; /* likewise */
    const struct yaml_node *gpus_node;
    struct gpu_model *gpus;
    uint32_t gpu_count; /* 0: it has serving tables only, no job can be of it */
    struct model_serving serving;
    bool is_transformer; /* plans say how fast it is, not forms */
    struct transformer transformer;
};

struct model_set {
    struct model *models;
    uint32_t count;
    bool published;    /* jobs take published plans before those of least time */
    uint32_t *by_name; /* open addressing by the hash of a name: 1 + the first model that has it; 0:
                          empty */
    uint32_t slots;    /* of by_name, a power of two; 0: there are no models */
    const struct yaml_node
        *rigid_speed; /* mapping from GPU type to speed ratio of rigid jobs, or NULL */
};

#endif
