/* The power cap: see power_cap.h. */
#include "engine/power_cap.h"

#include "engine/gpus.h"

#include <math.h>

static bool policy_keeps_cap(const struct sim *sim) {
    return sim->module->policy->capabilities & EASIM_CAPABILITY_POWER_CAP;
}

void power_cap_init(struct sim *sim) {
    uint32_t count = (uint32_t)sim->workload->table.configs.count;
    double cap_w = sim->cluster->power_cap_w; /* INFINITY: none, or one that changes */
    if (!policy_keeps_cap(sim) || !isfinite(cap_w))
        return;
    sim->over_cap = mem_zalloc(count, sizeof *sim->over_cap);
    for (uint32_t c = 0; c < count; c++) {
        int64_t committed_nw;
        sim->over_cap[c] =
            gpus_try_free(sim, c, &committed_nw) == EASIM_NOFIT || committed_nw > power_nw(cap_w);
    }
}

bool power_cap_forbids_nw(const struct sim *sim, int64_t committed_nw) {
    double cap_w = sim->view.v->power_cap_w;
    return policy_keeps_cap(sim) && isfinite(cap_w) && committed_nw > power_nw(cap_w);
}

bool power_cap_forbids(struct sim *sim, uint32_t job, uint32_t config) {
    double cap_w = sim->view.v->power_cap_w;
    if (!policy_keeps_cap(sim) || !isfinite(cap_w))
        return false;
    int64_t committed_nw;
    return gpus_try_config(sim, job, config, &committed_nw) >= 0 && committed_nw > power_nw(cap_w);
}

bool power_cap_forbids_job(const struct sim *sim, uint32_t job) {
    const struct config_set *set = &sim->workload->table.sets.at[sim->workload->jobs.at[job].set];
    bool over = sim->over_cap;
    for (uint32_t c = set->first; c < set->first + set->count && over; c++)
        over = sim->over_cap[c];
    return over;
}
