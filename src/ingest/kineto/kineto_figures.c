/* Figures of Kineto traces. Times are microseconds, as in the files. */
#include "ingest/kineto/kineto_figures.h"

#include "ingest/kineto/kineto_simulated.h"

#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

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
    if (trace->rank >= 0)
        figures_int(group, "rank", trace->rank);
    else
        figures_none(group, "rank");
    if (trace->world_size >= 0)
        figures_int(group, "world_size", trace->world_size);
    else
        figures_none(group, "world_size");
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
