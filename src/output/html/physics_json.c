/* Parameters of models for the page: see physics_json.h. */
#include "output/html/physics_json.h"

#include "io/yaml_doc.h"
#include "io/yaml_node.h"
#include "model/laws.h"
#include "output/html/json_out.h"
#include "output/manifest.h"
#include "output/plot/source.h"

#include <string.h>

#define MOST_VALUE 60 /* bytes of a value that is shown as it is */

static const char *text_of(const struct yaml_node *node) {
    return node && node->kind == YAML_NODE_SCALAR ? node->text : NULL;
}

/* What a word, or a mapping by parameter, says of one. */
static const char *said_of(const struct yaml_node *said, const char *parameter) {
    if (!said || said->kind != YAML_NODE_MAPPING)
        return text_of(said);
    const struct yaml_node *own = yaml_find(said, parameter);
    return text_of(own ? own : yaml_find(said, EVIDENCE_OTHERS));
}

static void add_parameter(struct str *out, const char *const names[2], const char *parameter,
                          const struct yaml_node *value, const struct yaml_node *holder) {
    struct arena arena = {0};
    const char *text = yaml_flow_text(value, &arena);
    json_out_open(out, '{');
    json_out_member_text(out, "model", names[0]);
    json_out_member_text(out, "gpu_type", names[1]);
    json_out_member_text(out, "parameter", parameter);
    json_out_member_text(out, "value",
                         strlen(text) <= MOST_VALUE || value->kind == YAML_NODE_SCALAR
                             ? text
                             : arena_printf(&arena, "%zu entries", value->count));
    json_out_member_text(out, "evidence", said_of(yaml_find(holder, "evidence"), parameter));
    json_out_member_text(out, "source", said_of(yaml_find(holder, "source"), parameter));
    json_out_close(out, '}');
    arena_finish(&arena);
}

/* The parameters of a model, or of a model on a GPU type. */
static void add_parameters(struct str *out, const char *model, const char *gpu_type,
                           const struct yaml_node *holder) {
    static const char *const others[] = {"name", "gpus", "evidence", "source"};
    if (!holder || holder->kind != YAML_NODE_MAPPING)
        return;
    for (size_t i = 0; i < holder->count; i++) {
        bool other = false;
        for (size_t o = 0; o < sizeof others / sizeof *others; o++)
            other = other || strcmp(holder->keys[i]->text, others[o]) == 0;
        if (!other)
            add_parameter(out, (const char *const[]){model, gpu_type}, holder->keys[i]->text,
                          holder->items[i], holder);
    }
}

static void add_models(struct str *out, const struct yaml_node *root) {
    const struct yaml_node *models =
        root && root->kind == YAML_NODE_MAPPING ? yaml_find(root, "models") : NULL;
    for (size_t m = 0; models && models->kind == YAML_NODE_SEQUENCE && m < models->count; m++) {
        const struct yaml_node *model = models->items[m];
        if (model->kind != YAML_NODE_MAPPING)
            continue;
        const char *name = text_of(yaml_find(model, "name"));
        const struct yaml_node *gpus = yaml_find(model, "gpus");
        add_parameters(out, name, NULL, model);
        for (size_t g = 0; gpus && gpus->kind == YAML_NODE_MAPPING && g < gpus->count; g++)
            add_parameters(out, name, gpus->keys[g]->text, gpus->items[g]);
    }
}

int physics_json_add(struct str *out, const char *folder, struct error *reterr) {
    struct yaml_doc doc = {0};
    struct problems problems = {0};
    struct arena arena = {0};
    int r = 0;
    json_out_key(out, "physics");
    json_out_open(out, '[');
    if (plot_source_exists(folder, MODELS_NAME) &&
        yaml_doc_load(&doc, arena_printf(&arena, "%s/" MODELS_NAME, folder), &problems) < 0)
        r = error_set(reterr, ERROR_INPUT, "%s", problems.texts[0]);
    else
        add_models(out, doc.root);
    json_out_close(out, ']');
    yaml_doc_finish(&doc);
    problems_finish(&problems);
    arena_finish(&arena);
    return r;
}
