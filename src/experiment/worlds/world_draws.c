/* Drawing of worlds, until the scenario can be loaded in each: see world_draws.h. Every unit draws
   from a stream of its own, which goes on where a draw is not taken. */
#include "experiment/worlds/world_draws.h"

#include "base/numfmt.h"

#include <math.h>
#include <stdlib.h>

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
    problems_add(d->problems, unit->where, unit->name,
                 "expected a law that reaches values which can be run: none of %d draws did%s%s",
                 WORLDS_MOST_DRAWS, why ? "; " : "", why ? why : "");
    return ERROR_INPUT;
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
    problems_add(
        d->problems, d->worlds->central->scenario.uncertainty.where, "uncertainty",
        "expected parameters that can be run together: none of %d draws of world %u can; %s",
        WORLDS_MOST_DRAWS, d->world + 1, why);
    return ERROR_INPUT;
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
