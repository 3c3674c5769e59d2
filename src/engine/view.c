/* The view of policies. Invariant: the list of waiting jobs is in the order of their indices. */
#include "engine/view.h"

#include "base/machine.h"
#include "base/units.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

/* --- layout --- */

#define SIZE(PLACE, many, one, count) sizeof(struct easim_##one),
static const size_t sizes[GROWN_PLACES] = {
    sizeof(struct easim_view),
    VIEW_ARRAYS(SIZE) EXTENSION_ARRAYS(SIZE) sizeof(struct easim_host),
    sizeof(struct easim_pass),
};
#undef SIZE

/* Bytes after a grown struct; no multiple of the size of any struct in an array. */
#define TAIL_BYTES 88u
#define IS_ODD(PLACE, many, one, count) \
    _Static_assert(TAIL_BYTES % sizeof(struct easim_##one) != 0, #many);
VIEW_ARRAYS(IS_ODD)
EXTENSION_ARRAYS(IS_ODD)
#undef IS_ODD

static size_t size_in(const struct view_layout *layout, int place) {
    return sizes[place] + (layout->parts >> place & 1 ? TAIL_BYTES : 0);
}

static void *place_in(const struct view_layout *layout, uint32_t map, int place) {
    return (char *)layout->maps[map] + layout->places[place];
}

/* As policies see it. */
static const void *shown_in(const struct view_layout *layout, int place) {
    return place_in(layout, layout->side, place);
}

/* Sizes of structs and strides, and where policies find the arrays. */
static void point(const struct view_layout *layout) {
    struct easim_view *v = place_in(layout, 0, AT_VIEW);
    struct easim_forecast *f = place_in(layout, 0, AT_FORECAST);
    struct easim_services *s = place_in(layout, 0, AT_SCALING);
    struct easim_power *p = place_in(layout, 0, AT_POWER);
    v->struct_size = size_in(layout, AT_VIEW);
    f->struct_size = size_in(layout, AT_FORECAST);
    s->struct_size = size_in(layout, AT_SCALING);
    p->struct_size = size_in(layout, AT_POWER);
#define POINT(to, PLACE, many, one) \
    to->many = shown_in(layout, AT_##PLACE); \
    to->one##_stride = size_in(layout, AT_##PLACE);
#define POINT_VIEW(PLACE, many, one, count) POINT(v, PLACE, many, one)
    VIEW_ARRAYS(POINT_VIEW)
    POINT(f, HOURS, hours, hour)
    POINT(s, SERVICES, services, service)
    POINT(s, REPLICA_CONFIGS, replica_configs, replica_config)
    POINT(s, REPLICAS, replicas, replica)
    p->jobs = shown_in(layout, AT_POWER_JOBS);
    p->job_stride = size_in(layout, AT_POWER_JOBS);
#undef POINT_VIEW
#undef POINT
    f->site_stride = f->hour_count * f->hour_stride;
}

/* Arrays one after the other in the region, each on its own cache line, jobs on a page; of a
   checked run each at the end of a page, in front of one that policies cannot read. */
static void lay_out(struct view *view, const size_t counts[VIEW_PLACES], bool checked) {
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), step = checked ? page : 64;
    size_t from = 0;
    for (int i = 0; i < VIEW_PLACES; i++) {
        if (i == AT_JOBS)
            from = (from + page - 1) / page * page;
        size_t bytes = counts[i] * sizes[i], end = (from + bytes + step - 1) / step * step;
        view->own.places[i] = checked ? end - bytes : from;
        view->ends[i] = end;
        from = checked ? end + step : end;
    }
}

static void map_region(struct view *view, const struct cluster *cluster,
                       const struct workload *workload, const struct view_options *options) {
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    uint32_t jobs = (uint32_t)workload->jobs.count;
    size_t gpus_milli = (size_t)cluster->gpus * WHOLE_GPU_MILLI,
           most_running = gpus_milli < jobs ? gpus_milli : jobs;
    view->event_capacity = 2 * jobs + 64;
#define COUNT(PLACE, many, one, count) count,
    const size_t counts[VIEW_PLACES] = {1, VIEW_ARRAYS(COUNT) EXTENSION_ARRAYS(COUNT)};
#undef COUNT
    lay_out(view, counts, options->checked);
    guard_init(&view->guard, view->ends[VIEW_PLACES - 1] + page, options->checked);
    for (int i = 0; options->checked && i < VIEW_PLACES; i++)
        guard_hide(&view->guard, view->ends[i], page);
    if (!options->checked)
        mem_prefer_huge(view->guard.host, view->ends[AT_JOBS]);
    view->own.maps[0] = view->guard.host;
    view->own.maps[view->own.side = 1] = (void *)(uintptr_t)view->guard.shown;
    view->v = place_in(&view->own, 0, AT_VIEW);
#define POINT(PLACE, many, one, count) view->many = place_in(&view->own, 0, AT_##PLACE);
    VIEW_ARRAYS(POINT)
    EXTENSION_ARRAYS(POINT)
#undef POINT
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

/* A job has a multiple of 8 bytes, so a block is whole pages; a checked run compares them. */
static void init_blocks(struct view *view, uint32_t jobs, bool checked) {
    _Static_assert(sizeof *view->jobs % 8 == 0, "blocks of jobs are whole pages");
    view->jobs_per_block = mem_per_block();
    view->blocks = mem_blocks_of((void *)(uintptr_t)view->jobs, view->guard.mapped ? jobs : 0,
                                 sizeof *view->jobs);
    if (!checked)
        view->over = mem_zalloc(jobs / view->jobs_per_block + 1, sizeof *view->over);
}

/* --- grown --- */

static const uint64_t poison = 0xfff5f5f5f5f5f5f5; /* no double, pointer or index */

static void map_grown(struct view *view) {
    struct view_layout *grown = &view->grown;
    for (int i = 0; i < GROWN_PLACES; i++) {
        size_t count = i < VIEW_PLACES ? (view->ends[i] - view->own.places[i]) / sizes[i] : 1;
        grown->places[i] = grown->bytes;
        grown->bytes += (count * size_in(grown, i) + GUARD_LINE - 1) / GUARD_LINE * GUARD_LINE;
    }
    grown->side = 1;
    guard_map(grown->bytes, grown->maps, 3);
    for (size_t at = 0; at < grown->bytes; at += sizeof poison)
        memcpy((char *)grown->maps[0] + at, &poison, sizeof poison);
}

static int place_at(const struct view *view, size_t at) {
    int place = VIEW_PLACES - 1;
    while (place > AT_VIEW && at < view->own.places[place])
        place--;
    return place;
}

/* All structs of which these bytes of the region, in one place, have a part. */
static void copy_grown(struct view *view, size_t from, size_t end) {
    const int place = place_at(view, end - 1);
    const size_t size = sizes[place], first = view->own.places[place];
    for (size_t i = from > first ? (from - first) / size : 0; first + i * size < end; i++)
        memcpy((char *)place_in(&view->grown, 0, place) + i * size_in(&view->grown, place),
               (const char *)view->guard.host + first + i * size, size);
}

/* Copies the host's changes since the last call of a policy. */
static void update_grown(struct view *view) {
    const struct guard *guard = &view->guard;
    for (int i = 0; guard->round == 0 && i < VIEW_PLACES; i++)
        if (view->own.places[i] < view->ends[i])
            copy_grown(view, view->own.places[i], view->ends[i]);
    for (size_t i = 0; i < guard->noted.count; i++)
        copy_grown(view, (size_t)guard->noted.at[i] * GUARD_LINE,
                   (size_t)(guard->noted.at[i] + 1) * GUARD_LINE);
    point(&view->grown);
}

/* At each of the first calls, then at fewer, the fewer the larger it is: pages take their time. */
static void move_grown(struct view_layout *grown, uint32_t round) {
    uint32_t next = 3 - grown->side;
    if (round >= 128 && round % (16 + (grown->bytes >> 16)) != 0)
        return;
    if (mprotect(grown->maps[grown->side], grown->bytes, PROT_NONE) < 0 ||
        mprotect(grown->maps[next], grown->bytes, PROT_READ) < 0)
        machine_end("check: cannot move the view of the policy: %s", strerror(errno));
    grown->side = next;
}

const struct easim_pass *view_begin_call(struct view *view, struct easim_pass *pass) {
    struct view_layout *grown = &view->grown;
    if (HAS_FEATURES && grown->parts >> GROWN_MOVES & 1)
        move_grown(grown, view->guard.round);
    pass->view = view_shown(view, AT_VIEW);
    if (!HAS_FEATURES || !grown->parts)
        return pass;
    struct easim_host *host = place_in(grown, 0, AT_HOST);
    struct easim_pass *longer = place_in(grown, 0, AT_PASS);
    *host = *pass->host;
    host->struct_size = size_in(grown, AT_HOST);
    pass->host = shown_in(grown, AT_HOST);
    *longer = *pass;
    longer->struct_size = size_in(grown, AT_PASS);
    return shown_in(grown, AT_PASS);
}

const void *view_shown(const struct view *view, int place) {
    return shown_in(HAS_FEATURES && view->grown.parts ? &view->grown : &view->own, place);
}

const char *view_blame(bool (*fails)(void *context, uint32_t parts), void *context) {
#define SIZED(name) \
    "takes a struct " name " for as long as it knows it: its struct_size tells how long it is"
#define WALKED(many, function) \
    "walks " many " by a size that it knows, or reads past one: use " function
#define WALKED_VIEW(PLACE, many, one, count) WALKED("view->" #many, "easim_view_" #one),
    static const char *const words[GROWN_PARTS] = {
        SIZED("easim_view"),
        VIEW_ARRAYS(WALKED_VIEW) SIZED("easim_forecast"),
        WALKED("hours of a forecast", "easim_forecast_at"),
        SIZED("easim_services"),
        WALKED("services", "easim_service_at"),
        WALKED("replica_configs", "easim_replica_config_at"),
        WALKED("replicas", "easim_replica_at"),
        SIZED("easim_power"),
        WALKED("jobs of easim.power", "easim_power_at"),
        SIZED("easim_host"),
        SIZED("easim_pass"),
        "keeps a pointer into the view, the pass, its plan or the host table when its callback has returned: ask pass->view, easim_view_job and the like anew at each decision"};
#undef WALKED_VIEW
#undef WALKED
#undef SIZED
    int part = GROWN_PARTS;
    while (part > 0 && !fails(context, 1u << (part - 1)))
        part--;
    return part > 0 ? words[part - 1] : "relies on several of these lengths at once";
}

/* --- the view as a whole --- */

void view_init(struct view *view, const struct cluster *cluster, const struct workload *workload,
               const struct view_options *options) {
    *view = (struct view){.grown.parts = options->grown, .shows_power = options->shows_power};
    map_region(view, cluster, workload, options);
    if (options->grown)
        map_grown(view);
    fill_arrays(view, cluster, workload);
    idset_init(&view->waiting, workload->jobs.count);
    view->last_waiting = EASIM_NONE;
    init_blocks(view, (uint32_t)workload->jobs.count, options->checked);
    for (uint32_t span = 0; span < network_span_count(&cluster->network); span++) {
        view->span_names[span] = network_span_name(&cluster->network, span);
        view->span_nodes[span] = cluster_span_nodes(cluster, span);
    }
    *view_header(view) =
        (struct easim_view){.gpus = cluster->gpus,
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
                            .span_nodes = view->span_nodes};
    view_forecast(view, 0)->hour_count = options->forecast_hours;
    view_forecast(view, 0)->site_count = 1;
    view_services(view, 0)->service_count = options->services;
    view_services(view, 0)->replica_config_count = options->replica_configs;
    point(&view->own);
}

void view_finish(struct view *view) {
    guard_finish(&view->guard);
    for (int i = 0; i < 3; i++)
        if (view->grown.maps[i])
            munmap(view->grown.maps[i], view->grown.bytes);
    idset_finish(&view->waiting);
    free(view->over);
    free(view->over_blocks.at);
    *view = (struct view){0};
}

void view_policy_begins(struct view *view) {
    if (view->grown.parts)
        update_grown(view);
    guard_show(&view->guard);
}

bool view_policy_ends(struct view *view, bool all) {
    return view->grown.parts || guard_check(&view->guard, all);
}

void view_damage(const struct view *view, char text[static VIEW_PLACE_BYTES]) {
#define NAME(PLACE, many, one, count) #many,
    static const char *const names[] = {"", VIEW_ARRAYS(NAME) EXTENSION_ARRAYS(NAME)};
#undef NAME
    size_t at = (size_t)((const char *)view->guard.damage - (const char *)view->guard.host);
    int kind = place_at(view, at);
    size_t number = (at - view->own.places[kind]) / sizes[kind];
    if (kind == AT_VIEW)
        snprintf(text, VIEW_PLACE_BYTES, "the view itself");
    else if (kind == AT_JOBS && number < view->v->job_count && view->jobs[number].id)
        snprintf(text, VIEW_PLACE_BYTES, "job %.100s", view->jobs[number].id);
    else
        snprintf(text, VIEW_PLACE_BYTES, "%s%s[%zu]%s", kind < AT_FORECAST ? "view->" : "",
                 names[kind], number,
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

void view_end_decision(struct view *view, uint32_t next_arrival) {
    view_header(view)->event_count = 0;
    for (size_t i = 0; i < view->over_blocks.count; i++)
        mem_blocks_give_back(&view->blocks, (size_t)view->over_blocks.at[i] * view->jobs_per_block,
                             (view->over_blocks.at[i] + (size_t)1) * view->jobs_per_block,
                             next_arrival);
    while (view->over_blocks.count > 0 &&
           view->over[view->past / view->jobs_per_block] == view->jobs_per_block)
        view->past += view->jobs_per_block;
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
    if (view->shows_power)
        *view_power_job(view, job) = (struct easim_power_job){0};
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
