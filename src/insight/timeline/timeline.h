/* The timeline of a run as a Chrome trace, which Perfetto opens (docs/howto/publish.md). */
#ifndef EASIM_INSIGHT_TIMELINE_TIMELINE_H
#define EASIM_INSIGHT_TIMELINE_TIMELINE_H

#include "insight/timeline/internal.h"

struct timeline_options {
    bool gzip;
    bool has_resolution;
    int64_t resolution_ns; /* 0: nothing is left out; unless given: the least of 1, 2, 5, 10, ... ms
                              with which most_events are enough, 0 if that will do */
    uint64_t most_events;
};

/* The result of writing. */
struct timeline_result {
    int64_t resolution_ns;
    uint64_t events, all_events; /* all_events: without any left out or joined */
    struct timeline_thinned thinned;
};

/* Writes the file whole or not at all. ERROR_CANCELLED: a signal came. */
int timeline_write(const struct recorded_run *run, const struct timeline_options *options,
                   const char *path, struct timeline_result *ret_result,
                   struct error *reterr) MUST_CHECK;
/* Adds a line for each sort of thing that is thinned; nothing at resolution 0. */
void timeline_say_thinned(const struct timeline_result *result, struct str *out);

#endif
