/* Reading and setting of single values: see override_place.h. */
#include "model/override_place.h"

#include "model/model_fields.h"
#include "model/model_file.h"

#include <assert.h>
#include <string.h>

#define MOST_STEPS 6 /* models, [i], gpus, TYPE, evidence, PARAMETER */

static struct model_root *root_of(const struct override_place *place) {
    return &place->tree->roots[place->root];
}

static struct yaml_node *model_node(const struct override_place *place) {
    return model_tree_models(root_of(place))->items[place->model];
}

static struct yaml_node *place_node(const struct override_place *place) {
    struct yaml_node *model = model_node(place);
    return place->gpu ? yaml_find(model_tree_gpus(model), place->gpu) : model;
}

void override_place_read(const struct override_place *place, struct model *model,
                         struct gpu_model *gpu_model) {
    struct problems ignored = {0};
    const struct binding binding = {.arena = place->arena, .problems = &ignored};
    *model = (struct model){0};
    *gpu_model = (struct gpu_model){0};
    int r = schema_bind(&binding, model_fields, model_node(place), "", model);
    model->is_transformer = !yaml_is_null(yaml_find(model_node(place), "transformer"));
    if (place->gpu)
        r = schema_bind(&binding, gpu_model_fields, place_node(place), "", gpu_model);
    (void)r;
    gpu_model_settle(gpu_model);
    problems_finish(&ignored);
}

bool override_place_states(const struct override_place *place, const char *key) {
    return !yaml_is_null(yaml_find(place_node(place), key));
}

/* group: a mapping of the GPU type that holds the key, or NULL. */
static void set_at(const struct override_place *place, const char *group, const char *key,
                   struct yaml_node *value) {
    struct yaml_step steps[MOST_STEPS] = {{.name = "models"}, {.index = place->model}};
    size_t count = 2;
    if (place->gpu) {
        steps[count++].name = "gpus";
        steps[count++].name = place->gpu;
    }
    if (group)
        steps[count++].name = group;
    steps[count++].name = key;
    const struct yaml_path path = {steps, count};
    const struct yaml_setting setting = {&path, value, value->where, place->arena};
    struct yaml_node *after = yaml_path_set(root_of(place)->node, &setting, NULL);
    assert(after); /* the place was found there */
    root_of(place)->node = after;
}

/* Whether it is held against other keys, which is said where their mapping stands. */
static bool is_one_of_several(const char *key) {
    static const char *const keys[] = {"p0_w",       "pmax_w",  "power",          "power_between",
                                       "lookup",     "batches", "global_batches", "phases",
                                       "unit",       "prompt",  "efficiency",     "sync_inter",
                                       "grad_accum", "serving", "most_batch"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (strcmp(key, keys[i]) == 0)
            return true;
    return false;
}

void override_place_set(const struct override_place *place, const char *key,
                        struct yaml_node *value) {
    set_at(place, NULL, key, value);
    if (is_one_of_several(key))
        place_node(place)->where = value->where;
}

static struct yaml_node *new_text(const struct override_place *place, const char *text,
                                  struct location where) {
    struct yaml_node *node = arena_alloc(place->arena, sizeof *node);
    *node = (struct yaml_node){.kind = YAML_NODE_SCALAR,
                               .where = where,
                               .text = text,
                               .length = strlen(text),
                               .quoted = true};
    return node;
}

/* {others: word} */
static struct yaml_node *new_mapping(const struct override_place *place, struct yaml_node *word) {
    struct yaml_node *node = arena_alloc(place->arena, sizeof *node);
    *node = (struct yaml_node){.kind = YAML_NODE_MAPPING, .where = word->where, .count = 1};
    node->keys = arena_alloc(place->arena, sizeof *node->keys);
    node->items = arena_alloc(place->arena, sizeof *node->items);
    node->keys[0] = new_text(place, EVIDENCE_OTHERS, word->where);
    node->items[0] = word;
    return node;
}

static void record_one(const struct override_place *place, const char *parameter, const char *path,
                       struct location where) {
    const char *const said[][2] = {{"evidence", evidence_names[EVIDENCE_OVERRIDE]},
                                   {"source", path}};
    for (size_t i = 0; i < sizeof said / sizeof *said; i++) {
        struct yaml_node *now = yaml_find(place_node(place), said[i][0]);
        if (yaml_is_null(now) || now->kind == YAML_NODE_SEQUENCE)
            continue; /* told when the file is bound */
        if (now->kind == YAML_NODE_SCALAR)
            set_at(place, NULL, said[i][0], new_mapping(place, now));
        set_at(place, said[i][0], parameter, new_text(place, said[i][1], where));
    }
}

void override_place_record(const struct override_place *place, const char *parameter,
                           const char *path, struct location where) {
    /* What is not stated for several nodes is that within one. */
    static const char *const followers[][2] = {{"alpha_s", "alpha_inter_s"},
                                               {"beta_s", "beta_inter_s"}};
    record_one(place, parameter, path, where);
    for (size_t i = 0; i < sizeof followers / sizeof *followers; i++)
        if (strcmp(parameter, followers[i][0]) == 0 &&
            !override_place_states(place, followers[i][1]))
            record_one(place, followers[i][1], path, where);
}

const char *override_place_text(const struct override_place *place) {
    return place->gpu ? arena_printf(place->arena, "%s on %s", place->name, place->gpu)
                      : place->name;
}
