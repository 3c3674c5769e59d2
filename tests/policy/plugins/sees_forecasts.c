/* sees_forecasts: starts what fits, in order, and wakes up every so often, so that forecasts can be
   looked at; fails the run if they do not begin with the present hour or there are others than it
   was told. */
#include <easim/forecast.h>

struct params {
    double step;
    int64_t hours;
};

static int look(const struct easim_pass *pass) {
    const struct easim_view *view = pass->view;
    const struct params *p = pass->params;
    const struct easim_forecast *forecast = easim_forecast_of(pass, 0);
    double first = floor(view->now_s / 3600);
    bool all = forecast->hour_count == (uint32_t)p->hours && forecast->site_count == 1;
    for (uint32_t i = 0; i < forecast->hour_count; i++)
        all = all && easim_forecast_at(forecast, 0, i)->from_s == (first + i) * 3600;
    if (!all)
        pass->host->fail(pass->plan, "the forecasts are not those of the next hours");
    return all ? 0 : -1;
}

static int decide(const struct easim_pass *pass) {
    const struct easim_view *view = pass->view;
    const struct params *p = pass->params;
    if (look(pass) < 0)
        return -1;
    for (uint32_t i = view->first_waiting; i != EASIM_NONE;) {
        const struct easim_job *job = easim_view_job(view, i);
        i = job->next_waiting;
        if (easim_fit(view, easim_view_config(view, job->first_config)) >= 0)
            pass->host->plan_start(pass->plan, job->index, job->first_config);
    }
    if (view->waiting_count + view->running_count > 0)
        pass->host->plan_wake_at(pass->plan, view->now_s + p->step);
    return 0;
}

static const struct easim_param params[] = {
    {"step", "s", "between two looks", EASIM_PARAM_DURATION, offsetof(struct params, step), 1, 1e9,
     1800, false, NULL, EASIM_ROLE_NONE},
    {"hours", "", "that are forecast", EASIM_PARAM_INT, offsetof(struct params, hours), 0, 1e6, 0,
     false, NULL, EASIM_ROLE_NONE},
};

static const struct easim_extension extensions[] = {EASIM_FORECAST(false)};

EASIM_EXPORT const struct easim_policy easim_policy = {EASIM_POLICY_ABI,
                                                       .name = "sees_forecasts",
                                                       .version = "1",
                                                       .summary = "looks at forecasts",
                                                       .capabilities = EASIM_CAPABILITY_TICK,
                                                       .extensions = extensions,
                                                       .extension_count = 1,
                                                       .extension_bytes = sizeof *extensions,
                                                       .params_size = sizeof(struct params),
                                                       .params = params,
                                                       .param_count = 2,
                                                       .decide = decide};
