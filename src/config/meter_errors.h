/* How far a predicted power lies from a metered one. Semantics 20. */
#ifndef EASIM_CONFIG_METER_ERRORS_H
#define EASIM_CONFIG_METER_ERRORS_H

#include "base/str.h"
#include "config/meter.h"

/* Metered and predicted means of the same intervals. Borrowed. */
struct meter_curves {
    const struct meter_reading *at; /* ascending, apart */
    const double *predicted_w;      /* NAN: not predicted, and left out of all errors */
    size_t count;
};

/* All but the first weighted by the lengths of the intervals; NAN where nothing is predicted. */
struct meter_errors {
    size_t readings; /* those predicted */
    double hours;    /* that they cover */
    double mean_w;   /* metered */
    double absolute; /* mean absolute error / mean_w; NAN where that is 0 */
    double energy;   /* predicted energy / metered energy - 1; likewise */
    double r2;       /* 1 - squared errors / squared deviations from mean_w; NAN without these */
};

/* Of an hour of the clock. */
struct meter_hour {
    double begin_s, measured_w, predicted_w;
};

#define METER_LEAST_HOUR 0.5 /* of an hour that must be predicted for it to count */

/* Of the readings that end in (from_s, to_s]. */
struct meter_errors meter_errors_between(const struct meter_curves *curves, double from_s,
                                         double to_s);
/* The hours whose mean is farthest off, at most `most` of them, the worst first; hours begin at
   whole multiples of 3600 s, and a reading is of the hour in which its middle lies. Returns how
   many. */
size_t meter_worst_hours(const struct meter_curves *curves, double from_s, double to_s,
                         struct meter_hour *worst, size_t most);
/* Rows time_s, duration_s, measured_w, predicted_w (empty: not predicted), after a header if out is
   empty. name: NULL, or in a first column under the title. */
void meter_curves_csv(const struct meter_curves *curves, const char *title, const char *name,
                      struct str *out);

#endif
