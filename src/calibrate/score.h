/* Predictions of points by a form or by a lookup table, with each configuration left out or not,
 * and their errors.
 */
#ifndef EASIM_CALIBRATE_SCORE_H
#define EASIM_CALIBRATE_SCORE_H

#include "calibrate/fit.h"
#include "model/interpolation.h"

struct prediction {
    double rate, power_w; /* of one GPU; NAN: not predicted */
};

enum quantity { THROUGHPUT, POWER, ENERGY, QUANTITIES }; /* energy: per sample */
extern const char *const quantity_names[];

/* Mean absolute relative errors (MAPE) over the points that are measured and predicted; NAN: none
 * is. */
struct scores {
    double mape[QUANTITIES];
    size_t points[QUANTITIES];
};

/* |predicted/measured - 1| of one point; NAN: not measured or not predicted. */
double score_error(const struct point *point, const struct prediction *prediction,
                   enum quantity quantity);
struct scores score_all(const struct points *points, const struct prediction *predictions);

/* How much larger the errors of `a` are than those of `b`, point by point: the mean, and its
   standard error with configurations as the independent units. */
struct score_comparison {
    double mean, standard_error;
};
struct score_comparison score_compare(const struct points *points, enum quantity quantity,
                                      const struct prediction *a, const struct prediction *b);

void predict_in_sample(const struct points *points, const struct form *form, const struct fit *fit,
                       struct prediction *predictions);
/* Each configuration by a fit, started from `fit`, to the others. False if one of the fits fails or
   leaves a parameter open that `fit` does not: it would keep what the configuration left out gave
   it. */
bool predict_left_out(const struct points *points, const struct form *form, const struct fit *fit,
                      struct prediction *predictions) MUST_CHECK;

/* The table of all configurations, each the mean of its points, without those of one fold. Where
   power was measured elsewhere but not here, it is that of `form` (a form without power: NAN).
   Release table->points with free(). */
void table_of_points(const struct points *points, const struct form *form, const struct fit *fit,
                     uint32_t left_out, struct interpolation *table);
struct prediction table_predict(const struct interpolation *table, struct place at);
/* Each configuration by the table of the others; NAN at the ends, which nothing encloses. */
void table_predict_left_out(const struct points *points, const struct form *form,
                            const struct fit *fit, struct prediction *predictions);

#endif
