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

/* ---- By size ---- */

struct sized_error {
    uint32_t k;
    double error;
};

ORDER_BY(compare_sized, struct sized_error, ASC(k) ASC(error))

size_t score_sizes(const struct points *points, const struct prediction *predictions,
                   enum quantity quantity, struct size_score **ret_sizes) {
    struct sized_error *errors = mem_alloc(points->at.count * sizeof *errors);
    ARRAY_OF(struct size_score) sizes = {0};
    size_t count = 0;
    for (size_t i = 0; i < points->at.count; i++) {
        double error = score_error(&points->at.at[i], &predictions[i], quantity);
        if (!isnan(error))
            errors[count++] = (struct sized_error){points->at.at[i].at.k, error};
    }
    sort_array(errors, count, compare_sized);
    for (size_t first = 0, end; first < count; first = end) {
        for (end = first + 1; end < count && errors[end].k == errors[first].k; end++)
            continue;
        size_t n = end - first, middle = first + n / 2;
        double median =
            n % 2 ? errors[middle].error : (errors[middle - 1].error + errors[middle].error) / 2;
        array_push(&sizes, ((struct size_score){errors[first].k, n, median}));
    }
    free(errors);
    *ret_sizes = sizes.at;
    return sizes.count;
}

double score_mean(const struct points *points, const struct prediction *predictions,
                  enum quantity quantity) {
    if (!points->by_size)
        return score_all(points, predictions).mape[quantity];
    struct size_score *sizes;
    size_t count = score_sizes(points, predictions, quantity, &sizes);
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += sizes[i].median;
    free(sizes);
    return count > 0 ? sum / (double)count : NAN;
}

/* Both predict the same points. */
static struct score_comparison compare_by_size(const struct points *points, enum quantity quantity,
                                               const struct prediction *a,
                                               const struct prediction *b) {
    struct size_score *of_a, *of_b;
    size_t count = score_sizes(points, a, quantity, &of_a);
    double mean = 0, squares = 0, n = (double)count;
    (void)score_sizes(points, b, quantity, &of_b);
    for (size_t i = 0; i < count; i++)
        mean += (of_a[i].median - of_b[i].median) / n;
    for (size_t i = 0; i < count; i++)
        squares += pow(of_a[i].median - of_b[i].median - mean, 2);
    free(of_a);
    free(of_b);
    return (struct score_comparison){mean, count > 1 ? sqrt(squares / (n - 1) / n) : 0};
}

/* ---- Point by point ---- */

static double difference_at(const struct points *points, size_t i, enum quantity quantity,
                            const struct prediction *a, const struct prediction *b) {
    const struct point *point = &points->at.at[i];
    double d = score_error(point, &a[i], quantity) - score_error(point, &b[i], quantity);
    return isnan(d) ? 0 : d;
}

struct score_comparison score_compare(const struct points *points, enum quantity quantity,
                                      const struct prediction *a, const struct prediction *b) {
    double n = 0, units = 0, mean = 0, squares = 0;
    if (points->by_size)
        return compare_by_size(points, quantity, a, b);
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

struct prediction predict_by_form(const struct form *form, const struct fit *fit, struct place at,
                                  double level) {
    const struct power_params power = form_power(fit->values);
    double rate = level * speed_rate(1, at.batch, form_iteration_s(fit->values, at));
    double metered = form->power == POWER_LAW_FLOOR ? rate / level : rate;
    return (struct prediction){
        rate, form->power == POWER_LAW_NONE
                  ? NAN
                  : power_training_w(&power, fit->values[PARAM_C], metered, INFINITY)};
}

void predict_in_sample(const struct points *points, const struct form *form, const struct fit *fit,
                       struct prediction *predictions) {
    for (size_t i = 0; i < points->at.count; i++)
        predictions[i] =
            predict_by_form(form, fit, points->at.at[i].at, fit->levels[points->at.at[i].round]);
}

bool predict_left_out(const struct points *points, const struct form *form, const struct fit *fit,
                      struct prediction *predictions) {
    bool settled = !fit_leaves_open(points, form, NO_FOLD, fit);
    for (size_t i = 0; i < points->at.count; i++)
        predictions[i] = (struct prediction){NAN, NAN};
    for (uint32_t fold = 0; fold < points->folds; fold++) {
        struct fit rest;
        if (!fit_form(points, form, fold, fit, &rest) ||
            (settled && fit_leaves_open(points, form, fold, &rest)))
            return false;
        for (size_t i = 0; i < points->at.count; i++)
            if (points->at.at[i].fold == fold)
                predictions[i] = predict_by_form(form, &rest, points->at.at[i].at,
                                                 rest.levels[points->at.at[i].round]);
    }
    return true;
}

/* --- table --- */

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
