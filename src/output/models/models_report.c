/* Tables of a survey on the terminal. Invariant: every row is in a table or counted below it. */
#include "output/columns.h"
#include "output/models/models.h"
#include "output/models/survey_tables.h"

#include <math.h>
#include <string.h>

/* The rows of one pair. */
struct block {
    const struct survey_row *rows;
    size_t count;
    bool limits; /* some of them are under a limit */
    bool plans;
};

static const char *const state_words[SURVEY_STATES] = {NULL,
                                                       "more GPUs than there are",
                                                       "the batch is not allowed",
                                                       "does not fit the memory of a GPU",
                                                       "outside the lookup table",
                                                       "no plan divides"};

/* ---- Heading ---- */

static void add_range(struct str *out, const struct gpu_model *g) {
    const int64_t *measured = g->range_k.at;
    if (g->range_k.count == 2 && g->plan_fit.compute_fraction > 0) {
        str_addf(out, "measured k %lld..%lld", (long long)measured[0], (long long)measured[1]);
        return;
    }
    if (g->range_k.count != 2 || g->range_batch.count != 2) {
        str_add(out, "no measured range stated");
        return;
    }
    const int64_t *k = g->range_k.at;
    const double *b = g->range_batch.at;
    str_addf(out, "measured k %lld..%lld, b ", (long long)k[0], (long long)k[1]);
    str_add_real(out, b[0]);
    str_add(out, "..");
    str_add_real(out, b[1]);
}

static void add_heading(struct str *out, const struct block *block) {
    const struct survey_row *row = block->rows;
    const char *speed = survey_columns_speed(row), *power = survey_columns_power(row);
    str_addf(out, "%s on %s: speed by %s, power by %s, evidence %s, ", row->model->name,
             row->type->name, speed, power, evidence_names[row->gpu_model->weakest]);
    add_range(out, row->gpu_model);
    if (row->gpu_model->power_scope != POWER_SCOPE_GPU)
        str_addf(out, ", power is a GPU's share of its node (%s)", survey_columns_scope(row));
    str_add(out, "\n");
}

/* ---- Rows ---- */

/* Placement changes nothing: if there are two spans, one line is for both. */
static bool is_either(const struct survey_row *row, const struct survey_row *other) {
    return network_span_count(&row->cluster->network) == 2 && other->phase == row->phase &&
           other->k == row->k && other->batch == row->batch &&
           other->power_limit_w == row->power_limit_w && other->state == row->state &&
           other->iteration_s == row->iteration_s &&
           (other->power_w == row->power_w || (isnan(other->power_w) && isnan(row->power_w))) &&
           other->span != row->span;
}

static const struct survey_row *same_elsewhere(const struct block *block,
                                               const struct survey_row *row) {
    for (size_t i = 0; i < block->count; i++)
        if (is_either(row, &block->rows[i]))
            return &block->rows[i];
    return NULL;
}

/* A cell: four digits, more of large numbers; "-" if it is not defined. */
static void add_number(struct report *report, double value) {
    if (isnan(value))
        report_cell_of(report, "-");
    else
        str_addf(report_cell(report), fabs(value) < 1000 ? "%.4g" : "%.0f", value);
}

static void add_columns(struct report *report, const struct block *block) {
    bool phases = survey_columns_phase(block->rows) > 0;
    report_table(report, phases ? ">phase|>k|>b|span" : ">k|>b|span");
    if (block->limits)
        str_add(report_column(report, true), "limit W");
    static const char *const names[] = {"time s",  "rate 1/s", "eff", "goodput",
                                        "scaling", "W/GPU",    "J/",  "GiB"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        str_addf(report_column(report, true), "%s%s", names[i],
                 names[i][1] == '/' && names[i][2] == '\0' ? survey_columns_unit(block->rows) : "");
    str_add(report_column(report, false), "range");
    if (block->plans)
        str_add(report_column(report, false), "plan");
    if (block->plans)
        report_column(report, false);
}

/* The tier by its name, if there are several. */
static const char *span_text(const struct survey_row *row) {
    const struct network *network = &row->cluster->network;
    return row->span == EASIM_ONE_NODE ? "one node"
           : network->tier_count > 1   ? network_span_name(network, row->span)
                                       : "across nodes";
}

/* The origin of a plan, unless it is that of least time. */
static void add_origin(struct str *out, const struct survey_row *row) {
    if (row->plan_origin > PLAN_OF_LEAST_TIME)
        str_add(out, plan_origin_names[row->plan_origin]);
    if (row->published_k > 0 && row->published_k != row->k)
        str_addf(out, " of %u", row->published_k);
}

static void add_row(struct report *report, const struct block *block, const struct survey_row *row,
                    bool either) {
    static const char *const ranges[] = {"inside", "outside", "-"};
    const double figures[] = {
        row->iteration_s,        row->rate,    row->efficiency, row->goodput,
        row->scaling_efficiency, row->power_w, row->energy_j,   row->memory_gib};
    report_row(report);
    if (survey_columns_phase(row) > 0) {
        str_addf(&report->text, "%u", survey_columns_phase(row));
        report_cell(report);
    }
    str_addf(&report->text, "%u", row->k);
    add_number(report, row->batch);
    report_cell_of(report, either ? "either" : span_text(row));
    if (block->limits)
        add_number(report, row->power_limit_w < INFINITY ? row->power_limit_w : NAN);
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        add_number(report, figures[i]);
    str_addf(report_cell(report), "%s%s", ranges[row->range],
             row->state == SURVEY_OK ? "" : ", not allowed");
    if (block->plans) {
        char plan[PLAN_TEXT_BYTES];
        plan_text(plan, &row->plan);
        report_cell_of(report, plan);
        add_origin(report_cell(report), row);
    }
}

/* A configuration that is not allowed can have figures: they are marked. */
static bool is_shown(const struct survey_row *row) {
    return row->state == SURVEY_OK || (row->state == SURVEY_BATCH && !isnan(row->rate));
}

static void add_feasible(struct report *report, const struct block *block) {
    bool any = false;
    for (size_t i = 0; i < block->count; i++) {
        const struct survey_row *row = &block->rows[i];
        const struct survey_row *other = same_elsewhere(block, row);
        if (!is_shown(row) || (other && other < row))
            continue;
        if (!any)
            add_columns(report, block);
        any = true;
        add_row(report, block, row, other != NULL);
    }
}

/* ---- What is not feasible ---- */

static bool is_first(const struct block *block, size_t place, bool by_k, bool by_batch,
                     bool by_span) {
    const struct survey_row *row = &block->rows[place];
    for (size_t i = 0; i < place; i++) {
        const struct survey_row *other = &block->rows[i];
        if (other->state == row->state && (!by_k || other->k == row->k) &&
            (!by_batch || other->batch == row->batch) && (!by_span || other->span == row->span))
            return false;
    }
    return true;
}

/* "b 6, 16": those of the rows of a state, and where k and span are given of these, each once. */
static void add_batches(struct str *out, const struct block *block, enum survey_state state,
                        const struct survey_row *of) {
    const char *before = "b ";
    for (size_t i = 0; i < block->count; i++) {
        const struct survey_row *row = &block->rows[i];
        if (row->state != state || (of && (row->k != of->k || row->span != of->span)) ||
            !is_first(block, i, of, true, of))
            continue;
        str_add(out, before);
        str_add_real(out, row->batch);
        before = ", ";
    }
}

/* The rows of a state: too many GPUs by k, those missing in the table by k and b, all others by
   b. */
static void add_places(struct str *out, const struct block *block, enum survey_state state) {
    const char *before = "";
    if (!block->plans && (state == SURVEY_BATCH || state == SURVEY_MEMORY)) {
        add_batches(out, block, state, NULL);
        return;
    }
    for (size_t i = 0; i < block->count; i++) {
        const struct survey_row *row = &block->rows[i];
        bool by_table = state == SURVEY_NO_POINT;
        if (row->state != state || !is_first(block, i, true, false, by_table))
            continue;
        str_addf(out, "%sk %u", before, row->k);
        before = by_table ? "; " : ", ";
        if (!by_table)
            continue;
        str_addf(out, row->span == EASIM_ONE_NODE ? " in %s " : " %s ", span_text(row));
        add_batches(out, block, state, row);
    }
}

/* The source of the memory limit: GiB, or the most samples that were seen to fit. */
static void add_memory(struct str *out, const struct survey_row *row) {
    const struct gpu_model *g = row->gpu_model;
    if (isfinite(row->type->memory_gib))
        str_addf(out, " (%.6g GiB)", row->type->memory_gib);
    if (isfinite(g->most_batch))
        str_addf(out, " (most_batch %.6g)", g->most_batch);
}

static void add_infeasible(struct str *out, const struct block *block) {
    for (int state = SURVEY_OK + 1; state < SURVEY_STATES; state++) {
        size_t count = 0;
        for (size_t i = 0; i < block->count; i++)
            count += block->rows[i].state == (enum survey_state)state;
        if (count == 0)
            continue;
        str_addf(out, "  not feasible: %zu of %zu rows, %s", count, block->count,
                 state_words[state]);
        if (state == SURVEY_GPUS)
            str_addf(out, " (%u)", block->rows->type->gpus);
        if (state == SURVEY_MEMORY)
            add_memory(out, block->rows);
        str_add(out, ": ");
        add_places(out, block, (enum survey_state)state);
        str_add_char(out, '\n');
    }
}

void models_report(const struct survey *survey, struct report *report) {
    struct str *out = &report->text;
    size_t end = 0;
    for (size_t first = 0; first < survey->rows.count; first = end) {
        const struct survey_row *rows = survey->rows.at;
        struct block block = {.rows = rows + first};
        for (end = first; end < survey->rows.count && rows[end].gpu_model == rows[first].gpu_model;
             end++)
            block.limits = block.limits || rows[end].power_limit_w < INFINITY;
        block.count = end - first;
        block.plans = rows[first].model->is_transformer;
        str_add(report_lines(report), first > 0 ? "\n" : "");
        add_heading(out, &block);
        add_feasible(report, &block);
        add_infeasible(report_lines(report), &block);
    }
}

/* --- serving_report --- */

static bool is_wished(const struct serving *table, const struct cluster *cluster,
                      const struct survey_wishes *wishes) {
    bool found = !cluster, wanted = wishes->k.count == 0;
    for (uint32_t h = 0; cluster && h < cluster->gpu_type_count; h++)
        found |= strcmp(cluster->gpu_types[h].name, table->gpu) == 0;
    for (size_t i = 0; i < wishes->k.count; i++)
        wanted |= wishes->k.at[i] == (double)table->k;
    return found && wanted && survey_wants(wishes->gpus, wishes->gpu_count, table->gpu);
}

static void add_points(struct report *report, const struct serving *serving, bool tokens) {
    const struct serving_table *table = &serving->table;
    report_table(report, tokens ? ">limit|>running|>tokens/s|>W|>J/token|>p50 ms|>p90 ms|>p95 "
                                  "ms|>p99 ms"
                                : ">limit|>running|>outputs/s|>W|>J/output|>ms");
    for (size_t i = 0; i < table->count; i++) {
        const struct serving_point *p = &table->points[i];
        if (isnan(p->limit))
            report_row_of(report, "-");
        else
            str_addf(report_row(report), "%.6g", p->limit);
        str_addf(report_cell(report), "%.5g", p->n);
        str_addf(report_cell(report), "%.5g", p->per_s);
        str_addf(report_cell(report), "%.5g", p->power_w);
        str_addf(report_cell(report), "%.4g", p->power_w / p->per_s);
        for (int q = 0; q < (tokens ? SERVING_QUANTILES : 1); q++)
            str_addf(report_cell(report), "%.4g", p->latency_ms[q]);
    }
}

size_t serving_report(const struct model_set *models, const struct cluster *cluster,
                      const struct survey_wishes *wishes, struct report *report) {
    struct str *out = report_lines(report);
    size_t shown = 0;
    for (uint32_t m = 0; m < models->count; m++) {
        const struct model *model = &models->models[m];
        const struct serving *tables = model->serving.tables.at;
        for (size_t i = 0; i < model->serving.tables.count; i++) {
            if (!survey_wants(wishes->models, wishes->model_count, model->name) ||
                !is_wished(&tables[i], cluster, wishes))
                continue;
            report_lines(report);
            str_addf(out, "%s%s on %s, replica of %lld GPUs: serving table, evidence %s\n",
                     out->length > 0 ? "\n" : "", model->name, tables[i].gpu,
                     (long long)tables[i].k, evidence_names[tables[i].evidence]);
            add_points(report, &tables[i], model->serving.unit == UNIT_TOKEN);
            shown++;
        }
    }
    return shown;
}

/* --- plans_report --- */

#define MOST_SHOWN 8 /* of a k, on the terminal */

/* chosen: the row, if jobs take the plan. */
static void add_plan(struct report *report, const struct timed_plan *plan,
                     const struct survey_row *chosen) {
    char text[PLAN_TEXT_BYTES];
    const struct plan_parts *p = &plan->parts;
    const double parts_s[] = {p->compute_s, p->memory_s,   p->tensor_s, p->pipeline_s,
                              p->bubble_s,  p->gradient_s, p->fixed_s};
    plan_text(text, &plan->plan);
    report_row_of(report, text);
    str_addf(report_cell(report), "%.4g", plan->time_s);
    for (size_t i = 0; i < sizeof parts_s / sizeof *parts_s; i++)
        str_addf(report_cell(report), "%.*f", parts_s[i] == 0 ? 0 : 2, parts_s[i]);
    str_addf(report_cell(report), "%.1f", plan->memory_gib);
    if (chosen)
        add_origin(report_cell(report), chosen);
}

/* The fastest that fit, and the chosen one. */
static void add_plans(const struct survey_row *row, const struct timed_plans *plans,
                      struct report *report) {
    size_t fit = 0, shown = 0;
    for (size_t i = 0; i < plans->list.count; i++)
        fit += timed_plans_fits(plans, i);
    str_addf(report_lines(report), "%s on %u %s: %zu plans, %zu fit the memory\n", row->model->name,
             row->k, row->type->name, plans->list.count, fit);
    if (fit > 0)
        report_table(report, "plan|>time s|>compute|>memory|>tensor|>pipe|>bubble|>grads|>fixed|>"
                             "GiB|");
    for (size_t i = 0; i < plans->list.count; i++) {
        bool chosen = timed_plans_is_chosen(plans, i);
        if (timed_plans_fits(plans, i) && (shown < MOST_SHOWN || chosen)) {
            add_plan(report, &plans->list.at[i], chosen ? row : NULL);
            shown++;
        }
    }
    if (fit > shown)
        str_addf(report_lines(report), "  ... and %zu slower ones\n", fit - shown);
}

void plans_report(const struct survey *survey, struct report *report) {
    bool any = false;
    for (size_t r = 0; r < survey->rows.count; r++) {
        const struct survey_row *row = &survey->rows.at[r];
        if (!timed_plans_stand_for(row))
            continue;
        struct timed_plans plans = timed_plans_of(row);
        str_add(report_lines(report), any ? "\n" : "");
        add_plans(row, &plans, report);
        any = true;
        timed_plans_finish(&plans);
    }
}
