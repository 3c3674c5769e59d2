/* easim/power.h: the extension easim.power, version 1. It shows the power limits of running jobs
   and, with EASIM_CAPABILITY_FREQUENCY, sets them while the jobs go on
   (docs/reference/semantics.md, 37). A policy that declares both sets limits even if power_limits
   is false, which means only that configurations have none. If it has a parameter of the role
   LIMITS, that must be true. */
#ifndef EASIM_POWER_H
#define EASIM_POWER_H

#include <easim/policy.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Power in W of each of the GPUs of a job. All except entry_nw are 0 if the job has no limit to
   set: it does not run, it shares its GPU, or the run has no limits that change in place. */
struct easim_power_job {
    double wish_w; /* limit that the policy chose; INFINITY: none */
    /* These hold now. They follow the wish after the delay of the GPU type, and the host may hold
       the job below that: power while it computes, and speed as a share of that without a limit. */
    double draw_w, speed;
    double least_w, most_w; /* plan_limit brings limits into this range */
    /* Power in nW that all its GPUs draw at its entry draw, above what they draw free. Jobs that
       share GPUs have it, too. 0: no cap is enforced. */
    int64_t entry_nw;
};

struct easim_power {
    size_t struct_size; /* of the host's struct easim_power */
    size_t job_stride;
    const void *jobs; /* by job of the view: use easim_power_at */
    /* FREQUENCY: limits each GPU of a job that ran before this plan, also during its set-up. most_w
       is no limit. The limit holds after the delay of the GPU type; while a change is pending, a
       newer one replaces its value, not its time. The wish ends when the job leaves its GPUs. It is
       also that of the configuration, if one with these GPUs has this limit. EASIM_CAP: a policy
       with POWER_CAP raises the power over a cap that the host does not enforce. */
    int (*plan_limit)(struct easim_plan *plan, uint32_t job, double watts);
    /* The cluster's enforced cap, as it is now. It admits a start if all jobs fit at their entry
       draws. A power domain may still refuse that start: try_exchange, with preemptions at once,
       tells whether jobs that stop let another start. Powers are whole nW, so sums are exact. */
    int64_t room_nw; /* left below the cap, also below 0 (after a fall); INT64_MAX: no such cap */
    /* Counts changes of running jobs: of entry_nw, and of predicted ends by the host's limits. */
    uint64_t changes;
    /* The highest entry_nw that a job would get by a start in one of its configurations, on any
       GPUs. 0: no cap is enforced, or the configuration is not its own. */
    int64_t (*start_nw)(struct easim_plan *plan, uint32_t job, uint32_t config);
    uint32_t domain_count; /* power domains below the cluster */
};

/* The row of this extension in the policy's table of extensions. */
#define EASIM_POWER(is_optional) \
    { "easim.power", 1, (uint32_t)sizeof(struct easim_power), is_optional }

/* `extension` is the index of that row in the table. NULL: the extension is optional, and this
   easim does not have it. */
static inline const struct easim_power *easim_power_of(const struct easim_pass *pass,
                                                       uint32_t extension) {
    return (const struct easim_power *)pass->extensions[extension];
}

/* Whether all power domains admit what these parts start and resize: preemptions at once are what
   other jobs leave. True without domains, and if GPUs are lacking. */
static inline bool easim_power_admits(const struct easim_power *power,
                                      const struct easim_pass *pass, const struct easim_part *parts,
                                      uint32_t count) {
    return !power || power->domain_count == 0 ||
           easim_try_exchange(pass, parts, count, NULL, NULL) != EASIM_CAP;
}

/* `job` < view->job_count. */
EASIM_ACCESSOR(easim_power, easim_power_job, easim_power_at, jobs, job_stride)

#ifdef __cplusplus
}
#endif

#endif
