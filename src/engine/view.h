/* What policies see (easim/policy.h), kept up to date by single changes; in checked runs read-only while they look.
 */
#ifndef EASIM_ENGINE_VIEW_H
#define EASIM_ENGINE_VIEW_H

#include "base/idset.h"
#include "cluster/cluster.h"
#include "easim/policy.h"
#include "workload/workload.h"

struct view {
    struct easim_view *v; /* at the start of the region */
    struct easim_gpu_type *gpu_types;
    struct easim_node *nodes;
    struct easim_user *users;
    struct easim_config *configs;
    struct easim_job *jobs;
    struct easim_running *running;
    struct easim_event *events;
    uint32_t event_capacity;
    void *region; /* one mapping that holds all of the above */
    size_t region_bytes;
    struct idset waiting; /* job indices */
    bool protect;
};

void view_init(struct view *view, const struct cluster *cluster, const struct workload *workload, bool protect);
void view_finish(struct view *view);

/* Read-only while a policy looks; no effect unless `protect`. */
void view_lock(struct view *view);
void view_unlock(struct view *view);

void view_set_now(struct view *view, int64_t now_ns);
void view_add_event(struct view *view, enum easim_event_kind kind, uint32_t job);
void view_enqueue(struct view *view, uint32_t job); /* state WAITING, into the list at its place */
void view_dequeue(struct view *view, uint32_t job);
/* GPUs of a node change hands: sign -1 = taken by a job, 1 = given back. */
void view_move_gpus(struct view *view, uint32_t node, uint32_t gpus, int sign);
/* A node that no job is on fails, or is repaired: its GPUs leave the free ones, or come back. */
void view_set_failed(struct view *view, uint32_t node, bool failed);
/* A job of user gets (sign 1) what config holds, or gives it back (-1). */
void view_user_gpus(struct view *view, uint32_t user, const struct easim_config *config, int sign);
void view_add_running(struct view *view, uint32_t job);    /* from the job's config and predicted end */
void view_change_running(struct view *view, uint32_t job); /* likewise, in its old place */
void view_remove_running(struct view *view, uint32_t job);

#endif
