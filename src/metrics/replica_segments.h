/* What each replica of a service did, from its reservation or start to its end, as segments: an
   observer that job_segments.h feeds. A replica's power and rate are constant in a segment: where
   its service gets another load, a segment ends and the next one begins. */
#ifndef EASIM_METRICS_REPLICA_SEGMENTS_H
#define EASIM_METRICS_REPLICA_SEGMENTS_H

#include "metrics/gpu_tracker.h"

struct replica_segment {
    uint32_t life;        /* of the list of lives */
    uint8_t kind;         /* SEGMENT_RESERVED, without GPUs; _LOADING, _SERVE */
    uint8_t began, ended; /* enum segment_cause */
    int64_t start_ns, end_ns;
    int128 energy;          /* of its GPUs, 1e-18 J */
    int64_t nw;             /* of them */
    double running, tokens; /* requests at once; served, in the unit of its service's demand */
    struct gpu_places gpus; /* in the tracker's list; none without a tracker, or if it is empty */
};

/* Of one replica. */
struct replica_life {
    uint32_t service, number, config;
    uint32_t holder;  /* in the tracker */
    bool ends;        /* is over */
    uint8_t cause;    /* of its latest change: enum segment_cause */
    uint8_t kind;     /* enum segment_kind since then, unless it is reserved */
    int64_t since_ns; /* of that */
    size_t count;     /* segments; */
    size_t last;      /* the last of them in the list; once closed: the first */
};

/* Zero-initialise, release with replica_segments_finish. */
struct replica_segments {
    struct gpu_tracker *tracker; /* borrowed, or NULL */
    ARRAY_OF(struct replica_life) lives;
    ARRAY_OF(uint32_t) life_at;            /* by place in sim->services.replicas */
    ARRAY_OF(struct replica_segment) list; /* in order of time; once closed, by life and time */
    uint32_t *order;                       /* once closed: lives by service and number */
};

/* As observers are told. */
void replica_segments_note(struct replica_segments *segments, const struct sim *sim,
                           const struct service_piece *piece);
void replica_segments_change(struct replica_segments *segments, const struct sim *sim,
                             uint32_t replica, enum segment_cause cause);
/* At the end of the run: those that are not over end now, with CAUSE_END_OF_RUN. */
void replica_segments_close(struct replica_segments *segments, const struct sim *sim);
void replica_segments_finish(struct replica_segments *segments);

/* Segments of each replica follow each other, their energy and GPU time are those of the meter, and
   their tokens those that were served. */
int replica_segments_check(const struct replica_segments *segments, const struct sim *sim,
                           struct error *reterr) MUST_CHECK;

#endif
