/* every_span: asks and tries everything. Fails the run unless, for each configuration of each
   waiting job, easim_fit and try_config say the same, it is a span with goodput > 0, and a start is
   refused just where they say NOFIT. Starts each job in the last of its configurations that fits.
 */
#include <easim/policy.h>

static int check(const struct easim_pass *pass, const struct easim_job *job, uint32_t c) {
    const struct easim_config *config = easim_view_config(pass->view, c);
    int fit = easim_fit(pass->view, config),
        tried = pass->host->try_config(pass->plan, job->index, c, NULL);
    bool known = fit < 0 || ((uint32_t)fit < config->span_count && config->goodput[fit] > 0 &&
                             config->power_w[fit] > 0);
    for (uint32_t span = 0; span < EASIM_MOST_SPANS; span++) /* behind span_count they are 0 */
        known =
            known && isfinite(config->goodput[span]) &&
            (span < config->span_count || (config->goodput[span] == 0 && !config->power_w[span]));
    if (fit != tried || !known)
        pass->host->fail(pass->plan,
                         "easim_fit and try_config answer differently, or with a span not known");
    else if (fit < 0 && pass->host->plan_start(pass->plan, job->index, c) != EASIM_NOFIT)
        pass->host->fail(pass->plan, "a start is accepted where nothing fits");
    else
        return fit;
    return -100;
}

static int decide(const struct easim_pass *pass) {
    for (uint32_t i = pass->view->first_waiting; i != EASIM_NONE;) {
        const struct easim_job *job = easim_view_job(pass->view, i);
        uint32_t last = EASIM_NONE;
        i = job->next_waiting;
        for (uint32_t c = job->first_config; c < job->first_config + job->config_count; c++) {
            int fit = check(pass, job, c);
            if (fit == -100)
                return -1;
            last = fit >= 0 ? c : last;
        }
        if (last != EASIM_NONE &&
            pass->host->plan_start(pass->plan, job->index, last) != EASIM_OK) {
            pass->host->fail(pass->plan, "a start that fits is refused");
            return -1;
        }
    }
    return 0;
}

EASIM_EXPORT const struct easim_policy easim_policy = {
    EASIM_POLICY_ABI, .name = "every_span", .version = "1",
    .summary = "asks for every configuration", .decide = decide};
