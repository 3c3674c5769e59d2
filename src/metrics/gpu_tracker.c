/* GPUs with numbers: see gpu_tracker.h. Invariant: between instants each node has as many GPUs
   free, asleep and failed here as in the engine. */
#include "metrics/gpu_tracker.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const recorded_state_names[] = {[RECORDED_FREE] = "free",
                                            [RECORDED_ASLEEP] = "asleep",
                                            [RECORDED_FAILED] = "failed",
                                            [RECORDED_RESERVED] = "reserved"};

/* --- choice of GPUs --- */
/* A tree of each node has its GPUs as leaves and at place i the first of those at 2i and 2i + 1, so
   place 1 has the first of all. */

static bool node_may_sleep(const struct sim *sim, uint32_t node) {
    return isfinite(sim->cluster->gpu_types[sim->cluster->nodes[node].gpu_type].sleep_after_s);
}

/* A job gets a before b: a free one before one asleep, of free ones that may sleep the one freed
   last, then the lowest. */
static bool is_taken_before(const struct gpu_tracker *tracker, uint32_t a, uint32_t b,
                            bool may_sleep) {
    if (tracker->states[a] != tracker->states[b])
        return tracker->states[a] < tracker->states[b]; /* free, then asleep */
    if (may_sleep && tracker->states[a] == RECORDED_FREE &&
        tracker->since_ns[a] != tracker->since_ns[b])
        return tracker->since_ns[a] > tracker->since_ns[b];
    return a < b;
}

/* a falls asleep before b: of free ones the one freed first, then the highest. */
static bool is_asleep_before(const struct gpu_tracker *tracker, uint32_t a, uint32_t b) {
    bool is_free = tracker->states[a] == RECORDED_FREE;
    if (is_free != (tracker->states[b] == RECORDED_FREE))
        return is_free;
    if (tracker->since_ns[a] != tracker->since_ns[b])
        return tracker->since_ns[a] < tracker->since_ns[b];
    return a > b;
}

/* Place i of the trees of a node: not a leaf. */
static void choose(struct gpu_tracker *tracker, uint32_t node, uint32_t i, bool may_sleep) {
    size_t root = 2 * (size_t)tracker->node_first[node];
    uint32_t *taken = tracker->taken + root;
    taken[i] = taken[2 * i + is_taken_before(tracker, taken[2 * i + 1], taken[2 * i], may_sleep)];
    if (may_sleep) {
        uint32_t *asleep = tracker->asleep + root;
        asleep[i] = asleep[2 * i + is_asleep_before(tracker, asleep[2 * i + 1], asleep[2 * i])];
    }
}

/* All GPUs of a node are free. */
static void plant_trees(struct gpu_tracker *tracker, const struct sim *sim, uint32_t node) {
    uint32_t first = tracker->node_first[node], gpus = tracker->node_first[node + 1] - first;
    bool may_sleep = node_may_sleep(sim, node);
    tracker->counts[node].of[RECORDED_FREE] = gpus;
    for (size_t g = 0; g < gpus; g++) {
        tracker->taken[2 * (size_t)first + gpus + g] = first + (uint32_t)g;
        if (may_sleep)
            tracker->asleep[2 * (size_t)first + gpus + g] = first + (uint32_t)g;
    }
    for (uint32_t i = gpus - 1; i > 0; i--)
        choose(tracker, node, i, may_sleep);
}

/* A GPU has changed its state. */
static void choose_again(struct gpu_tracker *tracker, const struct sim *sim, uint32_t node,
                         uint32_t gpu) {
    bool may_sleep = node_may_sleep(sim, node);
    uint32_t first = tracker->node_first[node], gpus = tracker->node_first[node + 1] - first;
    for (uint32_t i = (gpus + gpu - first) / 2; i > 0; i /= 2)
        choose(tracker, node, i, may_sleep);
}

static uint32_t find_free(const struct gpu_tracker *tracker, uint32_t node) {
    return tracker->taken[2 * (size_t)tracker->node_first[node] + 1];
}

static void init_tracker(struct gpu_tracker *tracker, const struct sim *sim) {
    const struct cluster *cluster = sim->cluster;
    uint32_t gpus = 0, jobs = (uint32_t)sim->workload->jobs.count;
    tracker->node_first = mem_alloc((cluster->node_count + (size_t)1) * sizeof(uint32_t));
    for (uint32_t n = 0; n < cluster->node_count; n++) {
        tracker->node_first[n] = gpus;
        gpus += cluster->nodes[n].gpus;
    }
    tracker->node_first[cluster->node_count] = tracker->gpu_count = gpus;
    tracker->states = mem_zalloc(gpus, sizeof *tracker->states); /* RECORDED_FREE */
    tracker->since_ns = mem_zalloc(gpus, sizeof *tracker->since_ns);
    tracker->counts = mem_zalloc(cluster->node_count, sizeof *tracker->counts);
    tracker->taken = mem_alloc(gpus * 2 * sizeof *tracker->taken);
    tracker->asleep = mem_alloc(gpus * 2 * sizeof *tracker->asleep); /* untouched: costs nothing */
    for (uint32_t n = 0; n < cluster->node_count; n++)
        plant_trees(tracker, sim, n);
    if (sim->workload->table.has_shares)
        tracker->shared = mem_zalloc(gpus, sizeof *tracker->shared);
    for (uint32_t g = 0; tracker->shared && g < gpus; g++)
        tracker->shared[g].tracked_gpu = g; /* one of the node, on which nobody is */
    for (uint32_t j = 0; j < jobs; j++)
        array_push(&tracker->jobs,
                   ((struct tracked_job){.shared = EASIM_NONE, .replica = EASIM_NONE}));
    tracker->is_changed = mem_zalloc(cluster->node_count, sizeof *tracker->is_changed);
}

/* --- rests --- */

/* A GPU of a node ends what it did, which goes into the list with that of its neighbours. */
static void end_rest(struct gpu_tracker *tracker, uint32_t node, uint32_t gpu, int64_t now_ns) {
    uint32_t number = gpu - tracker->node_first[node];
    struct recorded_rest rest = {tracker->since_ns[gpu], now_ns, node, number, 1,
                                 tracker->states[gpu]};
    struct recorded_rest *last =
        tracker->rests.count > 0 ? &tracker->rests.at[tracker->rests.count - 1] : NULL;
    if (rest.state == TRACKED_HELD || rest.start_ns == now_ns)
        return;
    if (last && last->end_ns == now_ns && last->node == node && last->start_ns == rest.start_ns &&
        last->state == rest.state && last->first + last->count == number)
        last->count++;
    else
        array_push(&tracker->rests, rest);
}

static void set_state(struct gpu_tracker *tracker, const struct sim *sim, uint32_t node,
                      uint32_t gpu, uint8_t state) {
    end_rest(tracker, node, gpu, sim->now_ns);
    tracker->counts[node].of[tracker->states[gpu]]--;
    tracker->counts[node].of[state]++;
    tracker->states[gpu] = state;
    tracker->since_ns[gpu] = sim->now_ns;
    choose_again(tracker, sim, node, gpu);
}

/* A GPU of a node for a job, as a GPU of the cluster. */
static uint32_t take_gpu(struct gpu_tracker *tracker, const struct sim *sim, uint32_t node) {
    uint32_t gpu = find_free(tracker, node);
    assert(tracker->states[gpu] == RECORDED_FREE || tracker->states[gpu] == RECORDED_ASLEEP);
    set_state(tracker, sim, node, gpu, TRACKED_HELD);
    return gpu;
}

static void mark_changed(struct gpu_tracker *tracker, uint32_t node) {
    if (tracker->is_changed[node])
        return;
    tracker->is_changed[node] = true;
    array_push(&tracker->changed, node);
}

static void free_gpu(struct gpu_tracker *tracker, const struct sim *sim, uint32_t node,
                     uint32_t gpu) {
    set_state(tracker, sim, node, gpu, RECORDED_FREE);
    mark_changed(tracker, node);
}

/* --- parts of GPUs --- */

static void leave_lane(struct gpu_tracker *tracker, const struct sim *sim,
                       struct tracked_job *job) {
    const struct recorded_gpus *held = &tracker->gpus.at[job->held.first];
    struct tracked_shared *shared = &tracker->shared[job->shared];
    shared->lanes.at[held->lane] = false;
    if (--shared->users == 0)
        free_gpu(tracker, sim, held->node, job->shared);
    job->shared = EASIM_NONE;
    job->held = (struct gpu_places){0};
}

/* The GPU that the engine calls so; a free one of the node if nobody is on it yet. */
static uint32_t find_shared(struct gpu_tracker *tracker, const struct sim *sim, uint32_t node,
                            uint32_t engine_gpu) {
    const struct sharing *engine =
        &sim->placement.types[sim->cluster->nodes[node].gpu_type].sharing;
    uint32_t *gpu =
        &tracker->shared[tracker->node_first[node] + engine_gpu - engine->node_first[node]]
             .tracked_gpu;
    if (tracker->shared[*gpu].users == 0 || tracker->shared[*gpu].engine_gpu != engine_gpu) {
        *gpu = take_gpu(tracker, sim, node);
        tracker->shared[*gpu].engine_gpu = engine_gpu;
    }
    return *gpu;
}

static void take_lane(struct gpu_tracker *tracker, const struct sim *sim, struct tracked_job *job,
                      const struct allocation *allocation) {
    uint32_t node = allocation->first.node, lane = 0;
    job->shared = find_shared(tracker, sim, node, allocation->gpu);
    struct tracked_shared *shared = &tracker->shared[job->shared];
    while (lane < shared->lanes.count && shared->lanes.at[lane])
        lane++;
    if (lane == shared->lanes.count)
        array_push(&shared->lanes, true);
    shared->lanes.at[lane] = true;
    shared->users++;
    job->held = (struct gpu_places){(uint32_t)tracker->gpus.count, 1};
    array_push(&tracker->gpus,
               ((struct recorded_gpus){node, job->shared - tracker->node_first[node], 1, lane}));
}

/* --- whole GPUs --- */

ORDER_BY(compare_pieces, struct piece, ASC(node))

static bool is_job(const struct sim *sim, uint32_t index) {
    return index < sim->workload->jobs.count;
}

/* The whole GPUs that the engine has given to a job or replica; NULL: none. */
static const struct allocation *allocation_of(const struct gpu_tracker *tracker,
                                              const struct sim *sim, uint32_t index) {
    uint32_t replica = tracker->jobs.at[index].replica;
    if (!is_job(sim, index))
        return replica == EASIM_NONE ? NULL : &sim->services.replicas.at[replica].allocation;
    const struct job_run *run = &sim->runs[index];
    return job_run_uses_gpus(run) && run->allocation.milli == 0 ? &run->allocation : NULL;
}

/* These, by node. */
static void list_pieces(struct gpu_tracker *tracker, const struct sim *sim, uint32_t index) {
    const struct allocation *allocation = allocation_of(tracker, sim, index);
    tracker->pieces.count = 0;
    if (!allocation)
        return;
    const struct piece *pieces = allocation_pieces(allocation);
    for (uint32_t i = 0; i < allocation->count; i++)
        array_push(&tracker->pieces, pieces[i]);
    sort_array(tracker->pieces.at, tracker->pieces.count, compare_pieces);
}

/* How many GPUs of a node are in the pieces, in which *at goes on by node. */
static uint32_t piece_of(const struct gpu_tracker *tracker, size_t *at, uint32_t node) {
    while (*at < tracker->pieces.count && tracker->pieces.at[*at].node < node)
        ++*at;
    return *at < tracker->pieces.count && tracker->pieces.at[*at].node == node
               ? tracker->pieces.at[*at].gpus
               : 0;
}

static bool shares(const struct sim *sim, uint32_t job) {
    return is_job(sim, job) && job_run_uses_gpus(&sim->runs[job]) &&
           sim->runs[job].allocation.milli > 0;
}

/* On the same GPU. */
static bool goes_on_sharing(const struct gpu_tracker *tracker, const struct sim *sim,
                            uint32_t index) {
    const struct tracked_job *job = &tracker->jobs.at[index];
    const struct allocation *allocation = &sim->runs[index].allocation;
    return shares(sim, index) && tracker->gpus.at[job->held.first].node == allocation->first.node &&
           tracker->shared[job->shared].engine_gpu == allocation->gpu;
}

/* Gives back what the job does not go on holding: of each node the highest ones. */
static void give_back(struct gpu_tracker *tracker, const struct sim *sim, uint32_t index) {
    struct tracked_job *job = &tracker->jobs.at[index];
    uint32_t node = EASIM_NONE, left = 0;
    size_t at = 0;
    if (job->shared != EASIM_NONE) {
        if (!goes_on_sharing(tracker, sim, index))
            leave_lane(tracker, sim, job);
        return;
    }
    list_pieces(tracker, sim, index);
    for (uint32_t i = job->held.first; i < job->held.first + job->held.count; i++) {
        const struct recorded_gpus held = tracker->gpus.at[i];
        left = held.node == node ? left : piece_of(tracker, &at, held.node);
        node = held.node;
        for (uint32_t g = 0; g < held.count; g++) {
            uint32_t gpu = tracker->node_first[node] + held.first + g;
            if (left > 0)
                left--;
            else
                free_gpu(tracker, sim, node, gpu);
        }
    }
}

static void add_gpu(struct gpu_tracker *tracker, size_t first, uint32_t node, uint32_t number) {
    struct recorded_gpus *last =
        tracker->gpus.count > first ? &tracker->gpus.at[tracker->gpus.count - 1] : NULL;
    if (last && last->node == node && last->first + last->count == number)
        last->count++;
    else
        array_push(&tracker->gpus, ((struct recorded_gpus){node, number, 1, 0}));
}

ORDER_BY(compare_gpus, struct recorded_gpus, ASC(node) ASC(first))

/* Ascending, neighbours together. */
static void order_gpus(struct gpu_tracker *tracker, size_t first) {
    struct recorded_gpus *at = tracker->gpus.at + first;
    size_t count = tracker->gpus.count - first, kept = 0;
    if (count < 2)
        return;
    sort_array(at, count, compare_gpus);
    for (size_t i = 1; i < count; i++)
        if (at[i].node == at[kept].node && at[i].first == at[kept].first + at[kept].count)
            at[kept].count += at[i].count;
        else
            at[++kept] = at[i];
    tracker->gpus.count = first + kept + 1;
}

/* How many GPUs of a node a job still holds, after give_back; they go into the new list. */
static uint32_t keep_held(struct gpu_tracker *tracker, struct gpu_places held, size_t first,
                          const struct piece *piece) {
    uint32_t kept = 0;
    for (uint32_t i = held.first; i < held.first + held.count; i++) {
        const struct recorded_gpus old = tracker->gpus.at[i];
        for (uint32_t g = 0; old.node == piece->node && g < old.count && kept < piece->gpus; g++) {
            add_gpu(tracker, first, old.node, old.first + g);
            kept++;
        }
    }
    return kept;
}

static void take_whole(struct gpu_tracker *tracker, const struct sim *sim, uint32_t index) {
    struct tracked_job *job = &tracker->jobs.at[index];
    size_t first = tracker->gpus.count;
    list_pieces(tracker, sim, index);
    for (size_t i = 0; i < tracker->pieces.count; i++) {
        const struct piece piece = tracker->pieces.at[i];
        for (uint32_t g = keep_held(tracker, job->held, first, &piece); g < piece.gpus; g++)
            add_gpu(tracker, first, piece.node,
                    take_gpu(tracker, sim, piece.node) - tracker->node_first[piece.node]);
        mark_changed(tracker, piece.node);
    }
    order_gpus(tracker, first);
    uint32_t count = (uint32_t)(tracker->gpus.count - first);
    if (count > 0 && count == job->held.count &&
        memcmp(tracker->gpus.at + first, tracker->gpus.at + job->held.first,
               count * sizeof *tracker->gpus.at) == 0)
        tracker->gpus.count = first; /* the very same */
    else
        job->held = (struct gpu_places){(uint32_t)first, count};
}

/* --- instants --- */

static void note_moved(struct gpu_tracker *tracker, uint32_t job) {
    if (tracker->jobs.at[job].moved)
        return;
    tracker->jobs.at[job].moved = true;
    array_push(&tracker->moved, job);
}

struct gpu_places gpu_tracker_end_segment(struct gpu_tracker *tracker, const struct sim *sim,
                                          const struct segment *segment) {
    if (!tracker->states)
        init_tracker(tracker, sim);
    const struct tracked_job *job = &tracker->jobs.at[segment->job];
    struct gpu_places held = job->held;
    bool stays = segment_cause_goes_on(segment->ended) || segment->ended == CAUSE_SET_UP ||
                 segment->ended == CAUSE_END_OF_RUN;
    if (segment->config == EASIM_NONE || job->moved) /* moved: it began at this very instant */
        held = (struct gpu_places){0};
    if (!stays)
        note_moved(tracker, segment->job);
    return held;
}

uint32_t gpu_tracker_move_replica(struct gpu_tracker *tracker, const struct sim *sim,
                                  uint32_t holder, uint32_t replica, bool holds) {
    if (!tracker->states)
        init_tracker(tracker, sim);
    if (holder == EASIM_NONE) {
        holder = (uint32_t)tracker->jobs.count;
        array_push(&tracker->jobs,
                   ((struct tracked_job){.shared = EASIM_NONE, .replica = EASIM_NONE}));
    }
    tracker->jobs.at[holder].replica = holds ? replica : EASIM_NONE;
    note_moved(tracker, holder);
    mark_changed(tracker, sim->services.replicas.at[replica].node);
    return holder;
}

struct gpu_places gpu_tracker_held(const struct gpu_tracker *tracker, uint32_t holder) {
    const struct tracked_job *job = &tracker->jobs.at[holder];
    return job->moved ? (struct gpu_places){0} : job->held;
}

void gpu_tracker_note_node(struct gpu_tracker *tracker, const struct sim *sim, uint32_t node) {
    if (!tracker->states)
        init_tracker(tracker, sim);
    mark_changed(tracker, node);
}

/* GPUs of a node that no job holds fail, or are repaired, with the node. */
static void settle_failure(struct gpu_tracker *tracker, const struct sim *sim, uint32_t node) {
    if (!sim->nodes.jobs) /* none ever fails */
        return;
    uint32_t failures = tracker->counts[node].of[RECORDED_FAILED];
    bool failed = easim_view_node(sim->view.v, node)->failed;
    if (failures == (failed ? tracker->node_first[node + 1] - tracker->node_first[node] : 0))
        return;
    for (uint32_t g = tracker->node_first[node]; g < tracker->node_first[node + 1]; g++)
        if (failed != (tracker->states[g] == RECORDED_FAILED))
            set_state(tracker, sim, node, g, failed ? RECORDED_FAILED : RECORDED_FREE);
}

/* What the reservation of a node holds. */
static uint32_t reserved_gpus(const struct sim *sim, uint32_t node) {
    uint32_t gpus = 0;
    for (size_t i = 0; i < sim->services.replicas.count; i++) {
        const struct replica *r = &sim->services.replicas.at[i];
        if (r->phase == REPLICA_RESERVED && r->node == node)
            gpus += r->allocation.first.gpus;
    }
    return gpus;
}

/* GPUs of a node are reserved no longer, the highest first. */
static void free_reserved(struct gpu_tracker *tracker, const struct sim *sim, uint32_t node) {
    uint32_t wanted = reserved_gpus(sim, node);
    for (uint32_t g = tracker->node_first[node + 1];
         tracker->counts[node].of[RECORDED_RESERVED] > wanted; g--)
        if (tracker->states[g - 1] == RECORDED_RESERVED)
            set_state(tracker, sim, node, g - 1, RECORDED_FREE);
}

/* Free ones of it are. */
static void settle_reserved(struct gpu_tracker *tracker, const struct sim *sim, uint32_t node) {
    uint32_t wanted = reserved_gpus(sim, node);
    while (tracker->counts[node].of[RECORDED_RESERVED] < wanted)
        set_state(tracker, sim, node, find_free(tracker, node), RECORDED_RESERVED);
}

/* As many GPUs of a node are asleep as the engine says. */
static void settle_sleep(struct gpu_tracker *tracker, const struct sim *sim, uint32_t node) {
    uint32_t wanted = sim->nodes.sleep.nodes[node].asleep;
    const uint32_t *asleep = &tracker->counts[node].of[RECORDED_ASLEEP];
    while (*asleep < wanted)
        set_state(tracker, sim, node, tracker->asleep[2 * (size_t)tracker->node_first[node] + 1],
                  RECORDED_ASLEEP);
    for (uint32_t g = tracker->node_first[node]; *asleep > wanted; g++)
        if (tracker->states[g] == RECORDED_ASLEEP)
            set_state(tracker, sim, node, g, RECORDED_FREE);
}

void gpu_tracker_settle(struct gpu_tracker *tracker, const struct sim *sim) {
    for (size_t i = 0; i < tracker->moved.count; i++)
        give_back(tracker, sim, tracker->moved.at[i]);
    for (size_t i = 0; i < tracker->changed.count; i++) {
        settle_failure(tracker, sim, tracker->changed.at[i]);
        if (sim->services.count > 0)
            free_reserved(tracker, sim, tracker->changed.at[i]);
    }
    for (size_t i = 0; i < tracker->moved.count; i++) {
        uint32_t job = tracker->moved.at[i];
        if (!shares(sim, job))
            take_whole(tracker, sim, job);
        else if (tracker->jobs.at[job].shared == EASIM_NONE)
            take_lane(tracker, sim, &tracker->jobs.at[job], &sim->runs[job].allocation);
        tracker->jobs.at[job].moved = false;
    }
    for (size_t i = 0; i < tracker->changed.count; i++) {
        uint32_t node = tracker->changed.at[i];
        if (sim->services.count > 0)
            settle_reserved(tracker, sim, node);
        if (sim->nodes.sleep.nodes)
            settle_sleep(tracker, sim, node);
        tracker->is_changed[node] = false;
    }
    tracker->moved.count = tracker->changed.count = 0;
}

void gpu_tracker_close(struct gpu_tracker *tracker, const struct sim *sim) {
    if (!tracker->states)
        init_tracker(tracker, sim);
    for (uint32_t n = 0; n < sim->cluster->node_count; n++)
        for (uint32_t g = tracker->node_first[n]; g < tracker->node_first[n + 1]; g++)
            end_rest(tracker, n, g, sim->now_ns);
}

void gpu_tracker_finish(struct gpu_tracker *tracker) {
    for (uint32_t g = 0; tracker->shared && g < tracker->gpu_count; g++)
        free(tracker->shared[g].lanes.at);
    free(tracker->node_first);
    free(tracker->states);
    free(tracker->since_ns);
    free(tracker->counts);
    free(tracker->taken);
    free(tracker->asleep);
    free(tracker->shared);
    free(tracker->jobs.at);
    free(tracker->moved.at);
    free(tracker->changed.at);
    free(tracker->is_changed);
    free(tracker->pieces.at);
    free(tracker->gpus.at);
    free(tracker->rests.at);
    *tracker = (struct gpu_tracker){0};
}
