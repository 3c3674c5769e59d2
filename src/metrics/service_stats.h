/* What services did in the measured part of a run: tokens, waiting times, latencies, energy
   (semantics 34.6). */
#ifndef EASIM_METRICS_SERVICE_STATS_H
#define EASIM_METRICS_SERVICE_STATS_H

#include "engine/sim.h"
#include "metrics/rows.h"
#include "metrics/summary.h"
#include "metrics/token_pieces.h"

/* Of one service since measuring began; tokens as its demand counts them. */
struct service_stat {
    double before, demanded, served, dropped, within;
    int128 energy_at_start, gpu_ps_at_start;
    uint64_t scale_ups_at_start, preemptions_at_start;
    struct token_pieces waits_s, latencies_ms;
};

/* Zero-initialise; release with service_stats_finish. */
struct service_stats {
    struct service_stat *at; /* by service; NULL: nothing came yet */
    uint32_t count;
};

/* Forgets what came before; all services are settled. */
void service_stats_begin(struct service_stats *stats, const struct sim *sim);
void service_stats_note(struct service_stats *stats, const struct sim *sim,
                        const struct service_piece *piece);
/* A row of each service, owned by the caller, and the metrics of all together. */
struct service_row *service_stats_sum_up(struct service_stats *stats, const struct sim *sim,
                                         struct summary *summary);
void service_stats_finish(struct service_stats *stats);

#endif
