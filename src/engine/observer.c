/* Words for what observers are told. */
#include "engine/observer.h"

const char *const action_names[] = {"start",    "preempt",  "wake",       "reject",    "resize",
                                    "exchange", "scale_up", "scale_down", "wake_clear"};

const char *const refusal_names[] = {REFUSALS(NAME_OF), [REFUSED_NOT] = "ok"};

const char *const segment_kind_names[] = {
    [SEGMENT_NONE] = "none",         [SEGMENT_QUEUED] = "queued",         [SEGMENT_SETUP] = "setup",
    [SEGMENT_RUN] = "run",           [SEGMENT_CHECKPOINT] = "checkpoint", [SEGMENT_LOST] = "lost",
    [SEGMENT_RESERVED] = "reserved", [SEGMENT_LOADING] = "loading",       [SEGMENT_SERVE] = "serve",
};

const char *const segment_cause_names[] = {SEGMENT_CAUSE_ROWS(NAME_OF)};
