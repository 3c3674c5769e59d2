/* A fit that is made again as time goes on, each time of all readings so far, and predicts the next
   window: what a model beside a running cluster would have said. */
#ifndef EASIM_CALIBRATE_METERED_POWER_WINDOWS_H
#define EASIM_CALIBRATE_METERED_POWER_WINDOWS_H

#include "calibrate/metered/power_fit.h"
#include "config/meter.h"

struct power_window {
    double from_s, to_s;
    bool fitted;                     /* else too few readings before it, and no errors */
    struct meter_errors full, count; /* of the whole fit, and of that to busy GPUs alone */
};

/* Release with power_windows_finish. */
struct power_windows {
    ARRAY_OF(struct power_window) at; /* the first begins one length after the first reading */
    double *predicted_w;              /* by reading; NAN: of no window that was fitted */
};

void power_windows_make(struct power_windows *windows, const struct load *load, double length_s,
                        double floor_w);
void power_windows_finish(struct power_windows *windows);

#endif
