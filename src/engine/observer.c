/* Words for what observers are told. */
#include "engine/observer.h"

const char *const action_names[] = {"start",  "preempt",  "wake",     "reject",
                                    "resize", "exchange", "scale_up", "scale_down"};

const char *const refusal_names[] = {
    [REFUSED_NOFIT] = "not enough free GPUs",
    [REFUSED_CAP] = "over the power cap",
    [REFUSED_NO_SUCH_JOB] = "no such job",
    [REFUSED_STATE] = "job is not in the right state",
    [REFUSED_CONFIG] = "not a configuration of that job",
    [REFUSED_CAPABILITY] = "capability not declared",
    [REFUSED_NOT_PREEMPTIBLE] = "job is not preemptible",
    [REFUSED_TIME] = "not a time in the future",
    [REFUSED_FORM] = "not a set of starts, preemptions and resizes",
    [REFUSED_TWICE] = "job is in the exchange twice",
    [REFUSED_PART] = "another part of the exchange is refused",
    [REFUSED_NO_SUCH_REPLICA] = "no such replica, or configuration of one",
    [REFUSED_REPLICAS] = "the service has its most, or least, replicas",
    [REFUSED_NOT] = "ok",
};

const char *const segment_kind_names[] = {
    [SEGMENT_NONE] = "none",         [SEGMENT_QUEUED] = "queued",         [SEGMENT_SETUP] = "setup",
    [SEGMENT_RUN] = "run",           [SEGMENT_CHECKPOINT] = "checkpoint", [SEGMENT_LOST] = "lost",
    [SEGMENT_RESERVED] = "reserved", [SEGMENT_LOADING] = "loading",       [SEGMENT_SERVE] = "serve",
};

const char *const segment_cause_names[] = {
    [CAUSE_SUBMITTED] = "submitted",     [CAUSE_STARTED] = "started",
    [CAUSE_SET_UP] = "set_up",           [CAUSE_PHASE] = "phase",
    [CAUSE_UTILIZATION] = "utilization", [CAUSE_CONTENTION] = "contention",
    [CAUSE_PREEMPTED] = "preempted",     [CAUSE_SAVED] = "saved",
    [CAUSE_RESIZED] = "resized",         [CAUSE_NODE_FAILED] = "failed",
    [CAUSE_FINISHED] = "finished",       [CAUSE_REJECTED] = "rejected",
    [CAUSE_RESERVED] = "reserved",       [CAUSE_LOAD] = "load",
    [CAUSE_RELEASED] = "released",       [CAUSE_END_OF_RUN] = "end_of_run",
};
