/* Metrics in words: what an axis says. */
#ifndef EASIM_OUTPUT_METRIC_TEXT_H
#define EASIM_OUTPUT_METRIC_TEXT_H

/* What a column of the summary is, and its unit ("" for a number as such). */
struct metric_text {
    const char *quantity, *unit;
};

struct metric_text metric_text(unsigned column);

/* The unit in which values up to `most` are written, and what they are multiplied by: seconds
   become hours, watts kilowatts, shares per cent. */
struct metric_scale {
    const char *unit;
    double factor;
};

struct metric_scale metric_scale(unsigned column, double most);

#endif
