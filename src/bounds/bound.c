/* Which bounds hold: see bound.h. Whatever only slows jobs leaves bounds on time as they are: node
   failures, neighbours, shared GPUs; energy needs every GPU of the cluster up, and jobs that draw
   no less than idle GPUs. */
#include "bounds/bound.h"

#include "base/units.h"

const char *bound_metric_name(enum bound_metric metric, const struct scenario *scenario) {
    bool drained = scenario->horizon_ns == TIME_NONE_NS;
    return metric == BOUND_ENERGY ? "energy_kwh" : drained ? "jct_mean_s" : "jct_restricted_mean_s";
}

static bool nodes_fail(const struct bound_case *in) {
    const struct cluster *cluster = in->workload->table.cluster;
    bool fail = in->scenario->failures != NULL;
    for (uint32_t n = 0; n < cluster->node_count; n++)
        fail = fail || cluster->nodes[n].up.mean_s < INFINITY;
    return fail;
}

/* Some job draws less than an idle GPU: then the more GPU time, the less energy. */
static bool draws_less_than_idle(const struct demand *demand) {
    bool less = false;
    for (size_t g = 0; g < demand->group_count; g++)
        less = less || (demand->groups[g].jobs > 0 && demand->groups[g].least_spread_w < 0);
    return less;
}

static const char *refuse_all(const struct bound_case *in) {
    return in->workload->table.has_phases
               ? "models with phases: their configurations change while they run"
               : NULL;
}

static const char *refuse_energy(const struct bound_case *in, const struct demand *demand) {
    if (in->workload->warmup_ns > 0)
        return "a warm-up: energy is of all jobs, measured or not";
    if (nodes_fail(in))
        return "nodes fail: those that are down draw nothing";
    if (in->workload->table.has_shares)
        return "shared GPUs: what they draw depends on who shares them";
    if (in->workload->has_utilization)
        return "the utilization of jobs changes while they run";
    return draws_less_than_idle(demand)
               ? "a job draws less than an idle GPU: more GPU time would save energy"
               : NULL;
}

static double horizon_s(const struct scenario *scenario) {
    return scenario->horizon_ns == TIME_NONE_NS ? INFINITY : units_s(scenario->horizon_ns);
}

static void find_values(const struct bound_case *in, const struct demand *demand,
                        struct bounds *bounds) {
    bounds->time = time_bound_find(demand, horizon_s(in->scenario));
    bounds->of[BOUND_TIME].value = bounds->time.by[bounds->time.best];
    if (isnan(bounds->of[BOUND_TIME].value))
        bounds->of[BOUND_TIME].reason = "no jobs are measured";
    bool horizon = in->scenario->horizon_ns != TIME_NONE_NS;
    bounds->of[BOUND_ENERGY].reason = horizon
                                          ? "a horizon: how much work is done depends on the policy"
                                          : refuse_energy(in, demand);
    if (bounds->of[BOUND_ENERGY].reason)
        return;
    bounds->energy = energy_bound_find(demand, INFINITY);
    bounds->of[BOUND_ENERGY].value = bounds->energy.energy_j / J_PER_KWH;
}

static struct noise_draw noise_of(const struct bound_case *in) {
    return (struct noise_draw){in->scenario->noise.speed_sigma, (uint64_t)in->scenario->seed,
                               in->replication};
}

struct bounds bounds_find(const struct bound_case *in) {
    const char *reason = refuse_all(in);
    struct bounds bounds = {.of = {{NAN, reason}, {NAN, reason}}};
    struct demand demand = {0};
    if (reason)
        return bounds;
    const struct noise_draw noise = noise_of(in);
    demand_find(&demand, in->workload, &noise, in->scenario->horizon_ns, NULL);
    bounds.jobs = demand.jobs.count;
    bounds.impossible = demand.impossible;
    if (demand.jobs.count > 0)
        find_values(in, &demand, &bounds);
    else
        bounds.of[BOUND_ENERGY].reason = bounds.of[BOUND_TIME].reason = "no jobs that can run";
    demand_finish(&demand);
    return bounds;
}

struct bound bound_energy_of_work(const struct bound_case *in, const double *done) {
    const struct noise_draw noise = noise_of(in);
    struct bound bound = {NAN, refuse_all(in)};
    struct demand demand = {0};
    if (bound.reason)
        return bound;
    demand_find(&demand, in->workload, &noise, in->scenario->horizon_ns, done);
    bound.reason = demand.jobs.count > 0 ? refuse_energy(in, &demand) : "no jobs that can run";
    if (!bound.reason)
        bound.value = energy_bound_find(&demand, horizon_s(in->scenario)).energy_j / J_PER_KWH;
    demand_finish(&demand);
    return bound;
}
