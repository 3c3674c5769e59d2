/* Events of the power cap: see cap_event_stats.h. Events begin and end at instants of the run, so
   power is constant from one instant to the next within an event. */
#include "metrics/cap_event_stats.h"

#include "base/units.h"
#include "engine/limits.h"
#include "engine/power_cap.h"

#include <math.h>
#include <stdlib.h>

#define ENOUGH     0.95 /* of the reduction that was asked for */
#define REBOUND_NS ((int64_t)3600 * NS_PER_S)

static const struct cap_event *event_of(const struct sim *sim, uint32_t number) {
    return &sim->cluster->cap_events.at[number];
}

/* Power at which the reduction is enough; below no baseline nobody knows. */
static int64_t enough_nw(const struct cap_event_row *row) {
    if (isnan(row->baseline_w))
        return -1;
    return power_nw(row->target_w + (1 - ENOUGH) * fmax(0, row->baseline_w - row->target_w));
}

static void add_time(struct cap_event_row *row, const struct cap_event *event,
                     const struct sim *sim, int64_t from_ns) {
    int64_t nw = sim->meter.advanced_nw, duration_ns = sim->now_ns - from_ns;
    int64_t above_nw = nw - power_nw(row->target_w);
    bool is_enough = nw <= enough_nw(row);
    row->energy += (int128)nw * duration_ns;
    if (is_enough && row->reached_ns < 0)
        row->reached_ns = from_ns - event->start_ns;
    if (from_ns < event->start_ns + event->ramp_ns)
        return;
    row->after_ns += duration_ns;
    row->held_ns += is_enough ? duration_ns : 0;
    if (above_nw <= 0)
        return;
    row->worst_nw = above_nw > row->worst_nw ? above_nw : row->worst_nw;
    row->above += (int128)above_nw * duration_ns;
}

void cap_event_stats_advance(struct cap_event_stats *stats, const struct sim *sim,
                             int64_t from_ns) {
    if (!stats->rows || stats->at == EASIM_NONE)
        return;
    const struct cap_event *event = event_of(sim, stats->at);
    struct cap_event_row *row = &stats->rows[stats->at];
    int64_t end_ns = cap_event_end_ns(event);
    if (stats->broken_ns)
        add_time(row, event, sim, from_ns);
    else if (from_ns < end_ns + REBOUND_NS && sim->meter.advanced_nw > row->rebound_nw)
        row->rebound_nw = sim->meter.advanced_nw;
}

static void begin(struct cap_event_stats *stats, const struct sim *sim, uint32_t number) {
    const struct cap_event_run *run = &sim->changes.events.runs[number];
    size_t jobs = sim->workload->jobs.count;
    stats->at = number;
    stats->rows[number].baseline_w = run->baseline_w;
    stats->rows[number].target_w = run->target_w;
    stats->rows[number].flex_nw = power_cap_flex_nw(sim);
    stats->rows[number].lost_gpu_s = -limits_lost_gpu_s(sim);
    stats->broken_ns = mem_zalloc(jobs + 1, sizeof *stats->broken_ns);
    for (uint32_t j = 0; j < sim->next_arrival; j++)
        stats->broken_ns[j] = limits_totals_of(sim, j).broken_ns;
}

static void end(struct cap_event_stats *stats, const struct sim *sim) {
    struct cap_event_row *row = &stats->rows[stats->at];
    row->end_ns = sim->now_ns;
    row->lost_gpu_s += limits_lost_gpu_s(sim);
    for (uint32_t j = 0; j < sim->next_arrival; j++) {
        int64_t broken_ns = limits_totals_of(sim, j).broken_ns - stats->broken_ns[j];
        row->broken_jobs += broken_ns > 0;
        row->broken_ns += broken_ns;
    }
    free(stats->broken_ns);
    stats->broken_ns = NULL;
}

void cap_event_stats_instant(struct cap_event_stats *stats, const struct sim *sim) {
    const struct cap_events *events = &sim->cluster->cap_events;
    if (events->count == 0 || !sim->cap)
        return;
    if (!stats->rows) {
        stats->at = EASIM_NONE;
        stats->rows = mem_alloc(events->count * sizeof *stats->rows);
        for (uint32_t e = 0; e < events->count; e++)
            stats->rows[e] = (struct cap_event_row){.end_ns = -1,
                                                    .reached_ns = -1,
                                                    .rebound_nw = -1,
                                                    .baseline_w = NAN,
                                                    .target_w = NAN};
    }
    if (stats->broken_ns && sim->now_ns >= cap_event_end_ns(event_of(sim, stats->at)))
        end(stats, sim);
    uint32_t next = stats->at == EASIM_NONE ? 0 : stats->at + 1;
    if (next < events->count && sim->now_ns >= events->at[next].start_ns)
        begin(stats, sim, next);
}

void cap_event_stats_close(struct cap_event_stats *stats, const struct sim *sim) {
    if (stats->broken_ns)
        end(stats, sim);
}

void cap_event_stats_finish(struct cap_event_stats *stats) {
    free(stats->rows);
    free(stats->broken_ns);
}

double cap_event_held_share(const struct cap_event_row *row) {
    return row->after_ns > 0 && !isnan(row->baseline_w)
               ? (double)row->held_ns / (double)row->after_ns
               : NAN;
}

double cap_event_shifted_kwh(const struct cap_event_row *row, const struct cap_event *event) {
    double duration_s = units_s(row->end_ns - event->start_ns);
    return row->end_ns < 0 ? NAN
                           : (row->baseline_w * duration_s - power_j(row->energy)) / J_PER_KWH;
}

double cap_event_penalty(const struct cap_event_row *row, const struct cap_event *event) {
    return row->end_ns < 0 ? NAN : power_j(row->above) / J_PER_KWH * event->price_per_kwh;
}
