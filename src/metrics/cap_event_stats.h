/* What events of the power cap did: reduction of power, and its price in work (semantics 37.5). */
#ifndef EASIM_METRICS_CAP_EVENT_STATS_H
#define EASIM_METRICS_CAP_EVENT_STATS_H

#include "engine/sim.h"

/* An event of a run, up to its end or that of the run. Energies are in 1e-18 J. */
struct cap_event_row {
    int64_t end_ns;              /* -1: it has not begun */
    double baseline_w, target_w; /* NAN: there is none */
    int128 energy;               /* of everything, during it */
    int64_t after_ns, held_ns;   /* after its ramp; of it with enough reduction */
    int64_t reached_ns;          /* from the start until then; -1: never */
    int64_t worst_nw;            /* above the target after the ramp */
    int128 above;                /* energy above the target after the ramp */
    double lost_gpu_s;
    uint32_t broken_jobs; /* that went below their flex during it */
    int64_t broken_ns;    /* sum over these */
    int64_t flex_nw;      /* of the cluster at its start, if each job gave what its flex allows */
    int64_t rebound_nw;   /* the most in the hour after it; -1: the run has ended */
};

/* Zero-initialise; release with cap_event_stats_finish. */
struct cap_event_stats {
    struct cap_event_row *rows; /* by event; NULL: there are none */
    uint32_t at;                /* the last that has begun; EASIM_NONE */
    int64_t *broken_ns;         /* by job at its start; NULL: none is going on */
};

/* The callbacks of an observer. */
void cap_event_stats_advance(struct cap_event_stats *stats, const struct sim *sim, int64_t from_ns);
void cap_event_stats_instant(struct cap_event_stats *stats, const struct sim *sim);
/* The run is over: an event that goes on ends. */
void cap_event_stats_close(struct cap_event_stats *stats, const struct sim *sim);
void cap_event_stats_finish(struct cap_event_stats *stats);

/* Of a row; NAN: it is not defined. */
double cap_event_held_share(const struct cap_event_row *row);
double cap_event_shifted_kwh(const struct cap_event_row *row, const struct cap_event *event);
double cap_event_penalty(const struct cap_event_row *row, const struct cap_event *event);

#endif
