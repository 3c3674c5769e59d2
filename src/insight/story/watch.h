/* An observer that follows one job, and notes what the policy saw whenever it decided on it. */
#ifndef EASIM_INSIGHT_STORY_WATCH_H
#define EASIM_INSIGHT_STORY_WATCH_H

#include "engine/sim.h"
#include "insight/story/moment.h"

struct watch {
    struct observer observer;
    uint32_t job;
    const int64_t *times; /* at which the record says that it was acted on; ascending, borrowed */
    size_t time_count, next_time;
    struct moments moments;
    struct moments now;  /* what is seen in the present decision: one moment or none */
    bool was_waiting;    /* when the decision began */
    bool acted;          /* on the job, in the present decision */
    bool has_taken;      /* GPUs from other jobs, likewise */
    uint8_t could_start; /* enum overtaking: then, had it been its turn */
};

/* The job by its index. All of the view is copied only at those times: the rest is quick. Release
   with watch_finish. */
void watch_init(struct watch *watch, uint32_t job, const int64_t *times, size_t count);
/* At the end of the run. */
void watch_close(struct watch *watch, const struct sim *sim);
void watch_finish(struct watch *watch);

#endif
