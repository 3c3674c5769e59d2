/* What was drawn, as values and as sets of a scenario: see worlds.h. */
#include "experiment/worlds/worlds.h"

#include "base/numfmt.h"
#include "io/yaml_node.h"
#include "study/study_load.h"

#include <stdlib.h>
#include <string.h>

bool worlds_are_plain(const struct uncertainty *uncertainty) {
    return uncertainty->worlds == 0 ||
           (uncertainty->worlds == 1 && !uncertainty_draws(uncertainty));
}

double *worlds_draws(const struct worlds *worlds, bool second, uint32_t world) {
    return worlds->values + ((size_t)second * worlds->count + world) * worlds->columns;
}

static const struct world_unit *unit_of(const struct worlds *worlds, size_t column) {
    size_t u = 0;
    while (column >= worlds->units.at[u].first + worlds->units.at[u].count)
        u++;
    return &worlds->units.at[u];
}

/* Of a choice the place in its values. */
static double drawn_value(const struct worlds *worlds, size_t set, uint32_t world, size_t column) {
    bool second = set > 0 && unit_of(worlds, column)->group == set - 1;
    return worlds_draws(worlds, second, world)[column];
}

const char *worlds_column_name(const struct worlds *worlds, size_t column, struct arena *arena) {
    const struct world_unit *unit = unit_of(worlds, column);
    if (!unit->block)
        return unit->name;
    return arena_printf(arena, "%s/%s", unit->name, unit->block->keys[column - unit->first]);
}

void worlds_value_text(const struct worlds *worlds, size_t set, uint32_t world, size_t column,
                       struct str *out) {
    const struct world_unit *unit = unit_of(worlds, column);
    double value = drawn_value(worlds, set, world, column);
    char text[NUMFMT_BYTES];
    if (!unit->parameter || unit->parameter->law.kind != LAW_CHOICE) {
        numfmt_real(text, value);
        str_add(out, text);
        return;
    }
    const struct yaml_node *values = unit->parameter->law.values;
    size_t place = (size_t)value;
    numfmt_int(text, (int64_t)place + 1);
    if (values->kind == YAML_NODE_MAPPING)
        str_add(out, values->keys[place]->text);
    else
        str_add(out,
                values->items[place]->kind == YAML_NODE_SCALAR ? values->items[place]->text : text);
}

/* ---- As sets ---- */

/* The sets of a world while they are made. */
struct set_list {
    const struct worlds *worlds;
    struct arena *arena;
    const char **at;
    size_t count;
    size_t entries; /* of model_overrides so far */
    size_t before;  /* of these stand before those of the scenario */
};

static const struct yaml_node *central_overrides(const struct worlds *worlds) {
    return worlds->central->scenario.model_overrides;
}

static void add_set(struct set_list *list, const char *path, const char *value) {
    list->at[list->count++] = arena_printf(list->arena, "%s=%s", path, value);
}

/* {model: "bert", gpu: "h100", set: {a_s: 0.02, c_s: 0.0009}} */
static void add_block(const struct fitted_block *block, const double *values, struct str *out) {
    str_add(out, "{model: ");
    yaml_add_quoted(out, block->model);
    if (block->gpu) {
        str_add(out, ", gpu: ");
        yaml_add_quoted(out, block->gpu);
    }
    str_add(out, ", set: {");
    for (size_t i = 0; i < block->count; i++) {
        str_addf(out, "%s%s: ", i > 0 ? ", " : "", block->keys[i]);
        yaml_add_real(out, values[i]);
    }
    str_add(out, "}}");
}

/* What was calibrated comes first: what the scenario overrides, it overrides of what was drawn. */
static void set_blocks(struct set_list *list, size_t set, uint32_t world, size_t only) {
    const struct worlds *w = list->worlds;
    const struct yaml_node *own = central_overrides(w);
    struct str text = {0};
    for (size_t u = 0; u < w->units.count; u++) {
        const struct world_unit *unit = &w->units.at[u];
        if (!unit->block || (only < w->units.count && only != u))
            continue;
        bool second = set > 0 && unit->group == set - 1;
        str_add(&text, list->before++ > 0 ? ", " : "[");
        add_block(unit->block, worlds_draws(w, second, world) + unit->first, &text);
    }
    list->entries = list->before + (own ? own->count : 0);
    for (size_t i = 0; own && list->before > 0 && i < own->count; i++)
        str_addf(&text, ", %s", yaml_flow_text(own->items[i], list->arena));
    if (list->before > 0) {
        str_add_char(&text, ']');
        add_set(list, UNCERTAINTY_OVERRIDES, text.text);
    }
    str_finish(&text);
}

/* Entries of the scenario have moved behind those of the calibration. */
static const char *moved_path(const struct set_list *list, const char *text) {
    struct yaml_path path;
    struct error error;
    if (list->before == 0 || yaml_path_parse(text, list->arena, &path, &error) < 0 ||
        path.count < 2 || !path.steps[0].name ||
        strcmp(path.steps[0].name, UNCERTAINTY_OVERRIDES) != 0)
        return text;
    struct yaml_step *steps = arena_alloc(list->arena, path.count * sizeof *steps);
    memcpy(steps, path.steps, path.count * sizeof *steps);
    steps[1].index += list->before;
    return yaml_path_text(&(struct yaml_path){steps, path.count}, list->arena);
}

static void set_number(struct set_list *list, const struct uncertain_parameter *p, double value) {
    const struct yaml_node *values = p->law.values;
    char drawn[NUMFMT_BYTES];
    numfmt_real(drawn, value);
    const char *text = p->law.kind == LAW_CHOICE ? values->items[(size_t)value]->text : drawn;
    add_set(list, moved_path(list, p->path), arena_printf(list->arena, "%s%s", text, p->unit));
}

static void append_entries(struct set_list *list, const struct uncertain_parameter *p,
                           double value) {
    const struct yaml_node *entries = p->law.values->items[(size_t)value];
    for (size_t i = 0; i < entries->count; i++)
        add_set(list, arena_printf(list->arena, "%s[%zu]", UNCERTAINTY_OVERRIDES, list->entries++),
                yaml_flow_text(entries->items[i], list->arena));
}

static size_t most_sets(const struct worlds *worlds) {
    size_t most = 1;
    for (size_t u = 0; u < worlds->units.count; u++) {
        const struct uncertain_parameter *p = worlds->units.at[u].parameter;
        const struct yaml_node *values = p && uncertainty_adds_overrides(p) ? p->law.values : NULL;
        most++;
        for (size_t i = 0; values && i < values->count; i++)
            most += values->items[i]->count;
    }
    return most;
}

const char **worlds_unit_sets(const struct worlds *worlds, size_t set, uint32_t world, size_t only,
                              struct arena *arena, size_t *ret_count) {
    struct set_list list = {.worlds = worlds, .arena = arena};
    list.at = arena_alloc(arena, most_sets(worlds) * sizeof *list.at);
    set_blocks(&list, set, world, only);
    for (int adds = 0; adds < 2; adds++) /* numbers first: their places do not move */
        for (size_t u = 0; u < worlds->units.count; u++) {
            const struct world_unit *unit = &worlds->units.at[u];
            const struct uncertain_parameter *p = unit->parameter;
            if (!p || (only < worlds->units.count && only != u) ||
                uncertainty_adds_overrides(p) != adds)
                continue;
            double value = drawn_value(worlds, set, world, unit->first);
            (adds ? append_entries : set_number)(&list, p, value);
        }
    *ret_count = list.count;
    return list.at;
}

const char **worlds_sets(const struct worlds *worlds, size_t set, uint32_t world,
                         struct arena *arena, size_t *ret_count) {
    return worlds_unit_sets(worlds, set, world, worlds->units.count, arena, ret_count);
}

int worlds_load(const struct worlds *worlds, const char *const *sets, size_t count,
                const char *policy, struct study *study, struct problems *problems) {
    const struct world_source *source = &worlds->source;
    struct scenario_overrides overrides = source->overrides;
    const char **all = mem_zalloc(overrides.set_count + 1 + count, sizeof *all);
    size_t n = 0;
    for (size_t i = 0; i < overrides.set_count; i++)
        all[n++] = overrides.sets[i];
    all[n++] = "uncertainty=~"; /* its paths are those of the scenario, where entries have moved */
    for (size_t i = 0; i < count; i++)
        all[n++] = sets[i];
    overrides.sets = all;
    overrides.set_count = n;
    overrides.read = &worlds->central->scenario.uses;
    overrides.policy = policy ? policy : overrides.policy;
    int r = study_load(study, source->config, &overrides, source->readers, problems);
    free(all);
    return r;
}

void worlds_finish(struct worlds *worlds) {
    fitted_blocks_finish(&worlds->blocks);
    free(worlds->units.at);
    free(worlds->values);
    arena_finish(&worlds->arena);
}
