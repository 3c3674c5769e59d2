/* Readings of a power meter, from the columns time_s (end of an interval) and power_w (its mean) of
   a CSV file. */
#ifndef EASIM_CONFIG_METER_H
#define EASIM_CONFIG_METER_H

#include "base/arena.h"
#include "base/error.h"
#include "base/str.h"
#include "base/tally.h"

#include <stdbool.h>

/* Mean power over begin_s < t <= end_s. */
struct meter_reading {
    double begin_s, end_s, power_w;
};

static inline double meter_reading_s(const struct meter_reading *reading) {
    return reading->end_s - reading->begin_s;
}

/* A reading is of the time in which it ends. */
static inline bool meter_reading_is_in(const struct meter_reading *reading, double after_s,
                                       double to_s) {
    return reading->end_s > after_s && reading->end_s <= to_s;
}

/* Zero but for file and how it is read; all memory is in the arena that meter_load gets. */
struct meter {
    const char *file;
    double offset_s; /* the time in the file that is t = 0 */
    double gap_s; /* a reading stands for the time since the row before, unless that is longer; 0:
                     GAP_STEPS usual ones */
    struct meter_reading *at; /* ascending, none of no length, apart */
    size_t count;
    double step_s;  /* the usual one: the median from a row to the next */
    uint64_t rows;  /* those with a time */
    double first_s; /* end of the first row; NAN without rows */
    /* Rows left out: no power or nan; below 0; a time that an earlier line has. */
    struct row_tally missing, negative, again;
    struct row_tally unsorted; /* rows with an earlier time than the row before */
    struct row_tally gaps;     /* readings after a gap: each stands for one usual step */
};

/* Reads the file. Negative after adding problems: cells that are no numbers, fewer than two
   times. */
int meter_load(struct meter *meter, struct arena *arena, struct problems *problems) MUST_CHECK;

/* Means of one meter over the intervals of another one of the same clock: means[i] over
   intervals[i], NAN where `of` knows less than COVER of it. */
void meter_means(const struct meter *of, const struct meter_reading *intervals, size_t count,
                 double *means);

/* --- meter_errors: how far a predicted power is from a metered one (semantics 20) --- */

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

/* Of the readings that end in (from_s, to_s]. */
struct meter_errors meter_errors_between(const struct meter_curves *curves, double from_s,
                                         double to_s);
/* The hours whose mean is farthest off, at most `most` of them, the worst first; hours begin at
   whole multiples of 3600 s, and a reading is of the hour in which its middle lies. Returns how
   many. */
size_t meter_worst_hours(const struct meter_curves *curves, double from_s, double to_s,
                         struct meter_hour *worst, size_t most);

#endif
