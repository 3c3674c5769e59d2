/* Observers of a run: callbacks in simulated time, which read the simulation and change nothing. */
#ifndef EASIM_ENGINE_OBSERVER_H
#define EASIM_ENGINE_OBSERVER_H

#include "base/array.h"
#include "cluster/power_meter.h"

struct event;
struct sim;

enum job_change {
    JOB_SUBMITTED,
    JOB_REJECTED,
    JOB_STARTED,
    JOB_STOPPED, /* preempted: its GPUs are taken, or it begins its checkpoint */
    JOB_RESIZED,
    JOB_FAILED, /* stopped by the failure of one of its nodes, and back in the queue */
    JOB_FINISHED,
};

enum action_kind {
    ACTION_START,
    ACTION_PREEMPT,
    ACTION_WAKE,
    ACTION_REJECT, /* by the policy; JOB_REJECTED also tells of those at submission */
    ACTION_RESIZE,
    ACTION_EXCHANGE, /* one that is no set of parts: else each part is an action */
    ACTION_SCALE_UP, /* of a service, as is ACTION_SCALE_DOWN */
    ACTION_SCALE_DOWN,
    ACTION_WAKE_CLEAR,
    ACTION_LIMIT, /* of a running job, which goes on */
    ACTION_KINDS
};
extern const char *const action_names[]; /* by enum action_kind */

/* Why actions are refused; the answer a policy sees is coarser. */
#define REFUSALS(X) \
    X(REFUSED_NOFIT, "not enough free GPUs"), X(REFUSED_CAP, "over the power cap"), \
        X(REFUSED_NO_SUCH_JOB, "no such job"), X(REFUSED_STATE, "job is not in the right state"), \
        X(REFUSED_CONFIG, "not a configuration of that job"), \
        X(REFUSED_CAPABILITY, "capability not declared"), \
        X(REFUSED_NOT_PREEMPTIBLE, "job is not preemptible"), \
        X(REFUSED_TIME, "not a time in the future"), \
        X(REFUSED_FORM, "not a set of starts, preemptions and resizes"), \
        X(REFUSED_TWICE, "job is in the exchange twice"), \
        X(REFUSED_NO_SUCH_REPLICA, "no such replica, or configuration of one"), \
        X(REFUSED_REPLICAS, "the service has its most, or least, replicas"), \
        X(REFUSED_WATTS, "not a power limit in W above 0"), \
        X(REFUSED_SHARES, "a job that shares its GPU has no limit of its own"), \
        X(REFUSED_NO_LIMITS, "power limits of this run do not change in place")
enum refusal { REFUSALS(ENUM_OF), REFUSAL_COUNT, REFUSED_NOT = REFUSAL_COUNT, /* accepted */ };
extern const char *const refusal_names[]; /* by enum refusal */

/* An action that a policy has tried. */
struct action_record {
    enum action_kind kind;
    enum refusal refusal;
    uint32_t job;                 /* or EASIM_NONE; may not exist if that is why it was refused */
    uint32_t config;              /* of a start, resize or limit, or EASIM_NONE */
    double limit_w;               /* of a limit */
    struct {                      /* where a service is scaled; EASIM_NONE: it does not exist */
        uint32_t service, config; /* config: of those of the service */
        uint32_t number;          /* of the replica; 0: there is none */
    } scaled;
};

/* The activity of a job, or of a replica of a service, from one instant to another. */
enum segment_kind {
    SEGMENT_NONE, /* nothing: not submitted yet, rejected or finished */
    SEGMENT_QUEUED,
    SEGMENT_SETUP, /* start-up or restart, with its GPUs; the waking of the GPUs included */
    SEGMENT_RUN,
    SEGMENT_CHECKPOINT, /* writes one, with its GPUs, because it is preempted */
    SEGMENT_LOST,       /* the end of a run whose work was lost: told afterwards, job_segments.h */
    /* Replicas: metrics/replica_segments.h. */
    SEGMENT_RESERVED, /* has not all of its GPUs yet, or may not use them: they are free */
    SEGMENT_LOADING,  /* waking of the GPUs included */
    SEGMENT_SERVE,
};

/* Why a segment ended, and the next one began. */
#define SEGMENT_CAUSE_ROWS(X) \
    X(CAUSE_SUBMITTED, "submitted"),                            /* the first one: nothing ended */ \
        X(CAUSE_STARTED, "started"), X(CAUSE_SET_UP, "set_up"), /* the set-up is over */ \
        X(CAUSE_PHASE, "phase"),             /* the next phase of its model: a run goes on */ \
        X(CAUSE_UTILIZATION, "utilization"), /* the next step of its utilization: the same */ \
        X(CAUSE_CONTENTION, "contention"),   /* another share of network or storage: the same */ \
        X(CAUSE_LIMIT, "limit"),     /* the policy has set another power limit: the same */ \
        X(CAUSE_ACCOUNT, "account"), /* under an enforced cap: measuring begins, or price or \
                                        carbon intensity change: the same */ \
        X(CAUSE_PREEMPTED, "preempted"), X(CAUSE_SAVED, "saved"), /* a checkpoint is written */ \
        X(CAUSE_RESIZED, "resized"), X(CAUSE_NODE_FAILED, "failed"), \
        X(CAUSE_FINISHED, "finished"), \
        X(CAUSE_REJECTED, "rejected"), /* by the policy, while it was queued */ \
        X(CAUSE_RESERVED, "reserved"), /* replicas: the first one, where it finds no GPUs */ \
        X(CAUSE_LOAD, "load"),         /* its service gives it another load: it goes on serving */ \
        X(CAUSE_RELEASED, \
          "released"), /* it is not needed any more, or the cap does not allow it */ \
        X(CAUSE_END_OF_RUN, "end_of_run") /* nothing happened to the job: job_segments.h */
enum segment_cause { SEGMENT_CAUSE_ROWS(ENUM_OF) };

extern const char *const segment_kind_names[];  /* by enum segment_kind */
extern const char *const segment_cause_names[]; /* by enum segment_cause */
/* Whether a run that ends so goes on, on the same GPUs, in the next segment. */
static inline bool segment_cause_goes_on(enum segment_cause cause) {
    return cause == CAUSE_PHASE || cause == CAUSE_UTILIZATION || cause == CAUSE_CONTENTION ||
           cause == CAUSE_LIMIT || cause == CAUSE_ACCOUNT || cause == CAUSE_LOAD;
}
#define SEGMENT_KINDS  (SEGMENT_SERVE + 1)
#define SEGMENT_CAUSES (CAUSE_END_OF_RUN + 1)

/* A segment of a job's life. The segments of a job follow each other without gaps from its
   submission to its finish; where nothing takes time, set-ups and checkpoints are left out, and
   others may be empty (start_ns = end_ns). */
struct segment {
    uint32_t job;
    enum segment_kind kind;
    enum segment_cause began, ended;
    int64_t start_ns, end_ns;
    uint32_t config; /* that it held, or EASIM_NONE: it was queued */
    uint32_t nodes;  /* number of nodes, 0 when queued */
    uint8_t phase;   /* of its model, from 0 */
    int128 energy;   /* of its GPUs, 1e-18 J */
};

/* A service from one of its changes to the next: all rates were constant. Tokens; over_wait: what
   came in waits longer than its objective. Its state is as it was. */
struct service_piece {
    uint32_t service;
    int64_t from_ns, to_ns;
    double backlog_before, backlog_after;
    double demanded, served, dropped;
    bool over_wait;
};

/* Every callback may be NULL. */
struct observer {
    void *context;
    /* State was constant from from_ns to to_ns > from_ns; the meter already includes that time. */
    void (*advance)(void *context, const struct sim *sim, int64_t from_ns, int64_t to_ns);
    /* All events and decisions of an instant are done. */
    void (*instant)(void *context, const struct sim *sim);
    /* An event has been applied; a failure is told before the jobs that it stops. */
    void (*event)(void *context, const struct sim *sim, const struct event *event);
    /* The policy is about to decide, for the sim->decision_total + 1st time. */
    void (*decision)(void *context, const struct sim *sim);
    void (*job)(void *context, const struct sim *sim, uint32_t job, enum job_change change);
    /* A segment has ended. Work that its end has lost is in account_lost already, and the
       next segment has not begun. For those of jobs that are not over at the end of the run:
       segments_present. */
    void (*segment)(void *context, const struct sim *sim, const struct segment *segment);
    void (*service)(void *context, const struct sim *sim, const struct service_piece *piece);
    /* A replica has entered its phase: CAUSE_RESERVED, _STARTED, _SET_UP; or it goes, and holds its
       GPUs no longer: CAUSE_RELEASED, _NODE_FAILED. Its service has been told of up to now. */
    void (*replica)(void *context, const struct sim *sim, uint32_t replica,
                    enum segment_cause cause);
    void (*action)(void *context, const struct sim *sim, const struct action_record *action);
    /* The policy says why the job whose story is told waits, or is started; sim->told. */
    void (*reason)(void *context, const struct sim *sim, uint32_t job, const char *text);
    uint32_t told; /* if there is `reason`: the job whose story it tells */
    /* All jobs below `end` are over, and those below sim->dropped were told of before; where
       past_is_dropped, this is the last look at their runs. */
    void (*past)(void *context, const struct sim *sim, uint32_t end);
    /* The end of the warm-up: measuring begins. */
    void (*measure)(void *context, const struct sim *sim);
};

#endif
