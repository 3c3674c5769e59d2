/* The replications of a scenario, in processes, or here. Each is a pure function of
   scenario, seed and number, so results do not depend on how many there are. */
#ifndef EASIM_STUDY_REPLICATE_H
#define EASIM_STUDY_REPLICATE_H

#include "base/tally.h"
#include "bounds/bound.h"
#include "metrics/job_segments.h"
#include "metrics/metrics.h"
#include "study/study.h"
#include "study/worker_pool.h"

/* --- trend --- */
/* Whether a run is in a steady state: does the queue grow, how much work does the end cut off. */

struct trend {
    double queue_per_h; /* slope of the least-squares line through the number of waiting jobs over
                           measured time */
    double work_unfinished; /* share of the work submitted up to the end, warm-up included, that is
                               not done then */
    double jobs_unfinished; /* share of the measured jobs */
    double queued; /* share of the time of all jobs in the system in which they wait; NAN: none */
    double queue_most, queue_most_s; /* the longest queue, and when it was so long first */
    double idle_share, base_share, lost_share; /* of the energy */
    double free_gpu_h, lost_gpu_h;             /* not allocated; work that was lost */
};

/* --- replicate --- */

/* One finished replication while its simulation is still there. */
struct replication {
    uint32_t number;    /* from 1 */
    const char *policy; /* as results call it */
    const struct sim *sim;
    const struct metrics *metrics;
    const struct power_means *means;     /* NULL unless meter_step_ns is given */
    const struct job_segments *segments; /* closed, with a tracker; NULL unless recorded */
};

#define REPLICATE_WATCHERS 4

/* What a caller keeps of each replication. */
struct replicate_sink {
    void *context;
    /* In the process of the replication, before it begins: adds those who watch it, too, until
       render or until the next one begins; they may send pieces of text, and so may render. Returns
       how many, REPLICATE_WATCHERS at most. NULL is fine. */
    size_t (*watch)(void *context, uint32_t number, const struct outlet *outlet,
                    const struct observer **observers);
    bool takes_sums; /* watch and render read of jobs that are past only as observers of them */
    /* In the process of the replication: makes bytes of it. NULL is fine. */
    void (*render)(void *context, const struct replication *replication, struct str *out);
    /* In the process of the caller: gets the pieces of the replication that is emitted next. NULL:
       none are sent. drop: that one has failed, and what came of it does not count. */
    int (*take)(void *context, unsigned part, struct slice piece, struct error *reterr);
    int (*drop)(void *context, struct error *reterr);
    /* In the process of the caller, by ascending number: gets what render has made. */
    int (*emit)(void *context, uint32_t number, const struct summary *summary,
                struct slice rendered, struct error *reterr);
};

struct replicate_options {
    uint32_t processes; /* so many children at a time: a replication that crashes is one that fails;
                           0: here, one after the other, for callers that are such a child
                           themselves and for tests */
    bool alone;         /* a process for each task, and not only for those of foreign policies */
    bool record;        /* segments, and which GPUs they had */
    bool check, strict, record_decisions, time_decisions;
    int64_t meter_step_ns;                  /* mean power of intervals of this length; 0: none */
    const struct config_extras *bound_work; /* as work_bound_find takes it; NULL: not wanted */
    double limit_s;                         /* of those processes, by the clock; 0: none */
    struct crash_context *crash;            /* to be kept up to date, or NULL */
    const atomic_bool *cancel;
    atomic_uint *done;    /* replications finished so far, for a progress line; may be NULL */
    atomic_ulong *events; /* likewise events; in shared memory (mem_shared) with processes */
};

struct replicate_result {
    struct summary *summaries; /* of the emitted replications, in order */
    uint32_t count;
    ARRAY_OF(struct service_row *) services; /* of the summaries that have some */
    struct trend *trends;                    /* likewise */
    struct bound *bounds;  /* likewise, of the energy of what was done; NULL: not wanted */
    struct tally refused;  /* actions of the policy, by reason */
    struct tally rejected; /* jobs, by reason */
    struct tally outside;  /* starts, restarts and resizes outside of the measured range, by "MODEL
                              on GPU TYPE" */
    struct tally counted;  /* what the policy has counted, by its words, with names */
    uint64_t starts;       /* all of them */
    uint64_t jobs;         /* all that arrived */
    uint64_t decide_ns;    /* processor time spent in decisions; 0 unless timed */
};

/* Runs the replications that a result does not hold yet: all of them for a zeroed one, the
   additional ones after study_set_replications has raised their number. On failure those before the
   first failed one are emitted, whose error it is; after an interruption (ERROR_CANCELLED, the text
   that of isolated_run) all finished ones. Release with replicate_result_finish. */
int replicate_run(const struct study *study, const struct replicate_options *options,
                  const struct replicate_sink *sink, struct replicate_result *result,
                  struct error *reterr) MUST_CHECK;

/* A sink for callers that want the summaries in the result and nothing else. */
extern const struct replicate_sink replicate_summaries_only;

/* Only sets replication 1 up, which calls the policy's init: whether the policy agrees to run. */
int replicate_try(const struct study *study, struct error *reterr) MUST_CHECK;

void replicate_result_finish(struct replicate_result *result);

#endif
