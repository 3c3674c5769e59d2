/* Predictions by a form or a lookup table, with or without each configuration, and errors. */
#ifndef EASIM_CALIBRATE_SCORE_H
#define EASIM_CALIBRATE_SCORE_H

#include "calibrate/fit.h"
#include "model/laws.h"

struct prediction {
    double rate, power_w; /* of one GPU; NAN: not predicted */
};

enum quantity { THROUGHPUT, POWER, ENERGY, QUANTITIES }; /* energy: per sample */
extern const char *const quantity_names[];

/* Mean absolute relative errors (MAPE) over points measured and predicted; NAN: none. */
struct scores {
    double mape[QUANTITIES];
    size_t points[QUANTITIES];
};

/* |predicted/measured - 1| of one point; NAN: not measured or not predicted. */
double score_error(const struct point *point, const struct prediction *prediction,
                   enum quantity quantity);
struct scores score_all(const struct points *points, const struct prediction *predictions);

/* Points of one k: the median of their errors. */
struct size_score {
    uint32_t k;
    size_t points;
    double median;
};
/* By ascending k, those alone that have an error; owned by the caller. Returns their number. */
size_t score_sizes(const struct points *points, const struct prediction *predictions,
                   enum quantity quantity, struct size_score **ret_sizes);

/* What a contest goes by: the mean over points (MAPE); by size, the mean over sizes of their
   medians, so that a size of thirty rows and one of a single row count the same. NAN: nothing is
   predicted.
 */
double score_mean(const struct points *points, const struct prediction *predictions,
                  enum quantity quantity);

/* How much larger the errors of `a` are than those of `b`, point by point (by size: size by size):
   the mean, and its standard error with configurations (sizes) as the independent units. */
struct score_comparison {
    double mean, standard_error;
};
struct score_comparison score_compare(const struct points *points, enum quantity quantity,
                                      const struct prediction *a, const struct prediction *b);

/* At one place, by software of that level. */
struct prediction predict_by_form(const struct form *form, const struct fit *fit, struct place at,
                                  double level);
void predict_in_sample(const struct points *points, const struct form *form, const struct fit *fit,
                       struct prediction *predictions);
/* Each part by a fit, started from `fit`, to the others; NAN for points of no part. False if one of
   the fits fails or leaves a parameter open that `fit` does not: it would keep what the
   configuration left out gave it. */
bool predict_left_out(const struct points *points, const struct form *form, const struct fit *fit,
                      struct prediction *predictions) MUST_CHECK;

/* --- table: the lookup table of measured configurations, instead of a form --- */

/* Speeds of the rounds without a form: least squares of the logarithms, a factor a configuration
   and one a round; 1 for the newest with three rows or more, or where no configuration has two
   rounds. */
void table_levels(const struct points *points, double levels[static MOST_ROUNDS]);

/* The table of all configurations, each the mean of its points at the level of 1, without those of
   one fold. Power NAN: not measured there. Release table->points with free(). */
void table_of_points(const struct points *points, const double levels[static MOST_ROUNDS],
                     uint32_t left_out, struct interpolation *table);
struct prediction table_predict(const struct interpolation *table, struct place at);
/* Each part by the table of the others; NAN at the ends, which nothing encloses. */
void table_predict_left_out(const struct points *points, const double levels[static MOST_ROUNDS],
                            struct prediction *predictions);

#endif
