/* The state of a job beyond its spec and its view. Header only: data of struct sim. */
#ifndef EASIM_ENGINE_JOB_STATE_H
#define EASIM_ENGINE_JOB_STATE_H

#include "cluster/placement.h"
#include "cluster/power_meter.h"
#include "engine/observer.h"

/* How fast a job truly is (progress.h). */
struct progress {
    double noise;        /* true speed / predicted speed, over its life */
    double factor;       /* likewise, in the present stretch: noise, neighbours, contention */
    double stretch_work; /* done in this run when the stretch began */
    double kept_work;    /* and at the last periodic checkpoint before that */
    int64_t began_ns;    /* when the run began, in whatever phase */
    int64_t stretch_ns;  /* computing time at which the stretch began */
    int64_t power_ns;    /* and at which the present power began; not before it */
    int128 stretch_energy, kept_energy; /* of power_ns as the two of work of stretch_ns; 1e-18 J */
};

/* Where a job is in the steps of its utilization, while it computes (utilization.h). */
struct use {
    uint32_t step;
    uint32_t event; /* its next one, or EVENT_NONE */
};

/* Work that a checkpoint on demand is to keep while it is being written: what a failure then takes
   away (checkpoint.h). */
struct unsaved {
    int64_t until_ns;            /* the checkpoint is complete after it; 0: none is being written */
    int64_t computing_ns;        /* that the work took */
    int128 energy;               /* and drew, 1e-18 J */
    int64_t milli;               /* thousandths of GPUs */
    double remaining, predicted; /* the job's remaining work without it, true and in the view */
};

/* Computing whose work was lost. */
struct lost {
    int64_t ns;
    int128 energy; /* 1e-18 J */
    int128 gpu_ps; /* 1e-12 GPU s */
};

/* How often a job was stopped or moved. */
struct moved {
    uint32_t preemptions, resizes;
};

/* Times are -1 until they are known. There are as many as jobs: what few jobs have is elsewhere,
   and the order leaves no gaps. */
struct job_run {
    struct allocation allocation;
    double remaining; /* true work left when it got its present GPUs (or when it was queued) */
    int64_t segment_start_ns; /* of the present segment */
    int64_t held_since_ns;    /* when it got its present GPUs */
    int64_t first_start_ns, finish_ns;
    int64_t first_predicted_ns; /* predicted finish at its first start */
    int64_t held_ns;            /* holding GPUs, those that it holds no more */
    uint16_t vain_stops;        /* in a row: stopped without having kept any work */
    uint8_t segment;            /* enum segment_kind: what it is doing */
    uint8_t cause;              /* enum segment_cause: why the present segment began */
    uint8_t phase;              /* of its model, from 0 */
    uint8_t segment_phase;      /* when the present segment began */
    bool resizing;              /* has GPUs of another configuration in the present plan */
    uint8_t fate;               /* enum easim_job_state: FINISHED, REJECTED; 0: it is not over */
    int128 energy;              /* 1e-18 J, up to segment_start_ns */
    int128 gpu_ps;              /* GPU time held, of GPUs that it holds no more, 1e-12 GPU s */
    int128 jobs_ns;  /* sim->jobs_ns at submission; once it has finished: over its life */
    uint32_t event;  /* its pending event, or EVENT_NONE */
    uint32_t config; /* last configuration, or EASIM_NONE */
    uint32_t span;
    uint32_t node_count; /* nodes of the last configuration */
};

/* Whether the job uses GPUs, or the part of one that it got. */
static inline bool job_run_uses_gpus(const struct job_run *run) {
    return run->segment > SEGMENT_QUEUED;
}

#endif
