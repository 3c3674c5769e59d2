/* Loading and checking of model files. */
#include "model/model_file.h"

#include "base/array.h"
#include "io/yaml_canonical.h"

#include <math.h>
#include <string.h>

const char *const evidence_names[] = {"measured", "derived", "assumed", NULL};

#define OF(member) .offset = offsetof(struct gpu_model, member)
#define SECONDS    .max = 1e6, .dimension = DIMENSION_TIME
#define NUMBER(name, member, ...) \
    { .key = name, .type = FIELD_REAL, OF(member), __VA_ARGS__ }

static const struct field lookup_fields[] = {
    {.key = "k",
     .type = FIELD_INT,
     .offset = offsetof(struct interpolation_point, k),
     .required = true,
     .min = 1,
     .max = 1e6},
    {.key = "batch",
     .type = FIELD_INT,
     .offset = offsetof(struct interpolation_point, batch),
     .required = true,
     .min = 1,
     .max = 1e9},
    {.key = "throughput_samples_s",
     .type = FIELD_REAL,
     .offset = offsetof(struct interpolation_point, throughput_samples_s),
     .required = true,
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
    {.key = "batch", .type = FIELD_INT, POINT(batch), .min = 1, .max = 1e9},
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

const struct field gpu_model_fields[] = {
    {.type = FIELD_LOCATION, OF(where)},
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
     .type = FIELD_INTS,
     OF(range_batch),
     .min = 1,
     .max = 1e9,
     .help = "least and most batch per GPU measured"},
    NUMBER("mape_in_sample", mape_in_sample, .default_value = NAN, .max = 100,
           .help = "mean absolute relative error"),
    NUMBER("mape_leave_one_out", mape_leave_one_out, .default_value = NAN, .max = 100,
           .help = "the same, leaving one configuration out"),
    FIELDS_END};

#undef OF
#define OF(member) .offset = offsetof(struct model, member)

const struct field model_fields[] = {
    {.type = FIELD_LOCATION, OF(where)},
    {.key = "name", .type = FIELD_STRING, OF(name), .required = true, .min = 1},
    {.key = "m0",
     .type = FIELD_REAL,
     OF(m0),
     .required = true,
     .above_min = true,
     .max = 1e12,
     .help = "reference global batch, samples"},
    {.key = "phi",
     .type = FIELD_REAL,
     OF(phi),
     .required = true,
     .max = 1e15,
     .help = "gradient noise scale, samples"},
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
    {.key = "batches",
     .type = FIELD_INTS,
     OF(batches),
     .required = true,
     .min = 1,
     .max = 1e9,
     .help = "allowed batches per GPU"},
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
     .help = "mapping from GPU type to its parameters"},
    FIELDS_END};

#undef OF

static const struct field file_fields[] = {
    {.key = "models",
     .type = FIELD_OBJECTS,
     .offset = 0,
     .required = true,
     .fields = model_fields,
     .item_size = sizeof(struct model)},
    {.key = "rigid_speed", .type = FIELD_NODE, .offset = sizeof(struct schema_list)},
    FIELDS_END};

struct file_section {
    struct schema_list models;
    const struct yaml_node *rigid_speed;
};

static const struct field evidence_field = {.type = FIELD_CHOICE, .choices = evidence_names};

/* One word for all parameters, or one each by name; *weakest becomes the weakest of them. */
static void check_evidence(struct gpu_model *gpu_model, const char *path,
                           const struct binding *binding) {
    int32_t word = 0;
    gpu_model->weakest = EVIDENCE_MEASURED;
    if (!gpu_model->evidence)
        return;
    if (gpu_model->evidence->kind != YAML_NODE_MAPPING) {
        if (schema_bind_value(binding, &evidence_field, gpu_model->evidence,
                              arena_printf(binding->arena, "%s.evidence", path), &word) == 0)
            gpu_model->weakest = (enum evidence)word;
        return;
    }
    for (size_t i = 0; i < gpu_model->evidence->count; i++) {
        const char *where = arena_printf(binding->arena, "%s.evidence.%s", path,
                                         gpu_model->evidence->keys[i]->text);
        if (schema_bind_value(binding, &evidence_field, gpu_model->evidence->items[i], where,
                              &word) == 0 &&
            (enum evidence)word > gpu_model->weakest)
            gpu_model->weakest = (enum evidence)word;
    }
}

static void check_range(const struct schema_list *range, const char *key,
                        const struct gpu_model *gpu_model, const char *path,
                        const struct binding *binding) {
    const int64_t *at = range->at;
    const char *range_path = arena_printf(binding->arena, "%s.%s", path, key);
    if (range->count == 2 && at[0] > at[1])
        problems_add(binding->problems, gpu_model->where, range_path,
                     "expected [least, most], got [%lld, %lld]", (long long)at[0],
                     (long long)at[1]);
    else if (range->count != 0 && range->count != 2)
        problems_add(binding->problems, gpu_model->where, range_path,
                     "expected [least, most], got %zu value%s", range->count,
                     range->count == 1 ? "" : "s");
}

/* A power that was never measured stands as one that every tdp_w cuts off. */
static void settle_power(struct gpu_model *gpu_model, const char *path,
                         const struct binding *binding) {
    struct interpolation_point *points = gpu_model->lookup.points;
    bool unknown = gpu_model->power_form == POWER_TDP;
    if (unknown && !(isnan(gpu_model->power.p0_w) && isnan(gpu_model->power.pmax_w)))
        problems_add(binding->problems, gpu_model->where, path,
                     "expected no p0_w and pmax_w beside power: tdp");
    if (unknown)
        gpu_model->power = (struct power_params){POWER_UNKNOWN_W, POWER_UNKNOWN_W};
    for (size_t i = 0; i < gpu_model->lookup.count; i++) {
        if (isnan(points[i].power_w_per_gpu) && !unknown)
            problems_add(binding->problems, gpu_model->where, path,
                         "lookup[%zu]: key \"power_w_per_gpu\" is missing", i);
        else if (!isnan(points[i].power_w_per_gpu) && unknown)
            problems_add(binding->problems, gpu_model->where, path,
                         "lookup[%zu]: expected no power_w_per_gpu beside power: tdp", i);
        if (unknown)
            points[i].power_w_per_gpu = POWER_UNKNOWN_W;
    }
}

/* Formulas need all parameters; a lookup table needs none of them. */
static void check_parameters(struct gpu_model *gpu_model, const char *path,
                             const struct binding *binding) {
    const struct speed_params *s = &gpu_model->speed;
    const struct {
        const char *name;
        double value;
    } needed[] = {{"a_s", s->a_s},
                  {"c_s", s->c_s},
                  {"gamma", s->gamma},
                  {"alpha_s", s->alpha_s[0]},
                  {"p0_w", gpu_model->power.p0_w},
                  {"pmax_w", gpu_model->power.pmax_w}};
    for (size_t i = 0; i < sizeof needed / sizeof *needed && gpu_model->lookup.count == 0; i++)
        if (isnan(needed[i].value))
            problems_add(binding->problems, gpu_model->where, path,
                         "key \"%s\" is missing (there is no lookup table either)", needed[i].name);
    if (gpu_model->power.p0_w > gpu_model->power.pmax_w)
        problems_add(binding->problems, gpu_model->where, path,
                     "expected p0_w at most pmax_w, got %g and %g", gpu_model->power.p0_w,
                     gpu_model->power.pmax_w);
}

static bool is_level(const struct power_limits *limits, double limit_w) {
    const struct power_level *levels = limits->levels.at;
    for (size_t i = 0; i < limits->levels.count; i++)
        if (levels[i].power_limit_w == limit_w)
            return true;
    return false;
}

static void check_power_limits(const struct gpu_model *gpu_model, const char *path,
                               const struct binding *binding) {
    const struct power_limits *limits = &gpu_model->power_limits;
    const struct power_level *levels = limits->levels.at;
    const struct power_level_point *points = limits->points.at;
    for (size_t i = 1; i < limits->levels.count; i++)
        if (!(levels[i].power_limit_w > levels[i - 1].power_limit_w))
            problems_add(
                binding->problems, levels[i].where,
                arena_printf(binding->arena, "%s.power_limits.levels[%zu].power_limit_w", path, i),
                "expected ascending limits, got %g after %g", levels[i].power_limit_w,
                levels[i - 1].power_limit_w);
    for (size_t i = 0; i < limits->points.count; i++)
        if (!is_level(limits, points[i].power_limit_w))
            problems_add(
                binding->problems, points[i].where,
                arena_printf(binding->arena, "%s.power_limits.points[%zu].power_limit_w", path, i),
                "expected the limit of a level, got %g", points[i].power_limit_w);
    if (!isnan(limits->energy_optimal_w) && !is_level(limits, limits->energy_optimal_w))
        problems_add(binding->problems, gpu_model->where,
                     arena_printf(binding->arena, "%s.power_limits.energy_optimal_w", path),
                     "expected the limit of a level, got %g", limits->energy_optimal_w);
}

static void bind_gpu_model(struct gpu_model *gpu_model, const struct yaml_node *node,
                           const char *path, const struct binding *binding) {
    size_t before = binding->problems->count;
    int bound = schema_bind(binding, gpu_model_fields, node, path, gpu_model);
    check_evidence(gpu_model, path, binding);
    if (bound < 0)
        return;
    gpu_model->lookup =
        (struct interpolation){gpu_model->lookup_points.at, gpu_model->lookup_points.count};
    if (isnan(gpu_model->speed.alpha_s[1]))
        gpu_model->speed.alpha_s[1] = gpu_model->speed.alpha_s[0];
    if (isnan(gpu_model->speed.beta_s[1]))
        gpu_model->speed.beta_s[1] = gpu_model->speed.beta_s[0];
    settle_power(gpu_model, path, binding);
    check_parameters(gpu_model, path, binding);
    if (gpu_model->fit && gpu_model->fit->kind != YAML_NODE_MAPPING)
        (void)schema_wrong(binding, gpu_model->fit, arena_printf(binding->arena, "%s.fit", path),
                           "a mapping");
    check_power_limits(gpu_model, path, binding);
    check_range(&gpu_model->range_k, "range_k", gpu_model, path, binding);
    check_range(&gpu_model->range_batch, "range_batch", gpu_model, path, binding);
    int twice = gpu_model->lookup.count > 0 && binding->problems->count == before
                    ? interpolation_sort(&gpu_model->lookup)
                    : -1;
    if (twice >= 0)
        problems_add(binding->problems, gpu_model->where, path,
                     "lookup: the point k %lld, batch %lld is listed twice",
                     (long long)gpu_model->lookup.points[twice].k,
                     (long long)gpu_model->lookup.points[twice].batch);
}

static void bind_gpus(struct model *model, const char *path, const struct binding *binding) {
    const struct yaml_node *node = model->gpus_node;
    if (!node)
        return;
    const char *gpus_path = arena_printf(binding->arena, "%s.gpus", path);
    if (node->kind != YAML_NODE_MAPPING || node->count == 0) {
        (void)schema_wrong(binding, node, gpus_path, "a mapping from GPU type to parameters");
        return;
    }
    model->gpus = arena_alloc(binding->arena, node->count * sizeof *model->gpus);
    model->gpu_count = (uint32_t)node->count;
    for (uint32_t i = 0; i < model->gpu_count; i++) {
        model->gpus[i].gpu = node->keys[i]->text;
        bind_gpu_model(&model->gpus[i], node->items[i],
                       arena_printf(binding->arena, "%s.%s", gpus_path, model->gpus[i].gpu),
                       binding);
        model->gpus[i].gpu = node->keys[i]->text;
    }
}

static bool nodes_equal(const struct yaml_node *a, const struct yaml_node *b) {
    struct str texts[2] = {{0}, {0}};
    yaml_canonical_write(a, &texts[0]);
    yaml_canonical_write(b, &texts[1]);
    bool equal = strcmp(texts[0].text, texts[1].text) == 0;
    str_finish(&texts[0]);
    str_finish(&texts[1]);
    return equal;
}

/* A second one may repeat the first, not replace it. */
static void add_rigid_speed(struct model_set *set, const struct yaml_node *speeds, const char *path,
                            const struct binding *binding) {
    const struct yaml_node *first = set->rigid_speed;
    if (!first)
        set->rigid_speed = speeds;
    else if (!nodes_equal(first, speeds))
        problems_add(binding->problems, speeds->where,
                     arena_printf(binding->arena, "%s%srigid_speed", path, path[0] ? "." : ""),
                     "expected the same as at %s:%u:%u, which it would replace", first->where.file,
                     (unsigned)first->where.line, (unsigned)first->where.column);
}

/* The models of one file, or of a mapping that could stand in one; path: where that stands, "" in a
 * file. */
static int add_models(struct model_set *set, const struct yaml_node *root, const char *path,
                      const struct binding *binding) {
    size_t before = binding->problems->count;
    struct file_section section = {0};
    if (schema_bind(binding, file_fields, root, path, &section) == 0 || section.models.count > 0) {
        struct model *models =
            arena_alloc(binding->arena, (set->count + section.models.count) * sizeof *models);
        if (set->count > 0)
            memcpy(models, set->models, set->count * sizeof *models);
        if (section.models.count > 0)
            memcpy(models + set->count, section.models.at, section.models.count * sizeof *models);
        set->models = models;
        for (size_t i = 0; i < section.models.count; i++) {
            struct model *m = &models[set->count++];
            const char *model_path =
                arena_printf(binding->arena, "%s%smodels[%zu]", path, path[0] ? "." : "", i);
            schema_sort_ints(&m->batches); /* configurations come by ascending batch */
            bind_gpus(m, model_path, binding);
            if (m->name && model_set_find(set, m->name) != (int)set->count - 1)
                problems_add(binding->problems, m->where, model_path,
                             "model \"%s\" is defined twice", m->name);
        }
        if (section.rigid_speed)
            add_rigid_speed(set, section.rigid_speed, path, binding);
    }
    return binding->problems->count > before ? ERROR_INPUT : 0;
}

/* The tree outlives this function: models point into it. NULL after adding problems. */
static const struct yaml_node *read_model_file(const char *path, const struct binding *binding) {
    struct yaml_doc doc = {0};
    int r = yaml_doc_load(&doc, path, binding->problems);
    const struct yaml_node *root = r < 0 ? NULL : doc.root;
    arena_adopt(binding->arena, &doc.arena);
    if (r == 0 && !root)
        problems_add(binding->problems, (struct location){.file = path}, NULL,
                     "the file holds no models");
    return root;
}

static int load_model_item(struct model_set *set, const struct yaml_node *item, const char *path,
                           const struct binding *binding) {
    if (item->kind == YAML_NODE_MAPPING)
        return add_models(set, item, path, binding);
    const char *file = schema_path(binding, item, path);
    const struct yaml_node *root = file ? read_model_file(file, binding) : NULL;
    if (root && binding->uses)
        binding->uses->files.at[binding->uses->files.count - 1].content = root;
    return root ? add_models(set, root, "", binding) : ERROR_INPUT;
}

int model_set_load(struct model_set *set, const struct yaml_node *node,
                   const struct binding *binding) {
    *set = (struct model_set){0};
    if (!node)
        return 0;
    bool list = node->kind == YAML_NODE_SEQUENCE;
    int result = 0;
    for (size_t i = 0; i < (list ? node->count : 1); i++) {
        if (load_model_item(set, list ? node->items[i] : node,
                            list ? arena_printf(binding->arena, "models[%zu]", i) : "models",
                            binding) < 0)
            result = ERROR_INPUT;
    }
    return result;
}

int model_set_find(const struct model_set *set, const char *name) {
    for (uint32_t i = 0; i < set->count; i++)
        if (set->models[i].name && strcmp(set->models[i].name, name) == 0)
            return (int)i;
    return -1;
}

const char *model_set_suggest(const struct model_set *set, const char *name,
                              const struct binding *binding) {
    const char **names = arena_alloc(binding->arena, set->count * sizeof *names);
    size_t count = 0;
    for (uint32_t i = 0; i < set->count; i++)
        if (set->models[i].name)
            names[count++] = set->models[i].name;
    return str_suggestion(binding->arena, name, names, count);
}

const struct gpu_model *model_on_gpu(const struct model *model, const char *gpu) {
    for (uint32_t i = 0; i < model->gpu_count; i++)
        if (strcmp(model->gpus[i].gpu, gpu) == 0)
            return &model->gpus[i];
    return NULL;
}
