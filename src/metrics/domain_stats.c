/* Power of domains: see domain_stats.h. What counts against the cap of a domain is known
   (power_cap.h); where the draw differs from that, the difference is added. */
#include "metrics/domain_stats.h"

#include "base/units.h"
#include "engine/gpus.h"
#include "engine/limits.h"
#include "engine/power_cap.h"
#include "engine/services.h"

#include <stdlib.h>

void cap_excess_add(struct cap_excess *excess, int64_t over_nw, int64_t grace_ns, int64_t from_ns,
                    int64_t to_ns) {
    if (over_nw <= 0) {
        excess->since_ns = -1;
        return;
    }
    if (excess->since_ns < 0)
        excess->since_ns = from_ns;
    int64_t since_ns = excess->since_ns + grace_ns;
    if (since_ns >= to_ns)
        return;
    int64_t duration_ns = to_ns - (since_ns > from_ns ? since_ns : from_ns);
    excess->ns += duration_ns;
    excess->energy += (int128)over_nw * duration_ns;
}

/* In the domains that hold a node. */
static void add_at(struct domain_stats *stats, const struct sim *sim, uint32_t node, int64_t nw,
                   uint32_t throttled) {
    const struct cluster *cluster = sim->cluster;
    for (uint32_t d = cluster->node_domain[node]; d != EASIM_NONE;
         d = cluster->power_domains[d].parent) {
        stats->of[d].now_nw += nw;
        stats->of[d].now_throttled += throttled;
    }
}

/* Whole GPUs count apart from others_nw; a part of one is in it with what counts against the cap.
 */
static void add_job(struct domain_stats *stats, const struct sim *sim, uint32_t job) {
    const struct job_run *run = &sim->runs[job];
    const struct piece *pieces = allocation_pieces(&run->allocation);
    int64_t nw = gpus_present_nw(sim, job);
    if (!limits_have(sim, job)) {
        add_at(stats, sim, pieces->node, nw - gpus_committed_nw(sim, run->config, run->span), 0);
        return;
    }
    uint32_t k = sim->view.configs[run->config].k;
    bool is_throttled = limits_has_flag(sim, job, LIMIT_COMPUTES) &&
                        limits_member(sim, job)->hold.nw < limits_wish_nw(sim, job);
    for (uint32_t i = 0; i < run->allocation.count; i++)
        add_at(stats, sim, pieces[i].node, nw / k * pieces[i].gpus,
               is_throttled ? pieces[i].gpus : 0);
}

static void add_replica(struct domain_stats *stats, const struct sim *sim,
                        const struct replica *replica) {
    if (replica->phase != REPLICA_READY && replica->phase != REPLICA_LOADING)
        return;
    const struct replica_group *group =
        &sim->services.runs[replica->service].groups[replica->config];
    int64_t nw = replica->phase == REPLICA_READY ? group->ready_nw : group->loading_nw;
    add_at(stats, sim, replica->node, nw - group->most_nw, 0);
}

static void add_asleep(struct domain_stats *stats, const struct sim *sim, uint32_t node) {
    const struct power_type *type = &sim->meter.types[sim->cluster->nodes[node].gpu_type];
    int64_t each_nw = type->sleep_nw - WHOLE_GPU_MILLI * type->idle_milli_nw;
    add_at(stats, sim, node, sim->nodes.sleep.nodes[node].asleep * each_nw, 0);
}

static void find_now(struct domain_stats *stats, const struct sim *sim) {
    const struct easim_view *v = sim->view.v;
    for (uint32_t d = 0; d < sim->cluster->power_domain_count; d++) {
        stats->of[d].now_nw = sim->cap->domains[d + 1].others_nw;
        stats->of[d].now_throttled = 0;
    }
    for (uint32_t i = 0; i < sim->running; i++)
        add_job(stats, sim, easim_view_running(v, i)->job);
    for (uint32_t i = 0; i < sim->checkpointing; i++)
        add_job(stats, sim, easim_view_checkpointing(v, i)->job);
    for (size_t r = 0; r < sim->services.replicas.count; r++)
        add_replica(stats, sim, &sim->services.replicas.at[r]);
    for (uint32_t n = 0; sim->nodes.sleep.nodes && n < sim->cluster->node_count; n++)
        add_asleep(stats, sim, n);
}

void domain_stats_advance(struct domain_stats *stats, const struct sim *sim, int64_t from_ns,
                          int64_t to_ns) {
    uint32_t count = sim->cluster->power_domain_count;
    if (!sim->cap || count == 0)
        return;
    int64_t duration_ns = to_ns - from_ns, grace_ns = units_ns(sim->cluster->cap_rules.grace_s);
    if (!stats->of) {
        stats->of = mem_zalloc(count, sizeof *stats->of);
        for (uint32_t d = 0; d < count; d++)
            stats->of[d].over.since_ns = -1;
    }
    find_now(stats, sim);
    for (uint32_t d = 0; d < count; d++) {
        struct domain_stat *of = &stats->of[d];
        of->max_nw = of->now_nw > of->max_nw ? of->now_nw : of->max_nw;
        of->energy += (int128)of->now_nw * duration_ns;
        of->throttled_gpu_ps += (int128)of->now_throttled * WHOLE_GPU_MILLI * duration_ns;
        cap_excess_add(&of->over, of->now_nw - power_nw(sim->cluster->power_domains[d].cap_w),
                       grace_ns, from_ns, to_ns);
    }
}

void domain_stats_measure(struct domain_stats *stats, const struct sim *sim) {
    for (uint32_t d = 0; stats->of && d < sim->cluster->power_domain_count; d++)
        stats->of[d] = (struct domain_stat){.over = {.since_ns = stats->of[d].over.since_ns}};
}
