/* The table a person reads after a run, and the parts of it that other tables share. */
#ifndef EASIM_OUTPUT_RUN_RUN_REPORT_H
#define EASIM_OUTPUT_RUN_RUN_REPORT_H

#include "experiment/statistics.h"
#include "study/replicate.h"

/* How a person reads a column of the summary. */
struct report_line {
    const char *label, *unit;
    unsigned column;
    double scale; /* from the summary to the unit */
};

/* A column that the table does not show goes by its name, as it is. */
struct report_line run_report_find_line(unsigned column);
/* "energy (kWh)" */
void run_report_add_label(struct str *out, const struct report_line *line);

/* A number with about five digits, without an exponent; "-" if it is not defined. */
void run_report_add_number(struct str *out, double value, int width);
/* Mean, and "+-" half of the interval if there is one. */
void run_report_add_interval(struct str *out, const struct estimate *estimate, double scale,
                             int width);
/* "10 h, seed 1, 10 replications" */
void run_report_protocol(const struct study *study, uint32_t replications, struct str *out);
/* Main metrics with mean and 95 % interval. */
void run_report_summary(const struct study *study, const struct replicate_result *result,
                        struct str *out);

/* --- metric_scale --- */
/* The unit in which people read a metric if it is not that of the summary, for the terminal and for
   figures. */

/* A unit and what values of the summary are multiplied by. */
struct metric_scale {
    const char *unit;
    double factor;
};

/* Whatever the values: shares in per cent, products of energy and time in MJ s. The currency of the
 * prices has no name. */
struct metric_scale metric_scale(unsigned column);

#endif
