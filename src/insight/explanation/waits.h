/* Why a job waited: intervals from decision to decision, each with what the view showed before the
   first of its decisions and with what the policy says. Together they are all of the time that the
   job spent in the queue; of the decisions of one instant the last one counts. */
#ifndef EASIM_INSIGHT_EXPLANATION_WAITS_H
#define EASIM_INSIGHT_EXPLANATION_WAITS_H

#include "base/array.h"
#include "base/str.h"
#include "engine/sim.h"

#define WAIT_REASONS(X) \
    X(WAIT_UNASKED, "no decision"),                /* the policy was not asked yet */ \
        X(WAIT_NO_ROOM, "no room"),                /* no configuration fitted */ \
        X(WAIT_CAP, "power cap"),                  /* those that did would have broken the cap */ \
        X(WAIT_OTHER_STARTED, "other started"),    /* it fitted, and the policy started another */ \
        X(WAIT_NOTHING_STARTED, "nothing started") /* it fitted, and the policy started nothing */
enum wait_why { WAIT_REASONS(ENUM_OF), WAIT_WHYS };
extern const char *const wait_why_names[]; /* by enum wait_why */

/* A job that holds GPUs of which the one that waits needs some. */
struct wait_holder {
    uint32_t job, start; /* by which it got them (sim.h) */
};

struct wait {
    int64_t from_ns, to_ns;
    uint64_t decision, decisions; /* number of the first; how many. UNASKED: 0 */
    uint8_t why;                  /* enum wait_why */
    /* NO_ROOM: the least need on the GPU type on which the job fits first, by the predicted ends of
       jobs that hold GPUs, inside one place of a span of the view. */
    uint32_t gpu_type, k, milli, span;
    uint32_t free, failed; /* most free GPUs in one such place; of the type, on failed nodes */
    int64_t until_ns;      /* when it would fit; -1: not even when all of them have ended */
    size_t first_holder;   /* those who end first, up to then */
    uint32_t holder_count;
    double power_w, cap_w;    /* CAP: the least that it would raise the committed power to */
    uint32_t started;         /* OTHER_STARTED: the first of that decision; else EASIM_NONE */
    size_t text, text_length; /* the policy's own reason */
};

/* Zero-initialise; release with waits_finish. */
struct waits {
    ARRAY_OF(struct wait) at; /* in order of time */
    ARRAY_OF(struct wait_holder) holders;
    struct str texts;
    struct wait now; /* of the last decision, which goes on until the next, */
    bool is_open;    /* if there is one */
};

void waits_finish(struct waits *waits);

/* The policy is about to decide, and the job waits. */
void waits_decide(struct waits *waits, const struct sim *sim, uint32_t job);
/* In that decision: another job is started; the policy gives its reason. */
void waits_note_start(struct waits *waits, uint32_t job);
void waits_note_reason(struct waits *waits, const char *text);
/* It waits no more: it is started or rejected, or the run ends. */
void waits_end(struct waits *waits, int64_t now_ns);

#endif
