/* What each job did from its submission to its finish, as segments (engine/observer.h) without
   gaps: an observer for those who ask for it. The part of a run whose work was lost is a segment of
   its own, SEGMENT_LOST. Replicas of services are beside them. */
#ifndef EASIM_METRICS_JOB_SEGMENTS_H
#define EASIM_METRICS_JOB_SEGMENTS_H

#include "metrics/replica_segments.h"

/* Because of power limits: time below the draw of the wish, and computing time lost by that.
   wish_nw: power of its GPUs at the wish; -1: it did not compute, or on a part of a GPU. */
struct limit_share {
    int64_t throttled_ns, wish_nw;
    double lost_s;
};

/* A segment with what it came to. */
struct job_segment {
    struct segment told;
    double work;            /* done in it, in the job's unit; of SEGMENT_LOST what was lost */
    struct gpu_places gpus; /* that it held, in the tracker's list; none without a tracker */
    struct limit_share limit;
};

/* Of one job, while segments are noted; and at the end, where its segments are. */
struct job_history {
    int64_t lost_ns; /* noted so far */
    int64_t throttled_ns;
    double limit_lost_s;
    double run_work; /* done in the present run up to the end of its last phase */
    /* Places of its last run, whose checkpoint may still fail: several where it had phases. */
    size_t last_run, last_run_end;
    ARRAY_OF(struct job_segment) phases; /* of the present run, those that are over */
    size_t first, count;
};

/* Zero-initialise by job_segments_init, release with job_segments_finish. */
struct job_segments {
    struct observer observer;          /* for sim->observers */
    struct gpu_tracker *tracker;       /* NULL: nobody asks which GPUs */
    ARRAY_OF(struct job_segment) list; /* in order of time */
    const struct job_segment **by_job; /* once closed: by job and time */
    struct job_history *histories;     /* by job */
    size_t history_count;
    struct replica_segments replicas;
};

/* tracker: zeroed, borrowed, and fed from here; or NULL. */
void job_segments_init(struct job_segments *segments, struct gpu_tracker *tracker);
/* At the end of the run: those that are not over end now, with CAUSE_END_OF_RUN. */
void job_segments_close(struct job_segments *segments, const struct sim *sim);
/* Of a submitted job, once closed; none if it was rejected at submission. Borrowed. */
const struct job_segment *const *job_segments_of(const struct job_segments *segments, uint32_t job,
                                                 size_t *ret_count);
void job_segments_finish(struct job_segments *segments);

/* --- job_segments_check --- */
/* Whether segments and records of jobs tell the same; part of --check. */

/* Of closed segments. They tile the time from the submission to the finish of each job, or to the
   end of the run; the work that they kept is what the job has done, to 1e-9 of all of it; their
   energies and GPU times add up to those of its record, and all of them to those of the power
   meter, exactly. ERROR_RUN names the first job of which it is not so. */
int job_segments_check(const struct job_segments *segments, const struct sim *sim,
                       struct error *reterr) MUST_CHECK;

#endif
