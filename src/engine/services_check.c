/* Checks of services: see services_check.h. */
#include "engine/services_check.h"

#include <math.h>
#include <stdlib.h>

#define TOLERANCE 1e-9 /* of tokens, relative */

/* Replicas of a service, counted again. */
struct counted {
    uint32_t ready, loading, reserved, reserved_gpus;
    double capacity_per_s;
    int64_t nw, milli;
};

static void fail_service(struct sim *sim, uint32_t service, const char *what) {
    sim_fail(sim, ERROR_RUN, "check: service %s %s", services_spec(sim, service)->name, what);
}

/* The load of every ready replica, from demand, backlog and capacity alone. */
static double load_of(const struct service_run *run, double backlog) {
    bool keeps_up = backlog <= 0 && run->demand_per_s <= run->capacity_per_s;
    return keeps_up ? run->demand_per_s / run->capacity_per_s : 1;
}

/* What one replica draws, and that it is in one node. */
static void add_replica(struct sim *sim, const struct replica *r, double load,
                        struct counted *counted, struct services_held *held) {
    const struct replica_config *config = &services_spec(sim, r->service)->configs[r->config];
    uint32_t gpus = r->allocation.first.gpus;
    int64_t idle_nw = sim->meter.types[config->gpu_type].idle_milli_nw * WHOLE_GPU_MILLI;
    held->node_gpus[r->node] += gpus;
    if (r->phase == REPLICA_RESERVED) {
        counted->reserved++;
        counted->reserved_gpus += gpus;
        held->power_nw += gpus * idle_nw;
        held->committed_nw += gpus * idle_nw;
        if (gpus > config->k || (gpus > 0 && r->allocation.first.node != r->node))
            fail_service(sim, r->service, "has reserved other GPUs than it wants");
        return;
    }
    bool ready = r->phase == REPLICA_READY;
    double ctx_w = sim->cluster->gpu_types[config->gpu_type].ctx_w;
    int64_t loading_nw = config->k * power_nw(ctx_w), most_nw = power_nw(config->most_w),
            cpu_nw = (int64_t)gpus * WHOLE_GPU_MILLI * sim->meter.cpu_milli_nw[r->node],
            nw = ready ? power_nw(replica_power_w(config, load)) : loading_nw;
    counted->ready += ready;
    counted->loading += !ready;
    counted->capacity_per_s += ready ? config->most_per_s : 0;
    counted->nw += nw;
    counted->milli += (int64_t)gpus * WHOLE_GPU_MILLI;
    held->power_nw += nw + cpu_nw;
    held->committed_nw += (most_nw > loading_nw ? most_nw : loading_nw) + cpu_nw;
    if (r->allocation.count != 1 || gpus != config->k || r->allocation.first.node != r->node ||
        sim->cluster->nodes[r->node].gpu_type != config->gpu_type ||
        sim->view.nodes[r->node].failed)
        fail_service(sim, r->service, "has a replica on other GPUs than it should");
    if ((r->event == EVENT_NONE) == !ready || (ready && r->awake_ns > sim->now_ns))
        fail_service(sim, r->service, "has a replica that is ready at another time");
    if (nw > most_nw && nw > loading_nw)
        fail_service(sim, r->service, "has a replica above the power it may draw");
}

static bool differ(double a, double b, double scale) {
    return !(fabs(a - b) <= TOLERANCE * (1 + fabs(scale)));
}

/* Tokens are conserved; the demand is that of now. */
static void check_tokens(struct sim *sim, uint32_t service, double backlog) {
    const struct service_run *run = &sim->services.runs[service];
    struct series_cursor again;
    bool looks = (sim->event_total & (sim->event_total - 1)) == 0; /* a long way each time */
    series_start(&again, &services_spec(sim, service)->demand.course);
    while (looks && (series_next_ns(&again) < sim->now_ns ||
                     (series_next_ns(&again) == sim->now_ns &&
                      series_next_ns(&again) < series_next_ns(&run->demand))))
        series_pass(&again);
    if (looks && again.value != run->demand_per_s)
        fail_service(sim, service, "has another demand than its course says");
    if (!(run->backlog >= 0) || !(backlog >= 0) ||
        differ(run->demanded, run->served + run->dropped + run->backlog, run->demanded))
        fail_service(sim, service, "has not served, dropped or kept what was demanded");
    if (run->flow != FLOW_EVEN && run->next_ns != TIME_NONE_NS && run->next.is_exact &&
        sim->now_ns > run->next_ns)
        fail_service(sim, service, "has passed the end of its backlog");
}

static void check_service(struct sim *sim, uint32_t service, struct services_held *held,
                          uint32_t *reserved_gpus) {
    const struct service_run *run = &sim->services.runs[service];
    const struct service *spec = services_spec(sim, service);
    double backlog = services_backlog(sim, service), load = load_of(run, run->backlog);
    struct counted counted = {0};
    for (size_t i = 0; i < run->replicas.count; i++) {
        const struct replica *r = &sim->services.replicas.at[run->replicas.at[i]];
        if (r->service != service || r->phase == REPLICA_GONE)
            fail_service(sim, service, "lists a replica that it has not");
        else
            add_replica(sim, r, load, &counted, held);
    }
    if (counted.ready != run->ready || counted.loading != run->loading ||
        counted.reserved != run->reserved || run->replicas.count > (size_t)spec->replicas.max)
        fail_service(sim, service, "has another number of replicas than it says");
    if (differ(counted.capacity_per_s, run->capacity_per_s, counted.capacity_per_s))
        fail_service(sim, service, "has another capacity than its replicas");
    if (counted.nw != run->nw || counted.milli != run->milli)
        fail_service(sim, service, "draws something else than its replicas");
    check_tokens(sim, service, backlog);
    held->energy += run->energy + (int128)run->nw * (sim->now_ns - run->settled_ns);
    *reserved_gpus += counted.reserved_gpus;
}

void services_check(struct sim *sim, struct services_held *held) {
    uint32_t reserved_gpus = 0;
    for (uint32_t s = 0; s < sim->services.count; s++)
        check_service(sim, s, held, &reserved_gpus);
    if (reserved_gpus != sim->services.reserved_gpus)
        sim_fail(sim, ERROR_RUN, "check: services have reserved %u GPUs, not %u", reserved_gpus,
                 sim->services.reserved_gpus);
}
