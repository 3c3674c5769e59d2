/* What services did in the measured time: tokens, waits, latencies, energy (semantics 34.6). */
#ifndef EASIM_METRICS_SERVICE_STATS_H
#define EASIM_METRICS_SERVICE_STATS_H

#include "base/array.h"
#include "engine/sim.h"
#include "metrics/job_record.h"
#include "metrics/summary.h"

/* --- token_pieces --- */
/* How tokens are spread over a figure such as waiting time: pieces, in each of which they are
   spread evenly, and quantiles of all of them together. */

struct token_piece {
    double low, high, tokens; /* low == high: all at one value */
};

/* Zero-initialise; release with token_pieces_finish. */
struct token_pieces {
    ARRAY_OF(struct token_piece) list;
    double endless; /* tokens with an infinite figure */
};

/* low and high in any order; INFINITY as low: endless. Pieces at one value that follow each other
   become one. */
void token_pieces_add(struct token_pieces *pieces, double low, double high, double tokens);
/* The least value up to which the share (0..1) of the tokens lies; INFINITY; NAN if none. */
double token_pieces_quantile(const struct token_pieces *pieces, double share);
void token_pieces_finish(struct token_pieces *pieces);

/* --- service_stats --- */

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
/* The metrics of each service, in memory that the caller is to free, and of all together. */
void service_stats_sum_up(struct service_stats *stats, const struct sim *sim,
                          struct summary *summary);
void service_stats_finish(struct service_stats *stats);

#endif
