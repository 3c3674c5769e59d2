/* sets_limits: see scripted.h. "20 limit 0 250, 30 see 0" limits job 0 to 250 W at 20, and counts
   what it sees of it at 30. resize and stop are as start. Each refusal is counted, with its
   answer. */
#include "scripted.h"

#include <easim/power.h>

static void see(const struct easim_pass *pass, uint32_t job) {
    const struct easim_power_job *p = easim_power_at(easim_power_of(pass, 0), job);
    const struct easim_job *j = easim_view_job(pass->view, job);
    char text[200];
    snprintf(text, sizeof text, "%.9g s: %.9g %.9g %.9g %.9g %.9g, %.9g W", pass->view->now_s,
             p->wish_w, p->draw_w, p->speed, p->least_w, p->most_w, j ? j->power_now_w : 0);
    pass->host->count(pass->plan, text, NULL);
}

static int answer_to(const struct easim_pass *pass, const char *what, uint32_t index,
                     double number) {
    const struct easim_job *job = easim_view_job(pass->view, index);
    if (strcmp(what, "see") == 0)
        return see(pass, index), EASIM_OK;
    if (strcmp(what, "limit") == 0)
        return easim_power_of(pass, 0)->plan_limit(pass->plan, index, number);
    if (strcmp(what, "stop") == 0)
        return pass->host->plan_preempt(pass->plan, index, false);
    uint32_t config = (job ? job->first_config : 0) + (uint32_t)number;
    return strcmp(what, "start") == 0 ? pass->host->plan_start(pass->plan, index, config)
                                      : pass->host->plan_resize(pass->plan, index, config);
}

static int act(const struct easim_pass *pass, const char *what, uint32_t index, double number) {
    char text[60];
    int answer = answer_to(pass, what, index, number);
    snprintf(text, sizeof text, "%.9g s: %s is answered %d", pass->view->now_s, what, answer);
    if (answer != EASIM_OK)
        pass->host->count(pass->plan, text, NULL);
    return 0;
}

static const struct easim_extension extensions[] = {EASIM_POWER(false)};

EASIM_EXPORT const struct easim_policy easim_policy = {EASIM_POLICY_ABI,
                                                       SCRIPTED,
                                                       .name = NAME,
                                                       .summary = "limits as it is told",
                                                       .capabilities = SCRIPTED_CAPABILITIES |
                                                                       MORE_CAPABILITIES,
                                                       .extensions = extensions,
                                                       .extension_count = 1,
                                                       .extension_bytes = sizeof *extensions};
