/* Fits as time goes on: see power_windows.h. */
#include "calibrate/metered/power_windows.h"

#include <math.h>
#include <stdlib.h>

/* Predicts the readings of the window, up to `end`, from all before it. false: they are too few. */
static bool predict_window(const struct load *load, enum power_detail detail,
                           const struct power_span *before, size_t end, double *predicted_w) {
    struct power_fit fit;
    bool made = power_fit_make(&fit, load, detail, before, NULL) == 0;
    for (size_t i = before->sums->readings; i < end && made; i++)
        predicted_w[i] = power_fit_predict(&fit, i);
    power_fit_finish(&fit);
    return made;
}

void power_windows_make(struct power_windows *windows, const struct load *load, double length_s,
                        double floor_w) {
    *windows = (struct power_windows){.predicted_w = mem_alloc(load->readings * sizeof(double))};
    double *count_w = mem_alloc(load->readings * sizeof *count_w), *full_w = windows->predicted_w;
    struct power_sums sums = {0};
    for (size_t i = 0; i < load->readings; i++)
        full_w[i] = count_w[i] = NAN;
    double first_s = load->at[0].begin_s, last_s = load->at[load->readings - 1].end_s;
    for (size_t n = 1; first_s + (double)n * length_s < last_s; n++) {
        struct power_window w = {.from_s = first_s + (double)n * length_s,
                                 .to_s = first_s + (double)(n + 1) * length_s};
        const struct power_span before = {-INFINITY, w.from_s, floor_w, &sums};
        power_sums_add(&sums, load, w.from_s, floor_w);
        size_t first = sums.readings, end = first;
        while (end < load->readings && load->at[end].end_s <= w.to_s)
            end++;
        const struct meter_curves full = {&load->at[first], &full_w[first], end - first},
                                  count = {&load->at[first], &count_w[first], end - first};
        w.fitted = predict_window(load, POWER_COUNT, &before, end, count_w) &&
                   predict_window(load, POWER_FULL, &before, end, full_w);
        w.full = meter_errors_between(&full, w.from_s, w.to_s);
        w.count = meter_errors_between(&count, w.from_s, w.to_s);
        array_push(&windows->at, w);
    }
    power_sums_finish(&sums);
    free(count_w);
}

void power_windows_finish(struct power_windows *windows) {
    free(windows->at.at);
    free(windows->predicted_w);
}
