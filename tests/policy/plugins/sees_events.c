/* sees_events: starts jobs in order and counts events by kind, each with its node; declares
   POWER_CAP, and fails the run unless fit_is_exact is false as long as there is a cap, and
   easim_fits answers what try_config does. */
#include <easim/policy.h>
#include <stdio.h>

static const char *const kinds[] = {"cap",    "price",   "failure", "repair",
                                    "finish", "arrival", "timer",   "service"};

static int check_fits(const struct easim_pass *pass, const struct easim_job *job) {
    for (uint32_t c = job->first_config; c < job->first_config + job->config_count; c++) {
        int fits = easim_fits(pass, job, c);
        if (fits != pass->host->try_config(pass->plan, job->index, c, NULL)) {
            pass->host->fail(pass->plan, "easim_fits is not what try_config answers");
            return -1;
        }
        if (fits == EASIM_CAP)
            pass->host->count(pass->plan, "over the cap", job->id);
    }
    return 0;
}

static int decide(const struct easim_pass *pass) {
    const struct easim_view *view = pass->view;
    if (view->fit_is_exact != (view->power_cap_w == INFINITY)) {
        pass->host->fail(pass->plan, "fit_is_exact does not follow the cap");
        return -1;
    }
    for (uint32_t i = 0; i < view->event_count; i++) {
        const struct easim_event *event = easim_view_event(view, i);
        char name[60];
        snprintf(name, sizeof name, "%s %d at %.9g", kinds[event->kind], (int)event->node,
                 view->now_s);
        pass->host->count(pass->plan, name, NULL);
    }
    for (uint32_t i = view->first_waiting; i != EASIM_NONE;) {
        const struct easim_job *job = easim_view_job(view, i);
        i = job->next_waiting;
        if (check_fits(pass, job) < 0)
            return -1;
        if (easim_fits(pass, job, job->first_config) >= 0)
            pass->host->plan_start(pass->plan, job->index, job->first_config);
    }
    return 0;
}

EASIM_EXPORT const struct easim_policy easim_policy = {EASIM_POLICY_ABI,
                                                       .name = "sees_events",
                                                       .version = "1",
                                                       .summary = "counts events",
                                                       .capabilities = EASIM_CAPABILITY_POWER_CAP,
                                                       .decide = decide};
