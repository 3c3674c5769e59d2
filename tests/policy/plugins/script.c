/* script: see scripted.h. stop is a preemption, kill one at once, reject refuses the job for good.
 */
#include "scripted.h"

static int act(const struct easim_pass *pass, const char *what, uint32_t index, double number) {
    const struct easim_job *job = easim_view_job(pass->view, index);
    uint32_t config = (job ? job->first_config : 0) + (uint32_t)number;
    if (strcmp(what, "start") == 0)
        return pass->host->plan_start(pass->plan, index, config);
    if (strcmp(what, "resize") == 0)
        return pass->host->plan_resize(pass->plan, index, config);
    if (strcmp(what, "reject") == 0)
        return pass->host->plan_reject(pass->plan, index, "the script says so");
    return pass->host->plan_preempt(pass->plan, index, strcmp(what, "kill") == 0);
}

EASIM_EXPORT const struct easim_policy easim_policy = {
    EASIM_POLICY_ABI, SCRIPTED, .name = "script", .summary = "does as it is told",
    .capabilities = SCRIPTED_CAPABILITIES | EASIM_CAPABILITY_REJECT};
