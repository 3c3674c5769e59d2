/* Draws, as values and as sets of a scenario: see worlds.h. */
#include "experiment/worlds/worlds.h"

#include "base/numfmt.h"
#include "io/csv.h"
#include "io/yaml_node.h"
#include "study/study_load.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool worlds_are_plain(const struct uncertainty *uncertainty) {
    return uncertainty->worlds == 0 ||
           (uncertainty->worlds == 1 && !uncertainty_draws(uncertainty));
}

/* The draws of a world, by column; the second ones are used group by group. */
static double *worlds_draws(const struct worlds *worlds, bool second, uint32_t world) {
    return worlds->values + ((size_t)second * worlds->count + world) * worlds->columns;
}

static const struct world_unit *unit_of(const struct worlds *worlds, size_t column) {
    size_t u = 0;
    while (column >= worlds->units.at[u].first + worlds->units.at[u].count)
        u++;
    return &worlds->units.at[u];
}

/* For a choice, the index of its value. */
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
        csv_add_real(out, value);
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
    size_t before;  /* this number comes before those of the scenario */
};

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

/* Calibrated values come first, because overrides of the scenario override draws, too. */
static void set_blocks(struct set_list *list, size_t set, uint32_t world, size_t only) {
    const struct worlds *w = list->worlds;
    const struct yaml_node *own = w->central->scenario.model_overrides;
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

/* Entries of the scenario have moved: those of the calibration come first. */
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

/* Those of one unit, all else as in the scenario. */
static const char **worlds_unit_sets(const struct worlds *worlds, size_t set, uint32_t world,
                                     size_t only, struct arena *arena, size_t *ret_count) {
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
    overrides.like = worlds->central;
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

/* --- world_draws --- */
/* Every unit draws from a stream of its own, which goes on if a draw is not taken. */

#define WORLDS_MOST_DRAWS 1000 /* in a row, for one value that is to be taken */

/* One world while it is drawn. */
struct drawing {
    struct worlds *worlds;
    struct problems *problems;
    uint32_t world;
    size_t set;     /* what is loaded: 0, or 1 + the group whose draws are the second */
    gsl_rng **rngs; /* by unit; NULL: its draws stay */
};

/* ---- Units ---- */

static void add_unit(struct worlds *worlds, struct world_unit unit) {
    unit.first = worlds->columns;
    worlds->columns += unit.count;
    array_push(&worlds->units, unit);
}

/* The stream of a number is that of its path; a choice among lists has the group's. */
static const char *parameter_name(struct worlds *worlds, const struct uncertain_parameter *p) {
    if (!uncertainty_adds_overrides(p))
        return p->path;
    const char *name = arena_printf(&worlds->arena, "%s/%s", p->path, p->group);
    return p->place > 0 ? arena_printf(&worlds->arena, "%s/%zu", name, p->place + 1) : name;
}

static int find_units(struct worlds *worlds, struct problems *problems) {
    const struct uncertainty *u = &worlds->central->scenario.uncertainty;
    const struct uncertain_parameter *parameters = u->parameters.at;
    if (u->calibration &&
        fitted_blocks_find(&worlds->blocks, worlds->central, &worlds->arena, problems) < 0)
        return ERROR_INPUT;
    for (size_t i = 0; i < worlds->blocks.at.count; i++) {
        const struct fitted_block *block = &worlds->blocks.at.at[i];
        add_unit(worlds, (struct world_unit){.block = block,
                                             .group = u->group_count - 1,
                                             .name = block->name,
                                             .where = block->where,
                                             .count = block->count});
    }
    for (size_t i = 0; i < u->parameters.count; i++)
        add_unit(worlds, (struct world_unit){.parameter = &parameters[i],
                                             .group = parameters[i].group_index,
                                             .name = parameter_name(worlds, &parameters[i]),
                                             .where = parameters[i].where,
                                             .count = 1});
    return 0;
}

/* ---- Draws ---- */

static bool is_within(const struct uncertain_parameter *p, double number) {
    const double *bounds = p->bounds.at;
    return isfinite(number) &&
           (p->bounds.count == 0 || (number >= bounds[0] && number <= bounds[1]));
}

static bool draw_once(const struct world_unit *unit, gsl_rng *rng, double *values) {
    if (unit->block)
        return fitted_block_draw(unit->block, rng, values);
    const struct uncertain_parameter *p = unit->parameter;
    if (p->law.kind != LAW_CHOICE)
        return is_within(p, values[0] = value_law_draw(&p->law, rng));
    size_t chosen = value_law_choose(&p->law, rng);
    values[0] = (double)chosen;
    double number = 0;
    if (!uncertainty_adds_overrides(p))
        (void)numfmt_prefix(p->law.values->items[chosen]->text, &number);
    return is_within(p, number);
}

static int refuse_unit(struct drawing *d, const struct world_unit *unit, const char *why) {
    return problems_add(d->problems, unit->where, unit->name,
                        "expected a law with values that can be run: none of %d draws was%s%s",
                        WORLDS_MOST_DRAWS, why ? "; " : "", why ? why : "");
}

static int draw_unit(struct drawing *d, size_t u) {
    struct world_unit *unit = &d->worlds->units.at[u];
    double *values = worlds_draws(d->worlds, d->set > 0, d->world) + unit->first;
    for (int i = 0; i < WORLDS_MOST_DRAWS; i++) {
        if (draw_once(unit, d->rngs[u], values))
            return 0;
        unit->redrawn++;
    }
    return refuse_unit(d, unit, "they were outside of its bounds");
}

static int draw_units(struct drawing *d) {
    for (size_t u = 0; u < d->worlds->units.count; u++)
        if (d->rngs[u] && draw_unit(d, u) < 0)
            return ERROR_INPUT;
    return 0;
}

/* ---- Worlds that cannot be loaded ---- */

/* Whether the scenario can be loaded with these values; else why not, in the arena. */
static bool loads(const struct worlds *worlds, const char *const *sets, size_t count,
                  struct arena *arena, const char **ret_why) {
    struct study study;
    struct problems problems = {.dashes = "--"};
    bool good = worlds_load(worlds, sets, count, NULL, &study, &problems) == 0;
    if (!good)
        *ret_why = arena_strdup(arena, problems.count > 0 ? problems.texts[0] : "");
    study_finish(&study);
    problems_finish(&problems);
    return good;
}

/* Draws alone what the central scenario does not take either: it is outside of its bounds.
   Positive: there was something; 0: nothing is wrong but all of it together. */
static int redraw_misfits(struct drawing *d, int *tries, struct arena *arena) {
    struct worlds *w = d->worlds;
    int found = 0;
    for (size_t u = 0; u < w->units.count; u++) {
        size_t count;
        const char *why = NULL;
        if (!d->rngs[u])
            continue;
        const char **sets = worlds_unit_sets(w, d->set, d->world, u, arena, &count);
        if (loads(w, sets, count, arena, &why))
            continue;
        struct world_unit *unit = &w->units.at[u];
        unit->why = unit->why ? unit->why : arena_strdup(&w->arena, why);
        unit->redrawn++;
        found = 1;
        if (++tries[u] >= WORLDS_MOST_DRAWS)
            return refuse_unit(d, unit, why);
        if (draw_unit(d, u) < 0)
            return ERROR_INPUT;
    }
    return found;
}

static int refuse_world(struct drawing *d, const char *why) {
    return problems_add(
        d->problems, d->worlds->central->scenario.uncertainty.where, "uncertainty",
        "expected parameters that can be run together: none of %d draws of world %u can; %s",
        WORLDS_MOST_DRAWS, d->world + 1, why);
}

static int draw_until_loaded(struct drawing *d, int *tries, struct arena *arena) {
    struct worlds *w = d->worlds;
    int whole = 0;
    if (draw_units(d) < 0)
        return ERROR_INPUT;
    for (;;) {
        size_t count;
        const char *why = NULL;
        const char **sets = worlds_sets(w, d->set, d->world, arena, &count);
        if (loads(w, sets, count, arena, &why))
            return 0;
        int found = redraw_misfits(d, tries, arena);
        if (found < 0)
            return found;
        if (found > 0)
            continue;
        w->why_unreached = w->unreached++ > 0 ? w->why_unreached : arena_strdup(&w->arena, why);
        if (++whole >= WORLDS_MOST_DRAWS)
            return refuse_world(d, why);
        if (draw_units(d) < 0)
            return ERROR_INPUT;
    }
}

/* All units, or those of the group whose second draw it is. */
static int draw_world(struct drawing *d) {
    struct worlds *w = d->worlds;
    uint64_t seed = (uint64_t)w->central->scenario.seed;
    struct arena arena = {0};
    int *tries = mem_zalloc(w->units.count, sizeof *tries);
    d->rngs = mem_zalloc(w->units.count, sizeof *d->rngs);
    for (size_t u = 0; u < w->units.count; u++)
        if (d->set == 0 || w->units.at[u].group == d->set - 1)
            d->rngs[u] = rng_create(
                seed, d->world,
                arena_printf(&arena, "uncertainty/%d/%s", d->set > 0 ? 2 : 1, w->units.at[u].name));
    int r = draw_until_loaded(d, tries, &arena);
    for (size_t u = 0; u < w->units.count; u++)
        if (d->rngs[u])
            gsl_rng_free(d->rngs[u]);
    free(d->rngs);
    free(tries);
    arena_finish(&arena);
    return r;
}

int worlds_draw(struct worlds *worlds, struct problems *problems) {
    const struct uncertainty *u = &worlds->central->scenario.uncertainty;
    struct drawing d = {.worlds = worlds, .problems = problems};
    worlds->count = (uint32_t)u->worlds;
    worlds->sets = u->shares ? 1 + u->group_count : 1;
    if (find_units(worlds, problems) < 0)
        return ERROR_INPUT;
    worlds->values =
        mem_zalloc(2 * (size_t)worlds->count * worlds->columns, sizeof *worlds->values);
    for (d.set = 0; d.set < worlds->sets && worlds->columns > 0; d.set++)
        for (d.world = 0; d.world < worlds->count; d.world++)
            if (draw_world(&d) < 0)
                return ERROR_INPUT;
    return 0;
}
