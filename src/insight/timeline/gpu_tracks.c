/* Tracks and their names. Invariant: lanes of a node's GPUs follow each other, GPU by GPU within a
   lane, so that no two tracks have one tid. */
#include "insight/timeline/internal.h"

#include "base/units.h"
#include "insight/network_use.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

void gpu_tracks_init(struct gpu_tracks *tracks, const struct recorded_run *run) {
    const struct cluster *cluster = &run->folder->cluster;
    *tracks = (struct gpu_tracks){.cluster = cluster};
    tracks->lanes = mem_alloc(cluster->node_count * sizeof *tracks->lanes);
    tracks->first = mem_alloc((cluster->node_count + (size_t)1) * sizeof *tracks->first);
    for (uint32_t n = 0; n < cluster->node_count; n++)
        tracks->lanes[n] = 1;
    for (size_t i = 0; i < run->gpus.count; i++)
        if (run->gpus.at[i].lane >= tracks->lanes[run->gpus.at[i].node])
            tracks->lanes[run->gpus.at[i].node] = run->gpus.at[i].lane + 1;
    tracks->first[0] = 0;
    for (uint32_t n = 0; n < cluster->node_count; n++)
        tracks->first[n + 1] =
            tracks->first[n] + (uint64_t)cluster->nodes[n].gpus * tracks->lanes[n];
}

/* pid is the node, tid the GPU. Tracks of further lanes follow all GPUs of the node. */
static struct trace_place gpu_tracks_place(const struct gpu_tracks *tracks, uint32_t node,
                                           uint32_t gpu, uint32_t lane, int64_t time_ns) {
    return (struct trace_place){node, gpu + lane * tracks->cluster->nodes[node].gpus, time_ns};
}

static uint64_t gpu_tracks_number(const struct gpu_tracks *tracks, struct trace_place place) {
    return tracks->first[place.pid] + place.tid;
}

/* For a process, or for a thread: its name and its place among the others. */
static void add_names(struct timeline_part *part, bool is_process, struct trace_place place,
                      const char *name, int64_t sort_index) {
    if (trace_event_begin(part->events, TRACE_METADATA, place,
                          is_process ? "process_name" : "thread_name")) {
        trace_event_text(part->events, "name", name);
        trace_event_end(part->events);
    }
    if (trace_event_begin(part->events, TRACE_METADATA, place,
                          is_process ? "process_sort_index" : "thread_sort_index")) {
        trace_event_int(part->events, "sort_index", sort_index);
        trace_event_end(part->events);
    }
}

static void write_node(const struct gpu_tracks *tracks, struct timeline_part *part, uint32_t n) {
    const struct node *node = &tracks->cluster->nodes[n];
    struct str name = {0};
    str_addf(&name, "node %" PRIu32 " (%" PRIu32 " x %s)", n, node->gpus,
             tracks->cluster->gpu_types[node->gpu_type].name);
    add_names(part, true, (struct trace_place){n, 0, 0}, name.text, (int64_t)n + 1);
    for (uint32_t gpu = 0; gpu < node->gpus; gpu++)
        for (uint32_t lane = 0; lane < tracks->lanes[n]; lane++) {
            name.length = 0;
            str_addf(&name, "GPU %" PRIu32, gpu);
            if (lane > 0)
                str_addf(&name, ", lane %" PRIu32, lane);
            add_names(part, false, gpu_tracks_place(tracks, n, gpu, lane, 0), name.text,
                      (int64_t)gpu * tracks->lanes[n] + lane);
        }
    str_finish(&name);
}

void gpu_tracks_write(const struct gpu_tracks *tracks, struct timeline_part *part) {
    add_names(part, true, timeline_place(part, 0, 0), "cluster", 0);
    add_names(part, false, timeline_place(part, TIMELINE_SUBMITTED, 0), "submitted", 0);
    add_names(part, false, timeline_place(part, TIMELINE_DECISIONS, 0), "decisions", 1);
    for (uint32_t n = 0; n < tracks->cluster->node_count; n++)
        write_node(tracks, part, n);
}

void gpu_tracks_finish(struct gpu_tracks *tracks) {
    free(tracks->lanes);
    free(tracks->first);
    *tracks = (struct gpu_tracks){0};
}

/* --- gpu_slices --- */
/* Invariant: only the last slice of a track may be unwritten; the next may join it. */

/* A slice of one track, not written yet. */
struct open_slice {
    struct trace_place place; /* where it begins */
    int64_t end_ns;
    uint32_t gpu;     /* of its node */
    uint32_t segment; /* the last one that is in it */
    uint32_t count;   /* of segments; 0: there is no slice */
    bool mixed;       /* they are of several jobs */
    bool leads;       /* arrows of the segment are on this track: it has the first of its GPUs */
    double energy_j;
};

struct session {
    struct timeline_part *part;
    const struct gpu_tracks *tracks;
    struct open_slice *open; /* by track */
};

/* By enum segment_kind: category for easim profile kineto, and text after the job's name. */
static const struct {
    const char *category, *suffix;
} kinds[] = {[SEGMENT_SETUP] = {"easim.setup", " (set-up)"},
             [SEGMENT_RUN] = {"easim.run", ""},
             [SEGMENT_CHECKPOINT] = {"easim.checkpoint", " (checkpoint)"},
             [SEGMENT_LOST] = {"easim.lost", " (lost)"},
             [SEGMENT_LOADING] = {"easim.loading", " (loading)"},
             [SEGMENT_SERVE] = {"easim.serve", ""}};

static void write_joined(const struct session *s, const struct open_slice *slice) {
    struct trace_events *events = s->part->events;
    const struct recorded_run *run = s->part->run;
    struct str name = {0};
    if (events->file && !slice->mixed)
        str_add(&name, run->workload.jobs.at[run->segments.at[slice->segment].job].id);
    else if (events->file)
        str_addf(&name, "%" PRIu32 " segments", slice->count);
    if (trace_event_begin(events, TRACE_SLICE, slice->place, name.text)) {
        trace_event_duration(events, slice->end_ns - slice->place.time_ns);
        trace_event_category(events, "easim.joined");
        trace_event_int(events, "gpu", slice->gpu);
        trace_event_real(events, "energy_j", slice->energy_j);
        trace_event_int(events, "segments", slice->count);
        trace_event_end(events);
    }
    str_finish(&name);
}

/* Where there is a network or a plan. */
static void add_team(struct trace_events *events, const struct recorded_run *run,
                     const struct recorded_segment *segment) {
    char text[PLAN_TEXT_BYTES];
    const char *tier = team_tier(run, segment), *plan = team_plan(run, segment, text);
    if (!tier && !plan)
        return;
    trace_event_text(events, "tier", tier);
    trace_event_text(events, "plan", plan);
    trace_event_real(
        events, "sync_share",
        team_sync_share(run, segment->job, recorded_run_config(run, segment), segment->span));
}

static void add_job_arguments(const struct session *s, const struct recorded_segment *segment) {
    struct trace_events *events = s->part->events;
    const struct recorded_run *run = s->part->run;
    const struct job_spec *job = &run->workload.jobs.at[segment->job];
    const struct easim_config *config = recorded_run_config(run, segment);
    trace_event_text(events, "job", job->id);
    trace_event_text(events, "user", run->workload.users.at[job->user].name);
    trace_event_text(events, "model", workload_model_name(&run->workload, job));
    trace_event_int(events, "k", config->k);
    trace_event_real(events, "b", config->batch > 0 ? config->batch : NAN);
    trace_event_real(events, "power_limit_w", config->power_limit_w);
    if (config->milli > 0)
        trace_event_real(events, "gpu_share", (double)config->milli / WHOLE_GPU_MILLI);
    if (segment->phase > 0)
        trace_event_int(events, "phase", segment->phase);
    if (segment->kind == SEGMENT_SERVE)
        trace_event_real(events, "tokens", segment->work);
    add_team(events, run, segment);
}

static void write_single(const struct session *s, const struct open_slice *slice) {
    struct trace_events *events = s->part->events;
    const struct recorded_run *run = s->part->run;
    const struct recorded_segment *segment = &run->segments.at[slice->segment];
    struct str name = {0};
    if (events->file) {
        str_add(&name, run->workload.jobs.at[segment->job].id);
        str_add(&name, kinds[segment->kind].suffix);
    }
    if (trace_event_begin(events, TRACE_SLICE, slice->place, name.text)) {
        trace_event_duration(events, slice->end_ns - slice->place.time_ns);
        trace_event_category(events, kinds[segment->kind].category);
        trace_event_int(events, "gpu", slice->gpu);
        trace_event_real(events, "energy_j", slice->energy_j);
        const struct recorded_limit limit = recorded_run_limit(run, segment);
        if (limit.throttled_ns > 0) {
            trace_event_real(events, "throttled_s", units_s(limit.throttled_ns));
            trace_event_real(events, "limit_lost_s", limit.lost_s);
        }
        add_job_arguments(s, segment);
        trace_event_end(events);
    }
    str_finish(&name);
}

/* An arrow ends where the slice begins, and another begins in its last nanosecond: it binds to the
   slice that is there. */
static void write_arrows(const struct session *s, const struct open_slice *slice) {
    uint32_t in = arrow_into(s->part, slice->segment), out = arrow_out_of(s->part, slice->segment);
    struct trace_place last = slice->place;
    last.time_ns = slice->end_ns - 1;
    if (in != ARROW_NONE)
        arrow_write(s->part, TRACE_FLOW_IN, slice->place, in);
    if (out != ARROW_NONE)
        arrow_write(s->part, TRACE_FLOW_OUT, last, out);
}

static void close_slice(const struct session *s, struct open_slice *slice) {
    if (slice->count == 1) {
        write_single(s, slice);
        if (slice->leads)
            write_arrows(s, slice);
    } else if (slice->count > 1) {
        write_joined(s, slice);
    }
    slice->count = 0;
}

static bool can_join(const struct session *s, const struct open_slice *slice,
                     const struct recorded_segment *next) {
    const struct recorded_segment *last = &s->part->run->segments.at[slice->segment];
    return slice->count > 0 && slice->end_ns == next->start_ns &&
           timeline_is_short(s->part, slice->end_ns - slice->place.time_ns) &&
           timeline_is_short(s->part, last->end_ns - last->start_ns) &&
           timeline_is_short(s->part, next->end_ns - next->start_ns);
}

static void add_to_track(struct session *s, struct trace_place place, uint32_t gpu, uint32_t index,
                         bool leads, double energy_j) {
    const struct recorded_segment *segment = &s->part->run->segments.at[index];
    struct open_slice *slice = &s->open[gpu_tracks_number(s->tracks, place)];
    if (can_join(s, slice, segment)) {
        s->part->thinned.slices += slice->count == 1 ? 2 : 1;
        slice->mixed |= s->part->run->segments.at[slice->segment].job != segment->job;
        slice->energy_j += energy_j;
        slice->count++;
    } else {
        close_slice(s, slice);
        *slice = (struct open_slice){.place = place, .gpu = gpu, .count = 1, .energy_j = energy_j};
    }
    slice->segment = index;
    slice->end_ns = segment->end_ns;
    slice->leads = leads;
}

static void add_segment(struct session *s, uint32_t index) {
    const struct recorded_run *run = s->part->run;
    const struct recorded_segment *segment = &run->segments.at[index];
    const struct recorded_gpus *gpus = &run->gpus.at[segment->gpus];
    uint32_t count = 0;
    for (uint32_t i = 0; i < segment->gpus_count; i++)
        count += gpus[i].count;
    double each_j = s->part->events->file ? power_j(segment->energy) / count : 0;
    for (uint32_t i = 0; i < segment->gpus_count; i++)
        for (uint32_t g = gpus[i].first; g < gpus[i].first + gpus[i].count; g++)
            add_to_track(
                s, gpu_tracks_place(s->tracks, gpus[i].node, g, gpus[i].lane, segment->start_ns), g,
                index, i == 0 && g == gpus[0].first, each_j);
    s->part->thinned.arrows +=
        arrow_is_due(s->part, index) && arrow_into(s->part, index) == ARROW_NONE;
}

static void write_rests(const struct session *s) {
    static const char *const states[] = {NULL, "asleep", "failed", "reserved"};
    static const char *const categories[] = {NULL, "rest.asleep", "rest.failed", "rest.reserved"};
    const struct recorded_run *run = s->part->run;
    for (size_t i = 0; i < run->rests.count; i++) {
        const struct recorded_rest *rest = &run->rests.at[i];
        bool is_short = timeline_is_short(s->part, rest->end_ns - rest->start_ns);
        if (rest->state == RECORDED_FREE)
            continue;
        s->part->thinned.rests += is_short ? rest->count : 0;
        for (uint32_t g = rest->first; g < rest->first + rest->count && !is_short; g++) {
            struct trace_place place =
                gpu_tracks_place(s->tracks, rest->node, g, 0, rest->start_ns);
            if (!trace_event_begin(s->part->events, TRACE_SLICE, place, states[rest->state]))
                continue;
            trace_event_duration(s->part->events, rest->end_ns - rest->start_ns);
            trace_event_category(s->part->events, categories[rest->state]);
            trace_event_end(s->part->events);
        }
    }
}

void gpu_slices_write(struct timeline_part *part, const struct gpu_tracks *tracks) {
    uint64_t track_count = tracks->first[tracks->cluster->node_count];
    struct session s = {part, tracks, mem_zalloc(track_count, sizeof *s.open)};
    for (size_t i = 0; i < part->run->segments.count; i++) {
        const struct recorded_segment *segment = &part->run->segments.at[part->order[i]];
        if (!recorded_segment_waits(segment) && segment->end_ns > segment->start_ns)
            add_segment(&s, part->order[i]);
    }
    for (uint64_t track = 0; track < track_count; track++)
        close_slice(&s, &s.open[track]);
    free(s.open);
    write_rests(&s);
}
