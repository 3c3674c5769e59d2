/* Progressive filling of power: see power_fill.h.

   Invariant: used + slope x <= cap in every domain that groups rise in. It is exact: x is a whole
   number of 2^-52, so all sums are whole numbers of 2^-52 nW. A domain is full at the largest such
   x; nobody rises above the least one of all domains, so the invariant holds when those in the full
   domain stop, and the next least x is not below it. A draw in nW is rounded down from there. */
#include "cluster/power_fill.h"

#define WHOLE ((int64_t)1 << FILL_X_BITS) /* x = 1 */

static int128 units_at(const struct fill_part *part, const double x[static FILL_STAGES]) {
    int128 units = (int128)part->lo_nw * WHOLE;
    for (int stage = 0; stage < FILL_STAGES; stage++)
        units += (int128)part->rise_nw[stage] * (int64_t)(x[stage] * WHOLE);
    return units;
}

/* From now on at x of a stage; later ones add nothing. */
static void stop(struct fill_domain *domains, struct fill_group *group, int stage, int64_t x) {
    group->has_stopped = true;
    group->x[stage] = (double)x / WHOLE;
    for (uint32_t p = 0; p < group->part_count; p++) {
        const struct fill_part *part = &group->parts[p];
        domains[part->domain].used += (int128)part->rise_nw[stage] * x;
        domains[part->domain].slope_nw -= part->rise_nw[stage];
    }
}

static bool is_in_full(const struct fill_domain *domains, const struct fill_group *group,
                       int64_t x) {
    for (uint32_t p = 0; p < group->part_count; p++)
        if (domains[group->parts[p].domain].full_at <= x)
            return true;
    return false;
}

/* Notes at which x each domain is full, INT64_MAX if not before x = 1, and returns the least. */
static int64_t least_full(struct fill_domain *domains, uint32_t domain_count) {
    int64_t least = INT64_MAX;
    for (uint32_t d = 0; d < domain_count; d++) {
        struct fill_domain *domain = &domains[d];
        int128 room = (int128)domain->cap_nw * WHOLE - domain->used;
        domain->full_at = INT64_MAX;
        if (domain->slope_nw > 0 && domain->slope_nw * WHOLE > room)
            domain->full_at = (int64_t)(room / domain->slope_nw);
        if (domain->full_at < least)
            least = domain->full_at;
    }
    return least;
}

static void stop_those_in_full(struct fill_domain *domains, struct fill_group *groups,
                               uint32_t group_count, int stage, int64_t x) {
    for (uint32_t g = 0; g < group_count; g++)
        if (!groups[g].has_stopped && is_in_full(domains, &groups[g], x))
            stop(domains, &groups[g], stage, x);
}

static void fill_stage(struct fill_domain *domains, uint32_t domain_count,
                       struct fill_group *groups, uint32_t group_count, int stage) {
    for (uint32_t g = 0; g < group_count; g++)
        for (uint32_t p = 0; p < groups[g].part_count && !groups[g].has_stopped; p++)
            domains[groups[g].parts[p].domain].slope_nw += groups[g].parts[p].rise_nw[stage];
    int64_t x;
    while ((x = least_full(domains, domain_count)) < INT64_MAX)
        stop_those_in_full(domains, groups, group_count, stage, x);
    for (uint32_t d = 0; d < domain_count; d++) {
        domains[d].used += domains[d].slope_nw * WHOLE;
        domains[d].slope_nw = 0;
    }
    for (uint32_t g = 0; g < group_count; g++)
        if (!groups[g].has_stopped)
            groups[g].x[stage] = 1;
}

/* The same for one domain, which stops all groups at one x: most clusters have no more. */
static void fill_one(const struct fill_domain *domain, struct fill_group *groups,
                     uint32_t group_count) {
    int128 room_nw = (int128)domain->cap_nw - domain->fixed_nw;
    double x[FILL_STAGES];
    for (uint32_t g = 0; g < group_count; g++)
        room_nw -= groups[g].part_count > 0 ? groups[g].parts[0].lo_nw : 0;
    bool is_full = room_nw < 0;
    for (int stage = 0; stage < FILL_STAGES; stage++) {
        int64_t slope_nw = 0;
        for (uint32_t g = 0; g < group_count && !is_full; g++)
            slope_nw += groups[g].part_count > 0 ? groups[g].parts[0].rise_nw[stage] : 0;
        x[stage] = is_full ? 0 : 1;
        if (slope_nw > room_nw && !is_full)
            x[stage] = (double)(int64_t)(room_nw * WHOLE / slope_nw) / WHOLE;
        is_full = is_full || x[stage] < 1;
        room_nw -= slope_nw;
    }
    for (uint32_t g = 0; g < group_count; g++) {
        bool is_in = groups[g].part_count > 0;
        groups[g].has_stopped = is_full && is_in;
        for (int stage = 0; stage < FILL_STAGES; stage++)
            groups[g].x[stage] = is_in ? x[stage] : 1;
    }
}

void power_fill(struct fill_domain *domains, uint32_t domain_count, struct fill_group *groups,
                uint32_t group_count) {
    if (domain_count == 1) {
        fill_one(domains, groups, group_count);
        return;
    }
    for (uint32_t d = 0; d < domain_count; d++) {
        domains[d].used = (int128)domains[d].fixed_nw * WHOLE;
        domains[d].slope_nw = 0;
    }
    for (uint32_t g = 0; g < group_count; g++) {
        groups[g].has_stopped = false;
        for (int stage = 0; stage < FILL_STAGES; stage++)
            groups[g].x[stage] = 0;
        for (uint32_t p = 0; p < groups[g].part_count; p++)
            domains[groups[g].parts[p].domain].used += (int128)groups[g].parts[p].lo_nw * WHOLE;
    }
    for (uint32_t d = 0; d < domain_count; d++)
        domains[d].full_at = domains[d].used > (int128)domains[d].cap_nw * WHOLE ? 0 : INT64_MAX;
    for (uint32_t g = 0; g < group_count; g++)
        groups[g].has_stopped = is_in_full(domains, &groups[g], 0);
    for (int stage = 0; stage < FILL_STAGES; stage++)
        fill_stage(domains, domain_count, groups, group_count, stage);
}

int64_t power_fill_total_nw(const struct fill_domain *domains, uint32_t domain,
                            const struct fill_group *groups, uint32_t group_count) {
    int128 units = (int128)domains[domain].fixed_nw * WHOLE;
    for (uint32_t g = 0; g < group_count; g++)
        for (uint32_t p = 0; p < groups[g].part_count; p++)
            if (groups[g].parts[p].domain == domain)
                units += units_at(&groups[g].parts[p], groups[g].x);
    return (int64_t)((units + WHOLE - 1) >> FILL_X_BITS);
}

uint32_t power_fill_step(uint32_t step, double x, uint32_t steps) {
    uint32_t exact = (uint32_t)power_fill_rise_nw(steps, x);
    return exact < step || exact >= step + 2 || exact == steps ? exact : step;
}

/* Whether room is at least the part step / steps of a rise, for x as fill_one has it. */
static bool reaches(int128 room_nw, int64_t rise_nw, uint32_t step, uint32_t steps) {
    int64_t x = (int64_t)((step * (uint64_t)WHOLE + steps - 1) / steps);
    return room_nw * WHOLE >= (int128)rise_nw * x;
}

bool power_fill_keeps(const struct fill_domain *domain, struct fill_group *group, int stage,
                      uint32_t step, uint32_t steps) {
    int128 room_nw = (int128)domain->cap_nw - domain->fixed_nw - group->parts->lo_nw;
    int64_t rise_nw = group->parts->rise_nw[stage];
    uint32_t above = step + 2 < steps ? step + 2 : steps;
    bool keeps = step == steps ? rise_nw <= room_nw
                               : room_nw >= 0 && reaches(room_nw, rise_nw, step, steps) &&
                                     !reaches(room_nw, rise_nw, above, steps);
    if (keeps)
        group->x[stage] = (double)step / steps;
    return keeps;
}
