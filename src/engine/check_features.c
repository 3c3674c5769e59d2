/* Checks contention, forecasts and services in a run with --check. */
#include "engine/internal.h"

#include "engine/cluster_signals.h"
#include "engine/contention.h"

#include <math.h>
#include <stdlib.h>

/* --- contention_check --- */
/* Loads are summed up again from the GPUs of jobs, not from the lists of links. */

#define ROUNDING 1e-9 /* of a capacity or a rate, of the greatest value of an hour */

/* By uplink, tier after tier: what it carries, and the most that any job there has for each GPU. */
struct carried {
    double *load, *most_rate;
};

static bool computes(const struct sim *sim, uint32_t job) {
    return sim->runs[job].segment == SEGMENT_RUN &&
           sim->workload->jobs.at[job].kind != JOB_KIND_RIGID;
}

/* Whether its model says that its GPUs send anything. */
static bool synchronizes(const struct sim *sim, uint32_t job) {
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
    sim_fail(sim, "check: job %s %s", sim->workload->jobs.at[job].id, what);
}

static void add_loads(struct sim *sim, const struct carried *carried) {
    for (uint32_t j = sim->past.jobs; j < sim->next_arrival; j++) {
        bool on_some = false, has = max_min_has(&sim->contention->network, j);
        if (computes(sim, j) && synchronizes(sim, j))
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
            sim_fail(sim, "check: uplink %u carries %g bytes/s of %g", l, carried.load[l],
                     links->links[l].capacity);
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
    const struct contention *c = sim->contention;
    double capacity = sim->cluster->storage_bytes_s, load = 0, greatest = 0;
    for (uint32_t j = sim->past.jobs; j < sim->next_arrival; j++) {
        if (!contention_reads(c, j))
            continue;
        double rate = one_link_rate(&c->storage, c->jobs[j].most);
        if (!computes(sim, j))
            fail(sim, j, "reads from storage and does not compute");
        load += rate;
        greatest = fmax(greatest, rate);
    }
    if (load > capacity * (1 + ROUNDING))
        sim_fail(sim, "check: storage gives %g bytes/s of %g", load, capacity);
    for (uint32_t j = sim->past.jobs; j < sim->next_arrival; j++) {
        double most = c->jobs[j].most, rate = one_link_rate(&c->storage, most);
        if (contention_reads(c, j) && rate < most &&
            (load < capacity * (1 - ROUNDING) || rate < greatest * (1 - ROUNDING)))
            fail(sim, j, "has less of storage than its fair share");
    }
}

/* A job that is due now may have kept its last one. */
static void check_shares(struct sim *sim) {
    for (uint32_t j = sim->past.jobs; j < sim->next_arrival; j++)
        if (computes(sim, j) && job_finish_pending_ns(sim, j) > sim->now_ns &&
            contention_share(sim, j) != contention_wanted_share(sim, j))
            fail(sim, j, "does not compute at its share of network and storage");
}

void contention_check(struct sim *sim) {
    if (sim->contention->has_network)
        check_network(sim);
    if (sim->contention->has_storage)
        check_storage(sim);
    check_shares(sim);
}

/* --- forecasts_check --- */
/* An hour is summed up from the values that the view has had, not from the series. */

struct forecasts_past {
    double least[SIGNALS], sum[SIGNALS], most[SIGNALS]; /* of the present hour */
    double present[SIGNALS]; /* shown of it; NAN: nothing to compare with */
    int64_t hour;            /* of which `shown` was shown; -1: none */
    uint32_t noticed;        /* events of the cap in it */
    struct easim_forecast_hour *shown;
};

static const char *const value_names[SIGNALS] = {"power_cap_w", "price_per_mwh",
                                                 "carbon_g_per_kwh"};

static void values_of(const struct easim_forecast_hour *forecast, double values[static SIGNALS]) {
    values[SIGNAL_CAP] = forecast->power_cap_w;
    values[SIGNAL_PRICE] = forecast->price_per_mwh;
    values[SIGNAL_CARBON] = forecast->carbon_g_per_kwh;
}

static void begin_hour(struct forecasts_past *past) {
    for (int i = 0; i < SIGNALS; i++) {
        past->least[i] = INFINITY;
        past->sum[i] = past->most[i] = 0;
        past->present[i] = NAN;
    }
}

static struct forecasts_past *past_of(struct sim *sim) {
    struct forecasts *f = &sim->forecasts;
    if (f->past)
        return f->past;
    f->past = mem_zalloc(1, sizeof *f->past);
    f->past->shown = mem_zalloc(f->hours, sizeof *f->past->shown);
    f->past->hour = -1;
    begin_hour(f->past);
    return f->past;
}

/* A stretch within one hour, in which the view has not changed. */
static void add_stretch(const struct sim *sim, struct forecasts_past *past, int64_t duration_ns) {
    const struct easim_view *v = sim->view.v;
    const double now[SIGNALS] = {v->power_cap_w, v->price_per_mwh, v->carbon_g_per_kwh};
    for (int i = 0; i < SIGNALS && duration_ns > 0; i++) {
        past->least[i] = fmin(past->least[i], now[i]);
        past->sum[i] += now[i] * (double)duration_ns;
        past->most[i] = fmax(past->most[i], fabs(now[i]));
    }
}

static void end_hour(struct sim *sim, struct forecasts_past *past, int64_t hour) {
    for (int i = 0; i < SIGNALS; i++) {
        double was = i == SIGNAL_CAP ? past->least[i] : past->sum[i] / (double)FORECAST_HOUR_NS;
        bool same =
            past->present[i] == was || fabs(past->present[i] - was) <= ROUNDING * past->most[i];
        if (!isnan(past->present[i]) && !same)
            sim_fail(sim, "check: %s of hour %lld was %.17g, and %.17g was shown at its beginning",
                     value_names[i], (long long)hour, was, past->present[i]);
    }
    begin_hour(past);
}

void forecasts_check_advance(struct sim *sim, int64_t from_ns, int64_t to_ns) {
    struct forecasts_past *past = past_of(sim);
    int64_t hour = from_ns / FORECAST_HOUR_NS, end_ns = (hour + 1) * FORECAST_HOUR_NS;
    add_stretch(sim, past, (to_ns < end_ns ? to_ns : end_ns) - from_ns);
    if (to_ns < end_ns)
        return;
    end_hour(sim, past, hour); /* hours between the two were never shown */
    add_stretch(sim, past, to_ns % FORECAST_HOUR_NS);
}

/* Exact forecasts: what is shown of an hour has been shown of it before. */
static void compare_shown(struct sim *sim, const struct forecasts_past *past) {
    const struct forecasts *f = &sim->forecasts;
    int64_t passed = past->hour < 0 ? f->hours : f->hour - past->hour;
    for (int64_t lead = 0; lead + passed < f->hours; lead++) {
        double now[SIGNALS], before[SIGNALS];
        values_of(&sim->view.hours[lead], now);
        values_of(&past->shown[lead + passed], before);
        for (int i = 0; i < SIGNALS; i++)
            if (now[i] != before[i] && !(isnan(now[i]) && isnan(before[i])))
                sim_fail(
                    sim,
                    "check: %s of hour %lld is shown as %.17g, and was as %.17g, without error",
                    value_names[i], (long long)(f->hour + lead), now[i], before[i]);
    }
}

void forecasts_check_shown(struct sim *sim) {
    struct forecasts_past *past = past_of(sim);
    const struct forecasts *f = &sim->forecasts;
    if (f->hour == past->hour && f->noticed == past->noticed)
        return;
    if (sim->options.forecast.error.sigma == 0 && f->noticed == past->noticed)
        compare_shown(sim, past);
    for (uint32_t lead = 0; lead < f->hours; lead++)
        past->shown[lead] = sim->view.hours[lead];
    past->hour = f->hour;
    past->noticed = f->noticed;
    values_of(&past->shown[0], past->present);
}

void forecasts_check_finish(struct sim *sim) {
    if (!sim->forecasts.past)
        return;
    free(sim->forecasts.past->shown);
    free(sim->forecasts.past);
    sim->forecasts.past = NULL;
}

/* --- services_check --- */

#define TOLERANCE 1e-9 /* of tokens, relative */

/* Replicas of a service, counted again. */
struct counted {
    uint32_t ready, loading, reserved, reserved_gpus;
    double capacity_per_s;
    int64_t nw, milli;
};

static void fail_service(struct sim *sim, uint32_t service, const char *what) {
    sim_fail(sim, "check: service %s %s", services_spec(sim, service)->name, what);
}

/* The load of every ready replica, from demand, backlog and capacity alone. */
static double load_of(const struct service_run *run, double backlog) {
    bool keeps_up = backlog <= 0 && run->demand_per_s <= run->capacity_per_s;
    return keeps_up ? run->demand_per_s / run->capacity_per_s : 1;
}

/* Adds the power of one replica, and checks that it is in one node. */
static void add_replica(struct sim *sim, const struct replica *r, double load,
                        struct counted *counted, struct services_held *held) {
    const struct replica_config *config = &services_spec(sim, r->service)->configs[r->config];
    uint32_t gpus = r->allocation.first.gpus;
    int64_t idle_nw = sim->meter.types[config->gpu_type].idle_milli_nw * WHOLE_GPU_MILLI;
    held->node_gpus[r->node] += gpus;
    if (r->phase == REPLICA_RESERVED) {
        counted->reserved++;
        counted->reserved_gpus += gpus;
        check_node_add(&held->nodes[r->node], gpus * idle_nw, gpus * idle_nw);
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
    check_node_add(&held->nodes[r->node], nw + cpu_nw,
                   (most_nw > loading_nw ? most_nw : loading_nw) + cpu_nw);
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
    series_start(&again, &services_spec(sim, service)->demand.series);
    while (looks && (series_next_ns(&again) < sim->now_ns ||
                     (series_next_ns(&again) == sim->now_ns &&
                      series_next_ns(&again) < series_next_ns(&run->demand))))
        series_pass(&again);
    if (looks && again.value != run->demand_per_s)
        fail_service(sim, service, "has another demand than its series says");
    if (!(run->backlog >= 0) || !(backlog >= 0) ||
        differ(run->demanded, run->served + run->dropped + run->backlog, run->demanded))
        fail_service(sim, service, "has not served, dropped or kept what was demanded");
    if (run->flow != SERVICE_FLOW_EVEN && run->next_ns != TIME_NONE_NS && run->next.is_exact &&
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
        sim_fail(sim, "check: services have reserved %u GPUs, not %u", reserved_gpus,
                 sim->services.reserved_gpus);
}
