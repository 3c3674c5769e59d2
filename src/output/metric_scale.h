/* The unit in which people read a metric, where it is not that of the summary. */
#ifndef EASIM_OUTPUT_METRIC_SCALE_H
#define EASIM_OUTPUT_METRIC_SCALE_H

/* A unit and what values of the summary are multiplied by. */
struct metric_scale {
    const char *unit;
    double factor;
};

/* On an axis with values up to `most`: seconds become hours, watts kilowatts, shares per cent. */
struct metric_scale metric_scale_axis(unsigned column, double most);
/* On the terminal, whatever the values; the currency of the prices has no name there. */
struct metric_scale metric_scale_text(unsigned column);

#endif
