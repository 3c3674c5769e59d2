/* Admission: see admission.h. */
#include "engine/admission.h"

#include "base/units.h"
#include "engine/callbacks.h"
#include "engine/jobs.h"
#include "engine/power_cap.h"

static const char *reject_reason(struct sim *sim, uint32_t job) {
    const struct config_set *set = &sim->workload->table.sets.at[sim->workload->jobs.at[job].set];
    if (set->count == 0)
        return set->reason;
    if (power_cap_forbids_job(sim, job))
        return "over the power cap in every configuration, even alone on the cluster";
    if (sim->view.jobs[job].time_best_s > TIME_MAX_S)
        return "would run longer than 4e9 s";
    return sim->over_cap && !callbacks_may_admit(sim, job)
               ? "over the power cap in every configuration that the policy admits, even alone on the cluster"
               : NULL;
}

void admission_submit(struct sim *sim, uint32_t job) {
    jobs_arrive(sim, job);
    const char *reason = reject_reason(sim, job);
    if (reason)
        jobs_reject(sim, job, reason);
    else
        jobs_submit(sim, job);
}
