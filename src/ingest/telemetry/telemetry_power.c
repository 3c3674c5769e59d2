/* P = P_idle + a * SM activity + b * tensor activity + c * DRAM activity, from samples of one
 * instant. */
#include "ingest/telemetry/power_fit.h"
#include "ingest/telemetry/telemetry.h"

#include <math.h>

ORDER_BY(activity_by_time, struct telemetry_activity, ASC(time_ns))

/* In the order of time, one entry for each instant: some files have one metric after the other. */
static void order_activities(struct telemetry_device *device) {
    struct telemetry_activity *all = device->activities.at;
    size_t count = device->activities.count, kept = 0;
    sort_array(all, count, activity_by_time);
    for (size_t i = 0; i < count; i++) {
        if (kept == 0 || all[kept - 1].time_ns != all[i].time_ns) {
            all[kept++] = all[i];
            continue;
        }
        for (size_t k = 0; k < TELEMETRY_ACTIVITIES; k++)
            if (!isnan(all[i].ratios[k]))
                all[kept - 1].ratios[k] = all[i].ratios[k];
    }
    device->activities.count = kept;
}

/* An activity the device never shows is 0 all the time, and so has no part; else it must be there
 * at that instant.
 */
static bool is_complete_activity(const struct telemetry_device *device,
                                 const struct telemetry_activity *seen,
                                 double activities[static POWER_FIT_MOST]) {
    for (size_t k = 0; k < TELEMETRY_ACTIVITIES; k++) {
        bool shown = device->metrics[TELEMETRY_SM_ACTIVE + k].count > 0;
        activities[k] = shown ? (double)seen->ratios[k] : 0;
        if (isnan(activities[k]))
            return false;
    }
    return true;
}

static void fit_device(struct telemetry_device *device, struct power_fit *own,
                       struct power_fit *all) {
    size_t next = 0;
    order_activities(device);
    for (size_t i = 0; i < device->points.count; i++) {
        const struct telemetry_point *point = &device->points.at[i];
        double activities[POWER_FIT_MOST];
        while (next < device->activities.count &&
               device->activities.at[next].time_ns < point->time_ns)
            next++;
        if (next == device->activities.count ||
            device->activities.at[next].time_ns != point->time_ns ||
            !is_complete_activity(device, &device->activities.at[next], activities))
            continue;
        power_fit_add(own, activities, point->power_w);
        power_fit_add(all, activities, point->power_w);
    }
}

static void add_power_model(struct figure *list, const char *device, const struct power_fit *fit) {
    struct power_model model;
    if (!power_fit_solve(fit, &model))
        return;
    struct figure *row = figures_group(list, NULL);
    figures_text(row, "device", device);
    figures_int(row, "points", (int64_t)fit->points);
    figures_real(row, "idle_w", model.idle_w);
    figures_real(row, "sm_w", model.watts[0]);
    figures_real(row, "tensor_w", model.watts[1]);
    figures_real(row, "dram_w", model.watts[2]);
    figures_real(row, "r_squared", model.r_squared);
    figures_real(row, "residual_w", model.residual_w);
}

void telemetry_add_power_model(struct telemetry *telemetry, struct figure *root) {
    struct figure *list = NULL;
    struct power_fit all = {0};
    for (size_t i = 0; i < telemetry->devices.count; i++) {
        struct power_fit own = {0};
        if (telemetry->devices.at[i].activities.count == 0)
            continue;
        list = list ? list : figures_list(root, "power_model");
        fit_device(&telemetry->devices.at[i], &own, &all);
        add_power_model(list, intern_text(&telemetry->keys, (uint32_t)i), &own);
    }
    if (list && telemetry->devices.count > 1)
        add_power_model(list, "all", &all);
}
