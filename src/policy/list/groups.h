/* Jobs that can start for the same reason: groups of waiting jobs, group_sets of configurations,
   headroom under a cap. */
#ifndef EASIM_POLICY_LIST_GROUPS_H
#define EASIM_POLICY_LIST_GROUPS_H

#include "base/array.h"
#include "base/intern.h"
#include "easim/policy.h"

#include <stdbool.h>

/* One way to start: a job of the group can if k GPUs of the type, or milli of one, would be placed
   in one of the spans now. */
struct group_way {
    uint32_t config; /* EASIM_NONE where nobody asks which: no start is refused */
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
   whether it could if no start were refused. */
bool groups_open_now(const struct groups *groups, uint32_t group, const struct easim_pass *pass,
                     const struct easim_list *ops, const struct easim_job *job);
/* by_power: whether the cap forbids every way of every group for certain. */
bool groups_power_is_out(const struct groups *groups, const struct easim_view *view);
/* The ways of a group, without a configuration where configurations do not matter. */
const struct group_way *groups_ways(const struct groups *groups, uint32_t group, size_t *ret_count);

/* Whether a job of the group can start now, at the level of the pass; job is any of the group;
   stamp
   (> 0) changes with the cluster. */
bool groups_open(struct groups *groups, uint32_t group, const struct easim_pass *pass,
                 const struct easim_list *ops, const struct easim_job *job, uint64_t stamp);

/* --- group sets --- */
/* What is known of the sets of configurations that waiting jobs share: which may be the best of a
   job, whatever is free or on the empty cluster, and the group of a job that admits all. A
   configuration is outdone, and not looked at, if another with the same GPUs has a thousandth more
   goodput for a thousandth less energy in every span: as long as computing takes a microsecond and
   a millionth of the set-up that is 1e-12 of T and of energy, and rounding is 1e-15, so no tie is
   broken. Goodput alone would not do: after a long set-up two of them have the same T, and ties go
   to fewer GPUs and less power. */

struct group_set {
    uint32_t configs;      /* that it has; 0: nothing is known yet */
    uint32_t first, count; /* in `front` of all sets */
    uint32_t empty_count;  /* behind those: of group_sets_when_empty */
    uint32_t group;        /* of jobs that admit all of it (index.h); EASIM_NONE: not known yet */
    uint32_t best;         /* of least objective for the job asked about last; EASIM_NONE: none */
    double least_goodput, best_goodput; /* in any span in which it is known */
};

/* Zero-initialise; release with group_sets_finish. */
struct group_sets {
    struct group_set *at; /* by the first configuration; NULL: none yet */
    ARRAY_OF(uint32_t) front;
};

/* Configurations to look at: front[i], or first + i where front is NULL. */
struct known_choice {
    const uint32_t *front;
    uint32_t first, count;
};

void group_sets_finish(struct group_sets *sets);
/* The set of a job; NULL: it has few, so that there is nothing to know. */
struct group_set *group_sets_find(struct group_sets *sets, const struct easim_view *view,
                                  const struct easim_job *job);
/* All configurations of a job. */
static inline struct known_choice group_sets_all(const struct easim_job *job) {
    return (struct known_choice){NULL, job->first_config, job->config_count};
}
/* Those of which some is better than each other one that the same free GPUs would serve, where the
   objective rises with T and energy both, or is T. */
struct known_choice group_sets_front(struct group_sets *sets, const struct easim_view *view,
                                     const struct easim_job *job);
/* Those of which some is better than each other one on the empty cluster, likewise. */
struct known_choice group_sets_when_empty(struct group_sets *sets, const struct easim_view *view,
                                          const struct easim_job *job);
static inline uint32_t known_choice_at(const struct known_choice *choice, uint32_t i) {
    return choice->front ? choice->front[i] : choice->first + i;
}

/* --- headroom --- */
/* What a power cap leaves for a start, as far as no try is needed to know (semantics 6). */

#define HEADROOM_MARGIN 1e-6 /* of a power, and in watts: far more than what rounding does */

/* The most that a start may add to the power; INFINITY: it has to be tried. */
static inline double headroom_w(const struct easim_view *view) {
    if (view->cap_is_enforced)
        return INFINITY;
    return view->power_cap_w * (1 + HEADROOM_MARGIN) + HEADROOM_MARGIN - view->power_w;
}

/* The least that a start in a span adds: on whole GPUs; nodes that come to life, and GPUs that wake
   up, add to this. */
static inline double headroom_need_w(const struct easim_view *view, const struct easim_config *c,
                                     uint32_t span) {
    const struct easim_gpu_type *type = easim_view_gpu_type(view, c->gpu_type);
    double busy_w = type->ctx_w > c->power_w[span] ? type->ctx_w : c->power_w[span];
    return c->milli ? -INFINITY : c->k * (busy_w - type->idle_w);
}

/* Whether the power stays within the cap if a waiting job starts in a configuration that fits. */
static inline bool headroom_suffices(const struct easim_pass *pass, const struct easim_job *job,
                                     uint32_t config) {
    return pass->view->fit_is_exact ||
           pass->host->try_config(pass->plan, job->index, config, NULL) >= 0;
}

#endif
