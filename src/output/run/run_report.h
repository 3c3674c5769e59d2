/* The table a person reads after a run, and the parts of it that other tables share. */
#ifndef EASIM_OUTPUT_RUN_RUN_REPORT_H
#define EASIM_OUTPUT_RUN_RUN_REPORT_H

#include "experiment/compare.h"
#include "output/report_text.h"
#include "study/replicate.h"

/* The form of a column of the summary for people. */
struct report_line {
    const char *label, *unit;
    unsigned column;
    double scale; /* from the summary to the unit */
};

/* A column that the table does not show goes by its name, as it is. */
struct report_line run_report_find_line(unsigned column);
/* For any column of a study: a figure of a single service goes by its name. */
struct report_line run_report_line_of(const struct metric_set *metrics, unsigned column);
/* "energy (kWh)" */
void run_report_add_label(struct str *out, const struct report_line *line);

/* A number with about five digits; "-" if it is not defined. Zero, and what the digits shown leave
   of it, is "0" here and below. */
void run_report_add_number(struct str *out, double value);
/* Figures of features other than jobs and GPUs, which comparisons show without an option. */
#define RUN_REPORT_FURTHER 9
extern const unsigned run_report_further[RUN_REPORT_FURTHER];

/* Mean, and " +- " half of the interval with three digits if there is one. */
void run_report_add_interval(struct str *out, const struct estimate *estimate, double scale);
/* A value, low and high as "5.2 (1.3 .. 9.1)", with three digits of the interval. sign: before a
   value above 0. */
void run_report_add_range(struct str *out, const double range[static 3], const char *sign);
/* A share in per cent with one decimal, without "%". */
void run_report_add_percent(struct str *out, double share, bool sign);
/* Hours or days for seconds whose largest has five digits or more. */
void run_report_scale_time(struct report_line *line, double largest);
/* "512.3 s", "3.21 h", "12.4 d". */
void run_report_add_time(struct str *out, double time_s);
/* "10 h, seed 1, 10 replications" */
void run_report_protocol(const struct study *study, uint32_t replications, struct str *out);
/* The headline of a comparison: a row for each policy. */
void run_report_headlines(const struct comparison *comparison, struct report *report);
/* The headline and the main metrics with mean and 95 % interval. */
void run_report_summary(const struct study *study, const struct replicate_result *result,
                        struct report *report);

/* --- metric_scale --- */
/* The unit in which people read a metric if it is not that of the summary, for the terminal and for
   figures. */

/* A unit and what values of the summary are multiplied by. */
struct metric_scale {
    const char *unit;
    double factor;
};

/* The scale for all values: shares in per cent, products of energy and time in MJ s. The currency
   of the prices has no name. */
struct metric_scale metric_scale(unsigned column);

#endif
