/* Times in recorded outages: see outage_times.h. */
#include "calibrate/outage_times.h"

#include "base/units.h"

#include <math.h>
#include <stdlib.h>

static void add_time(struct seen_times *times, double time_s, bool ended, bool from_middle) {
    array_push(&times->at, ((struct seen_time){time_s, ended, from_middle}));
    times->ended += ended;
}

static double last_time_s(const struct outages *outages) {
    int64_t last_ns = 0;
    for (size_t i = 0; i < outages->count; i++) {
        const struct outage *o = &outages->at[i];
        int64_t at_ns = o->end_ns == TIME_NONE_NS ? o->start_ns : o->end_ns;
        last_ns = at_ns > last_ns ? at_ns : last_ns;
    }
    return units_s(last_ns);
}

/* How far a node's record has been read. */
struct course {
    double up_since_s;
    bool fresh; /* up since a repair; else since before the record */
    bool down;  /* not repaired in the record */
    bool failed;
};

static void end_up_time(struct outage_times *times, const struct course *course, double at_s,
                        bool failed) {
    if (at_s > course->up_since_s)
        add_time(&times->up, at_s - course->up_since_s, failed, !course->fresh);
}

static void take_outage(struct outage_times *times, const struct outage *o, struct course *course) {
    double start_s = units_s(o->start_ns);
    double end_s = o->end_ns == TIME_NONE_NS ? INFINITY : units_s(o->end_ns);
    if (end_s <= 0 || start_s >= times->until_s) {
        times->outside++;
        return;
    }
    bool ended = end_s <= times->until_s;
    course->failed = true;
    course->down = !ended;
    if (start_s > 0)
        end_up_time(times, course, start_s, true);
    if (start_s <= 0)
        times->running++;
    else if (end_s == start_s)
        times->at_once++;
    else
        add_time(&times->repair, fmin(end_s, times->until_s) - start_s, ended, false);
    course->up_since_s = end_s;
    course->fresh = true;
}

void outage_times_find(struct outage_times *times, const struct outages *outages, uint32_t nodes,
                       double until_s) {
    *times = (struct outage_times){.until_s = isnan(until_s) ? last_time_s(outages) : until_s};
    size_t next = 0;
    for (size_t i = 0; i < outages->count && nodes == 0; i++)
        times->nodes += i == 0 || outages->at[i].node != outages->at[i - 1].node;
    times->nodes = nodes > 0 ? nodes : times->nodes;
    for (uint32_t n = 0; n < times->nodes; n++) {
        struct course course = {0};
        uint32_t node = nodes > 0 ? n : outages->at[next].node;
        for (; next < outages->count && outages->at[next].node == node; next++)
            take_outage(times, &outages->at[next], &course);
        if (!course.down)
            end_up_time(times, &course, times->until_s, false);
        times->failed_nodes += course.failed;
    }
}

void outage_times_finish(struct outage_times *times) {
    free(times->up.at.at);
    free(times->repair.at.at);
}
