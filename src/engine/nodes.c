/* Jobs and sleeping GPUs of nodes: see nodes.h. */
#include "engine/nodes.h"

#include "base/units.h"

#include <math.h>
#include <stdlib.h>

/* --- node batches --- */
/* Batches: see nodes.h. Invariants: all jobs of a batch have computed at its slowdown since
   rated_ns. work[] is the work done then, in the very doubles that steps of one job at a time give.
   Before its wake_ns no job of a batch ends, whatever its neighbours do. */

/* Jobs with less to go stay out: they would only have to leave again. */
#define SOON_NS       1000000000
#define SOON_ALONE_NS 1000000
/* More than what rounding does to the time to go. */
#define SLACK    1e-6
#define SLACK_NS 4096
/* Below it another neighbour might change the slowdown by no more than rounding does. */
#define LEAST_SLOWDOWN 1e-9

void node_batches_init(struct sim *sim) {
    const struct cluster *cluster = sim->cluster;
    if (!(cluster->slowdown_per_neighbour >= LEAST_SLOWDOWN) || sim->contention || sim->limits ||
        sim->workload->table.has_phases)
        return;
    sim->node_batches.nodes = mem_zalloc(cluster->node_count, sizeof *sim->node_batches.nodes);
    sim->node_batches.jobs = mem_zalloc(sim->workload->jobs.count, sizeof *sim->node_batches.jobs);
}

void node_batches_finish(struct sim *sim) {
    struct node_batches *node_batches = &sim->node_batches;
    for (uint32_t n = 0; node_batches->nodes && n < sim->cluster->node_count; n++) {
        free(node_batches->nodes[n].work.at);
        free(node_batches->nodes[n].members.at);
        free(node_batches->nodes[n].goodput.at);
        free(node_batches->nodes[n].noise.at);
        free(node_batches->nodes[n].others.at);
    }
    timeheap_finish(&node_batches->wakes);
    free(node_batches->nodes);
    free(node_batches->jobs);
}

static uint32_t node_of(const struct sim *sim, uint32_t job) {
    return allocation_pieces(&sim->runs[job].allocation)[0].node;
}

bool node_batches_know(const struct sim *sim, uint32_t job) {
    if (!node_batches_hold(sim, job))
        return true;
    const struct node_batch *batch = &sim->node_batches.nodes[node_of(sim, job)];
    size_t place = sim->node_batches.jobs[job].place;
    return place <= batch->members.count && batch->members.at[place - 1] == job;
}

/* --- progress of those in it --- */

static double speed_of(const struct node_batch *batch, size_t at) {
    return batch->goodput.at[at] * (batch->noise.at[at] / batch->slowdown);
}

struct progress node_batches_progress(const struct sim *sim, uint32_t job) {
    const struct node_batch *batch = &sim->node_batches.nodes[node_of(sim, job)];
    size_t at = sim->node_batches.jobs[job].place - 1;
    struct progress progress = sim->progress[job]; /* of its power nothing has changed */
    progress.factor = progress.noise / batch->slowdown;
    progress.stretch_work = batch->work.at[at];
    progress.stretch_ns = batch->rated_ns - progress.began_ns;
    return progress;
}

/* As job_finish_work_ns. */
static int64_t end_in_batch_ns(const struct sim *sim, uint32_t job) {
    const struct node_batch *batch = &sim->node_batches.nodes[node_of(sim, job)];
    size_t at = sim->node_batches.jobs[job].place - 1;
    double speed = speed_of(batch, at), left = sim->runs[job].remaining;
    if (batch->rated_ns > sim->progress[job].began_ns)
        return batch->rated_ns + units_duration_ns(fmax(0, left - batch->work.at[at]) / speed);
    return sim->runs[job].held_since_ns +
           units_duration_ns(sim->view.jobs[job].setup_s + left / speed);
}

int64_t node_batches_end_ns(const struct sim *sim, uint32_t job) {
    return node_batches_hold(sim, job) ? end_in_batch_ns(sim, job)
                                       : eventq_time_ns(&sim->events, sim->runs[job].event);
}

void node_batches_change_speed(struct sim *sim, uint32_t node, double slowdown) {
    struct node_batch *batch = &sim->node_batches.nodes[node];
    size_t count = batch->members.count;
    double since_s = units_s(sim->now_ns - batch->rated_ns), old = batch->slowdown;
    double factor = 1 / old; /* of jobs without noise */
    double *restrict work = batch->work.at;
    const double *goodput = batch->goodput.at, *noise = batch->noise.at;
    if (count == 0 || slowdown == old)
        return;
    if (sim->options.noise.speed_sigma > 0)
        for (size_t i = 0; i < count; i++)
            work[i] += since_s * (goodput[i] * (noise[i] / old));
    else
        for (size_t i = 0; i < count; i++)
            work[i] += since_s * (goodput[i] * factor);
    batch->slowdown = slowdown;
    batch->rated_ns = sim->now_ns;
}

/* --- in and out --- */

static void join_others(struct sim *sim, uint32_t job, struct node_batch *batch) {
    array_push(&batch->others, job);
    sim->node_batches.jobs[job].other_place = (uint32_t)batch->others.count;
}

static void leave_others(struct sim *sim, uint32_t job, struct node_batch *batch) {
    struct batch_job *own = &sim->node_batches.jobs[job];
    uint32_t last = batch->others.at[--batch->others.count];
    batch->others.at[own->other_place - 1] = last;
    sim->node_batches.jobs[last].other_place = own->other_place;
    own->other_place = 0;
}

/* Time that a job which ends at end_ns would take if it were alone on its node from from_ns on. */
static double alone_ns(const struct node_batch *batch, int64_t from_ns, int64_t end_ns) {
    return (double)(end_ns - from_ns) / batch->slowdown;
}

static bool ends_soon(const struct node_batch *batch, int64_t from_ns, int64_t end_ns) {
    return end_ns - from_ns < SOON_NS || alone_ns(batch, from_ns, end_ns) < SOON_ALONE_NS;
}

/* Sets the time at which to look again whether the job ends soon. */
static void wake_later(struct sim *sim, uint32_t job, int64_t from_ns, int64_t end_ns) {
    const struct node_batch *batch = &sim->node_batches.nodes[node_of(sim, job)];
    double least_ns = alone_ns(batch, from_ns, end_ns) * (1 - SLACK) - SLACK_NS;
    sim->node_batches.jobs[job].wake_ns = from_ns + (int64_t)least_ns;
    timeheap_push(&sim->node_batches.wakes, (double)sim->node_batches.jobs[job].wake_ns, job);
}

/* Whether a job that computes at the slowdown of the batch may be in it. */
static bool may_join(const struct sim *sim, uint32_t job, const struct node_batch *batch) {
    const struct job_run *run = &sim->runs[job];
    const struct job_spec *spec = &sim->workload->jobs.at[job];
    return run->segment == SEGMENT_RUN && !spec->utilization &&
           workload_costs(sim->workload, spec)->checkpoint_interval_s == 0 &&
           sim->progress[job].began_ns + sim->progress[job].stretch_ns == batch->rated_ns &&
           !ends_soon(batch, sim->now_ns, eventq_time_ns(&sim->events, run->event));
}

void node_batches_join(struct sim *sim, uint32_t job, double slowdown) {
    struct node_batch *batch = &sim->node_batches.nodes[node_of(sim, job)];
    struct job_run *run = &sim->runs[job];
    if (batch->members.count == 0) {
        batch->slowdown = slowdown;
        batch->rated_ns = sim->now_ns;
    }
    if (!may_join(sim, job, batch))
        return;
    array_push(&batch->members, job);
    array_push(&batch->work, sim->progress[job].stretch_work);
    array_push(&batch->goodput, sim->view.configs[run->config].goodput[run->span]);
    array_push(&batch->noise, sim->progress[job].noise);
    sim->node_batches.jobs[job].place = (uint32_t)batch->members.count;
    sim->node_batches.members++;
    leave_others(sim, job, batch);
    wake_later(sim, job, sim->now_ns, eventq_time_ns(&sim->events, run->event));
    eventq_cancel(&sim->events, run->event);
    run->event = EVENT_NONE;
}

static void take_out(struct sim *sim, uint32_t job, struct node_batch *batch) {
    struct batch_job *own = &sim->node_batches.jobs[job];
    size_t at = own->place - 1, last = --batch->members.count;
    batch->work.at[at] = batch->work.at[last];
    batch->goodput.at[at] = batch->goodput.at[last];
    batch->noise.at[at] = batch->noise.at[last];
    batch->members.at[at] = batch->members.at[last];
    batch->work.count = batch->goodput.count = batch->noise.count = last;
    sim->node_batches.jobs[batch->members.at[at]].place = own->place;
    own->place = 0;
    sim->node_batches.members--;
    join_others(sim, job, batch);
}

void node_batches_leave(struct sim *sim, uint32_t job) {
    if (!node_batches_hold(sim, job))
        return;
    struct node_batch *batch = &sim->node_batches.nodes[node_of(sim, job)];
    int64_t end_ns = end_in_batch_ns(sim, job);
    sim->progress[job] = node_batches_progress(sim, job);
    take_out(sim, job, batch);
    sim->runs[job].event = sim_push(sim, end_ns, EVENT_FINISH, job);
}

/* A job joins the end of its node's list, or leaves a place there, which the last one takes. */
static void node_batches_add_job(struct sim *sim, uint32_t job, uint32_t node) {
    struct node_batch *batch = &sim->node_batches.nodes[node];
    if (sim->runs[job].allocation.count == 1) {
        sim->node_batches.jobs[job].list_place = (uint32_t)sim->nodes.jobs[node].list.count;
        join_others(sim, job, batch);
        return;
    }
    batch->spread++;
    while (batch->members.count > 0)
        node_batches_leave(sim, batch->members.at[batch->members.count - 1]);
}

static void node_batches_remove_job(struct sim *sim, uint32_t job, uint32_t node) {
    struct node_batch *batch = &sim->node_batches.nodes[node];
    const struct node_jobs *jobs = &sim->nodes.jobs[node];
    uint32_t last = jobs->list.at[jobs->list.count - 1];
    node_batches_leave(sim, job);
    if (sim->runs[job].allocation.count > 1) {
        batch->spread--;
        for (size_t i = 0; i < jobs->list.count; i++) /* last takes its place */
            if (jobs->list.at[i] == job)
                sim->node_batches.jobs[last].list_place = (uint32_t)i;
        return;
    }
    sim->node_batches.jobs[last].list_place = sim->node_batches.jobs[job].list_place;
    leave_others(sim, job, batch);
}

/* --- time --- */

/* The first wake time up to the next event, in the order of time: until then all speeds stay as
   they are. False: there is none. */
static bool take_wake(struct sim *sim, uint32_t *ret_job, double *ret_ns) {
    struct timeheap *wakes = &sim->node_batches.wakes;
    *ret_ns = wakes->entries.count > 0 ? wakes->entries.at[0].time_s : INFINITY;
    return timeheap_pop_due(wakes, (double)eventq_next_ns(&sim->events), ret_job);
}

int64_t node_batches_next_event_ns(struct sim *sim) {
    uint32_t job;
    double entry_ns;
    while (take_wake(sim, &job, &entry_ns)) {
        int64_t wake_ns = sim->node_batches.jobs[job].wake_ns;
        if (!node_batches_hold(sim, job) || entry_ns != (double)wake_ns)
            continue; /* of before it left the last time */
        const struct node_batch *batch = &sim->node_batches.nodes[node_of(sim, job)];
        int64_t end_ns = end_in_batch_ns(sim, job);
        if (ends_soon(batch, wake_ns, end_ns))
            node_batches_leave(sim, job);
        else
            wake_later(sim, job, wake_ns, end_ns);
    }
    return eventq_next_ns(&sim->events);
}

/* --- nodes --- */

bool nodes_interfere(const struct sim *sim) {
    return sim->cluster->slowdown_per_neighbour > 0;
}

static void mark_changed(struct nodes *nodes, uint32_t node) {
    if (!nodes->is_changed || nodes->is_changed[node])
        return;
    nodes->is_changed[node] = true;
    array_push(&nodes->changed, node);
}

void nodes_init(struct sim *sim) {
    struct nodes *nodes = &sim->nodes;
    uint32_t count = sim->cluster->node_count;
    bool fails = sim->cluster->outages.count > 0;
    for (uint32_t n = 0; n < count; n++)
        fails = fails || isfinite(sim->cluster->nodes[n].up.mean_s);
    sleep_init(&nodes->sleep, sim->cluster);
    if (fails || nodes_interfere(sim))
        nodes->jobs = mem_zalloc(count, sizeof *nodes->jobs);
    if (nodes->sleep.nodes)
        nodes->awake_ns = mem_zalloc(sim->workload->jobs.count, sizeof *nodes->awake_ns);
    if (!nodes->sleep.nodes && !nodes_interfere(sim))
        return;
    nodes->is_changed = mem_zalloc(count, sizeof *nodes->is_changed);
    nodes->sleep_events = mem_alloc(count * sizeof *nodes->sleep_events);
    for (uint32_t n = 0; n < count; n++) {
        nodes->sleep_events[n] = EVENT_NONE;
        mark_changed(nodes, n);
    }
}

void nodes_finish(struct sim *sim) {
    struct nodes *nodes = &sim->nodes;
    for (uint32_t n = 0; nodes->jobs && n < sim->cluster->node_count; n++)
        free(nodes->jobs[n].list.at);
    sleep_finish(&nodes->sleep);
    free(nodes->jobs);
    free(nodes->is_changed);
    free(nodes->sleep_events);
    free(nodes->awake_ns);
    free(nodes->changed.at);
}

/* --- sleep --- */

/* In the view and the power. */
static void show_asleep(struct sim *sim, uint32_t node, uint32_t gpus) {
    uint32_t type = sim->cluster->nodes[node].gpu_type;
    view_gpu_type(&sim->view, type)->asleep += gpus;
    sim->meter.types[type].asleep += gpus;
}

static void show_awake(struct sim *sim, uint32_t node, uint32_t gpus) {
    uint32_t type = sim->cluster->nodes[node].gpu_type;
    view_gpu_type(&sim->view, type)->asleep -= gpus;
    sim->meter.types[type].asleep -= gpus;
}

int64_t nodes_take_gpus(struct sim *sim, uint32_t node, uint32_t gpus, uint32_t job) {
    struct sleep_taken taken = sleep_take(&sim->nodes.sleep, node, gpus, job, sim->now_ns);
    show_awake(sim, node, taken.slept);
    mark_changed(&sim->nodes, node);
    return taken.ready_ns;
}

void nodes_give_back_gpus(struct sim *sim, uint32_t node, uint32_t gpus, uint32_t job) {
    sleep_give_back(&sim->nodes.sleep, node, gpus, job, sim->now_ns);
    mark_changed(&sim->nodes, node);
}

void nodes_give_back_shared(struct sim *sim, uint32_t node, int64_t ready_ns) {
    sleep_free(&sim->nodes.sleep, node, 1, ready_ns, sim->now_ns);
    mark_changed(&sim->nodes, node);
}

void nodes_fall_asleep(struct sim *sim, uint32_t node) {
    sim->nodes.sleep_events[node] = EVENT_NONE;
    show_asleep(sim, node, sleep_fall(&sim->nodes.sleep, node, sim->now_ns));
    mark_changed(&sim->nodes, node);
}

void nodes_fail(struct sim *sim, uint32_t node) {
    if (sim->nodes.sleep.nodes)
        nodes_take_gpus(sim, node, sim->cluster->nodes[node].gpus, EASIM_NONE);
}

void nodes_repair(struct sim *sim, uint32_t node) {
    if (sim->nodes.sleep.nodes)
        nodes_give_back_gpus(sim, node, sim->cluster->nodes[node].gpus, EASIM_NONE);
}

/* --- interference --- */

void nodes_add_job(struct sim *sim, uint32_t job, uint32_t node) {
    mark_changed(&sim->nodes, node);
    if (sim->node_batches.nodes)
        node_batches_add_job(sim, job, node);
    array_push(&sim->nodes.jobs[node].list, job);
}

void nodes_remove_job(struct sim *sim, uint32_t job, uint32_t node) {
    struct node_jobs *jobs = &sim->nodes.jobs[node];
    mark_changed(&sim->nodes, node);
    size_t at = node_batches_list_place(sim, job);
    if (sim->node_batches.nodes)
        node_batches_remove_job(sim, job, node);
    while (jobs->list.at[at] != job)
        at++;
    jobs->list.at[at] = jobs->list.at[--jobs->list.count];
}

double nodes_slowdown_of(const struct sim *sim, size_t jobs) {
    return 1 + sim->cluster->slowdown_per_neighbour * (double)(jobs > 0 ? jobs - 1 : 0);
}

double nodes_slowdown(const struct sim *sim, uint32_t job) {
    if (!nodes_interfere(sim))
        return 1;
    const struct allocation *allocation = &sim->runs[job].allocation;
    const struct piece *pieces = allocation_pieces(allocation);
    size_t most = 1;
    for (uint32_t i = 0; i < allocation->count; i++) {
        size_t jobs = sim->nodes.jobs[pieces[i].node].list.count;
        most = jobs > most ? jobs : most;
    }
    return nodes_slowdown_of(sim, most);
}
