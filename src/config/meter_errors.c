/* Errors against a meter: see meter_errors.h. */
#include "config/meter_errors.h"

#include "base/units.h"
#include "io/csv.h"

#include <math.h>

static bool is_chosen(const struct meter_curves *curves, size_t i, double from_s, double to_s) {
    return meter_reading_is_in(&curves->at[i], from_s, to_s) && !isnan(curves->predicted_w[i]);
}

struct meter_errors meter_errors_between(const struct meter_curves *curves, double from_s,
                                         double to_s) {
    struct meter_errors e = {.mean_w = NAN, .absolute = NAN, .energy = NAN, .r2 = NAN};
    double seconds = 0, metered_j = 0, predicted_j = 0, absolute_j = 0, squares = 0, spread = 0;
    for (size_t i = 0; i < curves->count; i++)
        if (is_chosen(curves, i, from_s, to_s)) {
            double s = meter_reading_s(&curves->at[i]), w = curves->at[i].power_w,
                   error_w = curves->predicted_w[i] - w;
            e.readings++;
            seconds += s;
            metered_j += s * w;
            predicted_j += s * curves->predicted_w[i];
            absolute_j += s * fabs(error_w);
            squares += s * error_w * error_w;
        }
    if (e.readings == 0)
        return e;
    e.hours = seconds / S_PER_H;
    e.mean_w = metered_j / seconds;
    for (size_t i = 0; i < curves->count; i++)
        if (is_chosen(curves, i, from_s, to_s))
            spread += meter_reading_s(&curves->at[i]) * pow(curves->at[i].power_w - e.mean_w, 2);
    e.absolute = metered_j > 0 ? absolute_j / metered_j : NAN;
    e.energy = metered_j > 0 ? predicted_j / metered_j - 1 : NAN;
    e.r2 = spread > 0 ? 1 - squares / spread : NAN;
    return e;
}

static double hour_error_w(const struct meter_hour *hour) {
    return fabs(hour->predicted_w - hour->measured_w);
}

/* Keeps the worst, in order; the earlier one of equals first. */
static size_t keep_hour(struct meter_hour *worst, size_t count, size_t most,
                        const struct meter_hour *hour) {
    size_t at = count;
    while (at > 0 && hour_error_w(&worst[at - 1]) < hour_error_w(hour))
        at--;
    if (at == most)
        return count;
    count = count < most ? count + 1 : most;
    for (size_t i = count - 1; i > at; i--)
        worst[i] = worst[i - 1];
    worst[at] = *hour;
    return count;
}

size_t meter_worst_hours(const struct meter_curves *curves, double from_s, double to_s,
                         struct meter_hour *worst, size_t most) {
    size_t count = 0;
    for (size_t i = 0; i < curves->count;) {
        double number = floor((curves->at[i].begin_s + curves->at[i].end_s) / 2 / S_PER_H);
        double seconds = 0, metered_j = 0, predicted_j = 0;
        for (; i < curves->count; i++) {
            double s = meter_reading_s(&curves->at[i]);
            if (floor((curves->at[i].begin_s + curves->at[i].end_s) / 2 / S_PER_H) != number)
                break;
            if (!is_chosen(curves, i, from_s, to_s))
                continue;
            seconds += s;
            metered_j += s * curves->at[i].power_w;
            predicted_j += s * curves->predicted_w[i];
        }
        if (seconds < METER_LEAST_HOUR * S_PER_H)
            continue;
        const struct meter_hour hour = {number * S_PER_H, metered_j / seconds,
                                        predicted_j / seconds};
        count = keep_hour(worst, count, most, &hour);
    }
    return count;
}

void meter_curves_csv(const struct meter_curves *curves, const char *title, const char *name,
                      struct str *out) {
    if (out->length == 0)
        str_addf(out, "%s%stime_s,duration_s,measured_w,predicted_w\n", name ? title : "",
                 name ? "," : "");
    for (size_t i = 0; i < curves->count; i++) {
        csv_add_text(out, name);
        str_add(out, name ? "," : "");
        str_add_real(out, curves->at[i].end_s);
        csv_comma_real(out, meter_reading_s(&curves->at[i]));
        csv_comma_real(out, curves->at[i].power_w);
        csv_comma_real(out, curves->predicted_w[i]);
        str_add_char(out, '\n');
    }
}
