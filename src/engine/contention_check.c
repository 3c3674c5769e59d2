/* Shares, checked: see contention_check.h. Loads are summed up again from the GPUs of jobs, not
   from the lists of links. */
#include "engine/contention_check.h"

#include "engine/contention.h"

#include <math.h>
#include <stdlib.h>

#define ROUNDING 1e-9

/* By uplink, tier after tier: what it carries, and the most that any job there has for each GPU. */
struct carried {
    double *load, *most_rate;
};

static bool computes(const struct sim *sim, uint32_t job) {
    return sim->runs[job].segment == SEGMENT_RUN &&
           sim->workload->jobs.at[job].kind != JOB_KIND_RIGID;
}

/* Whether its model says that its GPUs send anything. */
static bool synchronises(const struct sim *sim, uint32_t job) {
    const struct job_run *run = &sim->runs[job];
    const struct config_rate rate =
        config_rate_of(&sim->workload->table, sim->workload->jobs.at[job].model, run->phase,
                       &sim->view.configs[run->config], run->span);
    return rate.sync_bytes > 0;
}

/* GPUs of a job below an uplink; 0 if all of them are. */
static uint32_t gpus_below(const struct sim *sim, uint32_t job, uint32_t tier, uint32_t uplink) {
    const struct allocation *allocation = &sim->runs[job].allocation;
    const struct piece *pieces = allocation_pieces(allocation);
    uint32_t below = 0, all = 0;
    for (uint32_t i = 0; i < allocation->count; i++) {
        bool is_below = network_uplink_of(&sim->cluster->network, tier, pieces[i].node) == uplink;
        below += is_below ? pieces[i].gpus : 0;
        all += pieces[i].gpus;
    }
    return below < all ? below : 0;
}

/* Calls visit for each uplink that a job loads, once for each node below it. */
static void each_uplink(const struct sim *sim, uint32_t job, const struct carried *carried,
                        void (*visit)(const struct sim *sim, uint32_t job, uint32_t link,
                                      uint32_t gpus, const struct carried *carried, bool *found),
                        bool *found) {
    const struct network *network = &sim->cluster->network;
    const struct allocation *allocation = &sim->runs[job].allocation;
    const struct piece *pieces = allocation_pieces(allocation);
    for (uint32_t t = 0; t < network->tier_count; t++)
        for (uint32_t i = 0; i < allocation->count; i++) {
            uint32_t uplink = network_uplink_of(network, t, pieces[i].node);
            if (gpus_below(sim, job, t, uplink) > 0)
                visit(sim, job, sim->contention->tier_first[t] + uplink, pieces[i].gpus, carried,
                      found);
        }
}

static void add_load(const struct sim *sim, uint32_t job, uint32_t link, uint32_t gpus,
                     const struct carried *carried, bool *found) {
    double rate = sim->contention->network.jobs[job].rate;
    carried->load[link] += gpus * rate;
    carried->most_rate[link] = fmax(carried->most_rate[link], rate);
    *found = true;
}

/* Whether it is this link that holds a job back. */
static void find_full(const struct sim *sim, uint32_t job, uint32_t link, uint32_t gpus,
                      const struct carried *carried, bool *found) {
    const struct max_min *links = &sim->contention->network;
    bool full = carried->load[link] >= links->links[link].capacity * (1 - ROUNDING);
    (void)gpus;
    *found = *found || (full && carried->most_rate[link] <= links->jobs[job].rate * (1 + ROUNDING));
}

static void fail(struct sim *sim, uint32_t job, const char *what) {
    sim_fail(sim, ERROR_RUN, "check: job %s %s", sim->workload->jobs.at[job].id, what);
}

static void add_loads(struct sim *sim, const struct carried *carried) {
    for (uint32_t j = sim->past.jobs; j < sim->next_arrival; j++) {
        bool on_some = false, has = max_min_has(&sim->contention->network, j);
        if (computes(sim, j) && synchronises(sim, j))
            each_uplink(sim, j, carried, add_load, &on_some);
        if (has != on_some)
            fail(sim, j, "loads other uplinks than those between its GPUs");
    }
}

static void check_network(struct sim *sim) {
    const struct max_min *links = &sim->contention->network;
    const struct carried carried = {mem_zalloc(links->link_count, sizeof *carried.load),
                                    mem_zalloc(links->link_count, sizeof *carried.most_rate)};
    add_loads(sim, &carried);
    for (uint32_t l = 0; l < links->link_count; l++)
        if (carried.load[l] > links->links[l].capacity * (1 + ROUNDING))
            sim_fail(sim, ERROR_RUN, "check: uplink %u carries %g bytes/s of %g", l,
                     carried.load[l], links->links[l].capacity);
    for (uint32_t j = sim->past.jobs; j < sim->next_arrival; j++) {
        bool held_back = !max_min_has(links, j) || links->jobs[j].rate == links->jobs[j].most;
        if (!held_back)
            each_uplink(sim, j, &carried, find_full, &held_back);
        if (!held_back)
            fail(sim, j, "has less of the network than its uplinks would let through");
    }
    free(carried.load);
    free(carried.most_rate);
}

static void check_storage(struct sim *sim) {
    const struct max_min *links = &sim->contention->storage;
    double capacity = sim->cluster->storage_bytes_s, load = 0, most = 0;
    for (uint32_t j = sim->past.jobs; j < sim->next_arrival; j++) {
        bool reads = max_min_has(links, j);
        if (reads && !computes(sim, j))
            fail(sim, j, "reads from storage and does not compute");
        load += reads ? links->jobs[j].rate : 0;
        most = reads ? fmax(most, links->jobs[j].rate) : most;
    }
    if (load > capacity * (1 + ROUNDING))
        sim_fail(sim, ERROR_RUN, "check: storage gives %g bytes/s of %g", load, capacity);
    for (uint32_t j = sim->past.jobs; j < sim->next_arrival; j++)
        if (max_min_has(links, j) && links->jobs[j].rate < links->jobs[j].most &&
            (load < capacity * (1 - ROUNDING) || links->jobs[j].rate < most * (1 - ROUNDING)))
            fail(sim, j, "has less of storage than its fair share");
}

/* A job that is due now may have kept its last one. */
static void check_shares(struct sim *sim) {
    for (uint32_t j = sim->past.jobs; j < sim->next_arrival; j++)
        if (computes(sim, j) && eventq_time_ns(&sim->events, sim->runs[j].event) > sim->now_ns &&
            sim->contention->jobs[j].share != contention_wanted_share(sim, j))
            fail(sim, j, "does not compute at its share of network and storage");
}

void contention_check(struct sim *sim) {
    if (sim->contention->has_network)
        check_network(sim);
    if (sim->contention->has_storage)
        check_storage(sim);
    check_shares(sim);
}
