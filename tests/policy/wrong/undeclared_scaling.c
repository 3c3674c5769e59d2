/* Scales a service although its parameter says that the host does. */
#include "wrong.h"
#include <easim/services.h>

struct params {
    bool services;
};

static int decide(const struct easim_pass *pass) {
    easim_services_of(pass, 0)->plan_scale_up(pass->plan, 0);
    return start_in_order(pass);
}

static const struct easim_extension extensions[] = {EASIM_SERVICES(false)};
static const struct easim_param params[] = {{"services", "", "scales them", EASIM_PARAM_BOOL,
                                             offsetof(struct params, services), 0, 1, 0, false,
                                             NULL, EASIM_ROLE_SERVICES}};
WITH(extensions, .decide = decide, .params_size = sizeof(struct params), .params = params,
     .param_count = 1);
