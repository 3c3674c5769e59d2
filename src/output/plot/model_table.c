/* Rows of models.csv and measured.csv: see model_table.h. */
#include "output/plot/model_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MODEL, TYPE, K, B, SPAN, LIMIT, RATE, ENERGY, UNIT, STATE, GOODPUT, PHASE, COLUMNS };

static const char *const columns_said[] = {
    "model",      "gpu_type",          "k",    "b",     "span",          "power_limit_w",
    "rate_per_s", "energy_per_unit_j", "unit", "state", "goodput_per_s", "phase",
    NULL};
static const char *const columns_measured[] = {
    "model",      "gpu_type",          "k",    "b", "span", "power_limit_w",
    "rate_per_s", "energy_per_unit_j", "unit", NULL};

bool model_table_same(double a, double b) {
    return fabs(a - b) <= 1e-9 * fabs(b);
}

static size_t number_of(struct model_table *table, struct slice name, bool of_type) {
    size_t count = of_type ? table->types.count : table->models.count;
    const char *const *at = of_type ? table->types.at : table->models.at;
    for (size_t i = 0; i < count; i++)
        if (slice_is(name, at[i]))
            return i;
    const char *kept = arena_strndup(&table->arena, name.at, name.length);
    if (of_type)
        array_push(&table->types, kept);
    else
        array_push(&table->models, kept);
    return count;
}

static int read_place(struct model_table *table, const struct csv *csv, const int *columns,
                      struct model_place *place, struct error *reterr) {
    const struct {
        int column;
        double *value;
    } numbers[] = {{K, &place->k},
                   {B, &place->b},
                   {RATE, &place->rate},
                   {ENERGY, &place->energy_j},
                   {GOODPUT, &place->goodput}};
    int r = 0;
    for (size_t i = 0; r == 0 && i < sizeof numbers / sizeof *numbers; i++)
        r = columns[numbers[i].column] < 0
                ? 0
                : plot_source_real(csv, columns[numbers[i].column], numbers[i].value, reterr);
    place->across = slice_is(csv_field(csv, columns[SPAN]), "across_nodes");
    place->model = number_of(table, csv_field(csv, columns[MODEL]), false);
    place->type = number_of(table, csv_field(csv, columns[TYPE]), true);
    return r;
}

/* Counts the row where it is left out. */
static bool is_kept(struct model_table *table, const struct csv *csv, const int *columns) {
    if (columns[STATE] >= 0 && !slice_is(csv_field(csv, columns[STATE]), "ok"))
        table->infeasible++;
    else if (csv_field(csv, columns[LIMIT]).length > 0)
        table->limited++;
    else if (columns[PHASE] >= 0 && csv_field(csv, columns[PHASE]).length > 0 &&
             !slice_is(csv_field(csv, columns[PHASE]), "1"))
        table->later++;
    else
        return true;
    return false;
}

/* Of both spans of a configuration, that in one node. */
static void add_place(struct model_places *places, const struct model_place *place, bool once) {
    struct model_place *last =
        places->list.count > 0 ? &places->list.at[places->list.count - 1] : NULL;
    if (once && last && last->model == place->model && last->type == place->type &&
        last->k == place->k && last->b == place->b) {
        if (last->across)
            *last = *place;
        return;
    }
    array_push(&places->list, *place);
}

static int read_places(struct model_table *table, const char *folder, const char *name,
                       const char *const *names, struct model_places *places,
                       struct error *reterr) {
    struct csv *csv = NULL;
    int columns[COLUMNS + 1], got;
    for (int c = 0; c < COLUMNS; c++)
        columns[c] = -1;
    int r = plot_source_table(folder, name, names, columns, &csv, reterr);
    while (r == 0 && (got = csv_next(csv, reterr)) != 0) {
        struct model_place place = {.goodput = NAN};
        r = got < 0 ? got : read_place(table, csv, columns, &place, reterr);
        if (r < 0)
            break;
        struct slice unit = csv_field(csv, columns[UNIT]);
        if (!table->unit)
            table->unit = arena_strndup(&table->arena, unit.at, unit.length);
        else if (!slice_is(unit, table->unit))
            table->unit = "";
        if (is_kept(table, csv, columns))
            add_place(places, &place, names == columns_said);
    }
    csv_close(csv);
    return r;
}

static void find_best(struct model_places *places) {
    for (size_t i = 0; i < places->list.count; i++) {
        struct model_place *place = &places->list.at[i];
        place->best = true;
        for (size_t j = 0; j < places->list.count; j++) {
            const struct model_place *other = &places->list.at[j];
            if (other->model == place->model && other->type == place->type &&
                other->k == place->k && other->goodput > place->goodput)
                place->best = false;
        }
    }
}

/* A measured place is the best where the model says so of it. */
static void copy_best(struct model_table *table) {
    for (size_t i = 0; i < table->measured.list.count; i++)
        for (size_t j = 0; j < table->said.list.count; j++) {
            struct model_place *place = &table->measured.list.at[i];
            const struct model_place *said = &table->said.list.at[j];
            if (said->best && said->model == place->model && said->type == place->type &&
                said->k == place->k && model_table_same(said->b, place->b))
                place->best = true;
        }
}

int model_table_open(struct model_table *table, const char *folder, struct error *reterr) {
    int r = read_places(table, folder, "models.csv", columns_said, &table->said, reterr);
    if (r == 0 && plot_source_exists(folder, "measured.csv"))
        r = read_places(table, folder, "measured.csv", columns_measured, &table->measured, reterr);
    find_best(&table->said);
    copy_best(table);
    if (table->unit && !table->unit[0])
        table->unit = NULL;
    return r;
}

void model_table_finish(struct model_table *table) {
    free(table->models.at);
    free(table->types.at);
    free(table->said.list.at);
    free(table->measured.list.at);
    arena_finish(&table->arena);
}
