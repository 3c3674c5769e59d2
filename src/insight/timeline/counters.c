/* Counters, added up from what each GPU did. Invariant: between two instants the meter has all that
   goes on, in the engine's own whole nanowatts. */
#include "base/sort_doubles.h"
#include "insight/timeline/internal.h"

#include "base/units.h"
#include "cluster/power_meter.h"
#include "insight/recorded_table.h"

#include <math.h>
#include <stdlib.h>

#define NO_CAP_W (-1.0) /* a counter needs some value */

enum counter { POWER, CAP, WAITING, FREE, PRICE, CARBON, THROTTLED, COUNTERS };

static const char *const counter_names[COUNTERS] = {"power (W)",       "power cap (W)",
                                                    "waiting jobs",    "free GPUs",
                                                    "price (per MWh)", "carbon intensity (g/kWh)",
                                                    "throttled GPUs"};

/* GPUs begin or cease to rest. */
struct counter_edge {
    int64_t time_ns;
    uint32_t rest;
    bool begins;
};

/* Under an enforced cap, a row of power.csv: in a segment the power is not constant. */
struct measured {
    int64_t time_ns;
    double power_w, throttled;
};

/* The last sample of a counter, perhaps not written yet. */
struct sample {
    int64_t time_ns;
    double value, written; /* NAN: none */
    bool is_open;
};

struct sweep {
    struct timeline_part *part;
    struct power_meter meter;
    const struct counter_edges *edges;
    uint32_t *failed; /* GPUs of each node */
    int64_t free_milli, waiting;
    const struct recorded_step *step;
    ARRAY_OF(struct measured) measured; /* none: segments tell the power */
    size_t measured_next;
    struct sample samples[COUNTERS];
};

/* ---- power.csv ---- */

enum { P_REPLICATION, P_TIME, P_POWER, P_THROTTLED };
static const char *const power_columns[] = {"replication", "time_s", "power_w", "throttled_gpus",
                                            NULL};

static int read_measured(struct sweep *s, const struct recorded_run *run, struct error *reterr) {
    struct recorded_table table = {0};
    struct arena arena = {0};
    const char *path = arena_printf(&arena, "%s/power.csv",
                                    recorded_folder_of_policy(run->folder, run->part, &arena));
    int r = recorded_table_open(&table, path, power_columns, reterr);
    if (r == 0)
        r = recorded_table_read_all(&table, reterr);
    while (r == 0 && recorded_table_next(&table)) {
        if (recorded_table_int(&table, P_REPLICATION, 1, UINT32_MAX) != run->part->replication)
            continue;
        array_push(&s->measured,
                   ((struct measured){recorded_table_ns(&table, P_TIME),
                                      recorded_table_amount(&table, P_POWER, POWER_MAX_W, 0),
                                      recorded_table_amount(&table, P_THROTTLED, UINT32_MAX, 0)}));
    }
    recorded_table_finish(&table);
    arena_finish(&arena);
    return r < 0 ? r : reterr->code;
}

/* ---- State ---- */

static void hold_gpus(struct sweep *s, const struct recorded_segment *segment, int sign) {
    const struct recorded_run *run = s->part->run;
    const struct easim_config *config = recorded_run_config(run, segment);
    struct power_use *use = &s->meter.types[config->gpu_type].computing;
    int64_t milli = recorded_run_milli(run, segment);
    use->milli += sign * milli;
    use->nw += sign * (int64_t)(segment->energy / (segment->end_ns - segment->start_ns));
    s->free_milli -= sign * milli;
    for (uint32_t i = 0; i < segment->gpus_count; i++) {
        const struct recorded_gpus *gpus = &run->gpus.at[segment->gpus + i];
        int64_t here = config->milli > 0 ? config->milli : (int64_t)gpus->count * WHOLE_GPU_MILLI;
        power_meter_allocate(&s->meter, gpus->node, sign * here);
    }
}

static void rest_gpus(struct sweep *s, const struct recorded_rest *rest, int sign) {
    const struct node *node = &s->part->run->folder->cluster.nodes[rest->node];
    int64_t change = sign * (int64_t)rest->count;
    if (rest->state == RECORDED_ASLEEP)
        s->meter.types[node->gpu_type].asleep += (uint32_t)change;
    if (rest->state == RECORDED_FAILED) {
        bool was = s->failed[rest->node] > 0;
        s->failed[rest->node] += (uint32_t)change;
        s->free_milli -= change * WHOLE_GPU_MILLI;
        if (!was)
            power_meter_fail(&s->meter, node);
        else if (s->failed[rest->node] == 0)
            power_meter_repair(&s->meter, node);
    }
}

static void pass_event(struct sweep *s, const struct segment_event *event) {
    const struct recorded_segment *segment = &s->part->run->segments.at[event->segment];
    int sign = event->begins ? 1 : -1;
    if (segment->kind == SEGMENT_QUEUED)
        s->waiting += sign;
    else if (!recorded_segment_waits(segment))
        hold_gpus(s, segment, sign);
}

/* ---- Samples ---- */

static void close_sample(struct sweep *s, enum counter counter) {
    struct sample *sample = &s->samples[counter];
    bool is_news = sample->is_open && sample->value != sample->written;
    s->part->thinned.samples += sample->is_open && !is_news;
    sample->is_open = false;
    if (!is_news)
        return;
    struct trace_place place = timeline_place(s->part, 0, sample->time_ns);
    if (trace_event_begin(s->part->events, TRACE_COUNTER, place, counter_names[counter])) {
        trace_event_real(s->part->events, "value", sample->value);
        trace_event_end(s->part->events);
    }
    sample->written = sample->value;
}

static void take_sample(struct sweep *s, enum counter counter, int64_t time_ns, double value) {
    struct sample *sample = &s->samples[counter];
    if (isnan(value) || value == sample->value)
        return;
    if (sample->is_open &&
        timeline_interval(s->part, time_ns) != timeline_interval(s->part, sample->time_ns))
        close_sample(s, counter);
    s->part->thinned.samples += sample->is_open;
    sample->time_ns = time_ns;
    sample->value = value;
    sample->is_open = true;
}

static void take_samples(struct sweep *s, int64_t time_ns) {
    if (s->measured_next > 0) {
        const struct measured *at = &s->measured.at[s->measured_next - 1];
        take_sample(s, POWER, time_ns, at->power_w);
        take_sample(s, THROTTLED, time_ns, at->throttled);
    } else {
        take_sample(s, POWER, time_ns, power_w(power_meter_total_nw(&s->meter)));
    }
    take_sample(s, WAITING, time_ns, (double)s->waiting);
    take_sample(s, FREE, time_ns, (double)s->free_milli / WHOLE_GPU_MILLI);
    if (!s->step)
        return;
    take_sample(s, CAP, time_ns, isfinite(s->step->cap_w) ? s->step->cap_w : NO_CAP_W);
    take_sample(s, PRICE, time_ns, s->step->price_per_mwh);
    take_sample(s, CARBON, time_ns, s->step->carbon_g_per_kwh);
}

/* ---- Over time ---- */

ORDER_BY(edge_by_time, struct counter_edge, ASC(time_ns) ASC(begins) ASC(rest))

void counter_edges_init(struct counter_edges *edges, const struct recorded_run *run) {
    for (size_t i = 0; i < run->rests.count; i++) {
        const struct recorded_rest *rest = &run->rests.at[i];
        if (rest->state != RECORDED_ASLEEP && rest->state != RECORDED_FAILED)
            continue;
        array_push(edges, ((struct counter_edge){rest->start_ns, (uint32_t)i, true}));
        array_push(edges, ((struct counter_edge){rest->end_ns, (uint32_t)i, false}));
    }
    sort_array_by(edges->at, edges->count, time_ns, edge_by_time);
}

void counter_edges_finish(struct counter_edges *edges) {
    free(edges->at);
    *edges = (struct counter_edges){0};
}

/* Events, edges and steps merge by time; each instant gives one sample. */
static void sweep_time(struct sweep *s) {
    const struct recorded_folder *folder = s->part->run->folder;
    const struct recorded_step *step = folder->steps.at,
                               *last_step = folder->steps.at + folder->steps.count;
    const struct counter_edge *edge = s->edges->at, *last = s->edges->at + s->edges->count;
    const struct segment_event *event = s->part->run->events.at,
                               *last_event = event + s->part->run->events.count;
    for (int64_t now_ns = 0; now_ns < s->part->run->part->end_ns;) {
        for (; event < last_event && event->time_ns <= now_ns; event++)
            pass_event(s, event);
        for (; edge < last && edge->time_ns <= now_ns; edge++)
            rest_gpus(s, &s->part->run->rests.at[edge->rest], edge->begins ? 1 : -1);
        for (; step < last_step && step->time_ns <= now_ns; step++)
            s->step = step;
        while (s->measured_next < s->measured.count &&
               s->measured.at[s->measured_next].time_ns <= now_ns)
            s->measured_next++;
        take_samples(s, now_ns);
        now_ns = INT64_MAX;
        if (s->measured_next < s->measured.count)
            now_ns = s->measured.at[s->measured_next].time_ns;
        if (event < last_event && event->time_ns < now_ns)
            now_ns = event->time_ns;
        if (edge < last && edge->time_ns < now_ns)
            now_ns = edge->time_ns;
        if (step < last_step && step->time_ns < now_ns)
            now_ns = step->time_ns;
    }
}

void counters_write(const struct counter_edges *edges, struct timeline_part *part) {
    const struct cluster *cluster = &part->run->folder->cluster;
    struct sweep s = {
        .part = part, .edges = edges, .free_milli = (int64_t)cluster->gpus * WHOLE_GPU_MILLI};
    for (int counter = 0; counter < COUNTERS; counter++)
        s.samples[counter] = (struct sample){.value = NAN, .written = NAN};
    s.failed = mem_zalloc(cluster->node_count, sizeof *s.failed);
    power_meter_init(&s.meter, cluster);
    struct error error = {0};
    if (recorded_folder_enforces(part->run->folder) && read_measured(&s, part->run, &error) < 0 &&
        part->events->error.code == 0)
        part->events->error = error;
    sweep_time(&s);
    for (int counter = 0; counter < COUNTERS; counter++)
        close_sample(&s, (enum counter)counter);
    power_meter_finish(&s.meter);
    free(s.failed);
    free(s.measured.at);
}
