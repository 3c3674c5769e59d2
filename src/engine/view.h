/* The view of policies (easim/policy.h), kept up to date by single changes. */
#ifndef EASIM_ENGINE_VIEW_H
#define EASIM_ENGINE_VIEW_H

#include "base/idset.h"
#include "cluster/cluster.h"
#include "engine/guard.h"
#include "policy/interface.h"
#include "workload/workload.h"

/* The arrays of the view, in their order in its region: place, name, element, and how many there
   are (map_region). */
#define VIEW_ARRAYS(X) \
    X(GPU_TYPES, gpu_types, gpu_type, cluster->gpu_type_count) \
    X(NODES, nodes, node, cluster->node_count) \
    X(USERS, users, user, workload->users.count) \
    X(CONFIGS, configs, config, workload->table.configs.count) \
    X(JOBS, jobs, job, jobs) \
    X(RUNNING, running, running, most_running) \
    X(CHECKPOINTING, checkpointing, checkpointing, most_running) \
    X(EVENTS, events, event, view->event_capacity)
/* Those of extensions, and their structs: that of easim.services is called scaling. */
#define EXTENSION_ARRAYS(X) \
    X(FORECAST, forecast, forecast, 1) \
    X(HOURS, hours, forecast_hour, options->forecast_hours) \
    X(SCALING, scaling, services, 1) \
    X(SERVICES, services, service, options->services) \
    X(REPLICA_CONFIGS, replica_configs, replica_config, options->replica_configs) \
    X(REPLICAS, replicas, replica, options->replicas) \
    X(POWER, power, power, 1) \
    X(POWER_JOBS, power_jobs, power_job, options->shows_power ? jobs : 0)

#define VIEW_PLACE(PLACE, many, one, count) AT_##PLACE,
enum {
    AT_VIEW,
    VIEW_ARRAYS(VIEW_PLACE) EXTENSION_ARRAYS(VIEW_PLACE) VIEW_PLACES,
    /* Parts that may differ in the view of a later host: the structs above, and these */
    AT_HOST = VIEW_PLACES,
    AT_PASS,
    GROWN_PLACES,
    GROWN_MOVES = GROWN_PLACES,
    GROWN_PARTS
};
#define GROWN_ALL ((1u << GROWN_PARTS) - 1)
#undef VIEW_PLACE
#define VIEW_POINTER(PLACE, many, one, count) const struct easim_##one *many;

/* Memory that holds all that policies see, in these places. */
struct view_layout {
    void *maps[3];  /* of the same memory: the host's, and what policies see */
    uint32_t side;  /* which map they see now, 1 or 2 */
    uint32_t parts; /* 1 << AT_VIEW .. 1 << GROWN_MOVES: these are as a later host may show them */
    size_t bytes, places[GROWN_PLACES];
};

/* To read, use the pointers; to write, ask for the place (view_header, view_job ..). */
struct view {
    const struct easim_view *v;
    VIEW_ARRAYS(VIEW_POINTER)
    EXTENSION_ARRAYS(VIEW_POINTER)
    uint32_t event_capacity;
    bool shows_power;   /* has power_jobs */
    struct guard guard; /* the region that holds all of the above, in that order, as `own` says */
    struct view_layout own;
    size_t ends[VIEW_PLACES]; /* of places: where the next may begin, or what is hidden */
    /* A copy for policies, if some part has grown. Structs have bytes after the known members that
       are no pointer, number or index. From call to call of the policy the copy moves to another
       address, and the last one can no longer be read. */
    struct view_layout grown;
    struct idset waiting;  /* job indices */
    uint32_t last_waiting; /* the greatest of them; EASIM_NONE: no job waits */
    /* Jobs that are over, by block of jobs that are whole pages; NULL: their memory is kept, as in
       a checked run, which compares it with a copy. And the blocks in which all are, whose memory
       is given back at the end of the decision that was told of the last. Places stay: a job's
       index is its address, and what is asked of a job that is over the engine knows. */
    uint32_t *over, jobs_per_block;
    ARRAY_OF(uint32_t) over_blocks;
    struct mem_blocks blocks;
    uint32_t past; /* the jobs below it are in such blocks whose memory is back */
    const char *span_names[NETWORK_MOST_SPANS];
    uint32_t span_nodes[NETWORK_MOST_SPANS];
};

#define VIEW_PLACE_BYTES 160

struct view_options {
    bool checked;
    uint32_t grown; /* parts, in a checked one */
    uint32_t forecast_hours;
    uint32_t services, replica_configs, replicas; /* replicas: the most there can be */
    bool shows_power;
};

/* checked: policies cannot write to the pages that they see, and writes by other ways are found
   (guard.h); after each array is a page that they cannot read. */
void view_init(struct view *view, const struct cluster *cluster, const struct workload *workload,
               const struct view_options *options);
void view_finish(struct view *view);

/* Around all code of a policy. view_policy_ends: false if the policy has written into the view, as
   far as a part, or `all`, of it tells; view_damage then names the place ("job 17",
   "view->nodes[3]"). */
void view_policy_begins(struct view *view);
bool view_policy_ends(struct view *view, bool all);
void view_damage(const struct view *view, char text[static VIEW_PLACE_BYTES]);

/* A call of the policy begins: the pass gets the view that it is to see; a grown one moves, and the
   host table with it. Returns the pass for the policy's own functions, which may have grown. */
const struct easim_pass *view_begin_call(struct view *view, struct easim_pass *pass);
/* The address at which policies see a place, AT_VIEW and the like, until the call ends. */
const void *view_shown(const struct view *view, int place);
/* For a policy that fails with all parts grown: the part that alone makes it fail, in words that
   follow "it". fails: whether it does, with some parts. */
const char *view_blame(bool (*fails)(void *context, uint32_t parts), void *context);

/* To be written now, while no policy runs: the view itself (view_header), or one of an array, by
   its index (view_job, view_gpu_type ..). */
static inline struct easim_view *view_header(struct view *view) {
    return guard_open(&view->guard, view->v, sizeof *view->v);
}
#define VIEW_OPEN(PLACE, many, one, count) \
    static inline struct easim_##one *view_##one(struct view *view, uint32_t index) { \
        return guard_open(&view->guard, &view->many[index], sizeof *view->many); \
    }
VIEW_ARRAYS(VIEW_OPEN)
EXTENSION_ARRAYS(VIEW_OPEN)

void view_set_now(struct view *view, int64_t now_ns);
void view_add_event(struct view *view, enum easim_event_kind kind, uint32_t job, uint32_t node);
/* A job is over; if an event of it is to be told, it has been added. Once. */
void view_drop_job(struct view *view, uint32_t job);
/* The events have been told. Memory of jobs that are over is given back, and reads as zero. */
void view_end_decision(struct view *view, uint32_t next_arrival);
void view_enqueue(struct view *view, uint32_t job); /* state WAITING, into the list at its place */
void view_dequeue(struct view *view, uint32_t job);
/* GPUs of a node are taken by a job, or given back. */
void view_take_gpus(struct view *view, uint32_t node, uint32_t gpus);
void view_give_back_gpus(struct view *view, uint32_t node, uint32_t gpus);
/* A node without jobs fails, so its GPUs are not free; or it is repaired, so they are again. */
void view_fail_node(struct view *view, uint32_t node);
void view_repair_node(struct view *view, uint32_t node);
/* A job of user gets what config holds, or gives it back. */
void view_user_gets(struct view *view, uint32_t user, const struct easim_config *config);
void view_user_gives_back(struct view *view, uint32_t user, const struct easim_config *config);
void view_add_running(struct view *view,
                      uint32_t job); /* from the job's config and predicted end */
void view_change_running(struct view *view, uint32_t job); /* the same, in its old place */
void view_remove_running(struct view *view, uint32_t job);
/* A job that no longer runs writes a checkpoint until end_ns, from its config, and no more. */
void view_add_checkpointing(struct view *view, uint32_t job, int64_t end_ns);
void view_remove_checkpointing(struct view *view, uint32_t job);

#endif
