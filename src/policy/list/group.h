/* Groups of waiting jobs that can start or not for the same reason. Which configurations a job
   admits in each span depends on nothing that changes while it waits; whether one of them is free
   now depends on the cluster alone. So jobs that admit the same are asked for together. */
#ifndef EASIM_POLICY_LIST_GROUP_H
#define EASIM_POLICY_LIST_GROUP_H

#include "base/intern.h"
#include "easim/policy.h"

/* One way to start: a job of the group can if k GPUs of the type, or milli of one, would be placed
   in one of the spans now. */
struct group_way {
    uint32_t config; /* EASIM_NONE where nobody asks which: without `allow` */
    uint32_t gpu_type, k, milli;
    uint32_t spans; /* bit of each enum easim_span that is admitted */
    uint32_t level; /* at which it is */
    double added_w; /* by_power: the least that a start adds to the power; else 0 */
};

/* The answer for one group, in the state of the cluster that has the number `stamp`. */
struct group {
    uint64_t stamp;
    bool open;
};

/* Zero-initialise; release with groups_finish. */
struct groups {
    struct intern ways; /* arrays of struct group_way */
    ARRAY_OF(struct group) groups;
    ARRAY_OF(struct group_way) building;
    /* Of the level and GPU type of the configuration added last, while a group is described: */
    uint32_t level, gpu_type;
    uint32_t covered; /* spans in which larger k need not be looked at */
    /* Ways go by added_w, and one that the power cap forbids for certain is closed. To be set
       before the first group, and only where configurations matter. */
    bool by_power;
    double least_w; /* by_power: the least added_w of all ways */
};

void groups_finish(struct groups *groups);
/* Describes a group: _begin, for each level, always in the same order, _at_level and _add of each
   configuration in the order of the view's table with the spans in which it is admitted there,
   _end, which returns the group's number. by_config: configurations matter, not only GPUs. */
void groups_begin(struct groups *groups);
void groups_at_level(struct groups *groups, uint32_t level);
void groups_add(struct groups *groups, const struct easim_view *view, uint32_t config,
                uint32_t spans, bool by_config);
uint32_t groups_end(struct groups *groups);
/* Bits of the spans of the next configuration in which it makes a difference whether it is
   admitted; 0: it need not be added. */
static inline uint32_t groups_asks(const struct groups *groups, const struct easim_config *config,
                                   bool by_config) {
    bool all = by_config || config->gpu_type != groups->gpu_type;
    return ((1u << config->span_count) - 1) & (all ? UINT32_MAX : ~groups->covered);
}

/* Whether a job of the group can start now, without regard to what is known; or, where ops is NULL,
   whether it could if `allow` allowed all. */
bool groups_open_now(const struct groups *groups, uint32_t group, const struct easim_pass *pass,
                     const struct easim_list *ops, const struct easim_job *job);
/* by_power: whether the cap forbids every way of every group for certain. */
bool groups_power_is_out(const struct groups *groups, const struct easim_view *view);
/* The ways of a group, without a configuration where configurations do not matter. */
const struct group_way *groups_ways(const struct groups *groups, uint32_t group, size_t *ret_count);

/* Whether a job of the group can start now, at the level of the pass. `allow` may be NULL; job is
   any of the group; stamp (> 0) changes with the cluster. */
bool groups_open(struct groups *groups, uint32_t group, const struct easim_pass *pass,
                 const struct easim_list *ops, const struct easim_job *job, uint64_t stamp);

#endif
