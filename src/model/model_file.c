/* Loading and checking of model files. */
#include "model/model_file.h"

#include "base/hash.h"
#include "io/yaml_doc.h"
#include "model/batches.h"
#include "model/job_kind.h"
#include "model/model_fields.h"
#include "model/model_transformer.h"

#include <math.h>
#include <string.h>

/* --- model_tree --- */

/* The tree outlives this function: models point into it. NULL after adding problems. */
static struct yaml_node *read_model_file(const char *path, const struct binding *binding) {
    struct yaml_doc doc = {0};
    int r = yaml_doc_load(&doc, path, binding->problems);
    struct yaml_node *root = r < 0 ? NULL : doc.root;
    arena_adopt(binding->arena, &doc.arena);
    if (r == 0 && !root)
        problems_add(binding->problems, (struct location){.file = path}, NULL,
                     "the file holds no models");
    return root;
}

/* NULL after adding problems. */
static struct yaml_node *read_item(struct yaml_node *item, const char *path,
                                   const struct binding *binding) {
    if (item->kind == YAML_NODE_MAPPING)
        return item;
    const char *file = schema_path(binding, item, path);
    const struct yaml_node *known = file ? schema_known_content(binding, file) : NULL;
    struct yaml_node *root = known ? (struct yaml_node *)known
                             : file && schema_can_read(binding, file)
                                 ? read_model_file(file, binding)
                                 : NULL;
    if (root && binding->uses)
        binding->uses->files.at[binding->uses->files.count - 1].content = root;
    return root;
}

int model_tree_read(struct model_tree *tree, const struct yaml_node *node,
                    const struct binding *binding) {
    *tree = (struct model_tree){0};
    if (!node)
        return 0;
    bool list = node->kind == YAML_NODE_SEQUENCE;
    size_t count = list ? node->count : 1;
    int result = 0;
    tree->roots = arena_alloc(binding->arena, count * sizeof *tree->roots);
    for (size_t i = 0; i < count; i++) {
        struct yaml_node *item = list ? node->items[i] : (struct yaml_node *)node;
        const char *path = list ? arena_printf(binding->arena, "models[%zu]", i) : "models";
        struct yaml_node *root = read_item(item, path, binding);
        if (root)
            tree->roots[tree->count++] = (struct model_root){root, root == item ? path : ""};
        else
            result = ERROR_INPUT;
    }
    return result;
}

const struct yaml_node *model_tree_models(const struct model_root *root) {
    static const struct yaml_node none = {.kind = YAML_NODE_SEQUENCE};
    const struct yaml_node *models = yaml_find(root->node, "models");
    return models && models->kind == YAML_NODE_SEQUENCE ? models : &none;
}

const char *model_tree_name(const struct yaml_node *model) {
    const struct yaml_node *name = yaml_find(model, "name");
    return name && name->kind == YAML_NODE_SCALAR ? name->text : NULL;
}

const struct yaml_node *model_tree_gpus(const struct yaml_node *model) {
    const struct yaml_node *gpus = yaml_find(model, "gpus");
    return gpus && gpus->kind == YAML_NODE_MAPPING ? gpus : NULL;
}

/* ---- One file of several ---- */

static struct yaml_node *new_container(struct arena *arena, enum yaml_kind kind, size_t most) {
    struct yaml_node *node = arena_alloc(arena, sizeof *node);
    node->kind = kind;
    node->items = arena_alloc(arena, most * sizeof *node->items);
    if (kind == YAML_NODE_MAPPING)
        node->keys = arena_alloc(arena, most * sizeof *node->keys);
    return node;
}

/* Keys beside `models` may stand in several files only where they say the same (model_file.c). */
static void add_root(const struct model_root *root, struct yaml_node *models,
                     struct yaml_node *file) {
    const struct yaml_node *items = model_tree_models(root);
    for (size_t i = 0; i < items->count; i++)
        models->items[models->count++] = items->items[i];
    for (size_t i = 0; root->node->kind == YAML_NODE_MAPPING && i < root->node->count; i++) {
        struct yaml_node *key = root->node->keys[i];
        if (yaml_find(file, key->text))
            continue;
        bool is_models = root->node->items[i] == items;
        file->keys[file->count] = key;
        file->items[file->count++] = is_models ? models : root->node->items[i];
    }
}

const struct yaml_node *model_tree_merge(const struct model_tree *tree, struct arena *arena) {
    size_t models = 0, keys = 0;
    for (size_t i = 0; i < tree->count; i++) {
        models += model_tree_models(&tree->roots[i])->count;
        keys += tree->roots[i].node->count;
    }
    if (tree->count == 0)
        return NULL;
    struct yaml_node *file = new_container(arena, YAML_NODE_MAPPING, keys);
    struct yaml_node *list = new_container(arena, YAML_NODE_SEQUENCE, models);
    for (size_t i = 0; i < tree->count; i++)
        add_root(&tree->roots[i], list, file);
    return file;
}

/* --- model_file --- */

const struct field model_file_fields[] = {
    {"models", .type = FIELD_OBJECTS, REQUIRED, .fields = model_fields,
     .item_size = sizeof(struct model), HELP("models, each with a name of its own")},
    {"rigid_speed", .type = FIELD_NODE, .offset = sizeof(struct schema_list),
     ONE_OF({"", MAPPING_TO({"", .type = FIELD_REAL, ABOVE(0, 1e6)})}),
     HELP("speed of rigid jobs by GPU type, times that of their log")},
    FIELDS_END};

#define MODELS \
    {"", .type = FIELD_PATH}, { \
        "", OBJECT_FORM(model_file_fields) \
    }
const struct field models_forms[] = {MODELS, {"", LIST_OF(MODELS)}, FIELDS_END};

struct file_section {
    struct schema_list models;
    const struct yaml_node *rigid_speed;
};

/* One word for all parameters, or one each by name; *weakest becomes the weakest of them. */
static void check_evidence(struct gpu_model *gpu_model, const char *path,
                           const struct binding *binding) {
    int32_t word = 0;
    gpu_model->weakest = EVIDENCE_MEASURED;
    if (!gpu_model->evidence)
        return;
    if (gpu_model->evidence->kind != YAML_NODE_MAPPING) {
        if (schema_bind_value(binding, evidence_forms, gpu_model->evidence,
                              arena_printf(binding->arena, "%s.evidence", path), &word) == 0)
            gpu_model->weakest = (enum evidence)word;
        return;
    }
    for (size_t i = 0; i < gpu_model->evidence->count; i++) {
        const char *where = arena_printf(binding->arena, "%s.evidence.%s", path,
                                         gpu_model->evidence->keys[i]->text);
        if (schema_bind_value(binding, evidence_forms, gpu_model->evidence->items[i], where,
                              &word) == 0 &&
            (enum evidence)word > gpu_model->weakest)
            gpu_model->weakest = (enum evidence)word;
    }
}

/* ends: of a range of two values. */
static void check_range(const struct schema_list *range, const double ends[static 2],
                        const char *key, const struct gpu_model *gpu_model, const char *path,
                        const struct binding *binding) {
    const char *range_path = arena_printf(binding->arena, "%s.%s", path, key);
    if (range->count == 2 && ends[0] > ends[1])
        problems_add(binding->problems, gpu_model->where, range_path,
                     "expected [least, most], got [%.9g, %.9g]", ends[0], ends[1]);
    else if (range->count != 0 && range->count != 2)
        problems_add(binding->problems, gpu_model->where, range_path,
                     "expected [least, most], got %zu value%s", range->count,
                     range->count == 1 ? "" : "s");
}

static void check_ranges(const struct gpu_model *gpu_model, const char *path,
                         const struct binding *binding) {
    const int64_t *k = gpu_model->range_k.at;
    const double k_ends[] = {gpu_model->range_k.count == 2 ? (double)k[0] : 0,
                             gpu_model->range_k.count == 2 ? (double)k[1] : 0};
    check_range(&gpu_model->range_k, k_ends, "range_k", gpu_model, path, binding);
    check_range(&gpu_model->range_batch,
                gpu_model->range_batch.count == 2 ? gpu_model->range_batch.at : k_ends,
                "range_batch", gpu_model, path, binding);
}

static void count_values(const struct schema_list *list, size_t *ret_speeds, size_t *ret_powers) {
    const struct interpolation_point *points = list->at;
    *ret_speeds = *ret_powers = 0;
    for (size_t i = 0; i < list->count; i++) {
        *ret_speeds += !isnan(points[i].throughput_samples_s);
        *ret_powers += !isnan(points[i].power_w_per_gpu);
    }
}

void gpu_model_settle(struct gpu_model *g) {
    struct speed_params *s = &g->speed;
    size_t speeds, powers;
    count_values(&g->lookup_points, &speeds, &powers);
    bool speed_form = !(isnan(s->a_s) && isnan(s->gamma) && isnan(s->alpha_s[0]));
    bool power_form = !(isnan(g->power.p0_w) && isnan(g->power.pmax_w));
    g->lookup = (struct interpolation){g->lookup_points.at, g->lookup_points.count,
                                       g->power_between == BETWEEN_ENERGIES};
    g->lookup_speed = g->lookup.count > 0 && (speeds > 0 || !speed_form);
    g->lookup_power = g->lookup.count > 0 && (powers > 0 || !power_form);
    if (!isnan(g->links.peak_flops)) /* plans have no forms to settle */
        return;
    if (isnan(s->alpha_s[1]))
        s->alpha_s[1] = s->alpha_s[0];
    if (isnan(s->beta_s[1]) && s->sync_inter == SYNC_LAW_LINEAR)
        s->beta_s[1] = s->beta_s[0];
}

/* All points have to hold what one does, or what no formula says. */
static void check_lookup(const struct gpu_model *gpu_model, const char *path,
                         const struct binding *binding) {
    const struct interpolation_point *points = gpu_model->lookup.points;
    size_t speeds, powers;
    count_values(&gpu_model->lookup_points, &speeds, &powers);
    if (gpu_model->lookup.by_energy && (speeds == 0 || powers == 0))
        problems_add(binding->problems, gpu_model->where,
                     arena_printf(binding->arena, "%s.power_between", path),
                     "expected power: energy is between points with throughput and power only");
    for (size_t i = 0; i < gpu_model->lookup.count; i++) {
        if (points[i].k == 1 && points[i].across_nodes)
            problems_add(binding->problems, points[i].where,
                         arena_printf(binding->arena, "%s.lookup[%zu].across_nodes", path, i),
                         "expected false: one GPU is in one node");
        if (gpu_model->lookup_speed && isnan(points[i].throughput_samples_s))
            problems_add(binding->problems, points[i].where,
                         arena_printf(binding->arena, "%s.lookup[%zu]", path, i),
                         "key \"throughput_samples_s\" is missing");
        if (speeds == 0 && powers == 0 && !gpu_model->lookup_speed && !gpu_model->lookup_power)
            problems_add(binding->problems, points[i].where,
                         arena_printf(binding->arena, "%s.lookup[%zu]", path, i),
                         "expected throughput_samples_s, power_w_per_gpu or both");
    }
}

/* A power that was never measured stands as one that every tdp_w cuts off. */
static void settle_power(struct gpu_model *gpu_model, const char *path,
                         const struct binding *binding) {
    struct interpolation_point *points = gpu_model->lookup.points;
    bool unknown = gpu_model->power_form == POWER_TDP;
    if (unknown && !(isnan(gpu_model->power.p0_w) && isnan(gpu_model->power.pmax_w)))
        problems_add(binding->problems, gpu_model->where, path,
                     "expected no p0_w and pmax_w with power: tdp");
    if (unknown)
        gpu_model->power = (struct power_params){POWER_UNKNOWN_W, POWER_UNKNOWN_W};
    for (size_t i = 0; i < gpu_model->lookup.count; i++) {
        if (isnan(points[i].power_w_per_gpu) && gpu_model->lookup_power && !unknown)
            problems_add(binding->problems, gpu_model->where, path,
                         "lookup[%zu]: key \"power_w_per_gpu\" is missing", i);
        else if (!isnan(points[i].power_w_per_gpu) && unknown)
            problems_add(binding->problems, gpu_model->where, path,
                         "lookup[%zu]: expected no power_w_per_gpu with power: tdp", i);
        if (unknown)
            points[i].power_w_per_gpu = POWER_UNKNOWN_W;
    }
}

/* A formula needs all its parameters; what a lookup table holds needs none of them. */
static void check_parameters(struct gpu_model *gpu_model, const char *path,
                             const struct binding *binding) {
    const struct speed_params *s = &gpu_model->speed;
    bool speed = !gpu_model->lookup_speed, power = !gpu_model->lookup_power;
    const struct {
        const char *name;
        double value;
        bool needed;
        const char *of;
    } parameters[] = {
        {"a_s", s->a_s, speed, "throughput_samples_s"},
        {"c_s", s->c_s, speed || power, speed ? "throughput_samples_s" : "power_w_per_gpu"},
        {"gamma", s->gamma, speed, "throughput_samples_s"},
        {"alpha_s", s->alpha_s[0], speed, "throughput_samples_s"},
        {"p0_w", gpu_model->power.p0_w, power, "power_w_per_gpu"},
        {"pmax_w", gpu_model->power.pmax_w, power, "power_w_per_gpu"}};
    for (size_t i = 0; i < sizeof parameters / sizeof *parameters; i++)
        if (parameters[i].needed && isnan(parameters[i].value))
            problems_add(binding->problems, gpu_model->where, path, "key \"%s\" is missing (%s)",
                         parameters[i].name,
                         gpu_model->lookup.count == 0
                             ? "there is no lookup table either"
                             : arena_printf(binding->arena, "the lookup table has no %s either",
                                            parameters[i].of));
    if (speed && s->sync_inter == SYNC_LAW_LOG2 && isnan(s->beta_s[1]))
        problems_add(binding->problems, gpu_model->where, path,
                     "key \"beta_inter_s\" is missing (sync_inter: log2)");
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

static void check_record(const struct yaml_node *fit, const char *path,
                         const struct binding *binding) {
    if (fit && fit->kind != YAML_NODE_MAPPING)
        (void)schema_wrong(binding, fit, arena_printf(binding->arena, "%s.fit", path), "a mapping");
}

static bool is_given(const struct yaml_node *mapping, const char *key) {
    return !yaml_is_null(yaml_find(mapping, key));
}

static void bind_gpu_model(struct gpu_model *gpu_model, bool has_forms,
                           const struct yaml_node *node, const char *path,
                           const struct binding *binding) {
    size_t before = binding->problems->count;
    int bound = schema_bind(binding, gpu_model_fields, node, path, gpu_model);
    check_evidence(gpu_model, path, binding);
    if (bound < 0)
        return;
    gpu_model_settle(gpu_model);
    check_lookup(gpu_model, path, binding);
    settle_power(gpu_model, path, binding);
    if (has_forms)
        check_parameters(gpu_model, path, binding);
    if (gpu_model->power.p0_w > gpu_model->power.pmax_w)
        problems_add(binding->problems, gpu_model->where, path,
                     "expected p0_w at most pmax_w, got %g and %g", gpu_model->power.p0_w,
                     gpu_model->power.pmax_w);
    check_record(gpu_model->fit, path, binding);
    check_power_limits(gpu_model, path, binding);
    check_ranges(gpu_model, path, binding);
    int twice = gpu_model->lookup.count > 0 && binding->problems->count == before
                    ? interpolation_sort(&gpu_model->lookup)
                    : -1;
    if (twice >= 0)
        problems_add(binding->problems, gpu_model->where, path,
                     "lookup: the point k %lld, batch %.9g is listed twice",
                     (long long)gpu_model->lookup.points[twice].k,
                     gpu_model->lookup.points[twice].batch);
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
        bind_gpu_model(&model->gpus[i], !model->is_transformer, node->items[i],
                       arena_printf(binding->arena, "%s.%s", gpus_path, model->gpus[i].gpu),
                       binding);
        model->gpus[i].gpu = node->keys[i]->text;
    }
}

/* What the schema cannot ask for: a model needs what jobs need, unless it has serving tables and no
   gpus, and m0 and phi only where samples count by their efficiency. node: the model as read. */
static void check_training(const struct model *model, const struct yaml_node *node,
                           const char *path, const struct binding *binding) {
    static const char *const keys[] = {"m0", "phi", "batches", "global_batches", "phases"};
    if (model->is_transformer)
        return;
    const bool phases = is_given(node, "phases");
    const bool serves = model->serving.tables.count > 0, trains = model->gpus_node || !serves;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (!trains && is_given(node, keys[i]))
            problems_add(binding->problems, model->where, path,
                         "%s has no effect without gpus: there are serving tables only", keys[i]);
    for (size_t i = 0; i < 2; i++)
        if (model->efficiency == EFFICIENCY_NONE && is_given(node, keys[i]))
            problems_add(binding->problems, model->where, path,
                         "expected no %s with efficiency: none", keys[i]);
        else if (model->efficiency != EFFICIENCY_NONE && trains && !is_given(node, keys[i]) &&
                 !(i == 1 && phases)) /* each phase may state phi */
            problems_add(binding->problems, model->where, path, "key \"%s\" is missing%s", keys[i],
                         serves ? ": jobs need it next to gpus" : "");
    model_phases_check(model, is_given(node, "phi"), path, binding);
    bool stated = is_given(node, "batches") || is_given(node, "global_batches");
    if (trains && !stated && !batches_all_own(model) &&
        !model_phases_state(model, model_phase_states_batches))
        problems_add(binding->problems, model->where, path, "key \"batches\" is missing%s",
                     serves ? ": jobs need it next to gpus" : "");
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

/* --- names --- */

static uint32_t first_slot(const struct model_set *set, const char *name) {
    return (uint32_t)hash_mix(hash_bytes(HASH_START, name, strlen(name))) & (set->slots - 1);
}

int model_set_find(const struct model_set *set, const char *name) {
    if (set->slots == 0)
        return -1;
    for (uint32_t slot = first_slot(set, name); set->by_name[slot] != 0;
         slot = (slot + 1) & (set->slots - 1)) {
        uint32_t model = set->by_name[slot] - 1;
        if (strcmp(set->models[model].name, name) == 0)
            return (int)model;
    }
    return -1;
}

/* False: a model before has the name, and keeps it. */
static bool add_name(struct model_set *set, uint32_t model) {
    const char *name = set->models[model].name;
    if (model_set_find(set, name) >= 0)
        return false;
    uint32_t slot = first_slot(set, name);
    while (set->by_name[slot] != 0)
        slot = (slot + 1) & (set->slots - 1);
    set->by_name[slot] = model + 1;
    return true;
}

/* At most half of the slots are in use. */
void model_set_grow_names(struct model_set *set, uint32_t more, struct arena *arena) {
    set->slots = 8;
    while (set->slots / 2 < set->count + more)
        set->slots *= 2;
    set->by_name = arena_alloc(arena, set->slots * sizeof *set->by_name);
    for (uint32_t i = 0; i < set->count; i++)
        if (set->models[i].name)
            (void)add_name(set, i);
}

/* The models of a file, or of a mapping as in one; path: where that is, "" in a file. */
static int add_models(struct model_set *set, const struct yaml_node *root, const char *path,
                      const struct binding *binding) {
    size_t before = binding->problems->count;
    struct file_section section = {0};
    if (schema_bind(binding, model_file_fields, root, path, &section) == 0 ||
        section.models.count > 0) {
        struct model *models =
            arena_alloc(binding->arena, (set->count + section.models.count) * sizeof *models);
        if (set->count > 0)
            memcpy(models, set->models, set->count * sizeof *models);
        if (section.models.count > 0)
            memcpy(models + set->count, section.models.at, section.models.count * sizeof *models);
        set->models = models;
        model_set_grow_names(set, (uint32_t)section.models.count, binding->arena);
        for (size_t i = 0; i < section.models.count; i++) {
            struct model *m = &models[set->count++];
            const char *model_path =
                arena_printf(binding->arena, "%s%smodels[%zu]", path, path[0] ? "." : "", i);
            serving_settle(&m->serving, m->where, model_path, binding);
            m->is_transformer = is_given(yaml_find(root, "models")->items[i], "transformer");
            bind_gpus(m, model_path, binding);
            model_transformer_check(m, yaml_find(root, "models")->items[i], model_path, binding);
            batches_check(m, model_path, binding);
            check_record(m->fit, model_path, binding);
            check_training(m, yaml_find(root, "models")->items[i], model_path, binding);
            if (m->name && !add_name(set, set->count - 1))
                problems_add(binding->problems, m->where, model_path,
                             "model \"%s\" is defined twice", m->name);
        }
        if (section.rigid_speed)
            add_rigid_speed(set, section.rigid_speed, path, binding);
    }
    return binding->problems->count > before ? ERROR_INPUT : 0;
}

int model_set_bind(struct model_set *set, const struct model_tree *tree,
                   const struct binding *binding) {
    int result = 0;
    *set = (struct model_set){0};
    for (size_t i = 0; i < tree->count; i++)
        if (add_models(set, tree->roots[i].node, tree->roots[i].path, binding) < 0)
            result = ERROR_INPUT;
    return result;
}

int model_set_load(struct model_set *set, const struct yaml_node *node,
                   const struct binding *binding) {
    struct model_tree tree;
    int read = model_tree_read(&tree, node, binding);
    int bound = model_set_bind(set, &tree, binding);
    return read < 0 ? read : bound;
}

int model_set_load_tree(struct model_set *set, const struct yaml_node *root,
                        const struct binding *binding) {
    *set = (struct model_set){0};
    return add_models(set, root, "", binding);
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

double model_storage_bytes(const struct model *model) {
    double bytes = isnan(model->storage_bytes_per_sample) ? model->bytes_per_sample
                                                          : model->storage_bytes_per_sample;
    return isnan(bytes) ? 0 : bytes;
}

const struct gpu_model *model_on_gpu(const struct model *model, const char *gpu) {
    for (uint32_t i = 0; i < model->gpu_count; i++)
        if (strcmp(model->gpus[i].gpu, gpu) == 0)
            return &model->gpus[i];
    return NULL;
}

const struct power_limits *model_limits(const struct model_set *models, uint32_t model,
                                        const char *gpu) {
    const struct gpu_model *g = job_kind_of_model(model) == JOB_KIND_RIGID
                                    ? NULL
                                    : model_on_gpu(&models->models[model], gpu);
    return g ? &g->power_limits : NULL;
}
