/* services.c: services (easim.services). Jobs start first come, first served; replicas start in the
   configuration of least energy until the demand is met. */
#include <easim/services.h>

static void keep_up(const struct easim_pass *pass, uint32_t index) {
    const struct easim_services *services = easim_services_of(pass, 0);
    const struct easim_service *s = easim_service_at(services, index);
    while (s->ready + s->loading < s->max &&
           s->ready_per_s + s->loading_per_s < s->demand_per_s / s->target) {
        uint32_t best = EASIM_NONE;
        for (uint32_t c = s->first_config; c < s->first_config + s->config_count; c++) {
            const struct easim_replica_config *config = easim_replica_config_at(services, c);
            bool fits =
                easim_view_gpu_type(pass->view, config->gpu_type)->node_free_max >= config->k;
            if (fits && (best == EASIM_NONE ||
                         config->target_j_per_token <
                             easim_replica_config_at(services, best)->target_j_per_token))
                best = c;
        }
        if (best == EASIM_NONE || services->plan_scale_up(pass->plan, best) != EASIM_OK)
            return;
    }
}

static int decide(const struct easim_pass *pass) {
    const struct easim_view *view = pass->view;
    for (uint32_t i = 0; i < easim_services_of(pass, 0)->service_count; i++)
        keep_up(pass, i);
    for (uint32_t i = view->first_waiting, next; i != EASIM_NONE; i = next) {
        const struct easim_job *job = easim_view_job(view, i);
        next = job->next_waiting;
        for (uint32_t c = job->first_config; c < job->first_config + job->config_count; c++)
            if (easim_fit(view, easim_view_config(view, c)) >= 0 &&
                pass->host->plan_start(pass->plan, i, c) == EASIM_OK)
                break;
    }
    return 0;
}

static const struct easim_extension extensions[] = {EASIM_SERVICES(false)};

EASIM_EXPORT const struct easim_policy easim_policy = {
    EASIM_POLICY_ABI,     .name = "services",
    .version = "1.0",     .summary = "first come first served, and replicas for what is asked",
    .decide = decide,     .extensions = extensions,
    .extension_count = 1, .extension_bytes = sizeof *extensions,
};
