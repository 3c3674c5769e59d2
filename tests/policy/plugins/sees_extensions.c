/* sees_extensions: starts what fits, in order, with extensions of which the host has the last two
   alone; fails the run if it is shown another, or one that is not as its version says. */
#include <easim/forecast.h>
#include <easim/services.h>

enum { UNHEARD_OF, LATER, LONGER, FORECAST, SERVICES };

static const struct easim_extension extensions[] = {
    [UNHEARD_OF] = {"easim.unheard_of", 1, 1, true},
    [LATER] = {"easim.forecast", 2, sizeof(struct easim_forecast), true},
    [LONGER] = {"easim.forecast", UINT32_MAX, UINT32_MAX, true},
    [FORECAST] = EASIM_FORECAST(true),
    [SERVICES] = EASIM_SERVICES(false)};

static bool all_as_listed(const struct easim_pass *pass) {
    const struct easim_forecast *forecast = easim_forecast_of(pass, FORECAST);
    const struct easim_services *services = easim_services_of(pass, SERVICES);
    return !pass->extensions[UNHEARD_OF] && !pass->extensions[LATER] && !pass->extensions[LONGER] &&
           services && services->struct_size >= sizeof *services &&
           services->service_stride >= sizeof(struct easim_service) &&
           (!forecast || (forecast->struct_size >= sizeof *forecast && forecast->site_count == 1 &&
                          forecast->hour_stride >= sizeof(struct easim_forecast_hour)));
}

static int decide(const struct easim_pass *pass) {
    const struct easim_view *view = pass->view;
    if (!all_as_listed(pass)) {
        pass->host->fail(pass->plan, "the extensions are not those that it lists");
        return -1;
    }
    if (!easim_forecast_of(pass, FORECAST))
        pass->host->count(pass->plan, "runs without forecasts", NULL);
    for (uint32_t i = view->first_waiting; i != EASIM_NONE;) {
        const struct easim_job *job = easim_view_job(view, i);
        i = job->next_waiting;
        if (easim_fit(view, easim_view_config(view, job->best_config)) < 0 ||
            pass->host->plan_start(pass->plan, job->index, job->best_config) != EASIM_OK)
            return 0;
    }
    return 0;
}

EASIM_EXPORT const struct easim_policy easim_policy = {EASIM_POLICY_ABI,
                                                       .name = "sees_extensions",
                                                       .version = "1",
                                                       .summary = "looks at its extensions",
                                                       .decide = decide,
                                                       .reads = EASIM_READS_FORECASTS,
                                                       .extensions = extensions,
                                                       .extension_count =
                                                           sizeof extensions / sizeof *extensions,
                                                       .extension_bytes = sizeof *extensions};
