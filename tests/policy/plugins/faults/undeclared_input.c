/* undeclared_input: NAME starts a job in another configuration than the fastest if an input that
   it does not declare is as IS_HIGH says. Built once for each input. */
#include "in_order.h"
#include <easim/forecast.h>

__attribute__((unused)) static double hour_3(const struct easim_pass *pass) {
    const struct easim_forecast *forecast = easim_forecast_of(pass, 0);
    return forecast->hour_count > 3 ? easim_forecast_at(forecast, 0, 3)->carbon_g_per_kwh : 0;
}

static int decide(const struct easim_pass *pass) {
    const struct easim_view *view = pass->view;
    for (uint32_t i = view->first_waiting; i != EASIM_NONE;) {
        const struct easim_job *job = easim_view_job(view, i);
        uint32_t config = job->best_config;
        if (IS_HIGH)
            config = job->first_config + (config == job->first_config ? job->config_count - 1 : 0);
        i = job->next_waiting;
        if (easim_fits(pass, job, config) < 0 ||
            pass->host->plan_start(pass->plan, job->index, config) != EASIM_OK)
            return 0;
    }
    return 0;
}

static const struct easim_extension extensions[] = {EASIM_FORECAST(false)};
FAULTY(NAME, .decide = decide, .extensions = extensions, .extension_count = 1,
       .extension_bytes = sizeof *extensions, .reads = READS);
