/* Tracks and their names. Invariant: lanes of a node's GPUs follow each other, GPU by GPU within a
   lane, so that no two tracks have one tid. */
#include "insight/timeline/gpu_tracks.h"

#include <inttypes.h>
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

struct trace_place gpu_tracks_place(const struct gpu_tracks *tracks, uint32_t node, uint32_t gpu,
                                    uint32_t lane, int64_t time_ns) {
    return (struct trace_place){node, gpu + lane * tracks->cluster->nodes[node].gpus, time_ns};
}

uint64_t gpu_tracks_number(const struct gpu_tracks *tracks, struct trace_place place) {
    return tracks->first[place.pid] + place.tid;
}

/* Of a process, or of a thread: its name and its place among the others. */
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
