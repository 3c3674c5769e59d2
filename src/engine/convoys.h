/* Jobs on one node that slow each other down, and whose speeds so change together: a convoy. What
   they have done is brought up to date in one sweep over arrays, and they have no events: only a
   job that may end soon has one. A job is in the convoy of its node or has its own progress and
   event (progress.h), and which it is makes no difference to any result. Nothing happens unless
   jobs interfere.
   A virtual clock of the node would not do: what a job has done is a sum of rounded doubles, one
   for each stretch of constant speed, and must stay that to the last digit. The addition is all
   that is left of it. A job wakes when it could end at the earliest, alone on its node, and leaves
   the convoy if it then has less than a second to go. Waking is no event: no time passes. */
#ifndef EASIM_ENGINE_CONVOYS_H
#define EASIM_ENGINE_CONVOYS_H

#include "engine/sim.h"

void convoys_init(struct sim *sim);
void convoys_finish(struct sim *sim);

/* A job comes to the end of the list of its node, or leaves a place there, which the last job of
   the list takes. */
void convoys_add_job(struct sim *sim, uint32_t job, uint32_t node);
void convoys_remove_job(struct sim *sim, uint32_t job, uint32_t node);
/* Where a job is in the list of its node; 0 where convoys do not know. */
static inline uint32_t convoys_list_place(const struct sim *sim, uint32_t job) {
    bool is_known = sim->convoys.nodes && sim->runs[job].allocation.count == 1;
    return is_known ? sim->convoys.jobs[job].list_place : 0;
}
/* Whether a convoy is kept on the node: not while a job of several nodes is there. */
static inline bool convoys_has(const struct sim *sim, uint32_t node) {
    return sim->convoys.nodes && sim->convoys.nodes[node].spread == 0;
}
/* Whether the job is in a convoy, and what its progress then is. */
static inline bool convoys_hold(const struct sim *sim, uint32_t job) {
    return sim->convoys.nodes && sim->convoys.jobs[job].place > 0;
}
/* For checks: a job that is in a convoy is at its place in that of its node. */
bool convoys_know(const struct sim *sim, uint32_t job);
struct progress convoys_progress(const struct sim *sim, uint32_t job);
/* When a computing job ends, in a convoy or not. */
int64_t convoys_end_ns(const struct sim *sim, uint32_t job);
/* The convoy of a node now runs at another slowdown. `number`: of creation (eventq.h), of the event
   that the first job of the node's list would get now; the next has this and 2. */
void convoys_change_speed(struct sim *sim, uint32_t node, double slowdown, uint64_t number);
/* A job that has just got its speed and its event in the same way may join. */
void convoys_join(struct sim *sim, uint32_t job, double slowdown, uint64_t number);
/* A job gets its own progress and event, if it is in a convoy. */
void convoys_leave(struct sim *sim, uint32_t job);
/* The time of the next event, after jobs have left that may end by then. */
int64_t convoys_next_event_ns(struct sim *sim);

#endif
