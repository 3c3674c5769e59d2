/* The table a person reads after a run, and the parts of it that other tables share. */
#ifndef EASIM_OUTPUT_REPORT_H
#define EASIM_OUTPUT_REPORT_H

#include "experiment/replicate.h"

/* How a person reads a column of the summary. */
struct report_line {
    const char *label, *unit;
    unsigned column;
    double scale; /* of the unit */
    bool if_any;  /* left out of the table where it is 0 */
};

const struct report_line *report_find_line(unsigned column); /* NULL: by its name, as it is */

/* A number with about five digits, without an exponent. */
void report_add_number(struct str *out, double value, int width);
/* "10 h, seed 1, 10 replications" */
void report_protocol(const struct study *study, uint32_t replications, struct str *out);
/* What needs a warning, a line each: refusals, extrapolation, dropped input. */
void report_notes(const struct study *study, const struct replicate_result *result, struct str *out);

/* Main metrics with mean and 95 % interval, then the notes. */
void report_summary(const struct study *study, const struct replicate_result *result, struct str *out);

#endif
