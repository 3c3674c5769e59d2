/* The keys of model files: see model_fields.h. */
#include "model/model_fields.h"

#include "cluster/cluster.h"
#include "model/model_phase.h"

#include <math.h>

#define OF(member) .offset = offsetof(struct gpu_model, member)
#define SECONDS    .max = 1e6, .dimension = DIMENSION_TIME
#define NUMBER(name, member, ...) \
    { .key = name, .type = FIELD_REAL, OF(member), __VA_ARGS__ }

static const struct field lookup_fields[] = {
    {.type = FIELD_LOCATION, .offset = offsetof(struct interpolation_point, where)},
    {.key = "k",
     .type = FIELD_INT,
     .offset = offsetof(struct interpolation_point, k),
     .required = true,
     .min = 1,
     .max = 1e6},
    {.key = "batch",
     .type = FIELD_REAL,
     .offset = offsetof(struct interpolation_point, batch),
     .required = true,
     .above_min = true,
     .max = BATCH_MOST},
    {.key = "throughput_samples_s",
     .type = FIELD_REAL,
     .offset = offsetof(struct interpolation_point, throughput_samples_s),
     .default_value = NAN,
     .above_min = true,
     .max = 1e12},
    {.key = "power_w_per_gpu",
     .type = FIELD_REAL,
     .offset = offsetof(struct interpolation_point, power_w_per_gpu),
     .default_value = NAN,
     .above_min = true,
     .max = 1e5,
     .dimension = DIMENSION_POWER},
    {.key = "across_nodes",
     .type = FIELD_BOOL,
     .offset = offsetof(struct interpolation_point, across_nodes)},
    FIELDS_END};

static const struct field grad_accum_fields[] = {{.key = "k",
                                                  .type = FIELD_INT,
                                                  .offset = offsetof(struct grad_accum, k),
                                                  .required = true,
                                                  .min = 1,
                                                  .max = 1e6},
                                                 {.key = "batch",
                                                  .type = FIELD_REAL,
                                                  .offset = offsetof(struct grad_accum, batch),
                                                  .required = true,
                                                  .above_min = true,
                                                  .max = BATCH_MOST},
                                                 {.key = "steps",
                                                  .type = FIELD_INT,
                                                  .offset = offsetof(struct grad_accum, steps),
                                                  .required = true,
                                                  .min = 1,
                                                  .max = 1e6},
                                                 FIELDS_END};

static const char *const sync_law_names[] = {"linear", "log2", NULL};
static const char *const efficiency_names[] = {"noise_scale", "none", NULL};
static const char *const power_form_names[] = {"linear", "tdp", NULL};

#define WATTS .type = FIELD_REAL, .above_min = true, .max = 1e5, .dimension = DIMENSION_POWER

#define LEVEL(member) .offset = offsetof(struct power_level, member), .required = true
#define POINT(member) .offset = offsetof(struct power_level_point, member), .required = true
#define RATIO         .type = FIELD_REAL, .above_min = true, .max = 1e20
/* A limit makes nothing faster: what is below 1 has to be scatter, far below 1 a mistake. */
#define TIME_RATIO .type = FIELD_REAL, .min = 0.5, .max = 1e20

static const struct field power_level_fields[] = {
    {.type = FIELD_LOCATION, .offset = offsetof(struct power_level, where)},
    {.key = "power_limit_w", WATTS, LEVEL(power_limit_w)},
    {.key = "time_ratio", TIME_RATIO, LEVEL(time_ratio)},
    {.key = "power_ratio", RATIO, LEVEL(power_ratio)},
    {.key = "energy_ratio", RATIO, LEVEL(energy_ratio)},
    {.key = "configurations", .type = FIELD_INT, LEVEL(configurations), .min = 1, .max = 1e9},
    FIELDS_END};

static const struct field power_level_point_fields[] = {
    {.type = FIELD_LOCATION, .offset = offsetof(struct power_level_point, where)},
    {.key = "power_limit_w", WATTS, POINT(power_limit_w)},
    {.key = "k", .type = FIELD_INT, POINT(k), .min = 1, .max = 1e6},
    {.key = "batch", .type = FIELD_REAL, POINT(batch), .above_min = true, .max = BATCH_MOST},
    {.key = "across_nodes",
     .type = FIELD_BOOL,
     .offset = offsetof(struct power_level_point, across_nodes)},
    {.key = "iteration_s", RATIO, POINT(iteration_s), .dimension = DIMENSION_TIME},
    {.key = "power_w_per_gpu", WATTS, POINT(power_w_per_gpu)},
    {.key = "time_ratio",
     TIME_RATIO,
     .offset = offsetof(struct power_level_point, time_ratio),
     .default_value = NAN},
    {.key = "power_ratio",
     RATIO,
     .offset = offsetof(struct power_level_point, power_ratio),
     .default_value = NAN},
    FIELDS_END};

static const struct field power_limits_fields[] = {
    {.key = "energy_optimal_w",
     WATTS,
     .offset = offsetof(struct power_limits, energy_optimal_w),
     .default_value = NAN},
    {.key = "levels",
     .type = FIELD_OBJECTS,
     .offset = offsetof(struct power_limits, levels),
     .required = true,
     .fields = power_level_fields,
     .item_size = sizeof(struct power_level)},
    {.key = "points",
     .type = FIELD_OBJECTS,
     .offset = offsetof(struct power_limits, points),
     .fields = power_level_point_fields,
     .item_size = sizeof(struct power_level_point)},
    FIELDS_END};

#undef LEVEL
#undef POINT
#undef WATTS
#undef RATIO
#undef TIME_RATIO

#define BATCH_LISTS \
    {.key = "batches", \
     .type = FIELD_REALS, \
     OF(allowed.batches), \
     .above_min = true, \
     .max = BATCH_MOST, \
     .help = "allowed batches per GPU"}, \
    { \
        .key = "global_batches", .type = FIELD_REALS, OF(allowed.global_batches), \
        .above_min = true, .max = 1e12, .help = "instead: allowed batches of all GPUs, b = B / k" \
    }

const struct field gpu_model_fields[] = {
    {.type = FIELD_LOCATION, OF(where)},
    BATCH_LISTS,
    {.key = "grad_accum",
     .type = FIELD_OBJECTS,
     OF(grad_accum),
     .fields = grad_accum_fields,
     .item_size = sizeof(struct grad_accum),
     .help = "steps of an iteration by k and batch per GPU (elsewhere 1)"},
    NUMBER("a_s", speed.a_s, .default_value = NAN, .above_min = true, SECONDS,
           .help = "launch floor of an iteration"),
    NUMBER("c_s", speed.c_s, .default_value = NAN, .above_min = true, SECONDS,
           .help = "per sample at saturation"),
    NUMBER("gamma", speed.gamma, .default_value = NAN, .min = 1, .max = 10,
           .help = "overlap of the two"),
    NUMBER("alpha_s", speed.alpha_s[0], .default_value = NAN, SECONDS,
           .help = "synchronisation of two GPUs"),
    NUMBER("beta_s", speed.beta_s[0], .default_value = 0, SECONDS,
           .help = "and of each further GPU"),
    NUMBER("alpha_inter_s", speed.alpha_s[1], .default_value = NAN, SECONDS,
           .help = "the same across nodes (default alpha_s)"),
    NUMBER("beta_inter_s", speed.beta_s[1], .default_value = NAN, SECONDS,
           .help = "(default beta_s)"),
    {.key = "sync_inter",
     .type = FIELD_CHOICE,
     OF(speed.sync_inter),
     .choices = sync_law_names,
     .help = "of n nodes: linear in GPUs, or alpha_inter_s + beta_inter_s log2(n)"},
    {.key = "gpus_per_node",
     .type = FIELD_INT,
     OF(gpus_per_node),
     .default_value = 0,
     .min = 1,
     .max = CLUSTER_MAX_NODE_GPUS,
     .help = "of the nodes measured; on others every start is outside the measured range"},
    NUMBER("sync_gamma", speed.sync_gamma, .default_value = 1, .min = 1, .max = 10,
           .help = "overlap of compute and synchronisation"),
    NUMBER("scaling_exponent", speed.scaling_exponent, .default_value = 0, .max = 1,
           .help = "compute time grows as k to this power"),
    {.key = "power",
     .type = FIELD_CHOICE,
     OF(power_form),
     .choices = power_form_names,
     .help = "linear (p0_w, pmax_w) | tdp: not measured, the tdp_w of the GPU type"},
    NUMBER("p0_w", power.p0_w, .default_value = NAN, .above_min = true, .max = 1e5,
           .dimension = DIMENSION_POWER, .help = "power at 0 samples/s"),
    NUMBER("pmax_w", power.pmax_w, .default_value = NAN, .above_min = true, .max = 1e5,
           .dimension = DIMENSION_POWER, .help = "power at saturation"),
    {.key = "lookup",
     .type = FIELD_OBJECTS,
     OF(lookup_points),
     .fields = lookup_fields,
     .item_size = sizeof(struct interpolation_point),
     .help = "measured points used instead of the formulas"},
    {.key = "power_limits",
     .type = FIELD_OBJECT,
     OF(power_limits),
     .fields = power_limits_fields,
     .help = "time and power by power limit: levels that a policy may choose"},
    {.key = "fit",
     .type = FIELD_NODE,
     OF(fit),
     .help = "how the figures were calibrated (a record: not used)"},
    {.key = "evidence",
     .type = FIELD_NODE,
     OF(evidence),
     .required = true,
     .help = "measured | derived | assumed, for all parameters or by parameter"},
    {.key = "source",
     .type = FIELD_NODE,
     OF(source),
     .required = true,
     .help = "where the figures come from"},
    {.key = "range_k",
     .type = FIELD_INTS,
     OF(range_k),
     .min = 1,
     .max = 1e6,
     .help = "least and most k measured"},
    {.key = "range_batch",
     .type = FIELD_REALS,
     OF(range_batch),
     .above_min = true,
     .max = BATCH_MOST,
     .help = "least and most batch per GPU measured"},
    NUMBER("mape_in_sample", mape_in_sample, .default_value = NAN, .max = 100,
           .help = "mean absolute relative error"),
    NUMBER("mape_leave_one_out", mape_leave_one_out, .default_value = NAN, .max = 100,
           .help = "the same, leaving one configuration out"),
    FIELDS_END};

#undef OF
#define OF(member) .offset = offsetof(struct model_phase, member)

static const struct field phase_fields[] = {
    {.type = FIELD_LOCATION, OF(where)},
    {.key = "until",
     .type = FIELD_REAL,
     OF(until),
     .required = true,
     .above_min = true,
     .max = 1,
     .help = "share of the job's work at which it ends; 1 for the last one"},
    {.key = "phi",
     .type = FIELD_REAL,
     OF(phi),
     .default_value = NAN,
     .max = 1e15,
     .help = "gradient noise scale in it (default the model's)"},
    {.key = "batches",
     .type = FIELD_REALS,
     OF(batches),
     .above_min = true,
     .max = BATCH_MOST,
     .help = "allowed batches per GPU in it (default the model's)"},
    FIELDS_END};

#undef OF
#define OF(member) .offset = offsetof(struct model, member)

const struct field model_fields[] = {
    {.type = FIELD_LOCATION, OF(where)},
    {.key = "name", .type = FIELD_STRING, OF(name), .required = true, .min = 1},
    {.key = "m0",
     .type = FIELD_REAL,
     OF(m0),
     .default_value = NAN,
     .above_min = true,
     .max = 1e12,
     .help = "reference global batch, samples"},
    {.key = "phi",
     .type = FIELD_REAL,
     OF(phi),
     .default_value = NAN,
     .max = 1e15,
     .help = "gradient noise scale, samples; may be left to the phases"},
    {.key = "phases",
     .type = FIELD_OBJECTS,
     OF(phases),
     .fields = phase_fields,
     .item_size = sizeof(struct model_phase),
     .min = 1,
     .max = MODEL_MAX_PHASES,
     .help = "parts of a job's work with phi and batches of their own"},
    {.key = "efficiency",
     .type = FIELD_CHOICE,
     OF(efficiency),
     .choices = efficiency_names,
     .help = "noise_scale (m0, phi) | none: every output counts in full, and no m0 and phi"},
    {.key = "samples_to_target",
     .type = FIELD_REAL,
     OF(samples_to_target),
     .default_value = NAN,
     .above_min = true,
     .max = 1e300,
     .help = "reference samples of a whole training, for sizes of mean: target"},
    {.key = "start_s",
     .type = FIELD_DURATION,
     OF(costs.start_s),
     SECONDS,
     .help = "set-up at the first start"},
    {.key = "restart_s",
     .type = FIELD_DURATION,
     OF(costs.restart_s),
     SECONDS,
     .help = "set-up at later starts"},
    {.key = "checkpoint_s",
     .type = FIELD_DURATION,
     OF(costs.checkpoint_s),
     SECONDS,
     .help = "time of an on-demand checkpoint"},
    {.key = "checkpoint_interval_s",
     .type = FIELD_DURATION,
     OF(costs.checkpoint_interval_s),
     SECONDS,
     .help = "computing time between periodic checkpoints; 0 = on demand"},
    {.key = "mem0_gib", .type = FIELD_GIB, OF(mem0_gib), .max = 1e6},
    {.key = "mem1_gib",
     .type = FIELD_GIB,
     OF(mem1_gib),
     .max = 1e6,
     .help = "per sample of the batch per GPU"},
    BATCH_LISTS,
    {.key = "flops_per_sample",
     .type = FIELD_REAL,
     OF(flops_per_sample),
     .default_value = NAN,
     .max = 1e30},
    {.key = "bytes_per_sample",
     .type = FIELD_REAL,
     OF(bytes_per_sample),
     .default_value = NAN,
     .max = 1e30,
     .dimension = DIMENSION_BYTES},
    {.key = "gpus",
     .type = FIELD_NODE,
     OF(gpus_node),
     .required = true,
     .unless = "serving",
     .help = "mapping from GPU type to its parameters"},
    {.key = "unit",
     .type = FIELD_CHOICE,
     OF(serving.unit),
     .choices = work_unit_names,
     .help = "what work and throughput count: sample | token | output"},
    {.key = "prompt",
     .type = FIELD_OBJECT,
     OF(serving.prompt),
     .fields = prompt_fields,
     .help = "tokens: what prompts cost"},
    {.key = "serving",
     .type = FIELD_OBJECTS,
     OF(serving.tables),
     .fields = serving_fields,
     .item_size = sizeof(struct serving),
     .help = "tables of replicas that answer requests"},
    FIELDS_END};

#undef OF
