/* The keys of model files: see model_fields.h. */
#include "model/model_fields.h"

#include "cluster/cluster.h"

#include <math.h>
#include <string.h>

static const struct field lookup_fields[] = {
    {LOCATION(interpolation_point, where)},
    {"k", INT(interpolation_point, k), REQUIRED, RANGE(1, 1e6)},
    {"batch", REAL(interpolation_point, batch), REQUIRED, ABOVE(0, BATCH_MOST)},
    {"throughput_samples_s", REAL(interpolation_point, throughput_samples_s), DEFAULT(NAN),
     ABOVE(0, 1e12)},
    {"power_w_per_gpu", REAL(interpolation_point, power_w_per_gpu), DEFAULT(NAN), ABOVE(0, 1e5),
     UNIT(POWER)},
    {"across_nodes", BOOL(interpolation_point, across_nodes)},
    FIELDS_END};

static const struct field grad_accum_fields[] = {
    {"k", INT(grad_accum, k), REQUIRED, RANGE(1, 1e6)},
    {"batch", REAL(grad_accum, batch), REQUIRED, ABOVE(0, BATCH_MOST)},
    {"steps", INT(grad_accum, steps), REQUIRED, RANGE(1, 1e6)},
    FIELDS_END};

static const struct field fixed_plan_fields[] = {
    {LOCATION(fixed_plan, where)},
    {"k", INT(fixed_plan, k), REQUIRED, RANGE(1, 1e6)},
    {"plan", TEXT(fixed_plan, text), REQUIRED},
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
    {"power_limit_w", REAL(power_level, power_limit_w), REQUIRED, WATTS},
    {"time_ratio", REAL(power_level, time_ratio), REQUIRED, TIME_RATIO},
    {"power_ratio", REAL(power_level, power_ratio), REQUIRED, RATIO},
    {"energy_ratio", REAL(power_level, energy_ratio), REQUIRED, RATIO},
    {"configurations", INT(power_level, configurations), REQUIRED, RANGE(1, 1e9)},
    FIELDS_END};

static const struct field power_level_point_fields[] = {
    {LOCATION(power_level_point, where)},
    {"power_limit_w", REAL(power_level_point, power_limit_w), REQUIRED, WATTS},
    {"k", INT(power_level_point, k), REQUIRED, RANGE(1, 1e6)},
    {"batch", REAL(power_level_point, batch), REQUIRED, ABOVE(0, BATCH_MOST)},
    {"across_nodes", BOOL(power_level_point, across_nodes)},
    {"iteration_s", REAL(power_level_point, iteration_s), REQUIRED, RATIO, UNIT(TIME)},
    {"power_w_per_gpu", REAL(power_level_point, power_w_per_gpu), REQUIRED, WATTS},
    {"time_ratio", REAL(power_level_point, time_ratio), DEFAULT(NAN), TIME_RATIO},
    {"power_ratio", REAL(power_level_point, power_ratio), DEFAULT(NAN), RATIO},
    FIELDS_END};

static const struct field power_limits_fields[] = {
    {"energy_optimal_w", REAL(power_limits, energy_optimal_w), DEFAULT(NAN), WATTS},
    {"levels", OBJECTS(power_limits, levels, power_level_fields, power_level), REQUIRED},
    {"points", OBJECTS(power_limits, points, power_level_point_fields, power_level_point)},
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
     HELP("largest batch per GPU of one step that is known to fit")},
    {"grad_accum", OBJECTS(gpu_model, grad_accum, grad_accum_fields, grad_accum),
     HELP("steps of an iteration by k and batch per GPU (elsewhere 1)")},
    {"a_s", REAL(gpu_model, speed.a_s), DEFAULT(NAN), ABOVE(0, 1e6), UNIT(TIME),
     HELP("launch floor of an iteration")},
    {"c_s", REAL(gpu_model, speed.c_s), DEFAULT(NAN), ABOVE(0, 1e6), UNIT(TIME),
     HELP("per sample at saturation")},
    {"gamma", REAL(gpu_model, speed.gamma), DEFAULT(NAN), RANGE(1, 10), HELP("overlap of the two")},
    {"alpha_s", REAL(gpu_model, speed.alpha_s[0]), DEFAULT(NAN), RANGE(0, 1e6), UNIT(TIME),
     HELP("synchronization of two GPUs")},
    {"beta_s", REAL(gpu_model, speed.beta_s[0]), RANGE(0, 1e6), UNIT(TIME),
     HELP("and of each further GPU")},
    {"alpha_inter_s", REAL(gpu_model, speed.alpha_s[1]), DEFAULT(NAN), RANGE(0, 1e6), UNIT(TIME),
     HELP("the same across nodes (default alpha_s)")},
    {"beta_inter_s", REAL(gpu_model, speed.beta_s[1]), DEFAULT(NAN), RANGE(0, 1e6), UNIT(TIME),
     HELP("(default beta_s)")},
    {"sync_inter", CHOICE(gpu_model, speed.sync_inter, sync_law_names),
     HELP("of n nodes: linear in GPUs, or alpha_inter_s + beta_inter_s log2(n)")},
    {"gpus_per_node", INT(gpu_model, gpus_per_node), RANGE(1, CLUSTER_MAX_NODE_GPUS), FOR_RECORD,
     HELP("of the nodes measured; on others every start is outside the measured range")},
    {"peak_flops", REAL(gpu_model, links.peak_flops), DEFAULT(NAN), ABOVE(0, 1e30),
     HELP("of a transformer: most FLOP/s of one GPU in its precision")},
    {"memory_bytes_s", REAL(gpu_model, links.memory_bytes_s), DEFAULT(NAN), ABOVE(0, 1e30),
     HELP("bytes/s of one GPU's memory")},
    {"node_bytes_s", REAL(gpu_model, links.node_bytes_s), DEFAULT(NAN), ABOVE(0, 1e30),
     HELP("bytes/s of one GPU to others of its node")},
    {"network_bytes_s", REAL(gpu_model, links.network_bytes_s), DEFAULT(NAN), ABOVE(0, 1e30),
     HELP("bytes/s of one GPU to other nodes")},
    {"compute_fraction", REAL(gpu_model, plan_fit.compute_fraction), DEFAULT(NAN), ABOVE(0, 1),
     HELP("f1: of peak_flops that its matrices reach")},
    {"memory_traffic", REAL(gpu_model, plan_fit.memory_traffic), DEFAULT(NAN), RANGE(0, 1e3),
     HELP("f2: times the bytes of activations that layers move")},
    {"gradient_overlap", REAL(gpu_model, plan_fit.gradient_overlap), DEFAULT(NAN), RANGE(0, 1),
     HELP("f3: share of the gradients' transfer that takes no time of its own")},
    {"node_s", REAL(gpu_model, plan_fit.node_s), RANGE(0, 1e6), UNIT(TIME),
     HELP("of an iteration, for each node")},
    {"fixed_s", REAL(gpu_model, plan_fit.fixed_s), RANGE(0, 1e6), UNIT(TIME),
     HELP("of an iteration, whatever the nodes")},
    {"software_factor", REAL(gpu_model, plan_fit.software_factor), DEFAULT(1), ABOVE(0, 1e3),
     HELP("speed of the software, times that of the figures above")},
    {"plans", OBJECTS(gpu_model, plans, fixed_plan_fields, fixed_plan),
     HELP("of a transformer: plans of some k, in place of that of least time")},
    {"published_plans", OBJECTS(gpu_model, published_plans, fixed_plan_fields, fixed_plan),
     HELP("plans of published runs, taken where the scenario says plans: published")},
    {"precision", CHOICE(gpu_model, precision, precision_names), FOR_RECORD,
     HELP("that peak_flops and compute_fraction are of")},
    {"sync_gamma", REAL(gpu_model, speed.sync_gamma), DEFAULT(1), RANGE(1, 10),
     HELP("overlap of compute and synchronization")},
    {"scaling_exponent", REAL(gpu_model, speed.scaling_exponent), RANGE(0, 1),
     HELP("compute time grows as k to this power")},
    {"power", CHOICE(gpu_model, power_form, power_form_names),
     HELP("linear (p0_w, pmax_w) | tdp: not measured, the tdp_w of the GPU type")},
    {"power_scope", CHOICE(gpu_model, power_scope, power_scope_names),
     HELP("gpu | node: the GPU's share of its node, as tdp_w, idle_w and ctx_w then are")},
    {"p0_w", REAL(gpu_model, power.p0_w), DEFAULT(NAN), ABOVE(0, 1e5), UNIT(POWER),
     HELP("power at 0 samples/s")},
    {"pmax_w", REAL(gpu_model, power.pmax_w), DEFAULT(NAN), ABOVE(0, 1e5), UNIT(POWER),
     HELP("power at saturation")},
    {"lookup", OBJECTS(gpu_model, lookup_points, lookup_fields, interpolation_point),
     HELP("measured points used instead of the formulas")},
    {"power_between", CHOICE(gpu_model, power_between, power_between_names),
     HELP("linear over the batch between points: power, or energy of an iteration")},
    {"power_limits", OBJECT(gpu_model, power_limits, power_limits_fields),
     HELP("time and power by power limit: levels that a policy may choose")},
    {"fit", OPEN(gpu_model, fit), FOR_RECORD,
     HELP("how the figures were calibrated (a record: not used)")},
    {"evidence", NODE(gpu_model, evidence), REQUIRED, FOR_RECORD, .forms = evidence_forms,
     HELP("measured | derived | assumed, for all parameters or by parameter")},
    {"source", NODE(gpu_model, source), REQUIRED, FOR_RECORD, HELP("where the figures come from")},
    {"range_k", INTS(gpu_model, range_k), RANGE(1, 1e6), FOR_RECORD,
     HELP("least and most k measured")},
    {"range_batch", REALS(gpu_model, range_batch), ABOVE(0, BATCH_MOST), FOR_RECORD,
     HELP("least and most batch per GPU measured")},
    {"mape_in_sample", REAL(gpu_model, mape_in_sample), DEFAULT(NAN), RANGE(0, 100), FOR_RECORD,
     HELP("mean absolute relative error")},
    {"mape_leave_one_out", REAL(gpu_model, mape_leave_one_out), DEFAULT(NAN), RANGE(0, 100),
     FOR_RECORD, HELP("the same, leaving one configuration out")},
    FIELDS_END};

static const struct field phase_fields[] = {
    {LOCATION(model_phase, where)},
    {"until", REAL(model_phase, until), REQUIRED, ABOVE(0, 1),
     HELP("share of the job's work at which it ends; 1 for the last one")},
    {"phi", REAL(model_phase, phi), DEFAULT(NAN), RANGE(0, 1e15),
     HELP("gradient noise scale in it (default the model's)")},
    {"batches", REALS(model_phase, batches), ABOVE(0, BATCH_MOST),
     HELP("allowed batches per GPU in it (default the model's)")},
    FIELDS_END};

const struct field model_fields[] = {
    {LOCATION(model, where)},
    {"name", TEXT(model, name), REQUIRED, FOR_RECORD},
    {"m0", REAL(model, m0), DEFAULT(NAN), ABOVE(0, 1e12), HELP("reference global batch, samples")},
    {"phi", REAL(model, phi), DEFAULT(NAN), RANGE(0, 1e15),
     HELP("gradient noise scale, samples; may be left to the phases")},
    {"phases", OBJECTS(model, phases, phase_fields, model_phase),
     HELP("parts of a job's work with phi and batches of their own")},
    {"efficiency", CHOICE(model, efficiency, efficiency_names),
     HELP("noise_scale (m0, phi) | none: every output counts in full, and no m0 and phi")},
    {"samples_to_target", REAL(model, samples_to_target), DEFAULT(NAN), ABOVE(0, 1e300),
     HELP("reference samples of a whole training, for sizes of mean: target")},
    {"fit", OPEN(model, fit), HELP("how these three were calibrated (a record: not used)")},
    {"start_s", DURATION(model, costs.start_s), RANGE(0, 1e6), HELP("set-up at the first start")},
    {"restart_s", DURATION(model, costs.restart_s), RANGE(0, 1e6), HELP("set-up at later starts")},
    {"checkpoint_s", DURATION(model, costs.checkpoint_s), RANGE(0, 1e6),
     HELP("time of an on-demand checkpoint")},
    {"checkpoint_interval_s", DURATION(model, costs.checkpoint_interval_s), RANGE(0, 1e6),
     HELP("computing time between periodic checkpoints; 0 = on demand")},
    {"mem0_gib", GIB(model, mem0_gib), RANGE(0, 1e6)},
    {"mem1_gib", GIB(model, mem1_gib), RANGE(0, 1e6), HELP("per sample of the batch per GPU")},
    BATCH_LISTS(model),
    {"flops_per_sample", REAL(model, flops_per_sample), DEFAULT(NAN), RANGE(0, 1e30), FOR_RECORD,
     HELP("operations that a sample takes (of attribute, not of a run)")},
    {"bytes_per_sample", REAL(model, bytes_per_sample), DEFAULT(NAN), RANGE(0, 1e30), UNIT(BYTES),
     FOR_RECORD,
     HELP("bytes that a sample moves in GPU memory (of attribute) or reads from storage")},
    {"storage_bytes_per_sample", REAL(model, storage_bytes_per_sample), DEFAULT(NAN),
     ABOVE(0, 1e30), UNIT(BYTES),
     HELP("bytes that a sample reads from storage (default: bytes_per_sample)")},
    {"sync_bytes", REAL(model, sync_bytes), DEFAULT(NAN), RANGE(0, 1e30), UNIT(BYTES),
     HELP("bytes that a GPU sends to others in an iteration, for contention")},
    {"gpus", NODE(model, gpus_node), REQUIRED, .unless = "serving", FOR_RECORD,
     ONE_OF({"", MAPPING_TO({"", OBJECT_FORM(gpu_model_fields)})}),
     HELP("mapping from GPU type to its parameters")},
    {"unit", CHOICE(model, serving.unit, work_unit_names),
     HELP("what work and throughput count: sample | token | output")},
    {"prompt", OBJECT(model, serving.prompt, prompt_fields), HELP("tokens: what prompts cost")},
    {"serving", OBJECTS(model, serving.tables, serving_fields, serving),
     HELP("tables of replicas that answer requests")},
    {"transformer", OBJECT(model, transformer, transformer_fields),
     HELP("its shape: plans of parallel training in place of forms")},
    FIELDS_END};

const struct field *model_field_named(const struct field *fields, const char *name) {
    for (const struct field *f = fields; f->key || f->type == FIELD_LOCATION; f++)
        if (f->key && strcmp(f->key, name) == 0)
            return f;
    return NULL;
}
