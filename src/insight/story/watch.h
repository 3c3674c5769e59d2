/* An observer that follows one job, and notes what the policy saw whenever it decided on it. */
#ifndef EASIM_INSIGHT_STORY_WATCH_H
#define EASIM_INSIGHT_STORY_WATCH_H

#include "engine/sim.h"
#include "insight/story/moment.h"

struct watch {
    struct observer observer;
    uint32_t job;
    struct moments moments;
    struct moments now;  /* what is seen in the present decision: one moment */
    bool was_waiting;    /* when the decision began */
    bool acted;          /* on the job, in the present decision */
    uint8_t could_start; /* enum overtaking: then, had it been its turn */
};

/* The job by its index. Release with watch_finish. */
void watch_init(struct watch *watch, uint32_t job);
/* At the end of the run. */
void watch_close(struct watch *watch, const struct sim *sim);
void watch_finish(struct watch *watch);

#endif
