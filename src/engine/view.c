/* The view of policies. Invariant: the list of waiting jobs is in the order of their indices. */
#include "engine/view.h"

#include "base/units.h"

#include <math.h>
#include <sys/mman.h>
#include <unistd.h>

/* Arrays one after the other in the region, each on its own cache line. */
static size_t reserve(size_t *bytes, size_t count, size_t each) {
    size_t at = *bytes;
    *bytes += (count * each + 63) / 64 * 64;
    return at;
}

static void map_region(struct view *view, const struct cluster *cluster, const struct workload *w) {
    uint32_t jobs = (uint32_t)w->jobs.count;
    size_t bytes = 0, users = w->users.count, configs = w->table.configs.count;
    size_t most_running = (size_t)cluster->gpus * WHOLE_GPU_MILLI,
           running = most_running < jobs ? most_running : jobs;
    view->event_capacity = 2 * jobs + 64;
    size_t at_view = reserve(&bytes, 1, sizeof *view->v);
    size_t at_types = reserve(&bytes, cluster->gpu_type_count, sizeof *view->gpu_types);
    size_t at_nodes = reserve(&bytes, cluster->node_count, sizeof *view->nodes);
    size_t at_users = reserve(&bytes, users, sizeof *view->users);
    size_t at_configs = reserve(&bytes, configs, sizeof *view->configs);
    size_t at_jobs = reserve(&bytes, jobs, sizeof *view->jobs);
    size_t at_running = reserve(&bytes, running, sizeof *view->running);
    size_t at_events = reserve(&bytes, view->event_capacity, sizeof *view->events);
    view->region_bytes = bytes;
    view->region = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (view->region == MAP_FAILED)
        (void)mem_alloc(SIZE_MAX); /* out of memory: says so and ends the process */
    char *base = view->region;
    view->v = (void *)(base + at_view);
    view->gpu_types = (void *)(base + at_types);
    view->nodes = (void *)(base + at_nodes);
    view->users = (void *)(base + at_users);
    view->configs = (void *)(base + at_configs);
    view->jobs = (void *)(base + at_jobs);
    view->running = (void *)(base + at_running);
    view->events = (void *)(base + at_events);
}

static void fill_arrays(struct view *view, const struct cluster *cluster, const struct workload *w) {
    for (uint32_t h = 0; h < cluster->gpu_type_count; h++) {
        const struct gpu_type *type = &cluster->gpu_types[h];
        view->gpu_types[h] = (struct easim_gpu_type){.name = type->name,
                                                     .gpus = type->gpus,
                                                     .free = type->gpus,
                                                     .node_gpus_max = type->node_gpus_max,
                                                     .node_free_max = type->node_gpus_max,
                                                     .idle_w = type->idle_w,
                                                     .ctx_w = type->ctx_w,
                                                     .tdp_w = type->tdp_w,
                                                     .memory_gib = type->memory_gib};
    }
    for (uint32_t n = 0; n < cluster->node_count; n++)
        view->nodes[n] =
            (struct easim_node){cluster->nodes[n].gpu_type, cluster->nodes[n].gpus, cluster->nodes[n].gpus, false};
    for (uint32_t u = 0; u < w->users.count; u++)
        view->users[u] = (struct easim_user){.name = w->users.at[u].name, .weight = w->users.at[u].weight};
    if (w->table.configs.count > 0)
        memcpy(view->configs, w->table.configs.at, w->table.configs.count * sizeof *view->configs);
}

void view_init(struct view *view, const struct cluster *cluster, const struct workload *w, bool protect) {
    *view = (struct view){.protect = protect};
    map_region(view, cluster, w);
    fill_arrays(view, cluster, w);
    idset_init(&view->waiting, w->jobs.count);
    *view->v = (struct easim_view){.struct_size = sizeof *view->v,
                                   .power_cap_w = cluster->power_cap_w,
                                   .gpus = cluster->gpus,
                                   .free_gpus = cluster->gpus,
                                   .gpu_type_count = cluster->gpu_type_count,
                                   .node_count = cluster->node_count,
                                   .user_count = (uint32_t)w->users.count,
                                   .config_count = (uint32_t)w->table.configs.count,
                                   .job_count = (uint32_t)w->jobs.count,
                                   .usage_half_life_s = INFINITY,
                                   .first_waiting = EASIM_NONE,
                                   .gpu_type_stride = sizeof *view->gpu_types,
                                   .node_stride = sizeof *view->nodes,
                                   .user_stride = sizeof *view->users,
                                   .config_stride = sizeof *view->configs,
                                   .job_stride = sizeof *view->jobs,
                                   .running_stride = sizeof *view->running,
                                   .event_stride = sizeof *view->events,
                                   .gpu_types = view->gpu_types,
                                   .nodes = view->nodes,
                                   .users = view->users,
                                   .configs = view->configs,
                                   .jobs = view->jobs,
                                   .running = view->running,
                                   .events = view->events};
}

void view_finish(struct view *view) {
    if (view->region)
        munmap(view->region, view->region_bytes);
    idset_finish(&view->waiting);
    *view = (struct view){0};
}

void view_lock(struct view *view) {
    if (view->protect)
        (void)mprotect(view->region, view->region_bytes, PROT_READ);
}

void view_unlock(struct view *view) {
    if (view->protect)
        (void)mprotect(view->region, view->region_bytes, PROT_READ | PROT_WRITE);
}

void view_set_now(struct view *view, int64_t now_ns) {
    view->v->now_ns = now_ns;
    view->v->now_s = units_s(now_ns);
}

void view_add_event(struct view *view, enum easim_event_kind kind, uint32_t job) {
    if (view->v->event_count < view->event_capacity)
        view->events[view->v->event_count++] = (struct easim_event){kind, job};
}

void view_enqueue(struct view *view, uint32_t job) {
    struct easim_job *j = &view->jobs[job];
    uint64_t before = job > 0 ? idset_prev(&view->waiting, job - 1) : IDSET_NONE;
    uint32_t *link = before == IDSET_NONE ? &view->v->first_waiting : &view->jobs[before].next_waiting;
    j->state = EASIM_JOB_WAITING;
    j->config = EASIM_NONE;
    j->next_waiting = *link;
    *link = job;
    idset_insert(&view->waiting, job);
    view->v->waiting_count++;
}

void view_dequeue(struct view *view, uint32_t job) {
    idset_remove(&view->waiting, job);
    uint64_t before = job > 0 ? idset_prev(&view->waiting, job - 1) : IDSET_NONE;
    uint32_t *link = before == IDSET_NONE ? &view->v->first_waiting : &view->jobs[before].next_waiting;
    *link = view->jobs[job].next_waiting;
    view->v->waiting_count--;
}

void view_move_gpus(struct view *view, uint32_t node, uint32_t gpus, int sign) {
    uint32_t change = sign < 0 ? 0u - gpus : gpus; /* unsigned arithmetic wraps as wanted */
    view->nodes[node].free += change;
    view->gpu_types[view->nodes[node].gpu_type].free += change;
    view->v->free_gpus += change;
}

void view_set_failed(struct view *view, uint32_t node, bool failed) {
    uint32_t gpus = failed ? view->nodes[node].free : view->nodes[node].gpus;
    view_move_gpus(view, node, gpus, failed ? -1 : 1);
    view->nodes[node].failed = failed;
    view->gpu_types[view->nodes[node].gpu_type].failed += failed ? gpus : 0u - gpus; /* wraps as wanted */
}

void view_user_gpus(struct view *view, uint32_t user, const struct easim_config *config, int sign) {
    struct easim_user *u = &view->users[user];
    u->gpu_s = easim_user_usage_s(view->v, user);
    u->as_of_s = view->v->now_s;
    if (config->milli > 0)
        u->shared_milli += (uint64_t)(int64_t)sign * config->milli; /* wraps as wanted */
    else
        u->allocated_gpus += (uint32_t)sign * config->k;
}

void view_add_running(struct view *view, uint32_t job) {
    view->jobs[job].running_slot = view->v->running_count++;
    view_change_running(view, job);
}

void view_change_running(struct view *view, uint32_t job) {
    const struct easim_job *j = &view->jobs[job];
    const struct easim_config *config = &view->configs[j->config];
    view->running[j->running_slot] =
        (struct easim_running){job, config->gpu_type, config->k, config->milli, j->predicted_end_ns};
}

void view_remove_running(struct view *view, uint32_t job) {
    uint32_t slot = view->jobs[job].running_slot;
    view->running[slot] = view->running[--view->v->running_count];
    view->jobs[view->running[slot].job].running_slot = slot;
    view->jobs[job].running_slot = EASIM_NONE;
}
