/* Tables: see table.h. */
#include "calibrate/table.h"

#include <math.h>
#include <stdlib.h>

/* ---- Levels ---- */

#define MOST_SWEEPS 10000
#define SAME_LEVEL  1e-13

static double ln_rate(const struct point *point) {
    return log(point->rate);
}

/* One sweep of the two factors in turn (Gauss and Seidel); the largest change of a level. */
static double sweep_levels(const struct points *points, uint32_t reference,
                           double *ln_configuration, double *ln_level) {
    double sums[MOST_ROUNDS] = {0}, change = 0;
    for (size_t i = 0; i < points->at.count;) {
        uint32_t c = points->at.at[i].configuration;
        double sum = 0, n = 0;
        for (; i < points->at.count && points->at.at[i].configuration == c; i++, n++)
            sum += ln_rate(&points->at.at[i]) - ln_level[points->at.at[i].round];
        ln_configuration[c] = sum / n;
    }
    for (size_t i = 0; i < points->at.count; i++)
        sums[points->at.at[i].round] +=
            ln_rate(&points->at.at[i]) - ln_configuration[points->at.at[i].configuration];
    for (uint32_t r = 0; r < points->round_count; r++) {
        double now =
            r != reference && points->round_rows[r] > 0 ? sums[r] / points->round_rows[r] : 0;
        change = fmax(change, fabs(now - ln_level[r]));
        ln_level[r] = now;
    }
    return change;
}

void table_levels(const struct points *points, double levels[static MOST_ROUNDS]) {
    double *ln_configuration = mem_zalloc(points->configurations, sizeof *ln_configuration);
    double ln_level[MOST_ROUNDS] = {0};
    uint32_t reference = points_reference_round(points, points->round_rows);
    for (int i = 0; i < MOST_SWEEPS && points->round_count > 1; i++)
        if (sweep_levels(points, reference, ln_configuration, ln_level) < SAME_LEVEL)
            break;
    for (uint32_t r = 0; r < MOST_ROUNDS; r++)
        levels[r] = exp(ln_level[r]);
    free(ln_configuration);
}

/* ---- Tables ---- */

void table_of_points(const struct points *points, const double levels[static MOST_ROUNDS],
                     uint32_t left_out, struct interpolation *table) {
    *table =
        (struct interpolation){.points = mem_zalloc(points->configurations, sizeof *table->points)};
    for (size_t i = 0; i < points->at.count;) {
        const struct point *first = &points->at.at[i];
        double rate = 0, power_w = 0, n = 0, powers = 0;
        for (; i < points->at.count && points->at.at[i].configuration == first->configuration;
             i++, n++) {
            const struct point *point = &points->at.at[i];
            rate += point->rate / levels[point->round];
            power_w += isnan(point->power_w) ? 0 : point->power_w;
            powers += !isnan(point->power_w);
        }
        if (left_out != NO_FOLD && first->fold == left_out)
            continue;
        table->points[table->count++] =
            (struct interpolation_point){.k = first->at.k,
                                         .batch = first->at.batch,
                                         .throughput_samples_s = rate / n * first->at.k,
                                         .power_w_per_gpu = powers > 0 ? power_w / powers : NAN,
                                         .across_nodes = first->at.span == EASIM_ACROSS_NODES};
    }
    (void)interpolation_sort(table); /* each place stands there once */
}

struct prediction table_predict(const struct interpolation *table, struct place at) {
    struct interpolation_value value;
    if (!interpolation_find(table, at.k, at.batch, at.span, &value))
        return (struct prediction){NAN, NAN};
    return (struct prediction){speed_rate(1, at.batch, value.iteration_s), value.power_w};
}

void table_predict_left_out(const struct points *points, const double levels[static MOST_ROUNDS],
                            struct prediction *predictions) {
    for (size_t i = 0; i < points->at.count; i++)
        predictions[i] = (struct prediction){NAN, NAN};
    for (uint32_t fold = 0; fold < points->folds; fold++) {
        struct interpolation rest;
        table_of_points(points, levels, fold, &rest);
        for (size_t i = 0; i < points->at.count; i++) {
            const struct point *point = &points->at.at[i];
            if (point->fold != fold)
                continue;
            predictions[i] = table_predict(&rest, point->at);
            predictions[i].rate *= levels[point->round];
        }
        free(rest.points);
    }
}
