/* Words for what observers are told. */
#include "engine/observer.h"

const char *const action_names[] = {"start", "preempt", "wake", "reject", "resize"};

const char *const refusal_names[] = {
    [REFUSED_NOFIT] = "not enough free GPUs",
    [REFUSED_CAP] = "over the power cap",
    [REFUSED_NO_SUCH_JOB] = "no such job",
    [REFUSED_STATE] = "job is not in the right state",
    [REFUSED_CONFIG] = "not a configuration of that job",
    [REFUSED_CAPABILITY] = "capability not declared",
    [REFUSED_NOT_PREEMPTIBLE] = "job is not preemptible",
    [REFUSED_TIME] = "not a time in the future",
    [REFUSED_NOT] = "ok",
};
