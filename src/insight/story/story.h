/* One job's story: what became of it and why, from a recorded run, and where that can be repeated
   from what its policy saw (docs/explain.md). */
#ifndef EASIM_INSIGHT_STORY_STORY_H
#define EASIM_INSIGHT_STORY_STORY_H

#include "experiment/regret/regret.h"
#include "insight/blame/misses.h"
#include "insight/story/repetition.h"
#include "insight/story/replica_story.h"

struct story_overtaker {
    uint32_t job;
    int64_t start_ns;
    int why; /* enum overtaking; -1: known only where the run was repeated */
};

enum story_deadline {
    STORY_NO_DEADLINE,
    STORY_MET,
    STORY_MISSED,
    STORY_OPEN /* after the end of the run, and not finished */
};

/* A configuration on the empty cluster, from the submission on, by the model alone. */
struct story_choice {
    uint32_t config; /* of the run's table; EASIM_NONE: there is none */
    double time_s, energy_j;
};

/* Release with story_finish. Run, moments and reason are borrowed. */
struct story {
    const struct recorded_run *run;
    uint32_t job;
    const struct moments *moments; /* NULL: the run was not repeated, */
    const char *why_not;           /* for this reason */
    bool may_be_repeated;          /* if the user wants: why_not says how. Set by the caller */
    const struct regret *what_if;  /* what else it could have had; NULL: not known */
    struct blame blame;            /* of all jobs */
    int64_t until_ns;              /* its finish, or the end of the run */
    enum miss_cause missed;        /* why */
    ARRAY_OF(struct story_overtaker) overtakers; /* in order of start */
    struct displacements displacements;          /* by replicas of services */

    enum story_deadline deadline;
    int64_t spare_ns;            /* from its finish (else the end of the run) to its deadline */
    uint32_t choices, meeting;   /* configurations; those that meet the deadline, started at once */
    struct story_choice fastest; /* of all */
    struct story_choice cheapest; /* of least energy among those that meet it */
    struct story_choice first;    /* the one that it was started with first */
    int64_t latest_start_ns; /* at which that one would have met it; below the submission: never */
};

/* moments: NULL with the reason why_not. */
void story_init(struct story *story, const struct recorded_run *run, uint32_t job,
                const struct moments *moments, const char *why_not);
/* A configuration without its costs. */
struct moment_choice story_shape(const struct easim_config *config);
void story_finish(struct story *story);

#endif
