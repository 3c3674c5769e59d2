/* The keys of model files: see model_fields.h. */
#include "model/model_fields.h"

#include "cluster/cluster.h"

#include <math.h>
#include <string.h>

static const struct field lookup_fields[] = {
    {LOCATION(interpolation_point, where)},
    {"k", INT(interpolation_point, k), REQUIRED, RANGE(1, 1e6), HELP("GPUs")},
    {"batch", REAL(interpolation_point, batch), REQUIRED, ABOVE(0, BATCH_MOST),
     HELP("batch per GPU")},
    {"throughput_samples_s", REAL(interpolation_point, throughput_samples_s), DEFAULT(NAN),
     ABOVE(0, 1e12), HELP("speed; of all points or of none")},
    {"power_w_per_gpu", REAL(interpolation_point, power_w_per_gpu), DEFAULT(NAN), ABOVE(0, 1e5),
     UNIT(POWER), HELP("power of a GPU; of all points or of none")},
    {"across_nodes", BOOL(interpolation_point, across_nodes), HELP("measured on several nodes")},
    FIELDS_END};

static const struct field grad_accum_fields[] = {
    {"k", INT(grad_accum, k), REQUIRED, RANGE(1, 1e6), HELP("GPUs")},
    {"batch", REAL(grad_accum, batch), REQUIRED, ABOVE(0, BATCH_MOST), HELP("batch per GPU")},
    {"steps", INT(grad_accum, steps), REQUIRED, RANGE(1, 1e6),
     HELP("steps of an iteration: each has the time and memory of batch / steps")},
    FIELDS_END};

static const struct field fixed_plan_fields[] = {
    {LOCATION(fixed_plan, where)},
    {"k", INT(fixed_plan, k), REQUIRED, RANGE(1, 1e6), HELP("GPUs")},
    {"plan", TEXT(fixed_plan, text), REQUIRED,
     HELP("plan, such as tp8pp4v2dp2mb1; cp follows dp if it is above 1")},
    FIELDS_END,
};

const char *const precision_names[] = {"unstated", "bf16",  "fp16",  "tf32", "fp32",
                                       "fp8",      "mxfp8", "nvfp4", NULL};
static const char *const sync_law_names[] = {"linear", "log2", NULL};
static const char *const efficiency_names[] = {"noise_scale", "none", NULL};
const char *const power_scope_names[] = {"gpu", "node", "node_ac", "node_dc", NULL};
static const char *const power_form_names[] = {"linear", "tdp", NULL};
static const char *const power_between_names[] = {"power", "energy", NULL};

#define WATTS ABOVE(0, 1e5), UNIT(POWER)
#define RATIO ABOVE(0, 1e20)
/* A limit makes nothing faster: what is below 1 has to be scatter, far below 1 a mistake. */
#define TIME_RATIO RANGE(0.5, 1e20)

static const struct field power_level_fields[] = {
    {LOCATION(power_level, where)},
    {"power_limit_w", REAL(power_level, power_limit_w), REQUIRED, WATTS,
     HELP("limit of a GPU, at most its tdp_w")},
    {"time_ratio", REAL(power_level, time_ratio), REQUIRED, TIME_RATIO,
     HELP("time per sample relative to no limit")},
    {"power_ratio", REAL(power_level, power_ratio), REQUIRED, RATIO,
     HELP("power relative to no limit")},
    {"energy_ratio", REAL(power_level, energy_ratio), REQUIRED, RATIO,
     HELP("energy per sample relative to no limit")},
    {"configurations", INT(power_level, configurations), REQUIRED, RANGE(1, 1e9),
     HELP("number of configurations of which these are means")},
    FIELDS_END};

static const struct field power_level_point_fields[] = {
    {LOCATION(power_level_point, where)},
    {"power_limit_w", REAL(power_level_point, power_limit_w), REQUIRED, WATTS,
     HELP("limit of a GPU")},
    {"k", INT(power_level_point, k), REQUIRED, RANGE(1, 1e6), HELP("GPUs")},
    {"batch", REAL(power_level_point, batch), REQUIRED, ABOVE(0, BATCH_MOST),
     HELP("batch per GPU")},
    {"across_nodes", BOOL(power_level_point, across_nodes), HELP("measured on several nodes")},
    {"iteration_s", REAL(power_level_point, iteration_s), REQUIRED, RATIO, UNIT(TIME),
     HELP("time of an iteration")},
    {"power_w_per_gpu", REAL(power_level_point, power_w_per_gpu), REQUIRED, WATTS,
     HELP("power of a GPU")},
    {"time_ratio", REAL(power_level_point, time_ratio), DEFAULT(NAN), TIME_RATIO,
     HELP("with it the point replaces the level for configurations near it")},
    {"power_ratio", REAL(power_level_point, power_ratio), DEFAULT(NAN), RATIO,
     HELP("as time_ratio, of the power")},
    FIELDS_END};

static const struct field power_limits_fields[] = {
    {"energy_optimal_w", REAL(power_limits, energy_optimal_w), DEFAULT(NAN), WATTS,
     HELP("the level of least energy; a record that runs ignore")},
    {"levels", OBJECTS(power_limits, levels, power_level_fields, power_level), REQUIRED,
     HELP("by ascending limit")},
    {"points", OBJECTS(power_limits, points, power_level_point_fields, power_level_point),
     HELP("single measured configurations (default: none)")},
    FIELDS_END};

#define BATCH_LISTS(of) \
    {"batches", REALS(of, allowed.batches), ABOVE(0, BATCH_MOST), \
     HELP("allowed batches per GPU")}, \
    { \
        "global_batches", REALS(of, allowed.global_batches), ABOVE(0, 1e12), \
            HELP("instead: allowed batches of all GPUs, b = B / k") \
    }

#define EVIDENCE .type = FIELD_CHOICE, .choices = evidence_names
const struct field evidence_forms[] = {
    {"", EVIDENCE}, {"", MAPPING_TO({"", EVIDENCE})}, FIELDS_END};

const struct field gpu_model_fields[] = {
    {LOCATION(gpu_model, where)},
    BATCH_LISTS(gpu_model),
    {"most_batch", REAL(gpu_model, most_batch), DEFAULT(NAN), ABOVE(0, BATCH_MOST),
     HELP("largest batch per GPU known to fit in one step (default: what the memory allows)")},
    {"grad_accum", OBJECTS(gpu_model, grad_accum, grad_accum_fields, grad_accum),
     HELP("steps of an iteration, by k and batch per GPU (default: 1 step)")},
    {"a_s", REAL(gpu_model, speed.a_s), DEFAULT(NAN), ABOVE(0, 1e6), UNIT(TIME),
     HELP("launch floor of an iteration; required without lookup")},
    {"c_s", REAL(gpu_model, speed.c_s), DEFAULT(NAN), ABOVE(0, 1e6), UNIT(TIME),
     HELP("time per sample at saturation; required unless lookup has speed and power")},
    {"gamma", REAL(gpu_model, speed.gamma), DEFAULT(NAN), RANGE(1, 10),
     HELP("overlap of a_s and c_s, required without lookup")},
    {"alpha_s", REAL(gpu_model, speed.alpha_s[0]), DEFAULT(NAN), RANGE(0, 1e6), UNIT(TIME),
     HELP("synchronization of two GPUs; required without lookup")},
    {"beta_s", REAL(gpu_model, speed.beta_s[0]), RANGE(0, 1e6), UNIT(TIME),
     HELP("synchronization of each further GPU")},
    {"alpha_inter_s", REAL(gpu_model, speed.alpha_s[1]), DEFAULT(NAN), RANGE(0, 1e6), UNIT(TIME),
     HELP("alpha_s across nodes (default alpha_s)")},
    {"beta_inter_s", REAL(gpu_model, speed.beta_s[1]), DEFAULT(NAN), RANGE(0, 1e6), UNIT(TIME),
     HELP("beta_s across nodes (default beta_s)")},
    {"sync_inter", CHOICE(gpu_model, speed.sync_inter, sync_law_names),
     HELP("log2: alpha_inter_s + beta_inter_s log2(n) across n nodes, those that k GPUs need")},
    {"gpus_per_node", INT(gpu_model, gpus_per_node), RANGE(1, CLUSTER_MAX_NODE_GPUS), FOR_RECORD,
     HELP("GPUs of the measured nodes; with other nodes every start is outside the measured "
          "range")},
    {"peak_flops", REAL(gpu_model, links.peak_flops), DEFAULT(NAN), ABOVE(0, 1e30),
     HELP("transformer, required: FLOP/s of a GPU in its precision")},
    {"memory_bytes_s", REAL(gpu_model, links.memory_bytes_s), DEFAULT(NAN), ABOVE(0, 1e30),
     HELP("transformer, required: bytes/s of a GPU's memory")},
    {"node_bytes_s", REAL(gpu_model, links.node_bytes_s), DEFAULT(NAN), ABOVE(0, 1e30),
     HELP("transformer, required: bytes/s of a GPU to others of its node")},
    {"network_bytes_s", REAL(gpu_model, links.network_bytes_s), DEFAULT(NAN), ABOVE(0, 1e30),
     HELP("transformer, required: bytes/s of a GPU to other nodes")},
    {"compute_fraction", REAL(gpu_model, plan_fit.compute_fraction), DEFAULT(NAN), ABOVE(0, 1),
     HELP("transformer, required: f1, the share of peak_flops that matrices reach")},
    {"memory_traffic", REAL(gpu_model, plan_fit.memory_traffic), DEFAULT(NAN), RANGE(0, 1e3),
     HELP("transformer, required: f2, times the bytes of activations that layers move")},
    {"gradient_overlap", REAL(gpu_model, plan_fit.gradient_overlap), DEFAULT(NAN), RANGE(0, 1),
     HELP("transformer, required without lora: f3, hidden share of the gradients' transfer")},
    {"node_s", REAL(gpu_model, plan_fit.node_s), RANGE(0, 1e6), UNIT(TIME),
     HELP("transformer: time of an iteration for each node")},
    {"fixed_s", REAL(gpu_model, plan_fit.fixed_s), RANGE(0, 1e6), UNIT(TIME),
     HELP("transformer: time of an iteration on any number of nodes")},
    {"software_factor", REAL(gpu_model, plan_fit.software_factor), DEFAULT(1), ABOVE(0, 1e3),
     HELP("transformer: speed of its software; divides the time")},
    {"plans", OBJECTS(gpu_model, plans, fixed_plan_fields, fixed_plan),
     HELP("transformer: plans of these k, in place of that of least time (default: none)")},
    {"published_plans", OBJECTS(gpu_model, published_plans, fixed_plan_fields, fixed_plan),
     HELP("transformer: plans of published runs, used with plans: published (default: none)")},
    {"precision", CHOICE(gpu_model, precision, precision_names), FOR_RECORD,
     HELP("transformer: precision of peak_flops; by it easim calibrate plans groups rows")},
    {"sync_gamma", REAL(gpu_model, speed.sync_gamma), DEFAULT(1), RANGE(1, 10),
     HELP("overlap of compute and synchronization: 1: they add up, 10: nearly the larger one")},
    {"scaling_exponent", REAL(gpu_model, speed.scaling_exponent), RANGE(0, 1),
     HELP("compute time grows as k to this power")},
    {"power", CHOICE(gpu_model, power_form, power_form_names),
     HELP("linear, from p0_w to pmax_w; tdp: not measured, the tdp_w of the GPU type")},
    {"power_scope", CHOICE(gpu_model, power_scope, power_scope_names),
     HELP("power of a GPU alone, or its share of a metered node: at the socket (node_ac) or "
          "after the power supplies (node_dc)")},
    {"p0_w", REAL(gpu_model, power.p0_w), DEFAULT(NAN), ABOVE(0, 1e5), UNIT(POWER),
     HELP("power at 0 samples/s; required without lookup")},
    {"pmax_w", REAL(gpu_model, power.pmax_w), DEFAULT(NAN), ABOVE(0, 1e5), UNIT(POWER),
     HELP("power at saturation; required without lookup")},
    {"lookup", OBJECTS(gpu_model, lookup_points, lookup_fields, interpolation_point),
     HELP("measured points in place of the formulas for speed, power or both (default: none)")},
    {"power_between", CHOICE(gpu_model, power_between, power_between_names),
     HELP("lookup: linear over the batch between points: power, or energy of an iteration")},
    {"power_limits", OBJECT(gpu_model, power_limits, power_limits_fields),
     HELP("limits for policies with power_limits: true (default: the law of the GPU type)")},
    {"fit", OPEN(gpu_model, fit), FOR_RECORD, HELP("record of calibration; runs ignore it")},
    {"evidence", NODE(gpu_model, evidence), REQUIRED, FOR_RECORD, .forms = evidence_forms,
     HELP("one word, or a word by parameter; others: all that are not named")},
    {"source", NODE(gpu_model, source), REQUIRED, FOR_RECORD, HELP("where the figures come from")},
    {"range_k", INTS(gpu_model, range_k), RANGE(1, 1e6), FOR_RECORD,
     HELP("[least, most] measured k; easim counts starts outside")},
    {"range_batch", REALS(gpu_model, range_batch), ABOVE(0, BATCH_MOST), FOR_RECORD,
     HELP("[least, most] measured batch per GPU")},
    {"mape_in_sample", REAL(gpu_model, mape_in_sample), DEFAULT(NAN), RANGE(0, 100), FOR_RECORD,
     HELP("mean absolute relative error")},
    {"mape_leave_one_out", REAL(gpu_model, mape_leave_one_out), DEFAULT(NAN), RANGE(0, 100),
     FOR_RECORD, HELP("the same, leaving one configuration out")},
    FIELDS_END};

static const struct field phase_fields[] = {
    {LOCATION(model_phase, where)},
    {"until", REAL(model_phase, until), REQUIRED, ABOVE(0, 1),
     HELP("share of the job's work at which the phase ends, rising, 1 for the last")},
    {"phi", REAL(model_phase, phi), DEFAULT(NAN), RANGE(0, 1e15),
     HELP("gradient noise scale (default the model's)")},
    {"batches", REALS(model_phase, batches), ABOVE(0, BATCH_MOST),
     HELP("allowed batches per GPU (default the model's)")},
    FIELDS_END};

const struct field model_fields[] = {
    {LOCATION(model, where)},
    {"name", TEXT(model, name), REQUIRED, FOR_RECORD, HELP("name that workloads refer to")},
    {"m0", REAL(model, m0), DEFAULT(NAN), ABOVE(0, 1e12), HELP("reference global batch, samples")},
    {"phi", REAL(model, phi), DEFAULT(NAN), RANGE(0, 1e15),
     HELP("gradient noise scale, samples; required, unless each phase has one")},
    {"phases", OBJECTS(model, phases, phase_fields, model_phase),
     HELP("parts of a job's work, one after the other, at most 64 (default: one)")},
    {"efficiency", CHOICE(model, efficiency, efficiency_names),
     HELP("none: every sample counts in full, and there is no m0 and phi")},
    {"samples_to_target", REAL(model, samples_to_target), DEFAULT(NAN), ABOVE(0, 1e300),
     HELP("reference samples (at efficiency 1) of a training: the work if sizes.mean is target")},
    {"fit", OPEN(model, fit), HELP("record of calibration; runs ignore it")},
    {"start_s", DURATION(model, costs.start_s), RANGE(0, 1e6), HELP("set-up at the first start")},
    {"restart_s", DURATION(model, costs.restart_s), RANGE(0, 1e6), HELP("set-up at later starts")},
    {"checkpoint_s", DURATION(model, costs.checkpoint_s), RANGE(0, 1e6),
     HELP("time of a checkpoint on demand")},
    {"checkpoint_interval_s", DURATION(model, costs.checkpoint_interval_s), RANGE(0, 1e6),
     HELP("computing time between periodic checkpoints; 0: on demand")},
    {"mem0_gib", GIB(model, mem0_gib), RANGE(0, 1e6),
     HELP("GPU memory = mem0_gib + mem1_gib x batch per GPU of one step")},
    {"mem1_gib", GIB(model, mem1_gib), RANGE(0, 1e6), HELP("memory for each sample of the batch")},
    BATCH_LISTS(model),
    {"flops_per_sample", REAL(model, flops_per_sample), DEFAULT(NAN), RANGE(0, 1e30), FOR_RECORD,
     HELP("operations of a sample; for easim attribute, runs ignore it")},
    {"bytes_per_sample", REAL(model, bytes_per_sample), DEFAULT(NAN), RANGE(0, 1e30), UNIT(BYTES),
     FOR_RECORD,
     HELP("bytes that a sample moves in GPU memory, for easim attribute, or reads from storage")},
    {"storage_bytes_per_sample", REAL(model, storage_bytes_per_sample), DEFAULT(NAN),
     ABOVE(0, 1e30), UNIT(BYTES),
     HELP("bytes that a sample reads from storage, if there is one (default: bytes_per_sample)")},
    {"sync_bytes", REAL(model, sync_bytes), DEFAULT(NAN), RANGE(0, 1e30), UNIT(BYTES),
     HELP("bytes that each GPU of a job sends to the others in an iteration; only contention "
          "uses it, and not of a transformer")},
    {"gpus", NODE(model, gpus_node), REQUIRED, .unless = "serving", FOR_RECORD,
     ONE_OF({"", MAPPING_TO({"", OBJECT_FORM(gpu_model_fields)})}), HELP("parameters by GPU type")},
    {"unit", CHOICE(model, serving.unit, work_unit_names),
     HELP("what work and throughput count; with serving tables token or output")},
    {"prompt", OBJECT(model, serving.prompt, prompt_fields),
     HELP("tokens: cost of prompts (default: none)")},
    {"serving", OBJECTS(model, serving.tables, serving_fields, serving),
     HELP("tables of replicas that answer requests; a model with tables alone has no jobs, and "
          "needs no m0, phi, batches and gpus")},
    {"transformer", OBJECT(model, transformer, transformer_fields),
     HELP("shape, for plans of parallel training in place of formulas (default: none)")},
    FIELDS_END};

const struct field *model_field_named(const struct field *fields, const char *name) {
    for (const struct field *f = fields; f->key || f->type == FIELD_LOCATION; f++)
        if (f->key && strcmp(f->key, name) == 0)
            return f;
    return NULL;
}
