/* The Kineto traces of one job, a file for each rank or one of all: what `easim profile kineto` and
   `easim trace` begin with. */
#ifndef EASIM_INGEST_KINETO_KINETO_JOB_H
#define EASIM_INGEST_KINETO_KINETO_JOB_H

#include "ingest/kineto/kineto_figures.h"
#include "ingest/kineto/kineto_ranks.h"
#include "ingest/profile.h"

/* Release with kineto_job_finish. */
struct kineto_job {
    const struct profile_options *options; /* borrowed, as are notes and problems */
    struct kineto_reading reading;
    struct name_pattern *communication, *iteration;
    struct kineto_kinds kinds;
    struct kineto_trace *traces;         /* by rank; of their events communication is kept */
    struct kineto_rank_figures *figures; /* of each trace */
    size_t count;
    size_t steps_left; /* to be listed */
    struct problems *notes, *problems;
    bool damaged;
    /* Called before each rank is read: what the watch is given with its events. NULL: none. */
    void *(*add_watcher)(void *watch);
    void *watch; /* borrowed */
};

/* reading.watch and the members for it may be set before the job is read. */
void kineto_job_init(struct kineto_job *job, const struct profile_options *options,
                     struct problems *notes, struct problems *problems);
/* Reads the files, orders their ranks and adds every problem and note. */
int kineto_job_read(struct kineto_job *job, char *const *paths, size_t count) MUST_CHECK;
/* Notes on matching and on ranks without a file. */
void kineto_job_note_ranks(const struct kineto_job *job, const struct kineto_ranks *ranks);
/* Its throughput is that of the slowest rank; notes say why there is none. */
struct profile_row *kineto_job_add_row(const struct kineto_job *job, struct profile *profile);
void kineto_job_finish(struct kineto_job *job);

#endif
