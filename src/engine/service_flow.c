/* The flow of a service: see service_flow.h. */
#include "engine/service_flow.h"

#include <math.h>

enum service_flow service_flow_of(const struct service_flow_load *load, double timeout_s) {
    double longest = timeout_s * load->capacity_per_s;
    if (load->capacity_per_s <= 0)
        return SERVICE_FLOW_DOWN;
    if (load->backlog > longest)
        return SERVICE_FLOW_LATE;
    if (load->backlog == longest && load->demand_per_s > load->capacity_per_s)
        return SERVICE_FLOW_AT_TIMEOUT;
    return load->backlog > 0 || load->demand_per_s > load->capacity_per_s ? SERVICE_FLOW_BACKLOG
                                                                          : SERVICE_FLOW_EVEN;
}

double service_flow_growth_per_s(enum service_flow flow, const struct service_flow_load *load) {
    switch (flow) {
    case SERVICE_FLOW_DOWN:
        return load->demand_per_s;
    case SERVICE_FLOW_BACKLOG:
        return load->demand_per_s - load->capacity_per_s;
    case SERVICE_FLOW_LATE:
        return -load->capacity_per_s;
    case SERVICE_FLOW_EVEN:
    case SERVICE_FLOW_AT_TIMEOUT:
        break;
    }
    return 0;
}

double service_flow_dropped_per_s(enum service_flow flow, const struct service_flow_load *load) {
    return flow == SERVICE_FLOW_LATE         ? load->demand_per_s
           : flow == SERVICE_FLOW_AT_TIMEOUT ? load->demand_per_s - load->capacity_per_s
                                             : 0;
}

bool service_flow_over_wait(enum service_flow flow, const struct service_flow_load *load,
                            double objective_s) {
    double most = objective_s * load->capacity_per_s;
    return flow == SERVICE_FLOW_DOWN || load->backlog > most ||
           (load->backlog == most && service_flow_growth_per_s(flow, load) > 0);
}

/* Considers a level of the backlog, if the backlog moves towards it and it is nearer. */
static void consider_backlog(struct service_flow_change *next, const struct service_flow_load *load,
                             double growth_per_s, double backlog, bool is_exact) {
    double after_s = (backlog - load->backlog) / growth_per_s;
    if (!(after_s > 0) || after_s > next->after_s)
        return;
    *next = (struct service_flow_change){after_s, backlog,
                                         is_exact || (next->is_exact && after_s == next->after_s)};
}

struct service_flow_change service_flow_next(enum service_flow flow,
                                             const struct service_flow_load *load,
                                             const struct service_waits *waits) {
    struct service_flow_change next = {.after_s = INFINITY};
    double growth_per_s = service_flow_growth_per_s(flow, load);
    if (growth_per_s == 0 || flow == SERVICE_FLOW_DOWN)
        return next;
    consider_backlog(&next, load, growth_per_s, 0, true);
    consider_backlog(&next, load, growth_per_s, waits->objective_s * load->capacity_per_s, false);
    if (isfinite(waits->timeout_s))
        consider_backlog(&next, load, growth_per_s, waits->timeout_s * load->capacity_per_s, true);
    return next;
}
