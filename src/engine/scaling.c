/* Scales services at ticks: starts replicas, reserves GPUs for them, displaces jobs, releases
   replicas (semantics 33.3, 34.4). A tick that would change nothing is none: until something about
   the service changes every tick sees the same, and what a spare replica waits for has a time. */
#include "engine/internal.h"

#include "base/units.h"
#include "engine/jobs.h"
#include "engine/power_cap.h"
#include "workload/service_load.h"

#include <stdlib.h>

#define NO_NODE UINT32_MAX

static const struct replica *replica_at(const struct sim *sim, uint32_t replica) {
    return &sim->services.replicas.at[replica];
}

static struct scaling_need present_need(struct sim *sim, uint32_t service) {
    int64_t interval_ns = units_ns(services_spec(sim, service)->scaling.interval_s);
    return (struct scaling_need){
        services_most_demand(sim, service, sim->now_ns - SERVICE_WINDOW_INTERVALS * interval_ns),
        services_backlog(sim, service)};
}

static double capacity_of(const struct sim *sim, const struct replica *r) {
    return services_spec(sim, r->service)->configs[r->config].most_per_s;
}

static struct scaling_supply present_supply(const struct sim *sim, uint32_t service) {
    const struct service_run *run = &sim->services.runs[service];
    struct scaling_supply supply = {.count = (int64_t)run->replicas.count};
    for (size_t i = 0; i < run->replicas.count; i++)
        supply.per_s += capacity_of(sim, replica_at(sim, run->replicas.at[i]));
    return supply;
}

/* ---- Which node to hold GPUs of ---- */

/* GPUs of a node that neither replicas nor reservations hold: jobs may, and give them back. */
static uint32_t obtainable_gpus(const struct sim *sim, uint32_t node) {
    uint32_t gpus = sim->view.nodes[node].failed ? 0 : sim->cluster->nodes[node].gpus;
    for (size_t i = 0; i < sim->services.replicas.count && gpus > 0; i++) {
        const struct replica *r = &sim->services.replicas.at[i];
        if (r->phase == REPLICA_GONE || r->node != node)
            continue;
        gpus = r->phase == REPLICA_RESERVED ? 0 : gpus - r->allocation.first.gpus;
    }
    return gpus;
}

/* The one with fewest GPUs missing, then the first; NO_NODE: none could ever give k. */
static uint32_t node_to_reserve(const struct sim *sim, const struct replica_config *config) {
    uint32_t best = NO_NODE;
    for (uint32_t n = 0; n < sim->cluster->node_count; n++)
        if (sim->cluster->nodes[n].gpu_type == config->gpu_type &&
            (best == NO_NODE || sim->placement.node_free[n] > sim->placement.node_free[best]) &&
            obtainable_gpus(sim, n) >= config->k)
            best = n;
    return best;
}

/* ---- Jobs that give way ---- */

/* GPUs of the node that come free if a job is preempted; 0: it may not be. */
static uint32_t gpus_of_victim(const struct sim *sim, uint32_t job, uint32_t node) {
    const struct easim_job *j = &sim->view.jobs[job];
    const struct allocation *allocation = &sim->runs[job].allocation;
    const struct piece *pieces = allocation_pieces(allocation);
    if (j->state != EASIM_JOB_RUNNING || j->sla || !j->preemptible || allocation->milli > 0)
        return 0;
    for (uint32_t i = 0; i < allocation->count; i++)
        if (pieces[i].node == node)
            return pieces[i].gpus;
    return 0;
}

/* EASIM_NONE: there is none. *ret_gpus: those that all of them together would free. */
static uint32_t next_victim(const struct sim *sim, uint32_t node, uint32_t *ret_gpus) {
    uint32_t first = EASIM_NONE;
    *ret_gpus = 0;
    for (uint32_t i = 0; i < sim->view.v->running_count; i++) {
        uint32_t job = sim->view.running[i].job, gpus = gpus_of_victim(sim, job, node);
        *ret_gpus += gpus;
        if (gpus > 0 && (first == EASIM_NONE || power_cap_goes_before(sim, job, first)))
            first = job;
    }
    return first;
}

/* For a reservation, if its GPUs then suffice. */
static void displace_jobs(struct sim *sim, uint32_t replica) {
    const struct replica *r = replica_at(sim, replica);
    struct service_run *run = &sim->services.runs[r->service];
    uint32_t k = services_spec(sim, r->service)->configs[r->config].k, gpus;
    uint32_t victim = next_victim(sim, r->node, &gpus);
    if (r->allocation.first.gpus + gpus < k)
        return;
    while (victim != EASIM_NONE &&
           r->allocation.first.gpus + sim->placement.node_free[r->node] < k) {
        interrupt_yield_gpus(sim, victim, true);
        interrupt_preempt(sim, victim, true);
        run->preemptions++;
        victim = next_victim(sim, r->node, &gpus);
    }
    sim->decide_pending = true;
    replicas_take_freed(sim);
}

/* ---- A tick ---- */

/* The reservations that are no longer wanted end, the last one first. */
static void drop_reservations(struct sim *sim, uint32_t service, double wanted) {
    struct service_run *run = &sim->services.runs[service];
    struct scaling_supply supply = present_supply(sim, service);
    for (size_t i = run->replicas.count; i-- > 0;) {
        uint32_t replica = run->replicas.at[i];
        double per_s = capacity_of(sim, replica_at(sim, replica));
        if (replica_at(sim, replica)->phase != REPLICA_RESERVED || supply.per_s - per_s < wanted ||
            supply.count <= services_spec(sim, service)->replicas.min)
            continue;
        supply.per_s -= per_s;
        supply.count--;
        replicas_release(sim, replica);
        sim->decide_pending = true;
    }
}

/* Finds the configurations that fit and may start now. False: the cap forbids all that fit. */
static bool find_fitting(struct sim *sim, uint32_t service, bool *fits) {
    const struct service *spec = services_spec(sim, service);
    bool finds = false, may = false;
    for (uint32_t c = 0; c < spec->config_count; c++) {
        bool free = replicas_fit(sim, &spec->configs[c]);
        fits[c] = free && !replicas_over_cap(sim, service, c);
        finds = finds || free;
        may = may || fits[c];
    }
    return may || !finds;
}

/* False: nothing more can be done in this tick. */
static bool add_replica(struct sim *sim, uint32_t service, const struct scaling_need *need,
                        bool *fits) {
    const struct service *spec = services_spec(sim, service);
    const struct scaling_supply supply = present_supply(sim, service);
    bool may = find_fitting(sim, service, fits);
    const struct scaling_addition addition = service_scaling_add(spec, need, &supply, fits);
    if (addition.config == SERVICE_NO_CONFIG || !may)
        return false;
    if (!addition.reserves) {
        replicas_start(sim, service, addition.config);
        return true;
    }
    uint32_t node = node_to_reserve(sim, &spec->configs[addition.config]);
    if (node != NO_NODE)
        replicas_reserve(sim, service, addition.config, node);
    return node != NO_NODE;
}

static void add_replicas(struct sim *sim, uint32_t service, const struct scaling_need *need) {
    bool *fits = mem_alloc(services_spec(sim, service)->config_count * sizeof *fits);
    while (add_replica(sim, service, need, fits))
        ;
    free(fits);
}

static void displace_for_reservations(struct sim *sim, uint32_t service) {
    struct service_run *run = &sim->services.runs[service];
    for (size_t i = 0; i < run->replicas.count && run->reserved > 0; i++)
        if (replica_at(sim, run->replicas.at[i])->phase == REPLICA_RESERVED)
            displace_jobs(sim, run->replicas.at[i]);
}

/* Lists the replicas that hold GPUs, in order of their start; at: their places. */
static size_t list_holders(const struct sim *sim, uint32_t service, struct scaling_replica *list,
                           uint32_t *at) {
    const struct service_run *run = &sim->services.runs[service];
    size_t count = 0;
    for (size_t i = 0; i < run->replicas.count; i++) {
        const struct replica *r = replica_at(sim, run->replicas.at[i]);
        if (r->phase == REPLICA_RESERVED)
            continue;
        at[count] = run->replicas.at[i];
        list[count++] = (struct scaling_replica){r->config, r->spare_since_ns};
    }
    return count;
}

/* Notes which replicas are spare, and releases one. Returns when the next is due. */
static int64_t release_replica(struct sim *sim, uint32_t service, const struct scaling_need *need) {
    const struct service *spec = services_spec(sim, service);
    size_t most = sim->services.runs[service].replicas.count;
    struct scaling_replica *list = mem_alloc((most + 1) * sizeof *list);
    uint32_t *at = mem_alloc((most + 1) * sizeof *at);
    size_t count = list_holders(sim, service, list, at);
    service_scaling_note(spec, service_scaling_wanted(spec, need), sim->now_ns, list, count);
    for (size_t i = 0; i < count; i++)
        sim->services.replicas.at[at[i]].spare_since_ns = list[i].spare_since_ns;
    int64_t due_ns = service_scaling_due_ns(spec, list, count);
    size_t gone = service_scaling_release(spec, need->backlog, sim->now_ns, list, count);
    if (gone < count) {
        replicas_release(sim, at[gone]);
        sim->decide_pending = true;
    }
    free(list);
    free(at);
    return due_ns;
}

/* When a tick comes that may change something, if nothing else does before. */
static int64_t next_tick_ns(struct sim *sim, uint32_t service, const struct scaling_need *need,
                            int64_t due_ns) {
    const struct service_run *run = &sim->services.runs[service];
    const struct service *spec = services_spec(sim, service);
    int64_t interval_ns = units_ns(spec->scaling.interval_s),
            next_ns = (sim->now_ns / interval_ns + 1) * interval_ns;
    const struct scaling_supply supply = present_supply(sim, service);
    bool lacks =
        (supply.count < spec->replicas.min || service_scaling_wanted(spec, need) > supply.per_s) &&
        supply.count < spec->replicas.max;
    if (lacks || run->reserved > 0 || need->backlog > 0 ||
        (run->flow != SERVICE_FLOW_EVEN && run->demand_per_s > 0) ||
        run->window.count - run->window_first > 1)
        return next_ns;
    if (due_ns == TIME_NONE_NS)
        return TIME_NONE_NS;
    int64_t due_tick_ns = (due_ns + interval_ns - 1) / interval_ns * interval_ns;
    return due_tick_ns > next_ns ? due_tick_ns : next_ns;
}

static void tick_service(struct sim *sim, uint32_t service) {
    struct service_run *run = &sim->services.runs[service];
    const struct service *spec = services_spec(sim, service);
    run->tick_ns = TIME_NONE_NS;
    run->last_tick_ns = sim->now_ns;
    const struct scaling_need need = present_need(sim, service);
    uint32_t last_number = run->last_number;
    services_note_backlog(sim, service, need.backlog);
    if (run->reserved > 0)
        drop_reservations(sim, service, service_scaling_wanted(spec, &need));
    add_replicas(sim, service, &need);
    if (spec->scaling.preempt)
        displace_for_reservations(sim, service);
    sim->decide_pending = sim->decide_pending || run->last_number != last_number;
    int64_t due_ns = release_replica(sim, service, &need);
    int64_t next_ns = next_tick_ns(sim, service, &need, due_ns);
    run->tick_ns = next_ns < run->tick_ns ? next_ns : run->tick_ns;
}

void scaling_tick(struct sim *sim) {
    struct services *services = &sim->services;
    services->pending--;
    services->tick_event = EVENT_NONE;
    services->in_tick = true;
    for (uint32_t s = 0; s < services->count; s++)
        if (services->runs[s].tick_ns == sim->now_ns)
            tick_service(sim, s);
    services->in_tick = false;
    services_await_tick(sim);
}

/* ---- The cap ---- */

/* Among replicas above the least number of their service, the one that counts most against the cap,
   the newest of equals; EASIM_NONE: there is none. */
static uint32_t most_power(const struct sim *sim) {
    uint32_t found = EASIM_NONE;
    int64_t most_nw = 0;
    for (uint32_t i = 0; i < sim->services.replicas.count; i++) {
        const struct replica *r = &sim->services.replicas.at[i];
        if (r->phase != REPLICA_LOADING && r->phase != REPLICA_READY)
            continue;
        const struct service_run *run = &sim->services.runs[r->service];
        int64_t nw = run->groups[r->config].most_nw;
        bool newer = found == EASIM_NONE || r->since_ns >= replica_at(sim, found)->since_ns;
        if (run->ready + run->loading <= services_spec(sim, r->service)->replicas.min ||
            nw < most_nw || (nw == most_nw && !newer))
            continue;
        found = i;
        most_nw = nw;
    }
    return found;
}

bool scaling_keep_cap(struct sim *sim) {
    uint32_t replica = EASIM_NONE;
    bool released = false, may_release = !sim->cap || power_cap_preempts(sim);
    while (may_release && power_cap_is_over(sim) && (replica = most_power(sim)) != EASIM_NONE) {
        replicas_release(sim, replica);
        released = true;
    }
    return released;
}
