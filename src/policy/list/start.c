/* The start of one waiting job: see start.h. */
#include "policy/list/start.h"

#include "policy/list/choice.h"

static bool is_within(const struct start_limit *limit, const struct easim_config *config) {
    return !limit || (config->gpu_type == limit->gpu_type && config->k <= limit->k);
}

int start_try(const struct rules *rules, const struct easim_pass *pass, const struct easim_job *job,
              const struct easim_key *key, const struct start_limit *limit) {
    struct choice_best best = CHOICE_NONE_YET;
    bool urgent = rules_is_urgent(key);
    for (uint32_t c = job->first_config; c < job->first_config + job->config_count; c++) {
        const struct easim_config *config = easim_view_config(pass->view, c);
        int span = is_within(limit, config) ? easim_fit(pass->view, config) : (int)EASIM_NOFIT;
        if (span < 0)
            continue;
        struct easim_choice choice = easim_predict(pass->view, job, c, (uint32_t)span);
        double objective = rules_objective(rules, pass, job, &choice, urgent);
        if (isnan(objective))
            return rules_fail_objective(rules, pass, job, urgent);
        if (rules_admit(pass, key, &choice, objective) && rules_allow(rules, pass, job, c))
            choice_keep_better(&best, &choice, objective);
    }
    return best.choice.config != EASIM_NONE &&
           pass->host->plan_start(pass->plan, job->index, best.choice.config) == EASIM_OK;
}

int start_could(const struct rules *rules, const struct easim_pass *pass,
                const struct easim_job *job, const struct easim_key *key,
                const struct start_hope *hope, struct easim_choice *ret) {
    bool urgent = rules_is_urgent(key);
    const struct easim_config *c = easim_view_config(pass->view, hope->config);
    int span = c->k <= hope->gpus ? easim_fit_later(pass->view, c) : (int)EASIM_NOFIT;
    if (span < 0)
        return 0;
    *ret = easim_predict(pass->view, job, hope->config, (uint32_t)span);
    double objective = rules_objective(rules, pass, job, ret, urgent);
    if (isnan(objective))
        return rules_fail_objective(rules, pass, job, urgent);
    struct easim_choice late = *ret;
    late.time_s += hope->wait_s;
    return rules_admit(pass, key, &late, objective);
}
