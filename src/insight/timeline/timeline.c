/* A timeline, of its parts. Invariant: the events that are counted to choose a resolution are those
   that are written with it, by the same code. */
#include "insight/timeline/timeline.h"

#include "base/sort_doubles.h"
#include "base/units.h"
#include "easim_version.h"
#include "io/json_text.h"

#include <inttypes.h>
#include <stdlib.h>

struct making {
    const struct recorded_run *run;
    const struct timeline_options *options;
    struct gpu_tracks tracks;
    struct counter_edges edges;
    uint32_t *order;
};

/* ---- Segments by start ---- */

struct placed {
    int64_t start_ns;
    uint32_t index;
};

ORDER_BY(placed_by_start, struct placed, ASC(start_ns) ASC(index))

static uint32_t *order_segments(const struct recorded_run *run) {
    size_t count = run->segments.count;
    struct placed *placed = mem_alloc((count + 1) * sizeof *placed);
    uint32_t *order = mem_alloc((count + 1) * sizeof *order);
    for (size_t i = 0; i < count; i++)
        placed[i] = (struct placed){run->segments.at[i].start_ns, (uint32_t)i};
    sort_array_by(placed, count, start_ns, placed_by_start);
    for (size_t i = 0; i < count; i++)
        order[i] = placed[i].index;
    free(placed);
    return order;
}

/* ---- Events ---- */

static void add_member(struct str *out, const char *name, const char *text) {
    str_addf(out, "\"%s\":", name);
    json_write_text(out, text);
    str_add_char(out, ',');
}

/* The header of the file, before its events. */
static void add_header(const struct making *making, int64_t resolution_ns, struct str *out) {
    const struct recorded_folder *folder = making->run->folder;
    const struct recorded_part *part = making->run->part;
    bool has_base = folder->scenario.start_ns != TIME_NONE_NS;
    str_add(out, "{");
    if (has_base)
        str_addf(out, "\"baseTimeNanoseconds\":%" PRId64 ",", folder->scenario.start_ns);
    str_add(out, "\"displayTimeUnit\":\"ms\",\"otherData\":{");
    add_member(out, "producer", "easim " EASIM_VERSION);
    add_member(out, "time",
               has_base ? "ts 0 is the start of the run, baseTimeNanoseconds since 1970"
                        : "ts 0 is the start of the run, whose date is not given");
    add_member(out, "manifest_sha256", folder->manifest_sha256);
    add_member(out, "scenario", folder->scenario.name);
    add_member(out, "policy", folder->policies.at[part->policy].name);
    str_addf(out, "\"replication\":%" PRIu32 ",\"end_s\":", part->replication);
    str_add_ns(out, part->end_ns);
    str_add(out, ",\"resolution_s\":");
    str_add_ns(out, resolution_ns);
    str_add(out, "},\n");
}

/* Everything at one resolution, written to a file or, without one, only counted. */
static void make_events(const struct making *making, int64_t resolution_ns,
                        struct trace_events *events, struct timeline_thinned *ret_thinned) {
    struct timeline_part part = {making->run, making->order, resolution_ns, events, {0}};
    struct str header = {0};
    if (events->file)
        add_header(making, resolution_ns, &header);
    trace_events_open(events, header.text);
    gpu_tracks_write(&making->tracks, &part);
    job_events_write_submissions(&part);
    gpu_slices_write(&part, &making->tracks);
    job_events_write_waits(&part);
    job_events_write_decisions(&part);
    counters_write(&making->edges, &part);
    *ret_thinned = part.thinned;
    str_finish(&header);
}

static uint64_t count_events(const struct making *making, int64_t resolution_ns) {
    struct trace_events events = {0};
    struct timeline_thinned thinned;
    make_events(making, resolution_ns, &events, &thinned);
    trace_events_finish(&events);
    return trace_events_total(&events);
}

/* 1, 2, 5, 10, ... ms. */
static int64_t resolution_at(uint32_t place) {
    static const int factors[] = {1, 2, 5};
    int64_t ns = factors[place % 3] * (NS_PER_S / 1000);
    for (uint32_t i = 0; i < place / 3; i++)
        ns *= 10;
    return ns;
}

static uint64_t count_at(const struct making *making, uint32_t place) {
    return count_events(making, resolution_at(place));
}

/* The least of 1, 2, 5, 10, ... ms that is enough; where none is, the first one with the fewest
   events, which that beyond the end of the run has. A multiple of a resolution has no more events
   than it: slices that join reach no less far, and what is joined by intervals stays so. So powers
   of ten are searched by halves, and the two below the least that will do are tried. */
static int64_t choose_resolution(const struct making *making, uint64_t all_events) {
    uint32_t last = 0;
    if (all_events <= making->options->most_events)
        return 0;
    while (resolution_at(last) <= making->run->part->end_ns)
        last++;
    uint64_t enough = count_at(making, last);
    if (enough >= all_events)
        return 0;
    if (enough < making->options->most_events)
        enough = making->options->most_events;
    uint32_t below = 0, least = last / 3 + 1; /* powers of ten */
    while (below < least) {
        uint32_t middle = (below + least) / 2;
        if (3 * middle >= last || count_at(making, 3 * middle) <= enough)
            least = middle;
        else
            below = middle + 1;
    }
    uint32_t place = least > 0 ? 3 * least - 2 : 0;
    while (place < last && place < 3 * least && count_at(making, place) > enough)
        place++;
    return resolution_at(place);
}

static int write_events(const struct making *making, const char *path,
                        struct timeline_result *result, struct error *reterr) {
    struct trace_events events = {0};
    int r = packed_file_open(path, making->options->gzip ? PACKING_GZIP : PACKING_NONE,
                             &events.file, reterr);
    if (r < 0)
        return r;
    make_events(making, result->resolution_ns, &events, &result->thinned);
    r = trace_events_close(&events, reterr);
    if (r == 0)
        r = packed_file_commit(events.file, reterr);
    else
        packed_file_abort(events.file);
    result->events = trace_events_total(&events);
    trace_events_finish(&events);
    return r;
}

int timeline_write(const struct recorded_run *run, const struct timeline_options *options,
                   const char *path, struct timeline_result *result, struct error *reterr) {
    struct making making = {.run = run, .options = options, .order = order_segments(run)};
    gpu_tracks_init(&making.tracks, run);
    counter_edges_init(&making.edges, run);
    *result = (struct timeline_result){.resolution_ns = options->resolution_ns};
    result->all_events = count_events(&making, 0);
    if (!options->has_resolution)
        result->resolution_ns = choose_resolution(&making, result->all_events);
    int r = write_events(&making, path, result, reterr);
    counter_edges_finish(&making.edges);
    gpu_tracks_finish(&making.tracks);
    free(making.order);
    return r;
}

void timeline_say_thinned(const struct timeline_result *result, struct str *out) {
    const struct timeline_thinned *t = &result->thinned;
    const struct {
        uint64_t count;
        const char *what;
    } all[] = {
        {t->slices, "slices of GPUs joined with others that they touch (time and energy kept)"},
        {t->arrows, "arrows left out whose ends are in short slices"},
        {t->waits, "waits left out"},
        {t->rests, "times asleep or failed left out"},
        {t->decisions, "decisions joined, one instant for each sort and interval"},
        {t->arrivals, "submissions joined, one slice for each interval"},
        {t->samples, "samples of counters left out: the last of each interval is kept"},
    };
    if (result->resolution_ns == 0)
        return;
    str_add(out, "thinned to a resolution of ");
    str_add_ns(out, result->resolution_ns);
    str_addf(out, " s: %" PRIu64 " of %" PRIu64 " events\n", result->events, result->all_events);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i].count > 0)
            str_addf(out, "  %" PRIu64 " %s\n", all[i].count, all[i].what);
}
