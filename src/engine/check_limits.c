/* Checks power limits and enforced caps in a run with --check (internal.h). The fill is by jobs, in
   doubles, and begins with nothing; power_cap.c has sums of groups in whole numbers. */
#include "engine/internal.h"
#include "engine/limits.h"
#include "engine/power_cap.h"

#include <math.h>
#include <stdlib.h>

#define ROUNDING 1e-9 /* of a draw, of a part of a range */

/* A job at the end of the instant before. */
struct limit_past {
    uint64_t instant; /* 0: none yet */
    int64_t time_ns, nw, pending_ns;
    int128 energy;
};

/* A range of a job: what it adds to the draw of each GPU in a stage, and the part of it that is
   filled; x above 1: what would be left over. */
struct rise {
    uint32_t job, stage;
    const uint32_t *gpus; /* of the job, by domain */
    double nw, x;
    bool goes_on;
};

/* A cap and what is below it; domain 0 is the cluster. */
struct check_domain {
    int64_t cap_nw, fixed_nw, lo_nw, target_nw, drawn_nw;
    double left_nw, full_at;
    bool is_full, has_pending;
};

struct refill {
    ARRAY_OF(struct rise) rises; /* those of a job follow each other */
    ARRAY_OF(uint32_t *) gpus;   /* by job */
    struct check_domain *domains;
    uint32_t domain_count;
};

static void fail(struct sim *sim, uint32_t job, const char *what) {
    sim_fail(sim, "check: job %s %s", sim->workload->jobs.at[job].id, what);
}

static int64_t ctx_nw(const struct sim *sim, uint32_t job) {
    return power_nw(
        sim->cluster->gpu_types[sim->view.configs[sim->runs[job].config].gpu_type].ctx_w);
}

/* What each GPU of a job draws, and what it counts if its class and place hold. */
static int64_t drawn_nw(const struct sim *sim, uint32_t job) {
    int64_t k = sim->view.configs[sim->runs[job].config].k;
    bool computes = sim->runs[job].segment == SEGMENT_RUN;
    return computes ? limits_member(sim, job)->hold.nw / k : ctx_nw(sim, job);
}

static int64_t target_nw(struct sim *sim, uint32_t job) {
    int64_t nw = limits_target(sim, job).nw / sim->view.configs[sim->runs[job].config].k;
    return nw > ctx_nw(sim, job) ? nw : ctx_nw(sim, job);
}

/* --- jobs --- */

/* What is pending of it, else its draw. */
static void check_change(struct sim *sim, uint32_t job) {
    const struct limits *l = sim->limits;
    const struct limit_hold hold = limits_member(sim, job)->hold, target = limits_target(sim, job);
    const struct limit_class *c = &l->classes.at.at[l->class_of[job]];
    int64_t top_nw = c->top_nw[c->ranges - 1], due_ns = limits_pending_ns(sim, job) - sim->now_ns,
            least_nw = c->lo_nw > ctx_nw(sim, job) ? c->lo_nw : 0; /* it may draw less than ctx_w */
    if (c->lo_nw < ctx_nw(sim, job) || c->entry_nw < c->lo_nw || c->entry_nw > top_nw)
        fail(sim, job, "has draws out of order in its class");
    if (limits_pending_ns(sim, job) >= 0 &&
        (due_ns <= 0 || due_ns > l->queues[c->gpu_type].delay_ns))
        fail(sim, job, "is to change its draw at another time");
    if (limits_pending_ns(sim, job) >= 0)
        return;
    if (hold.nw != target.nw || hold.goodput != target.goodput)
        fail(sim, job, "does not draw what it should, and is not to");
    if (hold.nw / c->k < least_nw || hold.nw / c->k > top_nw)
        fail(sim, job, "draws less or more than it may");
}

/* Its energy, and the time of what is pending, since the instant before. */
static void check_since(struct sim *sim, uint32_t job) {
    struct limit_past *past = &sim->past.limits[job];
    const struct job_run *run = &sim->runs[job];
    const struct limit_past now = {.instant = sim->past.instants,
                                   .time_ns = sim->now_ns,
                                   .nw = drawn_nw(sim, job) * sim->view.configs[run->config].k,
                                   .pending_ns = limits_pending_ns(sim, job),
                                   .energy = account_energy(sim, job)};
    bool follows = past->instant > 0 && past->instant + 1 >= now.instant;
    if (follows && now.energy != past->energy + (int128)past->nw * (now.time_ns - past->time_ns))
        fail(sim, job, "has another energy than the integral of its draw");
    if (follows && run->segment_start_ns <= past->time_ns && past->pending_ns > sim->now_ns &&
        now.pending_ns != past->pending_ns)
        fail(sim, job, "has put off a change that was pending");
    *past = now;
}

/* --- fill --- */

static bool lies_in(const struct cluster *cluster, uint32_t node, uint32_t domain) {
    uint32_t d = domain > 0 ? cluster->node_domain[node] : EASIM_NONE;
    while (d != EASIM_NONE && d + 1 != domain)
        d = cluster->power_domains[d].parent;
    return domain == 0 || d != EASIM_NONE;
}

/* A job: its GPUs by domain, and its ranges. */
static void add_job(struct sim *sim, struct refill *fill, uint32_t job) {
    const struct limit_class *c = &sim->limits->classes.at.at[sim->limits->class_of[job]];
    const struct job_spec *spec = &sim->workload->jobs.at[job];
    const struct allocation *allocation = &sim->runs[job].allocation;
    const struct piece *pieces = allocation_pieces(allocation);
    uint32_t *gpus = mem_zalloc(fill->domain_count, sizeof *gpus);
    int32_t order = sim->cluster->cap_rules.order;
    uint32_t stage = (order == CAP_ORDER_BY_CLASS && !spec->sla) ||
                     (order == CAP_ORDER_BY_FLEX && spec->flex > 0);
    for (uint32_t d = 0; d < fill->domain_count; d++) {
        struct check_domain *domain = &fill->domains[d];
        for (uint32_t i = 0; i < allocation->count; i++)
            gpus[d] += lies_in(sim->cluster, pieces[i].node, d) ? pieces[i].gpus : 0;
        domain->lo_nw += gpus[d] * c->lo_nw;
        domain->target_nw += gpus[d] * target_nw(sim, job);
        domain->drawn_nw += gpus[d] * drawn_nw(sim, job);
        domain->has_pending =
            domain->has_pending || (gpus[d] > 0 && limits_pending_ns(sim, job) >= 0);
    }
    array_push(&fill->gpus, gpus);
    for (uint32_t r = 0; r < c->ranges; r++) {
        int64_t nw = c->top_nw[r] - (r > 0 ? c->top_nw[0] : c->lo_nw);
        array_push(&fill->rises, ((struct rise){job, r > 0 ? 2 : stage, gpus, (double)nw, 0, 0}));
    }
}

/* What goes on rises from an x to the least at which a domain is full; returns that. */
static double rise_together(struct refill *fill, double from_x) {
    double least = INFINITY;
    for (uint32_t d = 0; d < fill->domain_count; d++) {
        struct check_domain *domain = &fill->domains[d];
        double slope_nw = 0;
        for (size_t i = 0; i < fill->rises.count; i++)
            slope_nw +=
                fill->rises.at[i].goes_on * fill->rises.at[i].gpus[d] * fill->rises.at[i].nw;
        domain->full_at =
            slope_nw > 0 ? from_x + fmax(0, domain->left_nw) / slope_nw : (double)INFINITY;
        least = fmin(least, domain->full_at);
    }
    for (size_t i = 0; i < fill->rises.count; i++)
        for (uint32_t d = 0; d < fill->domain_count && fill->rises.at[i].goes_on; d++)
            fill->domains[d].left_nw -=
                fill->rises.at[i].gpus[d] * fill->rises.at[i].nw * (fmin(1, least) - from_x);
    for (uint32_t d = 0; d < fill->domain_count; d++)
        fill->domains[d].is_full = fill->domains[d].is_full ||
                                   (least < 1 && fill->domains[d].full_at <= least * (1 + 1e-15));
    return least;
}

static bool is_held_back(const struct refill *fill, const struct rise *rise) {
    uint32_t d = 0;
    while (d < fill->domain_count && !(fill->domains[d].is_full && rise->gpus[d] > 0))
        d++;
    return d < fill->domain_count;
}

static void fill_stage(struct refill *fill, uint32_t stage) {
    bool any = true;
    for (size_t i = 0; i < fill->rises.count; i++)
        fill->rises.at[i].goes_on = fill->rises.at[i].stage == stage;
    for (double x = 0; any && x < 1;) {
        any = false;
        for (size_t i = 0; i < fill->rises.count; i++) {
            struct rise *rise = &fill->rises.at[i];
            rise->x = rise->goes_on ? x : rise->x;
            rise->goes_on = rise->goes_on && !is_held_back(fill, rise);
            any = any || rise->goes_on;
        }
        x = any ? rise_together(fill, x) : x;
        for (size_t i = 0; i < fill->rises.count; i++)
            fill->rises.at[i].x = fill->rises.at[i].goes_on ? x : fill->rises.at[i].x;
    }
}

/* --- comparison --- */

/* A job is to draw what its ranges are filled to; by steps, the one below x, or one less, unless
   the range is full. Returns the number of its ranges. */
static size_t check_place(struct sim *sim, const struct rise *rise, size_t count) {
    const struct limit_class *c = &sim->limits->classes.at.at[sim->limits->class_of[rise->job]];
    double steps = (double)sim->cluster->cap_rules.steps, least_nw = (double)c->lo_nw,
           most_nw = least_nw, got_nw = (double)target_nw(sim, rise->job);
    size_t r = 0;
    for (; r < count && rise[r].job == rise->job; r++) {
        double low = fmin(1, rise[r].x * (1 - ROUNDING)),
               high = fmin(1, rise[r].x * (1 + ROUNDING));
        if (steps > 0) {
            low = low < 1 ? fmax(0, floor(low * steps) - 1) / steps : 1;
            high = floor(high * steps) / steps;
        }
        least_nw += low * rise[r].nw;
        most_nw += high * rise[r].nw;
    }
    double slack_nw = 2 + ROUNDING * most_nw;
    if (got_nw >= least_nw - slack_nw && got_nw <= most_nw + slack_nw)
        return r;
    bool is_broken = r > 1 && rise->x > 1 && got_nw < (double)c->top_nw[0] - slack_nw;
    sim_fail(sim, "check: job %s is to draw %.12g W a GPU, not %.12g to %.12g%s",
             sim->workload->jobs.at[rise->job].id, got_nw * 1e-9, least_nw * 1e-9, most_nw * 1e-9,
             is_broken ? ", below its flex, with room above it" : "");
    return r;
}

/* Nothing but least draws and changes that are pending exceed a cap. */
static void check_domain(struct sim *sim, struct check_domain *domain, uint32_t d,
                         const struct check_node *nodes) {
    double cap_w = d > 0 ? sim->cluster->power_domains[d - 1].cap_w : sim->view.v->power_cap_w;
    domain->cap_nw = isfinite(cap_w) ? power_nw(cap_w) : INT64_MAX;
    domain->fixed_nw = d > 0 ? 0 : power_meter_network_nw(sim->cluster);
    domain->drawn_nw += domain->fixed_nw;
    for (uint32_t n = 0; n < sim->cluster->node_count; n++) {
        bool is_in = lies_in(sim->cluster, n, d);
        domain->fixed_nw += is_in ? nodes[n].committed_nw : 0;
        domain->drawn_nw += is_in ? nodes[n].drawn_nw : 0;
    }
    int64_t left_nw = domain->cap_nw - domain->fixed_nw - domain->lo_nw;
    domain->left_nw = isfinite(cap_w) ? (double)left_nw : (double)INFINITY;
    domain->is_full = left_nw < 0;
    if (domain->is_full)
        return;
    if (domain->fixed_nw + domain->target_nw > domain->cap_nw)
        sim_fail(sim, "check: jobs are to draw more than cap %u allows", d);
    if (!domain->has_pending && domain->drawn_nw > domain->cap_nw)
        sim_fail(sim, "check: %.12g W are drawn under cap %u of %.12g W", power_w(domain->drawn_nw),
                 d, power_w(domain->cap_nw));
}

void limits_check(struct sim *sim, const struct check_node *nodes) {
    struct refill fill = {.domain_count = sim->cap ? 1 + sim->cluster->power_domain_count : 0};
    fill.domains = mem_zalloc(1 + fill.domain_count, sizeof *fill.domains);
    if (!sim->past.limits)
        sim->past.limits = mem_zalloc(sim->workload->jobs.count, sizeof *sim->past.limits);
    for (uint32_t j = sim->past.jobs; j < sim->next_arrival; j++) {
        if (!job_run_uses_gpus(&sim->runs[j]) || sim->runs[j].allocation.milli > 0)
            continue;
        if (!limits_have(sim, j)) {
            fail(sim, j, "holds GPUs without a power limit");
            continue;
        }
        check_change(sim, j);
        check_since(sim, j);
        if (sim->cap)
            add_job(sim, &fill, j);
    }
    for (uint32_t d = 0; d < fill.domain_count; d++)
        check_domain(sim, &fill.domains[d], d, nodes);
    for (uint32_t stage = 0; stage < FILL_STAGES; stage++)
        fill_stage(&fill, stage);
    for (size_t i = 0; i < fill.rises.count;)
        i += check_place(sim, &fill.rises.at[i], fill.rises.count - i);
    for (size_t i = 0; i < fill.gpus.count; i++)
        free(fill.gpus.at[i]);
    free(fill.gpus.at);
    free(fill.rises.at);
    free(fill.domains);
}
