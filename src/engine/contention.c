/* Shared uplinks and storage: see contention.h. Invariant: who computes, and no one else, is on the
   links that it loads. */
#include "engine/contention.h"

#include "base/units.h"
#include "engine/nodes.h"

#include <math.h>
#include <stdlib.h>

#define STORAGE_LINK 0u

static void init_network(struct contention *c, const struct network *network, uint32_t jobs) {
    for (uint32_t t = 0; t < network->tier_count; t++)
        c->tier_first[t + 1] = c->tier_first[t] + network_uplink_count(network, t);
    max_min_init(&c->network, jobs, c->tier_first[network->tier_count]);
    for (uint32_t t = 0; t < network->tier_count; t++)
        for (uint32_t u = 0; u < network_uplink_count(network, t); u++)
            max_min_set_capacity(&c->network, c->tier_first[t] + u,
                                 network_uplink_bytes_s(network, t, u));
}

void contention_init(struct sim *sim) {
    const struct cluster *cluster = sim->cluster;
    uint32_t jobs = (uint32_t)sim->workload->jobs.count;
    bool has_network = cluster->network.contention, has_storage = cluster->storage_bytes_s > 0;
    if (!has_network && !has_storage)
        return;
    struct contention *c = sim->contention = mem_zalloc(1, sizeof *c);
    c->has_network = has_network;
    c->has_storage = has_storage;
    c->jobs = mem_zalloc(jobs, sizeof *c->jobs);
    c->rates = mem_zalloc(sim->workload->table.configs.count * EASIM_MOST_SPANS, sizeof *c->rates);
    if (has_network)
        init_network(c, &cluster->network, jobs);
    if (has_storage) {
        max_min_init(&c->storage, jobs, 1);
        max_min_set_capacity(&c->storage, STORAGE_LINK, cluster->storage_bytes_s);
    }
}

void contention_finish(struct sim *sim) {
    struct contention *c = sim->contention;
    if (!c)
        return;
    max_min_finish(&c->network);
    max_min_finish(&c->storage);
    free(c->rates);
    free(c->jobs);
    free(c->loads.at);
    free(c->changed.at);
    free(c);
}

/* --- what a job could use --- */

static const struct config_rate *rate_of(const struct sim *sim, uint32_t job) {
    const struct job_run *run = &sim->runs[job];
    struct config_rate *rate = &sim->contention->rates[run->config * EASIM_MOST_SPANS + run->span];
    if (rate->iteration_s == 0)
        *rate = config_rate_of(&sim->workload->table, sim->workload->jobs.at[job].model, run->phase,
                               &sim->view.configs[run->config], run->span);
    return rate;
}

/* Speed as a share of the rate of its configuration, after noise and neighbours. */
static double own_speed(const struct sim *sim, uint32_t job) {
    return sim->progress[job].noise / nodes_slowdown(sim, job);
}

/* The loads of a job on the uplinks of a tier; false: all of the job is below one of them. */
static bool add_tier_loads(struct contention *c, const struct sim *sim, uint32_t tier,
                           const struct allocation *allocation) {
    const struct piece *pieces = allocation_pieces(allocation);
    size_t first = c->loads.count;
    for (uint32_t i = 0; i < allocation->count; i++) {
        uint32_t link =
            c->tier_first[tier] + network_uplink_of(&sim->cluster->network, tier, pieces[i].node);
        size_t at = first;
        while (at < c->loads.count && c->loads.at[at].link != link)
            at++;
        if (at == c->loads.count)
            array_push(&c->loads, ((struct max_min_load){.link = link}));
        c->loads.at[at].weight += pieces[i].gpus;
    }
    bool crosses = c->loads.count > first + 1;
    c->loads.count = crosses ? c->loads.count : first;
    return crosses;
}

static void enter_network(struct sim *sim, uint32_t job) {
    struct contention *c = sim->contention;
    const struct network *network = &sim->cluster->network;
    const struct config_rate *rate = rate_of(sim, job);
    if (!(rate->sync_bytes > 0))
        return;
    c->loads.count = 0;
    for (uint32_t t = 0; t < network->tier_count; t++)
        if (!add_tier_loads(c, sim, t, &sim->runs[job].allocation))
            break;
    double most = rate->sync_bytes / rate->iteration_s * own_speed(sim, job);
    if (c->loads.count > 0)
        max_min_add(&c->network, job, fmin(network->link_bytes_s, most), c->loads.at,
                    (uint32_t)c->loads.count);
}

/* The share of a job's rate that the network allows. */
static double network_share(const struct contention *c, uint32_t job) {
    if (!c->has_network || !max_min_has(&c->network, job))
        return 1;
    return c->network.jobs[job].rate / c->network.jobs[job].most;
}

/* With what the network leaves it, once that is known. */
static void enter_storage(struct sim *sim, uint32_t job) {
    struct contention *c = sim->contention;
    const struct config_rate *rate = rate_of(sim, job);
    const struct max_min_load load = {STORAGE_LINK, 1};
    double most =
        rate->storage_bytes * rate->samples_s * own_speed(sim, job) * network_share(c, job);
    max_min_remove(&c->storage, job);
    if (rate->storage_bytes > 0)
        max_min_add(&c->storage, job, most, &load, 1);
}

static void count_lost(struct sim *sim, uint32_t job) {
    struct contended *j = &sim->contention->jobs[job];
    double time_s = units_s(sim->now_ns - j->since_ns);
    j->network_lost_s += (1 - j->network) * time_s;
    j->storage_lost_s += (j->network - j->share) * time_s;
    j->since_ns = sim->now_ns;
}

static void leave_links(struct contention *c, uint32_t job) {
    if (c->has_network)
        max_min_remove(&c->network, job);
    if (c->has_storage)
        max_min_remove(&c->storage, job);
}

void contention_enter(struct sim *sim, uint32_t job) {
    struct contention *c = sim->contention;
    if (sim->workload->jobs.at[job].kind == JOB_KIND_RIGID)
        return;
    leave_links(c, job);
    if (c->has_network)
        enter_network(sim, job);
    if (c->has_storage && !(c->has_network && max_min_has(&c->network, job)))
        enter_storage(sim, job);
}

void contention_begin(struct sim *sim, uint32_t job) {
    sim->contention->jobs[job].since_ns = sim->now_ns;
    contention_enter(sim, job);
}

void contention_leave(struct sim *sim, uint32_t job) {
    count_lost(sim, job);
    leave_links(sim->contention, job);
}

void contention_reset(struct sim *sim, uint32_t job) {
    struct contended *j = &sim->contention->jobs[job];
    j->network = j->share = 1;
}

/* --- shares --- */

int64_t contention_power_nw(const struct sim *sim, uint32_t job, double share) {
    const struct easim_config *config = &sim->view.configs[sim->runs[job].config];
    return power_of_gpus_nw(config_rate_power_w(rate_of(sim, job), share), config->k,
                            config->milli);
}

bool contention_is_changed(const struct sim *sim) {
    const struct contention *c = sim->contention;
    return max_min_is_changed(&c->network) || max_min_is_changed(&c->storage);
}

double contention_wanted_share(const struct sim *sim, uint32_t job) {
    const struct contention *c = sim->contention;
    double share = network_share(c, job);
    if (!c->has_storage || !max_min_has(&c->storage, job))
        return share;
    const struct max_min_job *reader = &c->storage.jobs[job];
    return reader->rate == reader->most ? share : share * (reader->rate / reader->most);
}

static void note_changed(struct sim *sim, const struct max_min *links) {
    struct contention *c = sim->contention;
    for (size_t i = 0; i < links->rates_changed.count; i++) {
        uint32_t job = links->rates_changed.at[i];
        if (contention_wanted_share(sim, job) != c->jobs[job].share ||
            network_share(c, job) != c->jobs[job].network)
            array_push(&c->changed, job);
    }
}

void contention_settle(struct sim *sim) {
    struct contention *c = sim->contention;
    size_t kept = 0;
    c->changed.count = 0;
    if (c->has_network)
        max_min_settle(&c->network);
    for (size_t i = 0; i < c->network.rates_changed.count && c->has_storage; i++)
        enter_storage(sim, c->network.rates_changed.at[i]);
    if (c->has_storage)
        max_min_settle(&c->storage);
    note_changed(sim, &c->network);
    note_changed(sim, &c->storage);
    sort_array(c->changed.at, c->changed.count, by_uint32);
    for (size_t i = 0; i < c->changed.count; i++)
        if (i == 0 || c->changed.at[i] != c->changed.at[kept - 1])
            c->changed.at[kept++] = c->changed.at[i];
    c->changed.count = kept;
}

void contention_take_share(struct sim *sim, uint32_t job) {
    struct contended *j = &sim->contention->jobs[job];
    count_lost(sim, job);
    j->network = network_share(sim->contention, job);
    j->share = contention_wanted_share(sim, job);
}

struct contention_lost contention_lost_of(const struct sim *sim, uint32_t job) {
    if (!sim->contention)
        return (struct contention_lost){0};
    const struct contended *j = &sim->contention->jobs[job];
    bool computes = sim->runs[job].segment == SEGMENT_RUN;
    double time_s = computes ? units_s(sim->now_ns - j->since_ns) : 0;
    return (struct contention_lost){j->network_lost_s + (1 - j->network) * time_s,
                                    j->storage_lost_s + (j->network - j->share) * time_s};
}
