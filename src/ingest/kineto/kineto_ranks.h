/* Several ranks of one job side by side: which collectives belong together, who waited for whom,
   whose clock is off, and what a collective costs. */
#ifndef EASIM_INGEST_KINETO_KINETO_RANKS_H
#define EASIM_INGEST_KINETO_KINETO_RANKS_H

#include "ingest/kineto/kineto_trace.h"

#define KINETO_MOST_PARTS 524288 /* of all ranks */

/* One rank's part in a collective. */
struct kineto_part {
    uint32_t group; /* number of process group and kernel name */
    uint32_t order; /* among those of the rank, from 0 */
    uint32_t rank;  /* index of the trace */
    uint32_t event; /* of that trace */
};

/* Parts first..first+count-1, one for each rank that takes part. Times are those of the first
   rank's file, base added, clocks not yet corrected. */
struct kineto_collective {
    uint32_t first, count;
    uint32_t last_rank;    /* index: whose part was the shortest, for whom the others waited */
    int64_t start_ns;      /* the first of its ranks, clocks corrected */
    int64_t end_spread_ns; /* as recorded */
    int64_t waiting_ns;    /* sum over ranks of duration minus the shortest one */
};

struct kineto_rank {
    int64_t
        clock_offset_ns; /* median by which its collectives end later than those of the others */
    int64_t waiting_ns;  /* in collectives, for others */
    int64_t caused_ns;   /* waiting of others for it */
    uint64_t last;       /* collectives in which it was the last */
};

/* Release with kineto_ranks_finish. */
struct kineto_ranks {
    const struct kineto_kinds *kinds; /* borrowed, traces too */
    const struct kineto_trace *traces;
    size_t count;
    ARRAY_OF(struct kineto_part) parts;             /* of several ranks */
    ARRAY_OF(struct kineto_collective) collectives; /* matched ones, by earliest start */
    struct kineto_rank *ranks;                      /* one for each trace */
    uint64_t unmatched;  /* kernels of groups that are not complete, see kineto_ranks.c, and of
                            unknown ones */
    bool too_many;       /* over KINETO_MOST_PARTS: nothing is matched */
    int64_t residual_ns; /* median spread of ends once clocks are corrected */
    bool corrected;      /* some clock was so far off that starts were corrected */
};

/* Negative after problems: of several traces each has another rank. In the order of their ranks. */
int kineto_ranks_check(const struct kineto_trace *traces, size_t count,
                       struct problems *problems) MUST_CHECK;
/* The base time that is added to times of the trace, one of which is given; 0: absent or
   senseless. */
int64_t kineto_base_ns(const struct kineto_trace *trace, int64_t time_ns);
/* traces: prepared, in the order of their ranks. */
void kineto_ranks_init(struct kineto_ranks *ranks, const struct kineto_kinds *kinds,
                       const struct kineto_trace *traces, size_t count);
struct kineto_event kineto_part_event(const struct kineto_ranks *ranks,
                                      size_t part); /* base added */
const struct kineto_kind *kineto_part_kind(const struct kineto_ranks *ranks, size_t part);
/* Time from the first part's begin to that of the rank's part, its clock corrected. */
int64_t kineto_lateness_ns(const struct kineto_ranks *ranks,
                           const struct kineto_collective *collective, size_t part);
void kineto_ranks_finish(struct kineto_ranks *ranks);

/* time = alpha + beta * bytes for one collective and group size, by least squares. */
struct kineto_cost {
    const char *collective; /* borrowed from a trace */
    int64_t group_size;
    size_t points, sizes;
    double alpha_us, beta_us_per_mib; /* NAN: fewer than two message sizes */
    double r_squared;
    bool has_waiting; /* one rank only: the shortest of each size stand for the last arriver */
};

struct kineto_costs {
    ARRAY_OF(struct kineto_cost) costs;
};

/* For matched collectives, or for all communication if there is one rank only. */
void kineto_costs_init(struct kineto_costs *costs, const struct kineto_ranks *ranks);
void kineto_costs_finish(struct kineto_costs *costs);

#endif
