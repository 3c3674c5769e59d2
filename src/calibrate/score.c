/* Predictions and errors: see score.h. */
#include "calibrate/score.h"

#include <math.h>
#include <stdlib.h>

const char *const quantity_names[] = {"throughput", "power", "energy_per_sample"};

double score_error(const struct point *point, const struct prediction *prediction,
                   enum quantity quantity) {
    if (quantity == THROUGHPUT)
        return fabs(prediction->rate / point->rate - 1);
    if (quantity == POWER)
        return fabs(prediction->power_w / point->power_w - 1);
    return fabs(prediction->power_w / prediction->rate / (point->power_w / point->rate) - 1);
}

struct scores score_all(const struct points *points, const struct prediction *predictions) {
    struct scores s = {0};
    for (int q = 0; q < QUANTITIES; q++) {
        for (size_t i = 0; i < points->at.count; i++) {
            double error = score_error(&points->at.at[i], &predictions[i], (enum quantity)q);
            if (!isnan(error)) {
                s.mape[q] += error;
                s.points[q]++;
            }
        }
        s.mape[q] = s.points[q] > 0 ? s.mape[q] / (double)s.points[q] : NAN;
    }
    return s;
}

static double difference_at(const struct points *points, size_t i, enum quantity quantity,
                            const struct prediction *a, const struct prediction *b) {
    const struct point *point = &points->at.at[i];
    double d = score_error(point, &a[i], quantity) - score_error(point, &b[i], quantity);
    return isnan(d) ? 0 : d;
}

struct score_comparison score_compare(const struct points *points, enum quantity quantity,
                                      const struct prediction *a, const struct prediction *b) {
    double n = 0, units = 0, mean = 0, squares = 0;
    for (size_t i = 0; i < points->at.count; i++) {
        n += !isnan(score_error(&points->at.at[i], &a[i], quantity));
        mean += difference_at(points, i, quantity, a, b);
    }
    mean /= n;
    for (size_t i = 0; i < points->at.count;) {
        uint32_t configuration = points->at.at[i].configuration;
        double sum = 0;
        for (; i < points->at.count && points->at.at[i].configuration == configuration; i++)
            if (!isnan(score_error(&points->at.at[i], &a[i], quantity)))
                sum += difference_at(points, i, quantity, a, b) - mean;
        squares += sum * sum;
        units++;
    }
    double spread = units > 1 ? sqrt(squares * units / (units - 1)) / n : 0;
    return (struct score_comparison){mean, spread};
}

/* ---- Forms ---- */

static struct prediction predict_by_form(const struct form *form, const struct fit *fit,
                                         struct place at) {
    const struct speed_params speed = form_speed(fit->values);
    const struct power_params power = form_power(fit->values);
    double rate = speed_rate(1, at.batch, speed_iteration_s(&speed, at.k, at.batch, 1 + at.span));
    return (struct prediction){rate, form->power == POWER_LAW_NONE
                                         ? NAN
                                         : power_training_w(&power, speed.c_s, rate, INFINITY)};
}

void predict_in_sample(const struct points *points, const struct form *form, const struct fit *fit,
                       struct prediction *predictions) {
    for (size_t i = 0; i < points->at.count; i++)
        predictions[i] = predict_by_form(form, fit, points->at.at[i].at);
}

bool predict_left_out(const struct points *points, const struct form *form, const struct fit *fit,
                      struct prediction *predictions) {
    bool settled = !fit_leaves_open(points, form, NO_FOLD, fit);
    for (uint32_t fold = 0; fold < points->folds; fold++) {
        struct fit rest;
        if (!fit_form(points, form, fold, fit, &rest) ||
            (settled && fit_leaves_open(points, form, fold, &rest)))
            return false;
        for (size_t i = 0; i < points->at.count; i++)
            if (points->at.at[i].configuration % points->folds == fold)
                predictions[i] = predict_by_form(form, &rest, points->at.at[i].at);
    }
    return true;
}

/* ---- Tables ---- */

void table_of_points(const struct points *points, const struct form *form, const struct fit *fit,
                     uint32_t left_out, struct interpolation *table) {
    *table =
        (struct interpolation){.points = mem_zalloc(points->configurations, sizeof *table->points)};
    for (size_t i = 0; i < points->at.count;) {
        const struct point *first = &points->at.at[i];
        double rate = 0, power_w = 0, n = 0, powers = 0;
        for (; i < points->at.count && points->at.at[i].configuration == first->configuration;
             i++, n++) {
            const struct point *point = &points->at.at[i];
            rate += point->rate;
            power_w += isnan(point->power_w) ? 0 : point->power_w;
            powers += !isnan(point->power_w);
        }
        if (left_out != NO_FOLD && first->configuration % points->folds == left_out)
            continue;
        table->points[table->count++] = (struct interpolation_point){
            .k = first->at.k,
            .batch = first->at.batch,
            .throughput_samples_s = rate / n * first->at.k,
            .power_w_per_gpu =
                powers > 0 ? power_w / powers : predict_by_form(form, fit, first->at).power_w,
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

void table_predict_left_out(const struct points *points, const struct form *form,
                            const struct fit *fit, struct prediction *predictions) {
    for (uint32_t fold = 0; fold < points->folds; fold++) {
        struct interpolation rest;
        table_of_points(points, form, fit, fold, &rest);
        for (size_t i = 0; i < points->at.count; i++)
            if (points->at.at[i].configuration % points->folds == fold)
                predictions[i] = table_predict(&rest, points->at.at[i].at);
        free(rest.points);
    }
}
