/* One job explained: what became of it and why, from a recorded run, and where that can be repeated
   from what its policy saw (docs/howto/why-late.md). */
#ifndef EASIM_INSIGHT_EXPLANATION_EXPLANATION_H
#define EASIM_INSIGHT_EXPLANATION_EXPLANATION_H

#include "experiment/regret/regret.h"
#include "insight/blame/misses.h"
#include "insight/explanation/repetition.h"
#include "insight/explanation/replica_explanation.h"

struct explanation_overtaker {
    uint32_t job;
    int64_t start_ns;
    int why; /* enum overtaking; -1: known only where the run was repeated */
};

enum explanation_deadline {
    EXPLAINED_NO_DEADLINE,
    EXPLAINED_MET,
    EXPLAINED_MISSED,
    EXPLAINED_OPEN /* after the end of the run, and not finished */
};

/* A configuration on the empty cluster, from the submission on, by the model alone. */
struct explanation_choice {
    uint32_t config; /* of the run's table; EASIM_NONE: there is none */
    double time_s, energy_j;
};

/* Release with explanation_finish. Run, moments and reason are borrowed. */
struct explanation {
    const struct recorded_run *run;
    uint32_t job;
    const struct moments *moments; /* NULL: the run was not repeated, */
    const char *why_not;           /* for this reason */
    bool may_be_repeated;          /* if the user wants: why_not says how. Set by the caller */
    const struct regret *what_if;  /* what else it could have had; NULL: not known */
    struct blame blame;            /* of all jobs */
    int64_t until_ns;              /* its finish, or the end of the run */
    enum miss_cause missed;        /* why */
    ARRAY_OF(struct explanation_overtaker) overtakers; /* in order of start */
    struct displacements displacements;                /* by replicas of services */

    enum explanation_deadline deadline;
    int64_t spare_ns;          /* from its finish (else the end of the run) to its deadline */
    uint32_t choices, meeting; /* configurations; those that meet the deadline, started at once */
    struct explanation_choice fastest;  /* of all */
    struct explanation_choice cheapest; /* of least energy among those that meet it */
    struct explanation_choice first;    /* the one that it was started with first */
    int64_t latest_start_ns; /* at which that one would have met it; below the submission: never */
};

/* moments: NULL with the reason why_not. */
void explanation_init(struct explanation *explanation, const struct recorded_run *run, uint32_t job,
                      const struct moments *moments, const char *why_not);
/* A configuration without its costs. */
struct moment_choice explanation_shape(const struct easim_config *config);
void explanation_finish(struct explanation *explanation);

#endif
