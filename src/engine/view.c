/* The view of policies. Invariant: the list of waiting jobs is in the order of their indices. */
#include "engine/view.h"

#include "base/units.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

/* Arrays one after the other in the region, each on its own cache line, jobs on a page; of a
   checked run each at the end of a page, in front of one that policies cannot read. */
static void lay_out(struct view *view, const size_t counts[VIEW_PLACES], bool checked) {
#define SIZE(PLACE, many, one, count) sizeof *view->many,
    const size_t sizes[VIEW_PLACES] = {sizeof *view->v, VIEW_ARRAYS(SIZE) EXTENSION_ARRAYS(SIZE)};
#undef SIZE
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), step = checked ? page : 64;
    size_t from = 0;
    for (int i = 0; i < VIEW_PLACES; i++) {
        if (i == AT_JOBS)
            from = (from + page - 1) / page * page;
        size_t bytes = counts[i] * sizes[i], end = (from + bytes + step - 1) / step * step;
        view->places[i] = checked ? end - bytes : from;
        view->ends[i] = end;
        from = checked ? end + step : end;
    }
}

static int hide_ends(struct view *view, struct error *reterr) {
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    int r = 0;
    for (int i = 0; i < VIEW_PLACES && r == 0; i++)
        r = guard_hide(&view->guard, view->ends[i], page, reterr);
    return r;
}

static int map_region(struct view *view, const struct cluster *cluster,
                      const struct workload *workload, const struct view_options *options,
                      struct error *reterr) {
    const bool checked = options->checked;
    uint32_t jobs = (uint32_t)workload->jobs.count;
    size_t gpus_milli = (size_t)cluster->gpus * WHOLE_GPU_MILLI,
           most_running = gpus_milli < jobs ? gpus_milli : jobs;
    const size_t *at = view->places;
    view->event_capacity = 2 * jobs + 64;
#define COUNT(PLACE, many, one, count) count,
    const size_t counts[VIEW_PLACES] = {1, VIEW_ARRAYS(COUNT) EXTENSION_ARRAYS(COUNT)};
#undef COUNT
    lay_out(view, counts, checked);
    size_t bytes = view->ends[AT_REPLICAS] + (checked ? (size_t)sysconf(_SC_PAGESIZE) : 0);
    if (guard_init(&view->guard, bytes, checked, reterr) < 0 ||
        (checked && hide_ends(view, reterr) < 0))
        return -1;
    const char *base = view->guard.host;
    view->v = (const void *)(base + at[AT_VIEW]);
#define POINT(PLACE, many, one, count) view->many = (const void *)(base + at[AT_##PLACE]);
    VIEW_ARRAYS(POINT)
    EXTENSION_ARRAYS(POINT)
#undef POINT
    view->shown = view_shown(view, view->v);
    return 0;
}

const void *view_shown(const struct view *view, const void *at) {
    return (const char *)view->guard.shown + ((const char *)at - (const char *)view->guard.host);
}

/* The waiting job before a job, which waits or does not. Mostly one end of the list tells. */
static uint32_t waiting_before(const struct view *view, uint32_t job) {
    if (view->v->first_waiting >= job) /* EASIM_NONE is above all */
        return EASIM_NONE;
    return view->last_waiting < job ? view->last_waiting
                                    : (uint32_t)idset_prev(&view->waiting, job - 1);
}

/* The link that leads to the waiting job after `before`. */
static uint32_t *open_link(struct view *view, uint32_t before) {
    return before == EASIM_NONE ? &view_header(view)->first_waiting
                                : &view_job(view, before)->next_waiting;
}

/* All GPUs free; only as many spans as there are. */
static void fill_spans(struct easim_gpu_type *shown, const struct cluster *cluster,
                       const struct gpu_type *type) {
    for (uint32_t span = 0; span < network_span_count(&cluster->network); span++)
        shown->span_gpus_max[span] = shown->span_free_max[span] =
            cluster_span_gpus_max(cluster, type, span);
}

static void fill_arrays(struct view *view, const struct cluster *cluster,
                        const struct workload *workload) {
    for (uint32_t h = 0; h < cluster->gpu_type_count; h++) {
        const struct gpu_type *type = &cluster->gpu_types[h];
        *view_gpu_type(view, h) = (struct easim_gpu_type){.name = type->name,
                                                          .gpus = type->gpus,
                                                          .free = type->gpus,
                                                          .node_gpus_max = type->node_gpus_max,
                                                          .node_free_max = type->node_gpus_max,
                                                          .idle_w = type->idle_w,
                                                          .ctx_w = type->ctx_w,
                                                          .tdp_w = type->tdp_w,
                                                          .memory_gib = type->memory_gib};
        fill_spans(view_gpu_type(view, h), cluster, type);
    }
    for (uint32_t n = 0; n < cluster->node_count; n++)
        *view_node(view, n) = (struct easim_node){
            cluster->nodes[n].gpu_type, cluster->nodes[n].gpus, cluster->nodes[n].gpus, false};
    for (uint32_t u = 0; u < workload->users.count; u++)
        *view_user(view, u) = (struct easim_user){.name = workload->users.at[u].name,
                                                  .weight = workload->users.at[u].weight};
    if (workload->table.configs.count > 0)
        memcpy(view_config(view, 0), workload->table.configs.at,
               workload->table.configs.count * sizeof *view->configs);
}

/* A job is a multiple of 8 bytes: so many are whole pages, kept by a checked run to compare. */
static void init_blocks(struct view *view, uint32_t jobs, bool checked) {
    _Static_assert(sizeof *view->jobs % 8 == 0, "blocks of jobs are whole pages");
    view->jobs_per_block = (uint32_t)sysconf(_SC_PAGESIZE) / 8;
    if (!checked)
        view->over = mem_zalloc(jobs / view->jobs_per_block + 1, sizeof *view->over);
}

static void show_extensions(struct view *view, const struct view_options *options) {
    *view_forecast(view, 0) =
        (struct easim_forecast){.struct_size = sizeof *view->forecast,
                                .hour_count = options->forecast_hours,
                                .site_count = 1,
                                .hour_stride = sizeof *view->hours,
                                .site_stride = options->forecast_hours * sizeof *view->hours,
                                .hours = view_shown(view, view->hours)};
    *view_services(view, 0) =
        (struct easim_services){.struct_size = sizeof *view->scaling,
                                .service_count = options->services,
                                .replica_config_count = options->replica_configs,
                                .service_stride = sizeof *view->services,
                                .replica_config_stride = sizeof *view->replica_configs,
                                .replica_stride = sizeof *view->replicas,
                                .services = view_shown(view, view->services),
                                .replica_configs = view_shown(view, view->replica_configs),
                                .replicas = view_shown(view, view->replicas)};
}

int view_init(struct view *view, const struct cluster *cluster, const struct workload *workload,
              const struct view_options *options, struct error *reterr) {
    *view = (struct view){0};
    if (map_region(view, cluster, workload, options, reterr) < 0)
        return ERROR_RUN;
    fill_arrays(view, cluster, workload);
    idset_init(&view->waiting, workload->jobs.count);
    view->last_waiting = EASIM_NONE;
    init_blocks(view, (uint32_t)workload->jobs.count, options->checked);
    for (uint32_t span = 0; span < network_span_count(&cluster->network); span++) {
        view->span_names[span] = network_span_name(&cluster->network, span);
        view->span_nodes[span] = cluster_span_nodes(cluster, span);
    }
    const char *shown = view->guard.shown; /* which pointers that policies follow lead to */
#define SHOW(PLACE, many, one, count) \
    .one##_stride = sizeof *view->many, .many = shown + view->places[AT_##PLACE],
    *view_header(view) =
        (struct easim_view){.struct_size = sizeof *view->v,
                            .gpus = cluster->gpus,
                            .free_gpus = cluster->gpus,
                            .gpu_type_count = cluster->gpu_type_count,
                            .node_count = cluster->node_count,
                            .user_count = (uint32_t)workload->users.count,
                            .config_count = (uint32_t)workload->table.configs.count,
                            .job_count = (uint32_t)workload->jobs.count,
                            .usage_half_life_s = INFINITY,
                            .first_waiting = EASIM_NONE,
                            .span_count = network_span_count(&cluster->network),
                            .span_names = view->span_names,
                            .span_nodes = view->span_nodes,
                            VIEW_ARRAYS(SHOW)};
#undef SHOW
    show_extensions(view, options);
    return 0;
}

void view_finish(struct view *view) {
    guard_finish(&view->guard);
    idset_finish(&view->waiting);
    free(view->over);
    free(view->over_blocks.at);
    *view = (struct view){0};
}

void view_policy_begins(struct view *view) {
    guard_show(&view->guard);
}

bool view_policy_ends(struct view *view, bool all) {
    return guard_check(&view->guard, all);
}

void view_damage(const struct view *view, char text[static VIEW_PLACE_BYTES]) {
#define NAME(PLACE, many, one, count) {#many, sizeof *view->many},
    static const struct {
        const char *name;
        size_t stride;
    } kinds[] = {{"the view itself", 0}, VIEW_ARRAYS(NAME) EXTENSION_ARRAYS(NAME)};
#undef NAME
    size_t at = (size_t)((const char *)view->guard.damage - (const char *)view->guard.host);
    int kind = AT_REPLICAS;
    while (kind > AT_VIEW && at < view->places[kind])
        kind--;
    size_t number = kinds[kind].stride > 0 ? (at - view->places[kind]) / kinds[kind].stride : 0;
    if (kind == AT_VIEW)
        snprintf(text, VIEW_PLACE_BYTES, "%s", kinds[kind].name);
    else if (kind == AT_JOBS && number < view->v->job_count && view->jobs[number].id)
        snprintf(text, VIEW_PLACE_BYTES, "job %.100s", view->jobs[number].id);
    else
        snprintf(text, VIEW_PLACE_BYTES, "%s%s[%zu]%s", kind < AT_FORECAST ? "view->" : "",
                 kinds[kind].name, number,
                 kind == AT_JOBS && number < view->v->job_count
                     ? ", a job that is not submitted yet"
                     : "");
}

void view_set_now(struct view *view, int64_t now_ns) {
    struct easim_view *v = view_header(view);
    v->now_ns = now_ns;
    v->now_s = units_s(now_ns);
}

void view_add_event(struct view *view, enum easim_event_kind kind, uint32_t job, uint32_t node) {
    uint32_t count = view->v->event_count;
    if (count >= view->event_capacity)
        return;
    *view_event(view, count) = (struct easim_event){kind, job, node};
    view_header(view)->event_count++;
}

void view_drop_job(struct view *view, uint32_t job) {
    uint32_t block = job / view->jobs_per_block;
    if (view->over && ++view->over[block] == view->jobs_per_block)
        array_push(&view->over_blocks, block);
}

void view_end_decision(struct view *view) {
    view_header(view)->event_count = 0;
    for (size_t i = 0; i < view->over_blocks.count; i++)
        guard_give_back(&view->guard, &view->jobs[view->over_blocks.at[i] * view->jobs_per_block],
                        view->jobs_per_block * sizeof *view->jobs);
    view->over_blocks.count = 0;
}

void view_enqueue(struct view *view, uint32_t job) {
    struct easim_job *j = view_job(view, job);
    uint32_t before = waiting_before(view, job), *link = open_link(view, before);
    j->state = EASIM_JOB_WAITING;
    j->here = true;
    j->config = EASIM_NONE;
    j->next_waiting = *link;
    *link = job;
    view->last_waiting = j->next_waiting == EASIM_NONE ? job : view->last_waiting;
    idset_insert(&view->waiting, job);
    view_header(view)->waiting_count++;
}

void view_dequeue(struct view *view, uint32_t job) {
    uint32_t before = waiting_before(view, job);
    idset_remove(&view->waiting, job);
    *open_link(view, before) = view->jobs[job].next_waiting;
    view->last_waiting = job == view->last_waiting ? before : view->last_waiting;
    view_header(view)->waiting_count--;
}

void view_take_gpus(struct view *view, uint32_t node, uint32_t gpus) {
    view_node(view, node)->free -= gpus;
    view_gpu_type(view, view->nodes[node].gpu_type)->free -= gpus;
    view_header(view)->free_gpus -= gpus;
}

void view_give_back_gpus(struct view *view, uint32_t node, uint32_t gpus) {
    view_node(view, node)->free += gpus;
    view_gpu_type(view, view->nodes[node].gpu_type)->free += gpus;
    view_header(view)->free_gpus += gpus;
}

void view_fail_node(struct view *view, uint32_t node) {
    uint32_t gpus = view->nodes[node].free;
    view_take_gpus(view, node, gpus);
    view_node(view, node)->failed = true;
    view_gpu_type(view, view->nodes[node].gpu_type)->failed += gpus;
}

void view_repair_node(struct view *view, uint32_t node) {
    uint32_t gpus = view->nodes[node].gpus;
    view_give_back_gpus(view, node, gpus);
    view_node(view, node)->failed = false;
    view_gpu_type(view, view->nodes[node].gpu_type)->failed -= gpus;
}

/* To be written: a user whose usage has been brought up to now. */
static struct easim_user *open_user_now(struct view *view, uint32_t user) {
    struct easim_user *u = view_user(view, user);
    u->gpu_s = easim_user_usage_s(view->v, user);
    u->as_of_s = view->v->now_s;
    return u;
}

void view_user_gets(struct view *view, uint32_t user, const struct easim_config *config) {
    struct easim_user *u = open_user_now(view, user);
    if (config->milli > 0)
        u->shared_milli += config->milli;
    else
        u->allocated_gpus += config->k;
}

void view_user_gives_back(struct view *view, uint32_t user, const struct easim_config *config) {
    struct easim_user *u = open_user_now(view, user);
    if (config->milli > 0)
        u->shared_milli -= config->milli;
    else
        u->allocated_gpus -= config->k;
}

void view_add_running(struct view *view, uint32_t job) {
    view_job(view, job)->running_slot = view_header(view)->running_count++;
    view_change_running(view, job);
}

void view_change_running(struct view *view, uint32_t job) {
    struct easim_job *j = view_job(view, job);
    const struct easim_config *config = &view->configs[j->config];
    j->goodput_now = config->goodput[j->span];
    j->power_now_w = config->power_w[j->span];
    *view_running(view, j->running_slot) = (struct easim_running){
        job, config->gpu_type, config->k, config->milli, j->predicted_end_ns};
}

void view_remove_running(struct view *view, uint32_t job) {
    uint32_t slot = view->jobs[job].running_slot;
    *view_running(view, slot) = view->running[--view_header(view)->running_count];
    view_job(view, view->running[slot].job)->running_slot = slot;
    struct easim_job *j = view_job(view, job);
    j->running_slot = EASIM_NONE;
    j->goodput_now = j->power_now_w = 0;
}

void view_add_checkpointing(struct view *view, uint32_t job, int64_t end_ns) {
    struct easim_job *j = view_job(view, job);
    const struct easim_config *config = &view->configs[j->config];
    j->state = EASIM_JOB_CHECKPOINTING;
    j->running_slot = view_header(view)->checkpointing_count++;
    *view_checkpointing(view, j->running_slot) =
        (struct easim_checkpointing){job, config->gpu_type, config->k, config->milli, end_ns};
}

void view_remove_checkpointing(struct view *view, uint32_t job) {
    uint32_t slot = view->jobs[job].running_slot;
    *view_checkpointing(view, slot) = view->checkpointing[--view_header(view)->checkpointing_count];
    view_job(view, view->checkpointing[slot].job)->running_slot = slot;
    view_job(view, job)->running_slot = EASIM_NONE;
}
