/* CARBON: energy that jobs which could wait took while power was dirty. */
#include "base/units.h"
#include "insight/rules/gathered.h"
#include "insight/rules/internal.h"

#include <math.h>
#include <stdlib.h>

/* The intensity of the measured time. */
struct intensity {
    double g, s;
};

ORDER_BY(compare_intensities, struct intensity, ASC(g))

static int64_t step_end_ns(const struct rule_run *rule_run, size_t step) {
    const struct recorded_folder *folder = rule_run->folder;
    return step + 1 < folder->steps.count ? folder->steps.at[step + 1].time_ns : rule_run->to_ns;
}

/* Finds high intensity, and the mean of the rest. False: intensity is not known or constant. */
static bool split_intensity(const struct rule_run *rule_run, double quantile, double *ret_high_g,
                            double *ret_low_mean_g) {
    const struct recorded_folder *folder = rule_run->folder;
    struct intensity *all = mem_zalloc(folder->steps.count + 1, sizeof *all);
    double whole_s = 0, s = 0, low_s = 0, low = 0;
    size_t count = 0;
    for (size_t i = 0; i < folder->steps.count; i++) {
        const struct recorded_step *step = &folder->steps.at[i];
        struct intensity one = {
            step->carbon_g_per_kwh,
            rule_run_overlap_s(rule_run, step->time_ns, step_end_ns(rule_run, i))};
        if (one.s > 0 && !isnan(one.g)) {
            all[count++] = one;
            whole_s += one.s;
        }
    }
    sort_array(all, count, compare_intensities);
    size_t at = 0;
    while (at + 1 < count && (s += all[at].s) < quantile * whole_s)
        at++;
    *ret_high_g = count > 0 ? all[at].g : NAN;
    for (size_t i = 0; i < count && all[i].g <= *ret_high_g; i++) {
        low_s += all[i].s;
        low += all[i].s * all[i].g;
    }
    *ret_low_mean_g = low / low_s;
    bool differs = count > 1 && all[count - 1].g > *ret_high_g;
    free(all);
    return differs;
}

/* No user waits for it at a certain time. */
static bool is_deferrable(const struct job_spec *job) {
    return !job->sla && job->deadline_ns == TIME_NONE_NS;
}

/* The energy of a segment in steps of high intensity, and what it emitted, g without PUE. */
static void gather_segment(const struct rule_run *rule_run, const struct recorded_segment *segment,
                           double high_g, struct gathered_list *list) {
    const struct recorded_folder *folder = rule_run->folder;
    double power_w = rule_run_power_w(segment);
    size_t next = 1; /* after the last step at or before the start */
    SEARCH(next, folder->steps.count, folder->steps.at[at].time_ns <= segment->start_ns)
    for (size_t i = next - 1; i < folder->steps.count; i++) {
        const struct recorded_step *step = &folder->steps.at[i];
        if (step->time_ns >= segment->end_ns)
            break;
        int64_t from_ns = step->time_ns > segment->start_ns ? step->time_ns : segment->start_ns;
        int64_t to_ns = step_end_ns(rule_run, i);
        to_ns = to_ns < segment->end_ns ? to_ns : segment->end_ns;
        double energy_j = power_w * rule_run_overlap_s(rule_run, from_ns, to_ns);
        if (energy_j <= 0 || !(step->carbon_g_per_kwh > high_g))
            continue;
        struct gathered *g = gathered_find(list, EASIM_NONE, EASIM_NONE, EASIM_NONE);
        g->energy_j += energy_j;
        g->work += energy_j / J_PER_KWH * step->carbon_g_per_kwh; /* g */
        gathered_add(g, segment->job, from_ns, to_ns, energy_j);
    }
}

static void report_carbon(const struct rule_run *rule_run, struct gathered *g, double high_g,
                          double low_g, struct insights *insights) {
    double pue = rule_run->folder->cluster.pue, kwh = g->energy_j / J_PER_KWH;
    double now_kg = pue * g->work / 1000, shifted_kg = pue * kwh * low_g / 1000;
    double all_kg = rule_run->run->summary.co2_kg;
    struct insight *insight =
        gathered_report(rule_run, g, "kWh at high intensity", 1 / J_PER_KWH, insights);
    insight_find(
        insight,
        "%.4g kWh of jobs that could wait were taken above %.4g g/kWh: %.4g of %.4g kg CO2; "
        "the mean intensity of the other times would make it %.4g kg",
        kwh, high_g, now_kg, all_kg, shifted_kg);
    SHOW(insight, carbon, .co2 = now_kg, .co2_shifted = shifted_kg, .energy_at_high_intensity = kwh,
         .high_intensity = high_g, .mean_intensity_else = low_g, .jobs = g->jobs);
    insight->recommendation = "hold such jobs back while the intensity is high";
    proposal_policies(insight, EASIM_READS_CARBON, 0);
    insight_weigh(insight, now_kg - shifted_kg, all_kg);
}

void find_carbon(const struct rule_run *rule_run, const void *thresholds,
                 struct insights *insights) {
    const struct carbon_thresholds *t = thresholds;
    const struct recorded_run *run = rule_run->run;
    struct gathered_list list = {0};
    double high_g, low_g;
    if (!split_intensity(rule_run, t->quantile, &high_g, &low_g))
        return;
    for (size_t i = 0; i < run->segments.count; i++) {
        const struct recorded_segment *s = &run->segments.at[i];
        if (s->kind != SEGMENT_QUEUED && !recorded_run_is_replica(run, s->job) &&
            is_deferrable(&run->workload.jobs.at[s->job]))
            gather_segment(rule_run, s, high_g, &list);
    }
    for (size_t i = 0; i < list.at.count; i++)
        report_carbon(rule_run, &list.at.at[i], high_g, low_g, insights);
    gathered_list_finish(&list);
}
