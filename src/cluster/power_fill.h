/* Progressive filling of power: in a tree of domains with caps, groups of jobs rise together from
   their least draw, in stages. Pure functions.

   A fraction x is a multiple of 2^-52 in [0, 1], found and used in whole numbers: no sum exceeds a
   cap by rounding, and a sum does not depend on its order. */
#ifndef EASIM_CLUSTER_POWER_FILL_H
#define EASIM_CLUSTER_POWER_FILL_H

#include "cluster/power_meter.h"

#define FILL_STAGES 3
#define FILL_X_BITS 52
#define FILL_NO_CAP INT64_MAX

struct fill_domain {
    int64_t cap_nw;   /* FILL_NO_CAP: none */
    int64_t fixed_nw; /* what does not change, also in the domains inside it */
    /* While power_fill works: */
    int128 used;     /* by what is fixed and by groups that have stopped, 2^-52 nW */
    int128 slope_nw; /* what all groups that rise add up to x = 1 */
    int64_t full_at; /* x at which it is full, 2^-52 */
};

/* The jobs of a group with GPUs in a domain. A group has a part in every domain that it counts in,
   also in those around a domain, and at most one in each. */
struct fill_part {
    uint32_t domain;
    int64_t lo_nw;                /* sum of the draws at lo */
    int64_t rise_nw[FILL_STAGES]; /* what each stage adds to it, >= 0 */
};

struct fill_group {
    const struct fill_part *parts;
    uint32_t part_count;
    double x[FILL_STAGES]; /* result */
    bool has_stopped;      /* result: by a full domain */
};

/* Fills in x of all groups. In each stage all groups that have not stopped rise by one x, until a
   domain is full; the groups with a part in it stop for good there, x = 0 in later stages; the
   others go on, up to x = 1. A domain above its cap with all at lo stops its groups at once, with
   x = 0. All sums of a domain are at most POWER_MAX_W. */
void power_fill(struct fill_domain *domains, uint32_t domain_count, struct fill_group *groups,
                uint32_t group_count);

/* rise x, rounded down: what a job, or a GPU, draws more. A sum of such is at most the x of the
   sum. */
static inline int64_t power_fill_rise_nw(int64_t rise_nw, double x) {
    return (int64_t)((int128)rise_nw * (int64_t)(x * ((int64_t)1 << FILL_X_BITS)) >> FILL_X_BITS);
}

/* Power of a domain at the x of the groups, whoever set them; rounded up. After power_fill at most
   the cap, unless it is above with all at lo. */
int64_t power_fill_total_nw(const struct fill_domain *domains, uint32_t domain,
                            const struct fill_group *groups, uint32_t group_count);

/* The step of a stage, in 0..steps, after `step`, when its x is another one: it falls at once to
   the step below x, and rises to it only if that is two steps higher, or x is 1. */
uint32_t power_fill_step(uint32_t step, double x, uint32_t steps);
/* Whether that is the same step, of 1024 at most, where power_fill has one domain and one group,
   which rises in one stage. If so x is that of the step. */
bool power_fill_keeps(const struct fill_domain *domain, struct fill_group *group, int stage,
                      uint32_t step, uint32_t steps);

#endif
