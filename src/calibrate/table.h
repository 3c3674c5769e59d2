/* The lookup table of measured configurations, instead of a form. */
#ifndef EASIM_CALIBRATE_TABLE_H
#define EASIM_CALIBRATE_TABLE_H

#include "calibrate/score.h"
#include "model/laws.h"

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
