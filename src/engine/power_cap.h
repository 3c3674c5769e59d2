/* The power cap: what counts against it, what it forbids, and, where it is enforced, how far each
   job rises above its least draw (semantics 37). Every allocated GPU counts with the higher of
   ctx_w and its computing power: the committed power.

   A cap without `enforce` binds policies with the capability POWER_CAP: sim->committed_nw stays at
   or below it. An enforced cap binds all: a start is admitted if all jobs fit at their entry draw,
   and the rest of the cap is filled in by the host. */
#ifndef EASIM_ENGINE_POWER_CAP_H
#define EASIM_ENGINE_POWER_CAP_H

#include "cluster/power_fill.h"
#include "engine/limit_tracks.h"

#include <math.h>

/* Sums of the members in a domain. Domain 0 is the cluster. */
struct cap_domain {
    int64_t others_nw; /* all else in it; of the cluster: see power_cap.c */
    int64_t lo_nw, want_nw, entry_nw;
    int64_t trial_nw, tried_nw; /* what a trial adds to others_nw; and all at entry draws in it */
};

/* Members with the same stages and domains. */
struct cap_group {
    uint8_t stage[LIMIT_RANGES]; /* of fill_group, of each range */
    uint8_t ranges;
    uint32_t steps[LIMIT_RANGES];
    struct fill_part *parts;
    uint32_t *gpus; /* of a part: those of each member there; 0: all that it has */
};

/* Jobs of which the host slows one after the other. */
enum group_kind { GROUP_ALL, GROUP_SLA, GROUP_OTHERS, GROUP_RIGID, GROUP_FLEX, GROUP_KINDS };

struct cap_trial {
    uint32_t class, group;
    int sign;
};

/* An enforced cap. */
struct cap_state {
    uint32_t domain_count;
    struct fill_domain *fill; /* by domain */
    struct cap_domain *domains;
    struct intern keys;          /* of groups */
    uint32_t plain[GROUP_KINDS]; /* without domains: the only group of a kind + 1 */
    ARRAY_OF(struct cap_group) groups;
    ARRAY_OF(struct fill_group) filled; /* by group */
    int64_t filled_for_nw, filled_nw;   /* committed power of that, at the wishes and at x */
    bool is_filled;                     /* for the present sums and steps */
    bool *changed;                      /* by group */
    ARRAY_OF(struct cap_trial) trial;
    int64_t room_nw; /* that entry draws leave of the cap of the cluster, as shown last */
    uint32_t tried_job, tried_config; /* in gpus_try_config last, with all as it is now */
    bool tried_is_over;               /* GPUs are free, and the cap forbids it */
    int64_t *entry_nw; /* by job: what its allocation adds at its entry draw; 0: it has none */
    double cap_w;      /* for which places are set */
    bool is_dirty;     /* sums have changed since then */
    uint64_t settled;  /* times that places were set */
};

/* Fills in sim->cap. */
void power_cap_init(struct sim *sim);
void power_cap_finish(struct sim *sim);
/* Whether an enforced cap, or one of its domains, is finite now. */
bool power_cap_binds_members(const struct sim *sim);
/* Whether there is a cap now that binds the policy. */
static inline bool power_cap_binds(const struct sim *sim) {
    return SIM_HAS(sim, cap) ? power_cap_binds_members(sim)
                             : sim->keeps_cap && isfinite(sim->view.v->power_cap_w);
}
/* Whether it is exceeded, even with all members at their least draw. */
bool power_cap_is_over(const struct sim *sim);
/* Whether jobs and replicas then give way to an enforced cap. */
static inline bool power_cap_preempts(const struct sim *sim) {
    return sim->cluster->cap_rules.enforce == ENFORCE_PREEMPT;
}
/* Whether it forbids that a node draws more, without members. */
bool power_cap_forbids_more(const struct sim *sim, uint32_t node, int64_t more_nw);
/* The committed power in the view, which an enforced cap lowers: when either has changed. */
void power_cap_show(struct sim *sim);
/* Power of a node, without members, is another by more_nw: in sim->committed_nw, and shown. */
void power_cap_note(struct sim *sim, uint32_t node, int64_t more_nw);

/* What gpus_try_config found holds no more. */
static inline void power_cap_forget(struct sim *sim) {
    if (sim->cap)
        sim->cap->tried_job = EASIM_NONE;
}

/* --- members: what they count --- */

/* With limits: a job gets an allocation, which adds added_nw to the committed power: its class and
   its group; and loses it. */
void power_cap_charge_member(struct sim *sim, uint32_t job, uint32_t config,
                             const struct allocation *allocation, int64_t added_nw);
void power_cap_discharge_member(struct sim *sim, uint32_t job, uint32_t config,
                                const struct allocation *allocation, int64_t added_nw);
/* Without: committed power that no cap divides. */
static inline void power_cap_add(struct sim *sim, int64_t more_nw) {
    sim->committed_nw += more_nw;
    view_header(&sim->view)->power_w = power_w(sim->committed_nw);
}
/* It goes on in another class. */
void power_cap_recharge(struct sim *sim, uint32_t job, uint32_t class);

/* --- trials --- */

/* Tries what power_cap_charge_member does; or, for the GPUs that it has, what
   power_cap_discharge_member does. Returns what that adds to sim->committed_nw. */
int64_t power_cap_try(struct sim *sim, uint32_t job, uint32_t config,
                      const struct allocation *allocation, int64_t added_nw);
int64_t power_cap_try_without(struct sim *sim, uint32_t job, int64_t added_nw);
/* Ends the trial, of which nothing is left: whether it raises the entry draws in the cluster or a
   domain above the cap. committed_nw: as that; on return, if asked for, as views would show it. */
bool power_cap_end_trial(struct sim *sim, int64_t *committed_nw, bool tells_power);
/* The most that a GPU may count which a job in config, with that allocation, gets on the empty
   cluster, under the caps that are constant. */
int64_t power_cap_most_entry_nw(struct sim *sim, uint32_t config,
                                const struct allocation *allocation);
/* Whether constant caps forbid every configuration of a job's set, on the empty cluster: fills in
   sim->over_cap for them, which is not NULL. */
bool power_cap_forbids_job(struct sim *sim, uint32_t job);

/* --- enforcement --- */

/* Sets places for the present sums and cap, unless they are, and asks members to change. */
void power_cap_settle(struct sim *sim);
/* The decided place of the jobs of a domain: in each stage, the part of their range by which those
   jobs rise that only this domain stops; 1 if there are none. And the power of the domain at these
   places, rounded down by group. */
struct cap_share {
    double x[FILL_STAGES];
    int64_t nw;
};
/* Stages of the order of the cap. */
static inline int power_cap_stages(const struct sim *sim) {
    enum cap_order order = sim->cluster->cap_rules.order;
    return order == CAP_ORDER_EQUAL ? 1 : order == CAP_ORDER_BY_CLASS ? 2 : 3;
}
/* Committed power of the cluster with each job at its least draw that its flex allows. */
int64_t power_cap_flex_nw(const struct sim *sim);
/* By domain. */
void power_cap_survey(const struct sim *sim, struct cap_share *shares);
/* Whether a job gives way before another, as in charon (semantics 6.2): best-effort before sla,
   most power, latest start, last submitted. */
bool power_cap_goes_before(const struct sim *sim, uint32_t job, uint32_t other);
/* The job that gives way if the cap is exceeded with all jobs at their least draw; EASIM_NONE:
 * none. */
uint32_t power_cap_next_victim(const struct sim *sim);

#endif
