/* Figures of Kineto traces. Times are microseconds, as in the files. */
#include "ingest/kineto/kineto_figures.h"

#include <gsl/gsl_heapsort.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>

/* --- kineto_costs --- */
/* Alpha and beta of collectives, by the last rank: the others' times include waiting. */

#define BYTES_PER_MIB 1048576.0

struct point {
    uint32_t cost; /* number of collective and group size */
    double mib, us;
};

struct points {
    ARRAY_OF(struct point) points;
    struct intern keys;
};

/* Names of collectives are kept once each, so that pointers tell them apart. */
struct key {
    const char *collective;
    int64_t group_size;
};

static void add_point(struct points *points, struct kineto_costs *costs,
                      const struct kineto_kind *kind, int64_t duration_ns, bool has_waiting) {
    bool is_new;
    if (!kind->collective || isnan(kind->bytes))
        return;
    const struct key key = {kind->collective, kind->group_size};
    uint32_t number = intern(&points->keys, &key, sizeof key, &is_new);
    if (is_new)
        *array_add(&costs->costs) = (struct kineto_cost){.collective = kind->collective,
                                                         .group_size = kind->group_size,
                                                         .has_waiting = has_waiting};
    array_push(&points->points,
               ((struct point){number, kind->bytes / BYTES_PER_MIB, (double)duration_ns / 1000}));
}

ORDER_BY(point_by_size, struct point, ASC(cost) ASC(mib) ASC(us))

/* The shortest of each size; points are ordered by size. */
static size_t keep_shortest(struct point *points, size_t count) {
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (i == 0 || points[i].mib != points[kept - 1].mib)
            points[kept++] = points[i];
    return kept;
}

static void fit_cost(struct kineto_cost *cost, const struct point *points, size_t count) {
    double x = 0, y = 0, xx = 0, xy = 0, yy = 0, n = (double)count;
    for (size_t i = 0; i < count; i++) {
        cost->sizes += i == 0 || points[i].mib != points[i - 1].mib;
        x += points[i].mib / n;
        y += points[i].us / n;
    }
    cost->points = count;
    cost->alpha_us = cost->beta_us_per_mib = cost->r_squared = NAN;
    if (cost->sizes < 2)
        return;
    for (size_t i = 0; i < count; i++) {
        double dx = points[i].mib - x, dy = points[i].us - y;
        xx += dx * dx;
        xy += dx * dy;
        yy += dy * dy;
    }
    cost->beta_us_per_mib = xy / xx;
    cost->alpha_us = y - cost->beta_us_per_mib * x;
    cost->r_squared = yy > 0 ? fmin(xy * xy / (xx * yy), 1) : NAN; /* rounding may pass 1 */
}

static void add_last_arrivals(struct points *points, struct kineto_costs *costs,
                              const struct kineto_ranks *ranks) {
    for (size_t i = 0; i < ranks->collectives.count; i++) {
        const struct kineto_collective *c = &ranks->collectives.at[i];
        for (size_t p = c->first; p < c->first + c->count; p++) {
            struct kineto_event event = kineto_part_event(ranks, p);
            if (ranks->parts.at[p].rank == c->last_rank)
                add_point(points, costs, &ranks->kinds->all.at[event.kind],
                          event.end_ns - event.start_ns, false);
        }
    }
}

/* The shortest of each kind: only the shortest of each size count. */
static void add_shortest(struct points *points, struct kineto_costs *costs,
                         const struct kineto_ranks *ranks) {
    const struct kineto_trace *trace = &ranks->traces[0];
    int64_t *shortest = mem_alloc(ranks->kinds->all.count * sizeof *shortest);
    for (size_t k = 0; k < ranks->kinds->all.count; k++)
        shortest[k] = INT64_MAX;
    for (size_t i = 0; i < trace->events.count; i++) {
        const struct kineto_event *event = &trace->events.at[i];
        int64_t duration_ns = event->end_ns - event->start_ns;
        shortest[event->kind] =
            duration_ns < shortest[event->kind] ? duration_ns : shortest[event->kind];
    }
    for (size_t k = 0; k < ranks->kinds->all.count; k++)
        if (shortest[k] != INT64_MAX)
            add_point(points, costs, &ranks->kinds->all.at[k], shortest[k], true);
    free(shortest);
}

void kineto_costs_init(struct kineto_costs *costs, const struct kineto_ranks *ranks) {
    struct points all = {0};
    *costs = (struct kineto_costs){0};
    if (ranks->count == 1)
        add_shortest(&all, costs, ranks);
    else
        add_last_arrivals(&all, costs, ranks);
    struct point *points = all.points.at;
    gsl_heapsort(points, all.points.count, sizeof *points, point_by_size);
    for (size_t first = 0, end; first < all.points.count; first = end) {
        for (end = first; end < all.points.count && points[end].cost == points[first].cost;)
            end++;
        struct kineto_cost *cost = &costs->costs.at[points[first].cost];
        fit_cost(cost, points + first,
                 cost->has_waiting ? keep_shortest(points + first, end - first) : end - first);
    }
    free(points);
    intern_finish(&all.keys);
}

void kineto_costs_finish(struct kineto_costs *costs) {
    free(costs->costs.at);
    *costs = (struct kineto_costs){0};
}

/* --- kineto_simulated --- */
/* Invariant: until the trace is closed the correlation of an event is 1 + the number of its GPU. */

#define LISTED_GPUS 16384

ORDER_BY(event_by_gpu, struct kineto_event, ASC(correlation) ASC(start_ns))

void kineto_simulated_close(struct kineto_trace *trace) {
    struct kineto_gpus *gpus = &trace->gpus;
    uint32_t present = 0;
    int64_t until_ns = 0;
    if (gpus->all.count == 0)
        return;
    sort_array(trace->events.at, trace->events.count, event_by_gpu);
    for (struct kineto_event *e = trace->events.at; e < trace->events.at + trace->events.count;
         e++) {
        bool next = e->correlation != present;
        present = e->correlation;
        e->correlation = 0;
        if (present == 0 || present > gpus->all.count)
            continue; /* no slice of easim's, or of too many GPUs */
        int64_t from_ns = next || e->start_ns > until_ns ? e->start_ns : until_ns;
        if (next || e->end_ns > until_ns)
            until_ns = e->end_ns;
        gpus->all.at[present - 1].busy_ns += until_ns > from_ns ? until_ns - from_ns : 0;
    }
}

/* Totals and a list of GPUs; nothing of a trace that easim has not written. */
static void kineto_simulated_add_figures(struct figure *root, const struct kineto_trace *trace) {
    const struct kineto_gpus *gpus = &trace->gpus;
    size_t listed = gpus->all.count < LISTED_GPUS ? gpus->all.count : LISTED_GPUS;
    double energy_j = gpus->others.energy_j;
    int64_t busy_ns = 0;
    if (gpus->all.count == 0)
        return;
    for (size_t i = 0; i < gpus->all.count; i++) {
        busy_ns += gpus->all.at[i].busy_ns;
        energy_j += gpus->all.at[i].energy_j;
    }
    figures_real(root, "simulated_busy_us", (double)busy_ns / 1000);
    figures_real(root, "simulated_energy_j", energy_j);
    if (listed < gpus->all.count)
        figures_int(root, "simulated_gpus_not_listed", (int64_t)(gpus->all.count - listed));
    struct figure *list = figures_list(root, "simulated_gpus");
    for (const struct kineto_gpu *gpu = gpus->all.at; gpu < gpus->all.at + listed; gpu++) {
        struct figure *row = figures_group(list, NULL);
        figures_int(row, "node", gpu->node);
        figures_int(row, "gpu", gpu->gpu);
        figures_int(row, "slices", (int64_t)gpu->events);
        figures_real(row, "busy_us", (double)gpu->busy_ns / 1000);
        figures_real(row, "energy_j", gpu->energy_j);
    }
}

/* --- kineto_figures --- */

static double microseconds(int64_t time_ns) {
    return (double)time_ns / 1000;
}

static double percent(int64_t part, int64_t whole) {
    return whole > 0 ? 100.0 * (double)part / (double)whole : NAN;
}

/* ---- One rank ---- */

#define SLOW_FIRST 1.5

static struct kineto_iteration iteration_of(const struct kineto_trace *trace) {
    struct kineto_iteration it = {NAN, NAN, NAN, NAN, false};
    size_t count = trace->steps.count;
    double *times = mem_alloc((count + 1) * sizeof *times);
    for (size_t i = 0; i < count; i++)
        times[i] = microseconds(trace->steps.at[i].end_ns - trace->steps.at[i].start_ns);
    if (count > 0) {
        double first = times[0];
        it.mean_us = gsl_stats_mean(times, 1, count);
        it.cv = count > 1 ? gsl_stats_sd(times, 1, count) / it.mean_us : NAN;
        gsl_sort(times, 1, count);
        it.median_us = gsl_stats_median_from_sorted_data(times, 1, count);
        it.p95_us = gsl_stats_quantile_from_sorted_data(times, 1, count, 0.95);
        it.slow_first = count > 1 && first > SLOW_FIRST * it.median_us;
    }
    free(times);
    return it;
}

void kineto_rank_figures_init(struct kineto_rank_figures *figures, struct kineto_trace *trace,
                              struct kineto_streams *take_streams, size_t most_steps) {
    figures->iteration = iteration_of(trace);
    figures->all = kineto_shares_of(trace);
    figures->streams = *take_streams;
    figures->step_count = trace->steps.count;
    trace->steps.count = trace->steps.count < most_steps ? trace->steps.count : most_steps;
    trace->steps.capacity = trace->steps.count;
    trace->steps.at = mem_realloc(trace->steps.at, trace->steps.count + 1, sizeof *trace->steps.at);
    kineto_shares_by_step(trace, trace->steps.count, &figures->steps);
}

void kineto_rank_figures_finish(struct kineto_rank_figures *figures) {
    free(figures->steps);
    free(figures->streams.all.at);
    *figures = (struct kineto_rank_figures){0};
}

static void add_shares(struct figure *group, const struct kineto_shares *shares) {
    figures_real(group, "gpu_span_us", microseconds(shares->span));
    figures_real(group, "gpu_busy_us", microseconds(shares->busy));
    figures_real(group, "gpu_idle_us", microseconds(shares->idle));
    figures_real(group, "compute_us", microseconds(shares->compute));
    figures_real(group, "communication_us", microseconds(shares->communication));
    figures_real(group, "memory_us", microseconds(shares->memory));
    figures_real(group, "overlap_us", microseconds(shares->overlap));
    figures_real(group, "exposed_communication_us", microseconds(shares->exposed));
    figures_real(group, "compute_percent", percent(shares->compute, shares->span));
    figures_real(group, "noncompute_percent",
                 percent(shares->busy - shares->compute, shares->span));
    figures_real(group, "idle_percent", percent(shares->idle, shares->span));
    figures_real(group, "overlap_percent_of_communication",
                 percent(shares->overlap, shares->communication));
}

static void add_iteration(struct figure *group, const struct kineto_iteration *it, size_t steps) {
    figures_int(group, "step_count", (int64_t)steps);
    figures_real(group, "iteration_median_us", it->median_us);
    figures_real(group, "iteration_mean_us", it->mean_us);
    figures_real(group, "iteration_p95_us", it->p95_us);
    figures_real(group, "iteration_cv", it->cv);
    figures_bool(group, "first_step_slow", it->slow_first);
}

/* Gaps of streams that are no streams, but a sum over all of a device, have no reason. */
static bool has_idle(const struct kineto_stream *stream) {
    return stream->track.stream >= 0;
}

static void add_idle_shares(struct figure *group, const struct kineto_stream *stream) {
    figures_real(group, "stream_idle_us", microseconds(stream->idle));
    figures_real(group, "host_wait_percent", percent(stream->host_wait, stream->idle));
    figures_real(group, "kernel_wait_percent", percent(stream->kernel_wait, stream->idle));
    figures_real(group, "other_wait_percent",
                 percent(stream->idle - stream->host_wait - stream->kernel_wait, stream->idle));
}

/* Over all streams. */
static struct kineto_stream idle_of(const struct kineto_streams *streams) {
    struct kineto_stream all = {0};
    for (const struct kineto_stream *s = streams->all.at; s < streams->all.at + streams->all.count;
         s++)
        if (has_idle(s)) {
            all.idle += s->idle;
            all.host_wait += s->host_wait;
            all.kernel_wait += s->kernel_wait;
        }
    return all;
}

/* As they come, devices are in ascending order; streams of several devices are not. */
static void add_numbers(struct figure *group, const struct kineto_streams *streams) {
    struct figure *devices = figures_list(group, "devices"), *list = figures_list(group, "streams");
    int64_t numbers[KINETO_MOST_TRACKS];
    size_t count = streams->all.count;
    for (size_t i = 0; i < count; i++) {
        const struct kineto_track *track = &streams->all.at[i].track;
        numbers[i] = track->stream;
        if (i == 0 || track->device != streams->all.at[i - 1].track.device)
            figures_int(devices, NULL, track->device);
    }
    sort_array(numbers, count, by_int64);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || numbers[i] != numbers[i - 1])
            figures_int(list, NULL, numbers[i]);
}

static void add_streams(struct figure *group, const struct kineto_streams *streams) {
    struct figure *list = figures_list(group, "idle_by_stream");
    for (const struct kineto_stream *s = streams->all.at; s < streams->all.at + streams->all.count;
         s++) {
        if (!has_idle(s))
            continue;
        struct figure *row = figures_group(list, NULL);
        figures_int(row, "device", s->track.device);
        figures_int(row, "stream", s->track.stream);
        figures_int(row, "gpu_events", (int64_t)s->events);
        add_idle_shares(row, s);
    }
}

static void add_copies(struct figure *group, const struct kineto_trace *trace) {
    struct figure *list = figures_list(group, "trace_copies");
    for (uint32_t i = 0; i < trace->copies.count; i++) {
        struct figure *copy = figures_group(list, NULL);
        figures_text(copy, "name", intern_text(&trace->copy_names, i));
        figures_int(copy, "count", (int64_t)trace->copies.at[i].count);
        figures_real(copy, "bytes", trace->copies.at[i].bytes);
    }
}

static void add_steps(struct figure *group, const struct kineto_trace *trace,
                      const struct kineto_rank_figures *figures) {
    const struct kineto_shares *shares = figures->steps;
    if (figures->step_count > trace->steps.count)
        figures_int(group, "steps_not_listed", (int64_t)(figures->step_count - trace->steps.count));
    struct figure *list = figures_list(group, "steps");
    for (size_t i = 0; i < trace->steps.count; i++) {
        const struct kineto_step *step = &trace->steps.at[i];
        struct figure *figure = figures_group(list, NULL);
        figures_int(figure, "step", step->number);
        figures_real(figure, "duration_us", microseconds(step->end_ns - step->start_ns));
        figures_real(figure, "busy_us", microseconds(shares[i].busy));
        figures_real(figure, "compute_us", microseconds(shares[i].compute));
        figures_real(figure, "communication_us", microseconds(shares[i].communication));
        figures_real(figure, "memory_us", microseconds(shares[i].memory));
        figures_real(figure, "exposed_communication_us", microseconds(shares[i].exposed));
    }
}

static void add_identity(struct figure *group, const struct kineto_trace *trace) {
    figures_text(group, "file", trace->path);
    figures_number(group, "rank", trace->rank);
    figures_number(group, "world_size", trace->world_size);
    figures_text(group, "backend", trace->backend);
    figures_text(group, "gpu", trace->gpu);
    figures_real(group, "gpu_memory_bytes", trace->gpu_memory_bytes);
    figures_int(group, "records", (int64_t)trace->records);
    figures_text(group, "truncation", trace->truncation);
}

/* A table of ranks shows what tells them apart. */
static void add_overview(struct figure *root, const struct kineto_trace *traces,
                         const struct kineto_rank_figures *figures, size_t count) {
    struct figure *list = figures_list(root, "overview");
    for (size_t i = 0; i < count; i++) {
        const struct kineto_shares *s = &figures[i].all;
        struct kineto_stream idle = idle_of(&figures[i].streams);
        struct figure *row = figures_group(list, NULL);
        figures_int(row, "rank", traces[i].rank);
        figures_real(row, "iteration_us", figures[i].iteration.median_us);
        figures_real(row, "compute_%", percent(s->compute, s->span));
        figures_real(row, "communication_%", percent(s->communication, s->span));
        figures_real(row, "exposed_%", percent(s->exposed, s->span));
        figures_real(row, "memory_%", percent(s->memory, s->span));
        figures_real(row, "idle_%", percent(s->idle, s->span));
        figures_real(row, "host_wait_%", percent(idle.host_wait, idle.idle));
    }
}

void kineto_figures_add_ranks(struct figure *root, const struct kineto_trace *traces,
                              const struct kineto_rank_figures *figures, size_t count) {
    if (count > 1)
        add_overview(root, traces, figures, count);
    struct figure *ranks = count > 1 ? figures_list(root, "ranks") : root;
    ranks->json_only = count > 1;
    for (size_t i = 0; i < count; i++) {
        struct figure *group = count > 1 ? figures_group(ranks, NULL) : root;
        add_identity(group, &traces[i]);
        figures_int(group, "gpu_events", (int64_t)figures[i].all.events);
        figures_int(group, "communication_events", (int64_t)figures[i].all.communication_events);
        add_iteration(group, &figures[i].iteration, figures[i].step_count);
        add_shares(group, &figures[i].all);
        const struct kineto_stream idle = idle_of(&figures[i].streams);
        add_idle_shares(group, &idle);
        figures_real(group, "peak_allocated_bytes",
                     traces[i].peak_allocated_bytes > 0 ? traces[i].peak_allocated_bytes : NAN);
        figures_real(group, "peak_reserved_bytes",
                     traces[i].peak_reserved_bytes > 0 ? traces[i].peak_reserved_bytes : NAN);
        add_numbers(group, &figures[i].streams);
        add_steps(group, &traces[i], &figures[i]);
        add_streams(group, &figures[i].streams);
        add_copies(group, &traces[i]);
        kineto_simulated_add_figures(group, &traces[i]);
    }
}

/* ---- Several ranks ---- */

#define LISTED_PARTS 32768 /* of collectives of all ranks, and collectives of different size */
#define LISTED_COSTS 4096

/* Below this share of all time in matched collectives, waiting is noise. */
#define STRAGGLER_SHARE 0.01

/* For which rank the others waited longest; count if for none. */
static size_t rank_of_straggler(const struct kineto_ranks *ranks) {
    size_t worst = 0;
    double total_ns = 0;
    for (size_t i = 0; i < ranks->collectives.count; i++) {
        const struct kineto_collective *c = &ranks->collectives.at[i];
        for (size_t p = c->first; p < c->first + c->count; p++) {
            struct kineto_event event = kineto_part_event(ranks, p);
            total_ns += (double)(event.end_ns - event.start_ns);
        }
    }
    for (size_t i = 1; i < ranks->count; i++)
        if (ranks->ranks[i].caused_ns > ranks->ranks[worst].caused_ns)
            worst = i;
    return (double)ranks->ranks[worst].caused_ns > STRAGGLER_SHARE * total_ns ? worst
                                                                              : ranks->count;
}

static void add_rank_waiting(struct figure *group, const struct kineto_ranks *ranks) {
    struct figure *list = figures_list(group, "ranks");
    for (size_t i = 0; i < ranks->count; i++) {
        struct figure *row = figures_group(list, NULL);
        figures_int(row, "rank", ranks->traces[i].rank);
        figures_real(row, "waited_us", microseconds(ranks->ranks[i].waiting_ns));
        figures_real(row, "others_waited_for_it_us", microseconds(ranks->ranks[i].caused_ns));
        figures_int(row, "last_in", (int64_t)ranks->ranks[i].last);
        figures_real(row, "clock_offset_us", microseconds(ranks->ranks[i].clock_offset_ns));
    }
}

static void add_collective(struct figure *list, const struct kineto_ranks *ranks, size_t index) {
    const struct kineto_collective *c = &ranks->collectives.at[index];
    struct figure *row = figures_group(list, NULL);
    figures_int(row, "i", (int64_t)index);
    figures_text(row, "name", kineto_part_kind(ranks, c->first)->name);
    figures_int(row, "last_rank", ranks->traces[c->last_rank].rank);
    figures_real(row, "waiting_us", microseconds(c->waiting_ns));
    figures_real(row, "end_spread_us", microseconds(c->end_spread_ns));
    struct figure *lateness = figures_group(row, "lateness_us");
    for (size_t p = c->first; p < c->first + c->count; p++) {
        int64_t rank = ranks->traces[ranks->parts.at[p].rank].rank;
        figures_real(lateness, arena_printf(list->arena, "%lld", (long long)rank),
                     microseconds(kineto_lateness_ns(ranks, c, p)));
    }
}

/* As many as fit. */
static void add_listed(struct figure *group, const struct kineto_ranks *ranks) {
    size_t listed = 0;
    for (size_t parts = 0; listed < ranks->collectives.count; listed++) {
        parts += ranks->collectives.at[listed].count;
        if (parts > LISTED_PARTS)
            break;
    }
    if (listed < ranks->collectives.count)
        figures_int(group, "collectives_not_listed", (int64_t)(ranks->collectives.count - listed));
    struct figure *list = figures_list(group, "collectives");
    for (size_t i = 0; i < listed; i++)
        add_collective(list, ranks, i);
}

void kineto_figures_add_collectives(struct figure *root, const struct kineto_ranks *ranks) {
    struct figure *group = figures_group(root, "waiting");
    size_t worst = rank_of_straggler(ranks);
    figures_int(group, "matched_collectives", (int64_t)ranks->collectives.count);
    figures_int(group, "unmatched_kernels", (int64_t)ranks->unmatched);
    if (worst < ranks->count)
        figures_int(group, "straggler_rank", ranks->traces[worst].rank);
    else
        figures_none(group, "straggler_rank");
    figures_real(group, "end_spread_us_without_offsets", microseconds(ranks->residual_ns));
    figures_bool(group, "clocks_corrected", ranks->corrected);
    add_rank_waiting(group, ranks);
    add_listed(group, ranks);
}

void kineto_figures_add_costs(struct figure *root, const struct kineto_costs *costs) {
    size_t listed = costs->costs.count < LISTED_COSTS ? costs->costs.count : LISTED_COSTS;
    if (listed < costs->costs.count)
        figures_int(root, "collective_costs_not_listed", (int64_t)(costs->costs.count - listed));
    struct figure *list = figures_list(root, "collective_cost");
    for (size_t i = 0; i < listed; i++) {
        const struct kineto_cost *cost = &costs->costs.at[i];
        struct figure *row = figures_group(list, NULL);
        figures_text(row, "collective", cost->collective);
        figures_int(row, "group_size", cost->group_size);
        figures_int(row, "points", (int64_t)cost->points);
        figures_int(row, "sizes", (int64_t)cost->sizes);
        figures_real(row, "alpha_us", cost->alpha_us);
        figures_real(row, "beta_us_per_mib", cost->beta_us_per_mib);
        figures_real(row, "r_squared", cost->r_squared);
        figures_bool(row, "may_include_waiting", cost->has_waiting);
    }
}
