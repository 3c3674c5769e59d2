/* The unit in which people read a metric, where it is not that of the summary. One place for the
 * terminal and for figures: a figure and the table beside it show the same numbers. */
#ifndef EASIM_OUTPUT_METRIC_SCALE_H
#define EASIM_OUTPUT_METRIC_SCALE_H

/* A unit and what values of the summary are multiplied by. */
struct metric_scale {
    const char *unit;
    double factor;
};

/* Whatever the values: shares in per cent, products of energy and time in MJ s. The currency of the
 * prices has no name. */
struct metric_scale metric_scale(unsigned column);

#endif
