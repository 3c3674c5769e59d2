/* The power meter of a validation: what was metered, and the power of a run beside it. */
#ifndef EASIM_EXPERIMENT_VALIDATE_VALIDATE_METER_H
#define EASIM_EXPERIMENT_VALIDATE_VALIDATE_METER_H

#include "config/meter.h"

/* Figures over the readings. */
enum validate_meter_figure {
    METER_NO_FIGURE,
    METER_MEAN,     /* predicted and metered mean power, whose error is that of the energy */
    METER_ABSOLUTE, /* mean absolute error, a share of the metered mean */
    METER_FIGURES
};

/* Zero: there is none. */
struct validate_meter {
    bool given, known;   /* known: it is read */
    double from_s, to_s; /* only readings that end in (from_s, to_s] count */
    struct meter meter;
};

/* Of the values of the figures, and of what is said of them. Zero-initialise; release with
   validate_power_finish. */
struct validate_power {
    struct meter_curves curves; /* readings that count, and the run's means over them */
    double *predicted_w;
    struct meter_errors errors;
    size_t unknown; /* readings of a time that the run does not have */
};

enum validate_meter_figure validate_meter_find(const char *metric);
/* Length of the intervals that a run needs: those of the meter if its readings stand on a grid of
   them, else a tenth, so that no reading is far from whole intervals. */
double validate_meter_step_s(const struct validate_meter *meter);
/* run: readings of the run, on the clock of the meter. */
void validate_power_compare(struct validate_power *power, const struct validate_meter *meter,
                            const struct meter *run);
void validate_power_finish(struct validate_power *power);

#endif
