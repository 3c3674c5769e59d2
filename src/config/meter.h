/* Readings of a power meter, from a CSV file: time_s, the end of an interval, and power_w, its mean
   power; other columns are ignored. */
#ifndef EASIM_CONFIG_METER_H
#define EASIM_CONFIG_METER_H

#include "base/arena.h"
#include "base/error.h"
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

#define METER_GAP_STEPS 1.5

/* Reads the file. Negative after adding problems: cells that are no numbers, fewer than two
   times. */
int meter_load(struct meter *meter, struct arena *arena, struct problems *problems) MUST_CHECK;

/* Means of one meter over the intervals of another one of the same clock: means[i] over
   intervals[i], NAN where `of` knows less than COVER of it. */
void meter_means(const struct meter *of, const struct meter_reading *intervals, size_t count,
                 double *means);

#define METER_COVER 0.999

#endif
