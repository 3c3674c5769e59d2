/* Gaps between the events of each stream, by reason. */
#include "ingest/kineto/kineto_idle.h"

void kineto_streams_init(struct kineto_streams *streams, const struct kineto_kinds *kinds) {
    *streams = (struct kineto_streams){0};
    for (size_t i = 0; i < kinds->tracks.count; i++)
        array_push(&streams->all, ((struct kineto_stream){.track = kinds->tracks.at[i]}));
}

void kineto_streams_add(struct kineto_streams *streams, const struct kineto_trace *trace,
                        const struct kineto_event *event, const int64_t *launch_ns,
                        int64_t delay_ns) {
    uint32_t track = trace->kinds->all.at[event->kind].track;
    if (track == KINETO_NONE)
        return;
    struct kineto_stream *stream = &streams->all.at[track];
    int64_t gap_ns = event->start_ns - stream->busy_until_ns;
    if (stream->events++ == 0) {
        stream->busy_until_ns = event->end_ns;
        return;
    }
    if (gap_ns > 0) {
        stream->idle += gap_ns;
        if (launch_ns && *launch_ns > stream->busy_until_ns)
            stream->host_wait += gap_ns;
        else if (gap_ns < delay_ns)
            stream->kernel_wait += gap_ns;
    }
    if (event->end_ns > stream->busy_until_ns)
        stream->busy_until_ns = event->end_ns;
}

ORDER_BY(by_track, struct kineto_stream, ASC(track.device) ASC(track.stream))

void kineto_streams_complete(struct kineto_streams *streams) {
    struct kineto_stream *all = streams->all.at;
    size_t kept = 0;
    for (size_t i = 0; i < streams->all.count; i++)
        if (all[i].events > 0)
            all[kept++] = all[i];
    sort_array(all, kept, by_track);
    streams->all.count = streams->all.capacity = kept;
    streams->all.at = mem_realloc(all, kept + 1, sizeof *all);
}
