/* Text of measured inference: see inference.h. */
#include "calibrate/inference.h"

#include "calibrate/fit_record.h"
#include "io/yaml_node.h"

#include <gsl/gsl_sort.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PERCENT(x) (100 * (x))

static void add_text(struct str *out, const char *before, const char *text, const char *after) {
    str_add(out, before);
    yaml_add_quoted(out, text);
    str_add(out, after);
}

static void write_source(struct str *out, const struct inference *inference, size_t rows,
                         const char *profile) {
    writer_text(out, "        source",
                arena_printf(inference->arena, "easim calibrate, %zu rows of %s", rows, profile));
}

/* ---- Generation ---- */

/* All batches of a model, on any GPU type. */
static void write_batches(struct str *out, const struct generation_table *tables, size_t count) {
    ARRAY_OF(double) batches = {0};
    for (size_t i = 0; i < count; i++)
        for (size_t p = 0; p < tables[i].table.count; p++)
            array_push(&batches, tables[i].table.points[p].batch);
    size_t kept = 0;
    gsl_sort(batches.at, 1, batches.count);
    for (size_t i = 0; i < batches.count; i++)
        if (kept == 0 || batches.at[i] != batches.at[kept - 1])
            batches.at[kept++] = batches.at[i];
    str_add(out, "    batches: [");
    writer_list(out, batches.at, kept);
    str_add(out, "]\n");
    free(batches.at);
}

static void write_generation(struct str *out, const struct inference *inference,
                             const struct generation_table *g, const char *profile) {
    const struct interpolation_point *points = g->table.points;
    double least = INFINITY, most = 0;
    add_text(out, "      ", g->gpu, ":\n        lookup:\n");
    for (size_t i = 0; i < g->table.count; i++) {
        least = fmin(least, points[i].batch);
        most = fmax(most, points[i].batch);
        str_add(out, "          - {");
        writer_item(out, "k", (double)points[i].k);
        writer_item(out, "batch", points[i].batch);
        writer_item(out, "throughput_samples_s", points[i].throughput_samples_s);
        writer_item(out, "power_w_per_gpu", points[i].power_w_per_gpu);
        str_add(out, "}\n");
    }
    str_add(out, "        power_between: energy\n");
    str_addf(out, "        evidence: %s\n", evidence_names[g->evidence]);
    write_source(out, inference, g->rows, profile);
    str_addf(out, "        range_k: [%lld, %lld]\n        range_batch: [", (long long)points[0].k,
             (long long)points[g->table.count - 1].k);
    writer_list(out, (const double[]){least, most}, 2);
    str_add(out, "]\n");
    if (g->left_out_count == 0)
        return;
    str_addf(out, "        fit: {left_out: {points: %zu", g->left_out_count);
    for (int q = OF_SPEED; q <= OF_POWER; q++)
        writer_item(out, q == OF_SPEED ? "throughput_median" : "power_median",
                    left_out_summarise(&inference->generation_errors, g->first_left_out,
                                       g->left_out_count, (enum inference_quantity)q)
                        .median);
    str_add(out, "}}\n");
}

/* ---- Serving ---- */

static void write_point(struct str *out, const struct serving_point *p, enum work_unit unit) {
    str_add(out, "          - {");
    writer_item(out, "limit", p->limit);
    writer_item(out, "n", p->n);
    writer_item(out, "per_s", p->per_s);
    writer_item(out, "power_w", p->power_w);
    if (unit == UNIT_TOKEN) {
        str_add(out, ", itl_ms: {");
        writer_item(out, "p50", p->latency_ms[SERVING_P50]);
        writer_item(out, "p90", p->latency_ms[SERVING_P90]);
        writer_item(out, "p95", p->latency_ms[SERVING_P95]);
        writer_item(out, "p99", p->latency_ms[SERVING_P99]);
        str_add(out, "}}\n");
    } else {
        writer_item(out, "latency_ms", p->latency_ms[SERVING_P50]);
        str_add(out, "}\n");
    }
}

static void write_curve(struct str *out, const struct inference *inference,
                        const struct serving_curve *c, const char *profile) {
    static const char *const keys[] = {"throughput_median", "power_median", "latency_p50_median"};
    add_text(out, "      - gpu: ", c->gpu, "\n");
    str_addf(out, "        k: %u\n        evidence: %s\n", c->k, evidence_names[c->evidence]);
    write_source(out, inference, c->rows, profile);
    str_add(out, "        points:\n");
    for (size_t i = 0; i < c->raw.count; i++)
        write_point(out, &c->raw.points[i], c->unit);
    if (c->left_out_count == 0)
        return;
    str_addf(out, "        fit: {left_out: {points: %zu", c->left_out_count);
    for (int q = OF_SPEED; q <= OF_P50; q++)
        writer_item(out, keys[q],
                    left_out_summarise(&inference->serving_errors, c->first_left_out,
                                       c->left_out_count, (enum inference_quantity)q)
                        .median);
    str_add(out, "}}\n");
}

/* ---- Models ---- */

static void write_generations(struct str *out, const struct inference *inference, size_t first,
                              size_t end, const char *profile) {
    if (first == end)
        return;
    str_add(out, "    efficiency: none\n");
    write_batches(out, inference->generations.at + first, end - first);
    str_add(out, "    gpus:\n");
    for (size_t i = first; i < end; i++)
        write_generation(out, inference, &inference->generations.at[i], profile);
}

static void write_curves(struct str *out, const struct inference *inference, size_t first,
                         size_t end, const char *profile) {
    if (first == end)
        return;
    const struct serving_curve *c = &inference->curves.at[first];
    bool included = strcmp(c->prompt, "included") == 0;
    if (c->unit == UNIT_TOKEN)
        str_addf(out, "    prompt: {%s%s}\n",
                 included ? "included: true" : "output_equivalents: ", included ? "" : c->prompt);
    str_add(out, "    serving:\n");
    for (size_t i = first; i < end; i++)
        write_curve(out, inference, &inference->curves.at[i], profile);
}

/* Both kinds of tables stand in the order of their models' names. */
void inference_write_models(struct str *out, const struct inference *inference,
                            const char *profile) {
    const struct generation_table *generations = inference->generations.at;
    const struct serving_curve *curves = inference->curves.at;
    size_t g = 0, c = 0;
    while (g < inference->generations.count || c < inference->curves.count) {
        size_t first_g = g, first_c = c;
        bool serves =
            g == inference->generations.count ||
            (c < inference->curves.count && strcmp(curves[c].model, generations[g].model) < 0);
        const char *model = serves ? curves[c].model : generations[g].model;
        while (g < inference->generations.count && strcmp(generations[g].model, model) == 0)
            g++;
        while (c < inference->curves.count && strcmp(curves[c].model, model) == 0)
            c++;
        add_text(out, "  - name: ", model, "\n");
        str_addf(out, "    unit: %s\n",
                 work_unit_names[c > first_c ? curves[first_c].unit : UNIT_OUTPUT]);
        write_generations(out, inference, first_g, g, profile);
        write_curves(out, inference, first_c, c, profile);
    }
}

/* ---- Report ---- */

static void report_errors(struct str *out, const struct left_out_points *points, const char *place,
                          int quantities) {
    for (int q = 0; q < quantities; q++) {
        struct left_out_summary s =
            left_out_summarise(points, 0, points->count, (enum inference_quantity)q);
        if (s.count == 0)
            continue;
        const struct left_out_point *w = &points->at[s.worst];
        str_addf(
            out,
            "  %-12s median %5.2f %%, 90 %% of points within %6.2f %%, worst %7.2f %%: %s on %s, k %u, %s %.9g\n",
            inference_quantity_names[q], PERCENT(s.median), PERCENT(s.p90), PERCENT(s.most),
            w->model, w->gpu, w->k, place, w->at);
    }
}

static void report_left_out(struct str *out, const struct left_out_points *points, const char *what,
                            const char *place, int quantities) {
    if (points->count == 0)
        return;
    str_addf(out, "%s: %zu inner points, each from its neighbours; error left out\n", what,
             points->count);
    report_errors(out, points, place, quantities);
}

static void report_moves(struct str *out, const struct inference *inference) {
    size_t dropped = 0, curves = 0, points = 0;
    for (size_t i = 0; i < inference->curves.count; i++) {
        const struct serving_curve *c = &inference->curves.at[i];
        bool pooled = false;
        for (size_t p = 0; p < c->raw.count; p++)
            pooled |= c->pooled.points[p].per_s != c->raw.points[p].per_s;
        points += c->raw.count;
        dropped += c->dropped;
        curves += pooled;
    }
    if (points == 0)
        return;
    str_addf(
        out,
        "serving: %zu points in %zu tables; %zu tables have a rate that falls, and is pooled\n",
        points, inference->curves.count, curves);
    if (dropped > 0)
        str_addf(out, "  %zu points dropped: a higher limit did not run more requests\n", dropped);
    for (size_t i = 0; i < inference->curves.count; i++) {
        const struct serving_curve *c = &inference->curves.at[i];
        for (size_t p = 0; p < c->raw.count; p++)
            if (serving_curve_moved(c, p))
                str_addf(
                    out,
                    "  pooling moves by more than 10 %%: %s on %s, k %u, n %.9g: rate %.6g to %.6g, p50 %.6g to %.6g, p99 %.6g to %.6g\n",
                    c->model, c->gpu, c->k, c->raw.points[p].n, c->raw.points[p].per_s,
                    c->pooled.points[p].per_s, c->raw.points[p].latency_ms[SERVING_P50],
                    c->pooled.points[p].latency_ms[SERVING_P50],
                    c->raw.points[p].latency_ms[SERVING_P99],
                    c->pooled.points[p].latency_ms[SERVING_P99]);
    }
}

void inference_write_report(struct str *out, const struct inference *inference) {
    size_t points = 0;
    for (size_t i = 0; i < inference->generations.count; i++)
        points += inference->generations.at[i].table.count;
    if (points > 0)
        str_addf(out, "generation: %zu points in %zu lookup tables\n", points,
                 inference->generations.count);
    report_left_out(out, &inference->generation_errors, "generation over batch_size", "batch_size",
                    OF_POWER + 1);
    report_moves(out, inference);
    report_left_out(out, &inference->serving_errors, "serving over limits", "limit",
                    INFERENCE_QUANTITIES);
}

/* ---- Check ---- */

static bool is_within(const struct left_out_points *points, double max_error) {
    bool within = true;
    for (int q = OF_SPEED; q <= OF_P50; q++)
        within &= !(left_out_summarise(points, 0, points->count, (enum inference_quantity)q).mean >
                    max_error);
    return within;
}

bool inference_write_check(struct str *out, const struct inference_check *check, double max_error) {
    bool within = true;
    for (int serves = 0; serves < 2; serves++) {
        const struct left_out_points *points = serves ? &check->serving : &check->generation;
        if (check->rows[serves] == 0)
            continue;
        str_addf(out, "%s: %zu of %zu rows predicted", serves ? "serving" : "generation",
                 points->count, check->rows[serves]);
        const struct {
            size_t rows;
            const char *why;
        } others[] = {{check->no_table[serves], "without a table in the file"},
                      {check->outside[serves], "outside their table"},
                      {check->other_unit[serves], "of another unit than their model"}};
        for (size_t i = 0; i < sizeof others / sizeof *others; i++)
            if (others[i].rows > 0)
                str_addf(out, ", %zu %s", others[i].rows, others[i].why);
        str_add(out, "\n");
        report_errors(out, points, serves ? "limit" : "batch_size",
                      serves ? INFERENCE_QUANTITIES : OF_POWER + 1);
        if (is_within(points, max_error))
            continue;
        within = false;
        str_addf(out, "  mean error above the one allowed, %g %%\n", PERCENT(max_error));
    }
    return within;
}
