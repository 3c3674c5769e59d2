/* GPUs that jobs hold: see gpus.h. */
#include "engine/gpus.h"

#include "base/mem.h"
#include "base/units.h"
#include "engine/contention.h"
#include "engine/limits.h"
#include "engine/nodes.h"
#include "engine/power_cap.h"
#include "model/laws.h"

#include <math.h>

/* --- utilization --- */
/* Invariant: a computing job's step is the last that begins at or before its work done. */

#define WORK_ROUNDING \
    1e-11 /* of a job's work: above what sums of doubles and a nanosecond do to it */

void utilization_init(struct sim *sim) {
    size_t count = sim->workload->jobs.count;
    if (!sim->workload->has_utilization)
        return;
    sim->uses = mem_alloc(count * sizeof *sim->uses);
    for (size_t j = 0; j < count; j++)
        sim->uses[j] = (struct use){.event = EVENT_NONE};
}

void utilization_begin(struct sim *sim, uint32_t job) {
    const struct job_spec *spec = &sim->workload->jobs.at[job];
    const struct utilization_steps *steps = spec->utilization;
    double done = spec->work - sim->runs[job].remaining + WORK_ROUNDING * spec->work;
    uint32_t low = 0, high = steps->count; /* step `low` has begun, step `high` has not */
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        *(steps->at[middle].from_s <= done ? &low : &high) = middle;
    }
    sim->uses[job].step = low;
}

double utilization_present(const struct sim *sim, uint32_t job) {
    return sim->workload->jobs.at[job].utilization->at[sim->uses[job].step].value;
}

double utilization_next_work(const struct sim *sim, uint32_t job) {
    const struct job_spec *spec = &sim->workload->jobs.at[job];
    uint32_t next = sim->uses[job].step + 1;
    return next < spec->utilization->count ? spec->work - spec->utilization->at[next].from_s : -1;
}

/* --- power and time --- */

int64_t gpus_held_milli(const struct sim *sim, uint32_t config) {
    const struct easim_config *c = &sim->view.configs[config];
    return HAS_FEATURES && c->milli > 0 ? c->milli : (int64_t)c->k * WHOLE_GPU_MILLI;
}

void gpus_init(struct sim *sim) {
    uint32_t spans = sim->view.v->span_count;
    size_t count = (size_t)sim->view.v->config_count * spans;
    sim->computing_nw = mem_alloc((count + 1) * sizeof *sim->computing_nw);
    for (size_t i = 0; i < count; i++) {
        const struct easim_config *c = &sim->view.configs[i / spans];
        sim->computing_nw[i] = power_of_gpus_nw(c->power_w[i % spans], c->k, c->milli);
    }
}

static int64_t computing_nw(const struct sim *sim, uint32_t config, uint32_t span) {
    return sim->computing_nw[(size_t)config * sim->view.v->span_count + span];
}

/* Power of all GPUs of config while they do not compute. */
static int64_t ctx_nw(const struct sim *sim, uint32_t config) {
    const struct easim_config *c = &sim->view.configs[config];
    const struct power_type *type = &sim->meter.types[c->gpu_type];
    return HAS_FEATURES && c->milli > 0 ? c->milli * type->ctx_milli_nw : c->k * type->ctx_nw;
}

int64_t gpus_committed_nw(const struct sim *sim, uint32_t config, uint32_t span) {
    int64_t computing = computing_nw(sim, config, span), ctx = ctx_nw(sim, config);
    return computing > ctx ? computing : ctx;
}

int64_t gpus_running_nw(const struct sim *sim, uint32_t job) {
    return gpus_running_at_nw(sim, job, contention_share(sim, job));
}

int64_t gpus_running_at_nw(const struct sim *sim, uint32_t job, double share) {
    const struct job_run *run = &sim->runs[job];
    if (limits_have(sim, job))
        return limits_member(sim, job)->hold.nw;
    if (share < 1)
        return contention_power_nw(sim, job, share);
    if (!utilization_changes(sim, job))
        return computing_nw(sim, run->config, run->span);
    const struct easim_config *c = &sim->view.configs[run->config];
    const struct gpu_type *type = &sim->cluster->gpu_types[c->gpu_type];
    double power_w =
        power_rigid_w(cluster_rigid_busy_w(type), type->tdp_w, utilization_present(sim, job));
    return power_of_gpus_nw(power_w, c->k, c->milli);
}

double gpus_limit_w(const struct sim *sim, uint32_t job) {
    if (!limits_have(sim, job))
        return sim->view.configs[sim->runs[job].config].power_limit_w;
    const struct limits *l = sim->limits;
    return l->classes.at.at[l->held.at[l->place_of[job] - 1]].wish_w;
}

int64_t gpus_present_nw(const struct sim *sim, uint32_t job) {
    const struct job_run *run = &sim->runs[job];
    return run->segment == SEGMENT_RUN ? gpus_running_nw(sim, job) : ctx_nw(sim, run->config);
}

/* --- GPUs --- */

uint32_t gpus_span(const struct allocation *allocation) {
    return allocation->span;
}

/* Thousandths of GPUs in one piece of an allocation. */
static int64_t piece_milli(const struct allocation *allocation, const struct piece *piece) {
    return HAS_FEATURES && allocation->milli > 0 ? allocation->milli
                                                 : (int64_t)piece->gpus * WHOLE_GPU_MILLI;
}

/* Increase of the committed power if the GPUs of an allocation, free before, run config. */
static int64_t added_nw(const struct sim *sim, const struct allocation *allocation,
                        uint32_t config) {
    const struct piece *pieces = allocation_pieces(allocation);
    int64_t idle_milli_nw = sim->meter.types[sim->view.configs[config].gpu_type].idle_milli_nw;
    int64_t added = gpus_committed_nw(sim, config, gpus_span(allocation));
    for (uint32_t i = 0; i < allocation->count; i++)
        added += piece_milli(allocation, &pieces[i]) *
                 (sim->meter.cpu_milli_nw[pieces[i].node] - idle_milli_nw);
    return added;
}

/* Takes free GPUs, or part of one, for a configuration if it is known in its span there. */
static bool take_free(struct sim *sim, uint32_t config, struct allocation *allocation) {
    const struct easim_config *c = &sim->view.configs[config];
    bool taken = HAS_FEATURES && c->milli > 0
                     ? placement_take_share(&sim->placement, c->gpu_type, c->milli, allocation)
                     : placement_take(&sim->placement, c->gpu_type, c->k, allocation);
    if (!taken || c->goodput[gpus_span(allocation)] > 0)
        return taken;
    placement_give_back(&sim->placement, allocation);
    return false;
}

/* Whole GPUs that a piece takes from the free ones of its node, or gives back to them. A part of a
   GPU takes one if no other job is on it (whole), otherwise none. */
static uint32_t piece_gpus(const struct allocation *allocation, const struct piece *piece,
                           bool whole) {
    return HAS_FEATURES && allocation->milli > 0 ? whole : piece->gpus;
}

/* In view, power and usage. */
static void show_gpus_taken(struct sim *sim, uint32_t job, const struct allocation *allocation,
                            uint32_t config, bool whole) {
    const struct piece *pieces = allocation_pieces(allocation);
    for (uint32_t i = 0; i < allocation->count; i++)
        view_take_gpus(&sim->view, pieces[i].node, piece_gpus(allocation, &pieces[i], whole));
    int64_t more_nw = added_nw(sim, allocation, config);
    if (SIM_HAS(sim, limits))
        power_cap_charge_member(sim, job, config, allocation, more_nw);
    else
        power_cap_add(sim, more_nw);
    view_user_gets(&sim->view, sim->view.jobs[job].user, &sim->view.configs[config]);
}

static void show_gpus_given_back(struct sim *sim, uint32_t job, const struct allocation *allocation,
                                 uint32_t config, bool whole) {
    const struct piece *pieces = allocation_pieces(allocation);
    for (uint32_t i = 0; i < allocation->count; i++)
        view_give_back_gpus(&sim->view, pieces[i].node, piece_gpus(allocation, &pieces[i], whole));
    int64_t less_nw = added_nw(sim, allocation, config);
    if (SIM_HAS(sim, limits))
        power_cap_discharge_member(sim, job, config, allocation, less_nw);
    else
        power_cap_add(sim, -less_nw);
    view_user_gives_back(&sim->view, sim->view.jobs[job].user, &sim->view.configs[config]);
}

/* The GPUs of an allocation are a job's now; notes when all of them are awake. */
static void hold_gpus(struct sim *sim, uint32_t job, uint32_t config,
                      const struct allocation *allocation) {
    const struct piece *pieces = allocation_pieces(allocation);
    bool shares = HAS_FEATURES && allocation->milli > 0,
         opens = shares && placement_is_alone(&sim->placement, allocation);
    show_gpus_taken(sim, job, allocation, config, opens);
    if (!SIM_HAS(sim, nodes.sleep.nodes))
        return;
    int64_t *awake_ns = &sim->nodes.awake_ns[job];
    *awake_ns = sim->now_ns;
    for (uint32_t i = 0; i < allocation->count && !shares; i++) {
        int64_t ready_ns = nodes_take_gpus(sim, pieces[i].node, pieces[i].gpus, job);
        *awake_ns = ready_ns > *awake_ns ? ready_ns : *awake_ns;
    }
    if (!shares)
        return;
    struct shared_gpu *gpu = placement_shared_gpu(&sim->placement, allocation);
    if (opens)
        gpu->awake_ns = nodes_take_gpus(sim, gpu->node, 1, EASIM_NONE);
    *awake_ns = gpu->awake_ns;
}

/* They are free again; a shared GPU only when the last job leaves it. */
static void let_gpus_go(struct sim *sim, uint32_t job, uint32_t config,
                        const struct allocation *allocation) {
    const struct piece *pieces = allocation_pieces(allocation);
    bool shares = HAS_FEATURES && allocation->milli > 0,
         closes = shares && placement_is_alone(&sim->placement, allocation);
    show_gpus_given_back(sim, job, allocation, config, closes);
    if (!SIM_HAS(sim, nodes.sleep.nodes))
        return;
    for (uint32_t i = 0; i < allocation->count && !shares; i++)
        nodes_give_back_gpus(sim, pieces[i].node, pieces[i].gpus, job);
    if (closes)
        nodes_give_back_shared(sim, pieces->node,
                               placement_shared_gpu(&sim->placement, allocation)->awake_ns);
}

/* Details that the number of free GPUs of a type does not show: the most that are free in one
   place, and how much is free of shared GPUs. */
void gpus_show_room(struct sim *sim, uint32_t type) {
    const struct sharing *sharing = &sim->placement.types[type].sharing;
    struct easim_gpu_type *t = view_gpu_type(&sim->view, type);
    for (uint32_t span = 0; span < sim->view.v->span_count; span++)
        t->span_free_max[span] = placement_span_free_max(&sim->placement, type, span);
    t->node_free_max = t->span_free_max[EASIM_ONE_NODE];
    if (!HAS_FEATURES || !sharing->gpus)
        return;
    view_header(&sim->view)->shared_free_milli +=
        sharing->free_milli - t->shared_free_milli; /* wraps as wanted */
    t->shared = sharing->count;
    t->shared_free_milli = sharing->free_milli;
    t->shared_free_max_milli = sharing_free_max(sharing);
}

bool gpus_take(struct sim *sim, uint32_t job, uint32_t config, struct allocation *allocation) {
    if (!take_free(sim, config, allocation))
        return false;
    hold_gpus(sim, job, config, allocation);
    gpus_show_room(sim, sim->view.configs[config].gpu_type);
    return true;
}

void gpus_give_back(struct sim *sim, uint32_t job, uint32_t config, struct allocation *allocation) {
    let_gpus_go(sim, job, config, allocation);
    placement_give_back(&sim->placement, allocation);
    gpus_show_room(sim, sim->view.configs[config].gpu_type);
}

bool gpus_swap(struct sim *sim, uint32_t job, uint32_t config, struct allocation *allocation) {
    const struct job_run *run = &sim->runs[job];
    placement_lend(&sim->placement, &run->allocation);
    if (!take_free(sim, config, allocation)) {
        placement_reclaim(&sim->placement, &run->allocation);
        return false;
    }
    let_gpus_go(sim, job, run->config, &run->allocation);
    hold_gpus(sim, job, config, allocation);
    gpus_show_room(sim, sim->view.configs[config].gpu_type);
    gpus_show_room(sim, sim->view.configs[run->config].gpu_type);
    return true;
}

int64_t gpus_lend(struct sim *sim, uint32_t job) {
    const struct job_run *run = &sim->runs[job];
    placement_lend(&sim->placement, &run->allocation);
    return power_cap_try_without(sim, job, added_nw(sim, &run->allocation, run->config));
}

void gpus_reclaim(struct sim *sim, uint32_t job) {
    placement_reclaim(&sim->placement, &sim->runs[job].allocation);
}

int64_t gpus_try_limit(struct sim *sim, uint32_t job, uint32_t config) {
    const struct job_run *run = &sim->runs[job];
    int64_t less_nw = power_cap_try_without(sim, job, added_nw(sim, &run->allocation, run->config));
    return less_nw + power_cap_try(sim, job, config, &run->allocation,
                                   added_nw(sim, &run->allocation, config));
}

bool gpus_borrow(struct sim *sim, uint32_t job, uint32_t config, struct allocation *allocation,
                 int64_t *added_to_nw) {
    if (!take_free(sim, config, allocation))
        return false;
    *added_to_nw += power_cap_try(sim, job, config, allocation, added_nw(sim, allocation, config));
    return true;
}

void gpus_hand_back(struct sim *sim, struct allocation *allocation) {
    placement_give_back(&sim->placement, allocation);
}

void gpus_let_go(struct sim *sim, uint32_t job) {
    const struct job_run *run = &sim->runs[job];
    placement_lend(&sim->placement, &run->allocation);
    let_gpus_go(sim, job, run->config, &run->allocation);
    gpus_show_room(sim, sim->view.configs[run->config].gpu_type);
}

/* Without the end of the trial. */
static struct gpus_trial try_free(struct sim *sim, uint32_t job, uint32_t config) {
    struct gpus_trial trial = {.span = EASIM_NOFIT, .committed_nw = sim->committed_nw};
    struct allocation allocation;
    if (!take_free(sim, config, &allocation))
        return trial;
    trial.span = (int)gpus_span(&allocation);
    trial.committed_nw +=
        power_cap_try(sim, job, config, &allocation, added_nw(sim, &allocation, config));
    placement_give_back(&sim->placement, &allocation);
    return trial;
}

struct gpus_trial gpus_try_free(struct sim *sim, uint32_t job, uint32_t config) {
    struct gpus_trial trial = try_free(sim, job, config);
    trial.is_over_cap = power_cap_end_trial(sim, &trial.committed_nw, false);
    return trial;
}

/* Whether an enforced cap admits a waiting job on any GPUs. */
static bool is_admitted_anywhere(struct sim *sim, uint32_t job, uint32_t config) {
    return sim->cap && sim->cap->domain_count == 1 &&
           sim->view.jobs[job].state == EASIM_JOB_WAITING &&
           gpus_most_entry_nw(sim, job, config) <= sim->cap->room_nw;
}

static struct gpus_trial try_placed(struct sim *sim, uint32_t job, uint32_t config,
                                    bool tells_power) {
    const struct job_run *run = &sim->runs[job];
    bool runs = sim->view.jobs[job].state == EASIM_JOB_RUNNING;
    if (runs)
        placement_lend(&sim->placement, &run->allocation);
    struct gpus_trial trial = try_free(sim, job, config);
    if (runs) {
        trial.committed_nw +=
            power_cap_try_without(sim, job, added_nw(sim, &run->allocation, run->config));
        placement_reclaim(&sim->placement, &run->allocation);
    }
    trial.is_over_cap = power_cap_end_trial(sim, &trial.committed_nw, tells_power);
    return trial;
}

struct gpus_trial gpus_try_config(struct sim *sim, uint32_t job, uint32_t config,
                                  bool tells_power) {
    const struct easim_config *c = &sim->view.configs[config];
    struct gpus_trial trial = !tells_power && is_admitted_anywhere(sim, job, config)
                                  ? (struct gpus_trial){.span = easim_fit(sim->view.v, c)}
                                  : try_placed(sim, job, config, tells_power);
    if (sim->cap) {
        sim->cap->tried_job = job;
        sim->cap->tried_config = config;
        sim->cap->tried_is_over = trial.span >= 0 && trial.is_over_cap;
    }
    return trial;
}

/* --- in use --- */

void gpus_use(struct sim *sim, uint32_t job) {
    const struct allocation *allocation = &sim->runs[job].allocation;
    const struct piece *pieces = allocation_pieces(allocation);
    for (uint32_t i = 0; i < allocation->count; i++) {
        power_meter_allocate(&sim->meter, pieces[i].node, piece_milli(allocation, &pieces[i]));
        if (SIM_HAS(sim, nodes.jobs))
            nodes_add_job(sim, job, pieces[i].node);
    }
}

static void leave_nodes(struct sim *sim, uint32_t job) {
    const struct allocation *allocation = &sim->runs[job].allocation;
    const struct piece *pieces = allocation_pieces(allocation);
    for (uint32_t i = 0; i < allocation->count; i++) {
        power_meter_release(&sim->meter, pieces[i].node, piece_milli(allocation, &pieces[i]));
        if (SIM_HAS(sim, nodes.jobs))
            nodes_remove_job(sim, job, pieces[i].node);
    }
}

void gpus_stop_using(struct sim *sim, uint32_t job) {
    struct job_run *run = &sim->runs[job];
    if (SIM_HAS(sim, limits) && run->segment == SEGMENT_NONE)
        limits_leave(sim, job);
    run->gpu_ps += (int128)gpus_held_milli(sim, run->config) * (sim->now_ns - run->held_since_ns);
    run->held_ns += sim->now_ns - run->held_since_ns;
    leave_nodes(sim, job);
    view_job(&sim->view, job)->held_gpu_s = int128_double(run->gpu_ps) * 1e-12;
}

void gpus_leave(struct sim *sim, uint32_t job) {
    struct job_run *run = &sim->runs[job];
    gpus_stop_using(sim, job);
    gpus_give_back(sim, job, run->config, &run->allocation);
}

void gpus_recommit(struct sim *sim, uint32_t job, uint32_t from, uint32_t to, uint32_t span) {
    if (!sim->limits || sim->limits->class_of[job] == EASIM_NONE) {
        power_cap_note(sim, allocation_pieces(&sim->runs[job].allocation)->node,
                       gpus_committed_nw(sim, to, span) - gpus_committed_nw(sim, from, span));
        return;
    }
    double wish_w = sim->limits->classes.at.at[sim->limits->class_of[job]].wish_w;
    bool is_own = wish_w == sim->view.configs[from].power_limit_w;
    power_cap_recharge(sim, job, limits_class(sim, job, to, span, is_own ? INFINITY : wish_w));
}

/* --- power_cap --- */

void gpus_find_over_cap(struct sim *sim) {
    uint32_t count = (uint32_t)sim->workload->table.configs.count;
    double cap_w = sim->cluster->power_cap_w; /* INFINITY: none, or one that changes */
    if (!(sim->keeps_cap && isfinite(cap_w)) && !sim->cap)
        return;
    sim->over_cap = mem_zalloc(count, sizeof *sim->over_cap);
    if (sim->cap)
        sim->most_entry_nw = mem_zalloc(count, sizeof *sim->most_entry_nw);
    for (uint32_t c = 0; c < count; c++) {
        struct allocation allocation;
        if (!take_free(sim, c, &allocation)) {
            sim->over_cap[c] = true;
            continue;
        }
        if (sim->cap && allocation.milli == 0)
            sim->most_entry_nw[c] = power_cap_most_entry_nw(sim, c, &allocation);
        sim->over_cap[c] = sim->committed_nw + added_nw(sim, &allocation, c) > power_nw(cap_w);
        placement_give_back(&sim->placement, &allocation);
    }
}

int64_t gpus_most_entry_nw(struct sim *sim, uint32_t job, uint32_t config) {
    const struct easim_config *c = &sim->view.configs[config];
    const struct power_type *type = &sim->meter.types[c->gpu_type];
    int64_t most_nw = 0;
    for (uint32_t span = 0; span < c->span_count; span++) {
        int64_t nw = 0;
        if (c->goodput[span] > 0 && c->milli > 0)
            nw = gpus_committed_nw(sim, config, span);
        else if (c->goodput[span] > 0)
            nw = limits_entry_nw(sim, limits_class(sim, job, config, span, INFINITY));
        most_nw = nw > most_nw ? nw : most_nw;
    }
    return most_nw + gpus_held_milli(sim, config) * (type->most_cpu_milli_nw - type->idle_milli_nw);
}

bool gpus_over_cap(struct sim *sim, uint32_t job, uint32_t config) {
    if (!power_cap_binds(sim))
        return false;
    const struct cap_state *cap = sim->cap;
    if (cap && cap->tried_job == job && cap->tried_config == config)
        return cap->tried_is_over;
    const struct gpus_trial trial = gpus_try_config(sim, job, config, false);
    return trial.span >= 0 && trial.is_over_cap;
}

/* --- phase --- */

uint8_t phase_of_work(const struct sim *sim, uint32_t job, double remaining) {
    const struct job_spec *spec = &sim->workload->jobs.at[job];
    const struct config_set *first = &sim->workload->table.sets.at[spec->set];
    uint8_t phase = 0;
    while (first[phase].until < 1 &&
           remaining <= spec->work * (1 - first[phase].until + WORK_ROUNDING))
        phase++;
    return phase;
}
