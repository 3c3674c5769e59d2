/* Curves of models. Invariant: a curve holds the one thing that lets it reach farthest. */
#include "output/plot/figures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- model_table --- */
/* Results of easim models, read for figures: models.csv, and measured.csv in the same folder. */

/* A configuration that a job may have, or a measured one, without a power limit. */
struct model_place {
    size_t model, type; /* by number in the names */
    double k, b, rate, goodput, energy_j;
    bool across;
    bool best; /* no batch on these k GPUs has a higher goodput */
};

struct model_places {
    ARRAY_OF(struct model_place) list;
};

/* Zero-initialise; release with model_table_finish. */
struct model_table {
    struct arena arena;
    ARRAY_OF(const char *) models;
    ARRAY_OF(const char *) types;
    const char *unit;         /* of work; NULL: not all models have the same */
    struct model_places said; /* by the models: one span each, in one node if that is possible */
    struct model_places measured;
    size_t infeasible, limited, later; /* rows that are left out; of later phases than the first */
};

static int model_table_open(struct model_table *table, const char *folder,
                            struct error *reterr) MUST_CHECK;

enum {
    MODEL,
    TYPE,
    K,
    B,
    SPAN,
    LIMIT,
    RATE,
    MODEL_TABLE_ENERGY,
    UNIT,
    STATE,
    GOODPUT,
    PHASE,
    COLUMNS
};

static const char *const columns_said[] = {
    "model",      "gpu_type",          "k",    "b",     "span",          "power_limit_w",
    "rate_per_s", "energy_per_unit_j", "unit", "state", "goodput_per_s", "phase",
    NULL};
static const char *const columns_measured[] = {
    "model",      "gpu_type",          "k",    "b", "span", "power_limit_w",
    "rate_per_s", "energy_per_unit_j", "unit", NULL};

/* Two batches, or two k, that are equal except for rounding. */
static bool model_table_same(double a, double b) {
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
                   {MODEL_TABLE_ENERGY, &place->energy_j},
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

/* If a configuration has both spans, that in one node. */
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

/* A measured place is the best if the predicted one is. */
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

static int model_table_open(struct model_table *table, const char *folder, struct error *reterr) {
    int r = read_places(table, folder, "models.csv", columns_said, &table->said, reterr);
    if (r == 0 && plot_source_exists(folder, "measured.csv"))
        r = read_places(table, folder, "measured.csv", columns_measured, &table->measured, reterr);
    find_best(&table->said);
    copy_best(table);
    if (table->unit && !table->unit[0])
        table->unit = NULL;
    return r;
}

static void model_table_finish(struct model_table *table) {
    free(table->models.at);
    free(table->types.at);
    free(table->said.list.at);
    free(table->measured.list.at);
    arena_finish(&table->arena);
}

/* --- model_figures --- */

#define MOST_PANELS       12
#define MOST_TYPES        9 /* colours */
#define MANY_PANELS       6
#define WIDE_FIGURE       700
#define WIDE_RATIO        20
#define MOST_TITLE_BESIDE 29 /* characters, of a panel next to others */
#define MOST_TITLE_ALONE  50

enum quantity { SPEEDUP, ENERGY };
enum variant { IDEAL, SOLID, DASHED, MEASURED }; /* column of the data */

/* The constant along a curve. */
enum held { HELD_BATCH, HELD_GLOBAL_BATCH, HELD_NOTHING, HELD_K };

struct request {
    enum quantity quantity;
    bool over_k; /* else over b */
};

/* The curves of one model on one GPU type: up to two, solid and dashed. */
struct curves {
    enum held held;
    double keys[2];       /* what is held at */
    size_t count, places; /* `places` points for each curve */
};

/* A panel while it is made. */
struct panel {
    size_t number, model;
    double x_least, x_most, y_least, y_most;
    struct curves of_type[MOST_TYPES];
};

struct drawing {
    const struct model_table *table;
    struct request request;
    struct plot_figure *figure;
    struct panel panels[MOST_PANELS];
    size_t panel_count, measured_drawn;
    const char *energy_unit;
    double energy_scale; /* from J */
};

/* ---- Which curves ---- */

static double key_of(const struct model_place *place, enum held held) {
    return held == HELD_BATCH          ? place->b
           : held == HELD_GLOBAL_BATCH ? place->k * place->b
           : held == HELD_K            ? place->k
           : place->best               ? 0
                                       : NAN;
}

static double value_of(const struct model_place *place, enum quantity quantity) {
    return quantity == SPEEDUP ? place->rate : place->energy_j;
}

static bool is_on(const struct model_place *place, size_t model, size_t type, enum held held,
                  double key, enum quantity quantity) {
    return place->model == model && place->type == type &&
           (key_of(place, held) == key || model_table_same(key_of(place, held), key)) &&
           isfinite(value_of(place, quantity));
}

static size_t count_places(const struct drawing *d, size_t model, size_t type, enum held held,
                           double key) {
    size_t count = 0;
    for (size_t i = 0; i < d->table->said.list.count; i++)
        count += is_on(&d->table->said.list.at[i], model, type, held, key, d->request.quantity);
    return count;
}

/* The longest curves with that held; of equally long ones those with most and least of it. */
static struct curves longest_curves(const struct drawing *d, size_t model, size_t type,
                                    enum held held) {
    struct curves c = {.held = held};
    for (size_t i = 0; i < d->table->said.list.count; i++) {
        const struct model_place *place = &d->table->said.list.at[i];
        double key = key_of(place, held);
        size_t places = place->model == model && place->type == type && !isnan(key)
                            ? count_places(d, model, type, held, key)
                            : 0;
        if (places > c.places)
            c = (struct curves){held, {key, key}, 1, places};
        else if (places > 0 && places == c.places) {
            c.keys[0] = fmax(c.keys[0], key);
            c.keys[1] = fmin(c.keys[1], key);
        }
    }
    c.count = c.places == 0 ? 0 : c.keys[0] > c.keys[1] ? 2 : 1;
    return c;
}

/* Over batches: the fewest GPUs with two of them, and the most. */
static struct curves curves_of_counts(const struct drawing *d, size_t model, size_t type) {
    struct curves c = {.held = HELD_K, .keys = {INFINITY, 0}};
    for (size_t i = 0; i < d->table->said.list.count; i++) {
        double k = d->table->said.list.at[i].k;
        size_t places = count_places(d, model, type, HELD_K, k);
        if (places < 2)
            continue;
        c.keys[0] = fmin(c.keys[0], k);
        c.keys[1] = fmax(c.keys[1], k);
        c.places = places;
    }
    c.count = c.places == 0 ? 0 : c.keys[0] < c.keys[1] ? 2 : 1;
    return c;
}

static struct curves choose_curves(const struct drawing *d, size_t model, size_t type) {
    if (!d->request.over_k)
        return curves_of_counts(d, model, type);
    struct curves best = longest_curves(d, model, type, HELD_BATCH);
    for (enum held held = HELD_GLOBAL_BATCH; held <= HELD_NOTHING; held++) {
        struct curves c = longest_curves(d, model, type, held);
        if (c.places > best.places)
            best = c;
    }
    return best;
}

/* ---- Points ---- */

/* A row of the data. */
struct drawn {
    size_t series; /* 1 + GPU type; 0: none */
    enum variant variant;
    double x, y, held;
};

static void add_point(struct drawing *d, struct panel *panel, const struct drawn *point) {
    struct str *data = &d->figure->data;
    str_addf(data, "%zu,%zu,%d", panel->number, point->series, point->variant);
    csv_comma_real(data, point->x);
    csv_comma_real(data, point->y);
    csv_comma_real(data, point->held);
    csv_comma_text(data, point->series > 0 ? d->table->types.at[point->series - 1] : "");
    csv_comma_text(data, d->table->models.at[panel->model]);
    str_add_char(data, '\n');
    panel->x_least = fmin(panel->x_least, point->x);
    panel->x_most = fmax(panel->x_most, point->x);
    panel->y_least = fmin(panel->y_least, point->y);
    panel->y_most = fmax(panel->y_most, point->y);
}

/* The points of a list that are on a curve; speed-up is against the model's own first point. */
static size_t add_places(struct drawing *d, struct panel *panel, size_t type,
                         const struct model_places *places, size_t number, enum variant variant) {
    const struct curves *c = &panel->of_type[type];
    const struct model_place *base = NULL;
    size_t count = 0;
    for (size_t i = 0; i < d->table->said.list.count; i++) {
        const struct model_place *place = &d->table->said.list.at[i];
        if (is_on(place, panel->model, type, c->held, c->keys[number], d->request.quantity) &&
            (!base || place->k < base->k))
            base = place;
    }
    for (size_t i = 0; base && i < places->list.count; i++) {
        const struct model_place *place = &places->list.at[i];
        if (!is_on(place, panel->model, type, c->held, c->keys[number], d->request.quantity))
            continue;
        double y = d->request.quantity == SPEEDUP ? base->k * (place->rate / base->rate)
                                                  : place->energy_j * d->energy_scale;
        const struct drawn point = {type + 1, variant, d->request.over_k ? place->k : place->b, y,
                                    key_of(place, c->held)};
        add_point(d, panel, &point);
        count++;
    }
    return count;
}

static void add_panel(struct drawing *d, size_t model) {
    struct panel *panel = &d->panels[d->panel_count++];
    panel->number = d->panel_count;
    panel->model = model;
    panel->x_least = panel->y_least = INFINITY;
    for (size_t type = 0; type < d->table->types.count; type++) {
        panel->of_type[type] = choose_curves(d, model, type);
        for (size_t n = 0; n < panel->of_type[type].count; n++) {
            add_places(d, panel, type, &d->table->said, n, n == 0 ? SOLID : DASHED);
            d->measured_drawn += add_places(d, panel, type, &d->table->measured, n, MEASURED);
        }
    }
    if (d->request.quantity != SPEEDUP)
        return;
    double least = panel->x_least, most = panel->x_most;
    add_point(d, panel, &(struct drawn){0, IDEAL, least, least, NAN});
    add_point(d, panel, &(struct drawn){0, IDEAL, most, most, NAN});
}

/* ---- Words ---- */

/* "batch/GPU 512, dashed 16" ("batch": that of all GPUs; it has to fit the width of a panel), if
 * that is true of all GPU types of the panel. */
static const char *subtitle_of(const struct drawing *d, const struct panel *panel) {
    static const char *const words[] = {"batch/GPU", "batch", NULL, "GPUs"};
    const struct curves *first = NULL;
    for (size_t type = 0; type < d->table->types.count; type++) {
        const struct curves *c = &panel->of_type[type];
        if (c->count == 0)
            continue;
        if (first && (c->held != first->held || c->count != first->count ||
                      c->keys[0] != first->keys[0] || c->keys[1] != first->keys[1]))
            return d->request.over_k ? "largest b, dashed smallest" : "fewest GPUs, dashed most";
        first = c;
    }
    if (!first || first->held == HELD_NOTHING)
        return "the fastest batch of each k";
    return first->count == 1
               ? arena_printf(&d->figure->arena, "%s %.6g", words[first->held], first->keys[0])
               : arena_printf(&d->figure->arena, "%s %.6g, dashed %.6g", words[first->held],
                              first->keys[0], first->keys[1]);
}

/* Without the owner in front of it, unless another panel has the same name then. */
static const char *title_of(const struct drawing *d, size_t panel) {
    const char *name = d->table->models.at[d->panels[panel].model], *slash = strchr(name, '/');
    for (size_t p = 0; slash && p < d->panel_count; p++) {
        const char *other = d->table->models.at[d->panels[p].model], *at = strchr(other, '/');
        if (p != panel && strcmp(at ? at + 1 : other, slash + 1) == 0)
            return name;
    }
    return slash ? slash + 1 : name;
}

static void set_panels(struct drawing *d) {
    const char *names[MOST_PANELS], *subtitles[MOST_PANELS];
    double numbers[4][MOST_PANELS], log_x[MOST_PANELS], log_y[MOST_PANELS];
    static const char *const arrays[] = {"x_least", "x_most", "y_least", "y_most"};
    for (size_t p = 0; p < d->panel_count; p++) {
        const struct panel *panel = &d->panels[p];
        names[p] = title_of(d, p);
        subtitles[p] = subtitle_of(d, panel);
        numbers[0][p] = panel->x_least;
        numbers[1][p] = panel->x_most;
        numbers[2][p] = panel->y_least;
        numbers[3][p] = panel->y_most;
        bool speedup = d->request.quantity == SPEEDUP;
        log_x[p] = !speedup || panel->x_most > WIDE_RATIO; /* a straight ideal looks familiar */
        log_y[p] = speedup ? log_x[p] : panel->y_most > WIDE_RATIO * panel->y_least;
    }
    plot_set_names(d->figure, "panels", names, d->panel_count,
                   d->panel_count > 1 ? MOST_TITLE_BESIDE : MOST_TITLE_ALONE);
    plot_set_titles(d->figure, "subtitles", subtitles, d->panel_count);
    for (size_t a = 0; a < 4; a++)
        plot_set_numbers(d->figure, arrays[a], numbers[a], d->panel_count);
    plot_set_numbers(d->figure, "log_x", log_x, d->panel_count);
    plot_set_numbers(d->figure, "log_y", log_y, d->panel_count);
}

static void set_labels(struct drawing *d) {
    const char *unit = d->table->unit ? d->table->unit : "unit of work";
    bool speedup = d->request.quantity == SPEEDUP;
    plot_set_text(d->figure, "x_label", d->request.over_k ? "GPUs" : "batch per GPU");
    plot_set_text(d->figure, "y_label",
                  speedup ? "speed-up of the rate"
                          : arena_printf(&d->figure->arena, "energy of the GPUs (%s per %s)",
                                         d->energy_unit, unit));
    plot_set_text(d->figure, "note",
                  !speedup ? "while computing; set-up and nodes not counted"
                  : d->measured_drawn == 0
                      ? "rate over that of the fewest GPUs, times their number"
                      : "over the modelled rate of the fewest GPUs, times their number");
    plot_set_number(d->figure, "y_base", speedup ? 2 : 10);
    plot_set_number(d->figure, "measured", d->measured_drawn > 0);
}

/* Side by side; of many, more in a wider figure, unless its width was asked for. */
static size_t count_columns(const struct drawing *d) {
    if (d->panel_count > MANY_PANELS && d->figure->width == PLOT_WIDTH)
        d->figure->width = WIDE_FIGURE;
    return d->panel_count == 1 ? 1 : d->figure->width >= WIDE_FIGURE ? 3 : 2;
}

static void set_series(struct drawing *d) {
    const char *labels[MOST_TYPES + 2];
    struct plot_style styles[MOST_TYPES];
    size_t count = d->table->types.count;
    size_t columns = count_columns(d), rows = (d->panel_count + columns - 1) / columns;
    for (size_t i = 0; i < count; i++)
        labels[i] = d->table->types.at[i];
    plot_set_series(d->figure, labels, count);
    plot_styles_of_values(labels, count, styles);
    plot_set_styles(d->figure, styles, count);
    if (d->measured_drawn > 0)
        labels[count++] = "measured";
    if (d->request.quantity == SPEEDUP)
        labels[count++] = "ideal";
    plot_set_number(d->figure, "columns", (double)columns);
    d->figure->height = 80 + (int)rows * (columns > 1 ? 210 : 290) +
                        plot_set_legend(d->figure, d->figure->width - 20, labels, count);
}

/* GPU types keep their colour and place in the legend in all figures, also where they have none. */
static void note_types_without_curves(struct drawing *d) {
    const char *types = NULL;
    for (size_t type = 0; type < d->table->types.count; type++) {
        size_t curves = 0;
        for (size_t p = 0; p < d->panel_count; p++)
            curves += d->panels[p].of_type[type].count;
        const char *name = d->table->types.at[type];
        if (curves == 0)
            types = types ? arena_printf(&d->figure->arena, "%s, %s", types, name) : name;
    }
    if (types)
        plot_note(d->figure, "no model has two %s on %s", d->request.over_k ? "k" : "batches",
                  types);
}

static void note_left_out(struct drawing *d, size_t models_left_out) {
    const struct model_table *t = d->table;
    note_types_without_curves(d);
    if (models_left_out > 0)
        plot_note(
            d->figure,
            "%zu of %zu models are left out, with fewer than two points or more than %d panels",
            models_left_out, t->models.count, MOST_PANELS);
    if (t->infeasible > 0)
        plot_note(d->figure, "%zu rows that jobs may not have are left out", t->infeasible);
    if (t->limited > 0)
        plot_note(d->figure, "%zu rows under a power limit are left out", t->limited);
    if (t->later > 0)
        plot_note(d->figure, "%zu rows of later phases are left out", t->later);
    if (d->measured_drawn < t->measured.list.count)
        plot_note(d->figure, "%zu of %zu measured points are on a curve that is drawn",
                  d->measured_drawn, t->measured.list.count);
}

/* ---- The figures ---- */

/* The unit in which the largest energy has few digits. */
static void choose_unit(struct drawing *d) {
    double most = 0;
    for (size_t i = 0; i < d->table->said.list.count; i++)
        if (isfinite(d->table->said.list.at[i].energy_j))
            most = fmax(most, d->table->said.list.at[i].energy_j);
    d->energy_unit = most >= 1e4 ? "kJ" : most < 0.1 ? "mJ" : "J";
    d->energy_scale = most >= 1e4 ? 1e-3 : most < 0.1 ? 1e3 : 1;
}

/* Some curve has two points. */
static bool has_curve(const struct drawing *d, size_t model) {
    for (size_t type = 0; type < d->table->types.count; type++)
        if (choose_curves(d, model, type).places > 1)
            return true;
    return false;
}

static int draw_models(const struct model_table *table, struct request request,
                       struct plot_figure *figure) {
    struct drawing d = {.table = table, .request = request, .figure = figure};
    size_t left_out = 0;
    if (table->types.count > MOST_TYPES)
        return plot_not_possible(figure, "expected at most %d GPU types, got %zu", MOST_TYPES,
                                 table->types.count);
    choose_unit(&d);
    str_add(&figure->data, "panel,series,variant,x,y,held,gpu_type,model\n");
    for (size_t m = 0; m < table->models.count; m++)
        if (d.panel_count < MOST_PANELS && has_curve(&d, m))
            add_panel(&d, m);
        else
            left_out++;
    if (d.panel_count == 0)
        return plot_not_possible(figure, "no model has two %s to draw a line through",
                                 request.over_k ? "k" : "batches");
    set_panels(&d);
    set_labels(&d);
    set_series(&d);
    note_left_out(&d, left_out);
    return 0;
}

static int plot_models(const struct plot_source *source, struct request request,
                       struct plot_figure *figure, struct error *reterr) {
    struct model_table table = {0};
    int r = model_table_open(&table, source->models, reterr);
    if (r == 0)
        r = draw_models(&table, request, figure);
    model_table_finish(&table);
    return r;
}

int plot_speedup(const struct plot_source *source, const struct plot_wishes *wishes,
                 struct plot_figure *figure, struct error *reterr) {
    (void)wishes;
    return plot_models(source, (struct request){SPEEDUP, true}, figure, reterr);
}

int plot_energy_over_k(const struct plot_source *source, const struct plot_wishes *wishes,
                       struct plot_figure *figure, struct error *reterr) {
    (void)wishes;
    return plot_models(source, (struct request){ENERGY, true}, figure, reterr);
}

int plot_energy_over_b(const struct plot_source *source, const struct plot_wishes *wishes,
                       struct plot_figure *figure, struct error *reterr) {
    (void)wishes;
    return plot_models(source, (struct request){ENERGY, false}, figure, reterr);
}
