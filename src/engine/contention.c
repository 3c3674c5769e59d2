/* Shared uplinks and storage: see contention.h. Invariant: who computes, and no one else, is on the
   links that it loads. */
#include "engine/contention.h"

#include "base/units.h"
#include "engine/nodes.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

/* More than what rounding does to a time to go, and to a time. */
#define SLACK    1e-12
#define SLACK_NS 64

/* Jobs that would need less at their whole rate end soon: even then they end after this instant. */
#define LEAST_ALONE_S 1e-6

#define SLOTS_AT_ONCE 512 /* of a sweep: they stay in the cache */

static void init_network(struct contention *c, const struct network *network, uint32_t jobs) {
    for (uint32_t t = 0; t < network->tier_count; t++)
        c->tier_first[t + 1] = c->tier_first[t] + network_uplink_count(network, t);
    max_min_init(&c->network, jobs, c->tier_first[network->tier_count]);
    for (uint32_t t = 0; t < network->tier_count; t++)
        for (uint32_t u = 0; u < network_uplink_count(network, t); u++)
            max_min_set_capacity(&c->network, c->tier_first[t] + u,
                                 network_uplink_bytes_s(network, t, u));
}

/* Jobs of one configuration are equal unless noise or neighbours make them differ. */
static void init_batches(struct sim *sim) {
    const struct workload *workload = sim->workload;
    if (sim->contention->has_storage && sim->options.noise.speed_sigma == 0 &&
        !nodes_interfere(sim) && !workload->table.has_phases && !workload->has_utilization)
        sim->contention->batches =
            mem_zalloc(workload->table.configs.count * EASIM_MOST_SPANS, sizeof(void *));
}

static void finish_batches(struct contention *c) {
    for (size_t i = 0; i < c->made.count; i++) {
        struct share_batch *batch = c->made.at[i];
        timeheap_finish(&batch->ends);
        free(batch->jobs.at);
        free(batch->work.at);
        free(batch->lost_s.at);
        free(batch);
    }
    free(c->made.at);
    free(c->batches);
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
    c->storage = (struct one_link){.capacity = cluster->storage_bytes_s, .level = INFINITY};
    init_batches(sim);
}

void contention_finish(struct sim *sim) {
    struct contention *c = sim->contention;
    if (!c)
        return;
    max_min_finish(&c->network);
    one_link_finish(&c->storage);
    finish_batches(c);
    free(c->rates);
    free(c->jobs);
    free(c->loose.at);
    free(c->cut.at);
    free(c->new_readers.at);
    free(c->loads.at);
    free(c->changed.at);
    free(c);
}

/* --- what a job could use --- */

static void join_loose(struct contention *c, uint32_t job) {
    array_push(&c->loose, job);
    c->jobs[job].loose = (uint32_t)c->loose.count;
}

static void leave_loose(struct contention *c, uint32_t job) {
    uint32_t last = c->loose.at[--c->loose.count];
    c->loose.at[c->jobs[job].loose - 1] = last;
    c->jobs[last].loose = c->jobs[job].loose;
    c->jobs[job].loose = 0;
}

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

static void leave_storage(struct contention *c, uint32_t job) {
    struct contended *j = &c->jobs[job];
    if (j->loose == 0)
        return;
    one_link_remove(&c->storage, j->most);
    leave_loose(c, job);
}

/* With what the network leaves it, once that is known. */
static void enter_storage(struct sim *sim, uint32_t job) {
    struct contention *c = sim->contention;
    const struct config_rate *rate = rate_of(sim, job);
    leave_storage(c, job);
    if (!(rate->storage_bytes > 0))
        return;
    c->jobs[job].most =
        rate->storage_bytes * rate->samples_s * own_speed(sim, job) * network_share(c, job);
    one_link_add(&c->storage, c->jobs[job].most);
    join_loose(c, job);
    array_push(&c->new_readers, job);
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
    leave_storage(c, job);
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
    return max_min_is_changed(&c->network) || c->storage.is_changed;
}

static double storage_share(const struct contention *c, double most) {
    double rate = one_link_rate(&c->storage, most);
    return rate == most ? 1 : rate / most;
}

double contention_wanted_share(const struct sim *sim, uint32_t job) {
    const struct contention *c = sim->contention;
    const struct contended *j = &c->jobs[job];
    return network_share(c, job) * (contention_reads(c, job) ? storage_share(c, j->most) : 1);
}

static void note_changed(struct sim *sim, const uint32_t *jobs, size_t count) {
    struct contention *c = sim->contention;
    for (size_t i = 0; i < count; i++)
        if (contention_wanted_share(sim, jobs[i]) != c->jobs[jobs[i]].share ||
            network_share(c, jobs[i]) != c->jobs[jobs[i]].network)
            array_push(&c->changed, jobs[i]);
}

/* As long as its level stays, storage gives all but new readers what they have. */
static void settle_storage(struct sim *sim) {
    struct contention *c = sim->contention;
    double level = c->storage.level;
    one_link_settle(&c->storage);
    if (c->storage.level != level) {
        note_changed(sim, c->loose.at, c->loose.count);
    } else {
        for (size_t i = 0; i < c->new_readers.count; i++)
            if (contention_reads(c, c->new_readers.at[i]))
                note_changed(sim, &c->new_readers.at[i], 1);
    }
    c->new_readers.count = 0;
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
        settle_storage(sim);
    note_changed(sim, c->network.rates_changed.at, c->network.rates_changed.count);
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

/* --- batches --- */

/* What the steps since the last sweep have added to a slot. */
static void add_steps(const struct share_batch *batch, size_t slot, double *work, double *lost_s) {
    for (uint32_t i = 0; i < batch->step_count; i++)
        if (slot < batch->steps[i].slots) {
            *work += batch->steps[i].work;
            *lost_s += batch->steps[i].lost_s;
        }
}

static struct contended contended_now(const struct sim *sim, uint32_t job) {
    struct contended j = sim->contention->jobs[job];
    const struct share_batch *batch = j.batch;
    if (!batch)
        return j;
    double work = batch->work.at[j.slot];
    j.storage_lost_s = batch->lost_s.at[j.slot];
    add_steps(batch, j.slot, &work, &j.storage_lost_s);
    j.since_ns = batch->rated_ns;
    j.share = batch->share;
    return j;
}

struct progress contention_progress(const struct sim *sim, uint32_t job) {
    const struct contended *j = &sim->contention->jobs[job];
    const struct share_batch *batch = j->batch;
    struct progress progress = sim->progress[job];
    double lost_s = 0;
    progress.factor = batch->share;
    progress.stretch_work = batch->work.at[j->slot];
    add_steps(batch, j->slot, &progress.stretch_work, &lost_s);
    progress.stretch_ns = progress.power_ns = batch->rated_ns - progress.began_ns;
    progress.stretch_energy += batch->energy - j->before;
    return progress;
}

int128 contention_energy(const struct sim *sim, uint32_t job, int64_t *ret_from_ns) {
    const struct contended *j = &sim->contention->jobs[job];
    *ret_from_ns = j->batch->rated_ns;
    return j->batch->energy - j->before;
}

struct contention_lost contention_lost_of(const struct sim *sim, uint32_t job) {
    if (!sim->contention)
        return (struct contention_lost){0};
    const struct contended j = contended_now(sim, job);
    bool computes = sim->runs[job].segment == SEGMENT_RUN;
    double time_s = computes ? units_s(sim->now_ns - j.since_ns) : 0;
    return (struct contention_lost){j.network_lost_s + (1 - j.network) * time_s,
                                    j.storage_lost_s + (j.network - j.share) * time_s};
}

/* --- time in batches --- */

static int64_t power_at(const struct sim *sim, uint32_t job, double share) {
    const struct job_run *run = &sim->runs[job];
    if (share < 1)
        return contention_power_nw(sim, job, share);
    return sim->computing_nw[(size_t)run->config * sim->view.v->span_count + run->span];
}

/* A job that is in it. */
static uint32_t some_member(const struct share_batch *batch) {
    size_t slot = batch->jobs.count - 1; /* no slot above that of the last member is kept */
    return batch->jobs.at[slot];
}

/* Whether a batch is to have another share, and its power with it. */
static bool batch_changes(const struct sim *sim, const struct share_batch *batch,
                          int64_t *ret_power_nw) {
    double share = storage_share(sim->contention, batch->most);
    if (batch->members == 0 || share == batch->share)
        return false;
    *ret_power_nw = power_at(sim, some_member(batch), share);
    return true;
}

void contention_list_batched(struct sim *sim) {
    struct contention *c = sim->contention;
    int64_t power_nw;
    c->cut.count = 0;
    for (size_t i = 0; i < c->made.count; i++) {
        const struct share_batch *batch = c->made.at[i];
        if (!batch_changes(sim, batch, &power_nw) || power_nw == batch->power_nw)
            continue;
        for (size_t k = 0; k < batch->jobs.count; k++)
            if (batch->jobs.at[k] != EASIM_NONE)
                array_push(&c->cut, batch->jobs.at[k]);
    }
}

/* Adds `count` steps to the slots from first to end - 1. */
static void add_to_slots(double *restrict values, const double *steps, uint32_t count, size_t first,
                         size_t end) {
    uint32_t i = 0;
    for (; i + 4 <= count; i += 4) {
        double a = steps[i], b = steps[i + 1], c = steps[i + 2], d = steps[i + 3];
        for (size_t s = first; s < end; s++)
            values[s] = values[s] + a + b + c + d;
    }
    for (; i < count; i++)
        for (size_t s = first; s < end; s++)
            values[s] += steps[i];
}

/* Slots that came after a step begin with the next one. */
static void add_all_steps(struct share_batch *batch) {
    double work[BATCH_STEPS], lost_s[BATCH_STEPS];
    uint32_t count = batch->step_count;
    size_t first = 0;
    for (uint32_t i = 0; i < count; i++) {
        work[i] = batch->steps[i].work;
        lost_s[i] = batch->steps[i].lost_s;
    }
    for (uint32_t i = 0; i < count; i++) {
        size_t slots = batch->steps[i].slots;
        for (size_t end; first < slots; first = end) {
            end = first + SLOTS_AT_ONCE < slots ? first + SLOTS_AT_ONCE : slots;
            add_to_slots(batch->work.at, work + i, count - i, first, end);
            add_to_slots(batch->lost_s.at, lost_s + i, count - i, first, end);
        }
    }
    batch->step_count = 0;
}

/* All slots are up to date; those of jobs that have left go. */
static void sweep(struct sim *sim, struct share_batch *batch) {
    size_t kept = 0;
    add_all_steps(batch);
    for (size_t s = 0; s < batch->jobs.count; s++) {
        uint32_t job = batch->jobs.at[s];
        if (job == EASIM_NONE)
            continue;
        batch->jobs.at[kept] = job;
        batch->work.at[kept] = batch->work.at[s];
        batch->lost_s.at[kept] = batch->lost_s.at[s];
        sim->contention->jobs[job].slot = (uint32_t)kept++;
    }
    batch->jobs.count = batch->work.count = batch->lost_s.count = kept;
}

static void pass_time(struct sim *sim, struct share_batch *batch) {
    int64_t time_ns = sim->now_ns - batch->rated_ns;
    double time_s = units_s(time_ns), work = time_s * batch->speed;
    if (time_ns == 0)
        return;
    batch->steps[batch->step_count].work = work;
    batch->steps[batch->step_count].lost_s = (1 - batch->share) * time_s;
    batch->steps[batch->step_count++].slots = batch->jobs.count;
    batch->energy += (int128)batch->power_nw * time_ns;
    batch->clock += work;
    batch->error += DBL_EPSILON * (batch->clock + batch->most_end);
    batch->rated_ns = sim->now_ns;
    if (batch->step_count == BATCH_STEPS)
        sweep(sim, batch);
}

void contention_batch_take_share(struct sim *sim, struct share_batch *batch) {
    int64_t power_nw;
    if (!batch_changes(sim, batch, &power_nw))
        return;
    pass_time(sim, batch);
    batch->share = storage_share(sim->contention, batch->most);
    batch->speed = batch->goodput * batch->share;
    sim->meter.types[batch->gpu_type].computing.nw += batch->members * (power_nw - batch->power_nw);
    batch->power_nw = power_nw;
}

/* --- in and out of batches --- */

static struct share_batch *batch_for(struct sim *sim, uint32_t job) {
    struct contention *c = sim->contention;
    const struct job_run *run = &sim->runs[job];
    const struct easim_config *config = &sim->view.configs[run->config];
    struct share_batch **at = &c->batches[run->config * EASIM_MOST_SPANS + run->span];
    if (!*at) {
        *at = mem_zalloc(1, sizeof **at);
        (*at)->goodput = config->goodput[run->span];
        (*at)->gpu_type = config->gpu_type;
        array_push(&c->made, *at);
    }
    return *at;
}

/* The first job of a batch sets all that its jobs have in common. */
static void begin_batch(struct sim *sim, struct share_batch *batch, uint32_t job) {
    const struct contended *j = &sim->contention->jobs[job];
    batch->most = j->most;
    batch->share = j->share;
    batch->speed = batch->goodput * j->share;
    batch->rated_ns = sim->now_ns;
    batch->power_nw = power_at(sim, job, j->share);
    batch->energy = 0;
    batch->clock = batch->error = batch->most_end = 0;
    batch->ends.entries.count = batch->jobs.count = batch->work.count = batch->lost_s.count = 0;
    batch->step_count = 0;
}

/* Whether the job is, and was since its last stretch began, as those of the batch are. */
static bool may_join(const struct sim *sim, uint32_t job, const struct share_batch *batch) {
    const struct contended *j = &sim->contention->jobs[job];
    const struct progress *p = &sim->progress[job];
    return p->stretch_ns > 0 && p->began_ns + p->stretch_ns == sim->now_ns &&
           j->since_ns == sim->now_ns && batch->rated_ns == sim->now_ns &&
           j->share == batch->share && j->most == batch->most;
}

/* What it has drawn in its segment; if segments are told, they keep this. */
static void book_energy(struct sim *sim, uint32_t job, int128 energy) {
    if (sim->tells_segments)
        return;
    sim->runs[job].energy += energy;
    sim->runs[job].segment_start_ns = sim->contention->jobs[job].batch->rated_ns;
}

static void add_slot(struct sim *sim, struct share_batch *batch, uint32_t job) {
    struct contended *j = &sim->contention->jobs[job];
    const struct progress *p = &sim->progress[job];
    j->batch = batch;
    j->slot = (uint32_t)batch->jobs.count;
    j->before = batch->energy;
    j->end = batch->clock + (sim->runs[job].remaining - p->stretch_work);
    array_push(&batch->jobs, job);
    array_push(&batch->work, p->stretch_work);
    array_push(&batch->lost_s, j->storage_lost_s);
    batch->most_end = fmax(batch->most_end, fmax(j->end, sim->runs[job].remaining));
    timeheap_push(&batch->ends, j->end, job);
}

void contention_join(struct sim *sim, uint32_t job) {
    struct contention *c = sim->contention;
    struct job_run *run = &sim->runs[job];
    const struct job_spec *spec = &sim->workload->jobs.at[job];
    if (!c->batches || c->jobs[job].loose == 0 || c->jobs[job].network != 1 ||
        (c->has_network && max_min_has(&c->network, job)) ||
        workload_costs(sim->workload, spec)->checkpoint_interval_s > 0)
        return;
    struct share_batch *batch = batch_for(sim, job);
    if (batch->members == 0)
        begin_batch(sim, batch, job);
    if (!may_join(sim, job, batch))
        return;
    leave_loose(c, job);
    add_slot(sim, batch, job);
    book_energy(sim, job, (int128)batch->power_nw * (sim->now_ns - run->segment_start_ns));
    batch->members++;
    sim->node_batches.members++;
    eventq_cancel(&sim->events, run->event);
    run->event = EVENT_NONE;
}

static void drop_slot(struct sim *sim, struct share_batch *batch, uint32_t job) {
    struct contended *j = &sim->contention->jobs[job];
    batch->jobs.at[j->slot] = EASIM_NONE;
    while (batch->jobs.count > 0 && batch->jobs.at[batch->jobs.count - 1] == EASIM_NONE)
        batch->jobs.count--;
    batch->work.count = batch->lost_s.count = batch->jobs.count;
    for (uint32_t i = batch->step_count; i-- > 0 && batch->steps[i].slots > batch->jobs.count;)
        batch->steps[i].slots = batch->jobs.count;
    j->batch = NULL;
    batch->members--;
    sim->node_batches.members--;
}

void contention_release(struct sim *sim, uint32_t job) {
    if (!contention_holds(sim, job))
        return;
    struct contended *j = &sim->contention->jobs[job];
    struct share_batch *batch = j->batch;
    struct progress *p = &sim->progress[job];
    *p = contention_progress(sim, job);
    double left_s = fmax(0, sim->runs[job].remaining - p->stretch_work) / batch->speed;
    book_energy(sim, job, batch->energy - j->before);
    *j = contended_now(sim, job);
    drop_slot(sim, batch, job);
    join_loose(sim->contention, job);
    sim->runs[job].event =
        sim_push(sim, p->began_ns + p->stretch_ns + units_duration_ns(left_s), EVENT_FINISH, job);
}

/* A job of the batch that may end by the time, EASIM_NONE: there is none. */
static uint32_t may_end_by(const struct sim *sim, struct share_batch *batch, int64_t time_ns) {
    while (batch->members > 0) {
        const struct timeheap_entry first = batch->ends.entries.at[0];
        const struct contended *j = &sim->contention->jobs[first.id];
        uint32_t job;
        double left = first.time_s - batch->clock - batch->error -
                      2 * DBL_EPSILON * batch->most_end - LEAST_ALONE_S * batch->goodput;
        double end_ns = (double)batch->rated_ns + left / batch->speed * (1e9 * (1 - SLACK));
        bool is_here = j->batch == batch && j->end == first.time_s;
        if (is_here && end_ns - SLACK_NS > (double)time_ns)
            break;
        (void)timeheap_pop_due(&batch->ends, first.time_s, &job);
        if (is_here)
            return job;
    }
    return EASIM_NONE;
}

int64_t contention_next_event_ns(struct sim *sim) {
    struct contention *c = sim->contention;
    for (size_t i = 0; i < c->made.count; i++)
        for (uint32_t job;
             (job = may_end_by(sim, c->made.at[i], eventq_next_ns(&sim->events))) != EASIM_NONE;)
            contention_release(sim, job);
    return eventq_next_ns(&sim->events);
}
