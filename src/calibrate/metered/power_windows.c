/* Fits as time goes on: see power_windows.h. */
#include "calibrate/metered/power_windows.h"

#include <math.h>
#include <stdlib.h>

/* Predicts the readings of the window from those before it. false: they are too few. */
static bool predict_window(const struct load *load, enum power_detail detail,
                           const struct power_window *window, double floor_w, double *predicted_w) {
    struct power_fit fit;
    const struct power_span before = {-INFINITY, window->from_s, floor_w};
    bool made = power_fit_make(&fit, load, detail, &before, NULL) == 0;
    for (size_t i = 0; i < load->readings && made; i++)
        if (meter_reading_is_in(&load->at[i], window->from_s, window->to_s))
            predicted_w[i] = power_fit_predict(&fit, i);
    power_fit_finish(&fit);
    return made;
}

void power_windows_make(struct power_windows *windows, const struct load *load, double length_s,
                        double floor_w) {
    *windows = (struct power_windows){.predicted_w = mem_alloc(load->readings * sizeof(double))};
    double *count_w = mem_alloc(load->readings * sizeof *count_w);
    for (size_t i = 0; i < load->readings; i++)
        windows->predicted_w[i] = count_w[i] = NAN;
    double first_s = load->at[0].begin_s, last_s = load->at[load->readings - 1].end_s;
    const struct meter_curves full = {load->at, windows->predicted_w, load->readings},
                              count = {load->at, count_w, load->readings};
    for (size_t n = 1; first_s + (double)n * length_s < last_s; n++) {
        struct power_window w = {.from_s = first_s + (double)n * length_s,
                                 .to_s = first_s + (double)(n + 1) * length_s};
        w.fitted = predict_window(load, POWER_COUNT, &w, floor_w, count_w) &&
                   predict_window(load, POWER_FULL, &w, floor_w, windows->predicted_w);
        w.full = meter_errors_between(&full, w.from_s, w.to_s);
        w.count = meter_errors_between(&count, w.from_s, w.to_s);
        array_push(&windows->at, w);
    }
    free(count_w);
}

void power_windows_finish(struct power_windows *windows) {
    free(windows->at.at);
    free(windows->predicted_w);
}
