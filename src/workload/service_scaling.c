/* Scaling of services: see service_scaling.h. */
#include "workload/service_scaling.h"

#include "base/units.h"

double service_scaling_wanted(const struct service *service, const struct scaling_need *need) {
    const struct service_scaling *s = &service->scaling;
    return need->most_per_s / s->target + need->backlog / s->down_after_s;
}

struct scaling_addition service_scaling_add(const struct service *service,
                                            const struct scaling_need *need,
                                            const struct scaling_supply *supply, const bool *fits) {
    struct scaling_addition none = {.config = SERVICE_NO_CONFIG};
    bool missing = supply->count < service->replicas.min ||
                   service_scaling_wanted(service, need) > supply->per_s;
    if (!missing || supply->count >= service->replicas.max)
        return none;
    uint32_t fitting = service_configs_best(service, need->most_per_s, supply->per_s, fits);
    if (fitting != SERVICE_NO_CONFIG)
        return (struct scaling_addition){fitting, false};
    return (struct scaling_addition){
        service_configs_best(service, need->most_per_s, supply->per_s, NULL), true};
}

/* What replicas but number `without` give. */
static double others_per_s(const struct service *service, const struct scaling_replica *replicas,
                           size_t count, size_t without) {
    double per_s = 0;
    for (size_t i = 0; i < count; i++)
        per_s += i == without ? 0 : service->configs[replicas[i].config].most_per_s;
    return per_s;
}

void service_scaling_note(const struct service *service, double wanted, int64_t now_ns,
                          struct scaling_replica *replicas, size_t count) {
    for (size_t i = 0; i < count; i++) {
        bool spare = others_per_s(service, replicas, count, i) >= wanted;
        if (!spare)
            replicas[i].spare_since_ns = TIME_NONE_NS;
        else if (replicas[i].spare_since_ns == TIME_NONE_NS)
            replicas[i].spare_since_ns = now_ns;
    }
}

static bool is_due(const struct service *service, const struct scaling_replica *replica,
                   int64_t now_ns) {
    return replica->spare_since_ns != TIME_NONE_NS &&
           now_ns - replica->spare_since_ns >= units_ns(service->scaling.down_after_s);
}

size_t service_scaling_release(const struct service *service, double backlog, int64_t now_ns,
                               const struct scaling_replica *replicas, size_t count) {
    size_t found = count;
    double most_j = 0;
    if (backlog > 0 || (int64_t)count <= service->replicas.min)
        return count;
    for (size_t i = 0; i < count; i++) {
        double joules =
            replica_joules(&service->configs[replicas[i].config], service->scaling.target);
        if (is_due(service, &replicas[i], now_ns) && joules >= most_j) {
            found = i;
            most_j = joules;
        }
    }
    return found;
}

int64_t service_scaling_due_ns(const struct service *service,
                               const struct scaling_replica *replicas, size_t count) {
    int64_t due_ns = TIME_NONE_NS;
    if ((int64_t)count <= service->replicas.min)
        return due_ns;
    for (size_t i = 0; i < count; i++)
        if (replicas[i].spare_since_ns != TIME_NONE_NS) {
            int64_t own_ns = replicas[i].spare_since_ns + units_ns(service->scaling.down_after_s);
            due_ns = own_ns < due_ns ? own_ns : due_ns;
        }
    return due_ns;
}
