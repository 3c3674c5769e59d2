/* Power limits of jobs on whole GPUs: how fast a job is and what it draws below its full power, and
   how both change in place while it runs (semantics 37). A job has a wish, the limit that its
   policy chose; the host may hold it below that (power_cap.h). Off, and without cost, unless a cap
   is enforced or the policy may set limits. */
#ifndef EASIM_ENGINE_LIMITS_H
#define EASIM_ENGINE_LIMITS_H

#include "engine/limit_tracks.h"

void limits_init(struct sim *sim); /* after contention.h */
void limits_finish(struct sim *sim);

/* --- what a member is at --- */

static inline bool limits_has_flag(const struct sim *sim, uint32_t job, enum limit_flag flag) {
    return limits_have(sim, job) && sim->limits->flags.at[limits_index(sim, job)] & (unsigned)flag;
}
/* The configuration that its policy wishes. It differs from run->config in the limit at most: that
   change is pending. */
static inline uint32_t limits_config(const struct sim *sim, uint32_t job) {
    return limits_have(sim, job) ? sim->limits->classes.at.at[sim->limits->class_of[job]].config
                                 : sim->runs[job].config;
}
/* Totals of its life so far, for a run with limits. */
struct limit_totals limits_totals_of(const struct sim *sim, uint32_t job);
/* The same, of a member that computes, up to now or the last periodic checkpoint; without
 * broken_ns.
 */
struct limit_totals limits_totals_at(const struct sim *sim, uint32_t job, int64_t at_ns);
/* Power of all its GPUs at the wish that holds, while it computes, nW. */
int64_t limits_wish_nw(const struct sim *sim, uint32_t job);
/* The sum over all jobs of GPUs x lost_s so far. */
double limits_lost_gpu_s(const struct sim *sim);
/* When a change takes place; -1: none is asked for. */
static inline int64_t limits_pending_ns(const struct sim *sim, uint32_t job) {
    const struct limits *l = sim->limits;
    size_t i = limits_index(sim, job);
    return l->track_of.at[i] == EASIM_NONE ? l->pending.at[i]
                                           : l->tracks.at[l->track_of.at[i]].pending;
}
/* Policies are to see it before they decide; and have seen it. */
void limits_show_later(struct sim *sim, uint32_t job);
void limits_set_shown(struct sim *sim, uint32_t job);
/* Since its run began, without noise and neighbours, and since its stretch began: work up to now or
   to the last periodic checkpoint. speed: what it does now, all included. */
double limits_stretch_work(const struct sim *sim, uint32_t job, int64_t at_ns, double factor,
                           double speed);
/* Drawn since its run began up to now or the last periodic checkpoint, and since its segment began
   up to now; 1e-18 J. */
int128 limits_energy(const struct sim *sim, uint32_t job, int64_t at_ns);
int128 limits_segment_energy(const struct sim *sim, uint32_t job);
/* When a member with LIMIT_TOUCHED will have done `work` of its run. */
int64_t limits_reach_ns(const struct sim *sim, uint32_t job, double work);

/* --- its life --- */

/* It holds the GPUs of class_of and group_of from now on; and no more. */
void limits_join(struct sim *sim, uint32_t job);
void limits_leave(struct sim *sim, uint32_t job);
/* A run, or the wait for it, begins, with nothing done. */
void limits_begin(struct sim *sim, uint32_t job);
/* A segment in which it computes begins; and ends, perhaps for good. */
void limits_compute(struct sim *sim, uint32_t job);
void limits_pause(struct sim *sim, uint32_t job, bool goes_on);
/* Done and drawn are brought up to now: the next stretch begins. */
void limits_begin_stretch(struct sim *sim, uint32_t job);

/* --- changes --- */

/* Its class or place is another: what holds follows after limit_delay_s. A change that is asked for
   already keeps its time. */
void limits_ask(struct sim *sim, uint32_t job);
/* Whether what is to come is another wish of its policy. */
bool limits_is_wish(const struct sim *sim, uint32_t job);
/* Clears a flag; false: it is not set. */
bool limits_take_flag(struct sim *sim, uint32_t job, enum limit_flag flag);
/* Work that was left when its run began, and that is left now, as far as predictions go. */
double limits_predicted(const struct sim *sim, uint32_t job);
double limits_predicted_now(const struct sim *sim, uint32_t job);
/* Changes that are pending for now take place: limits_change_all, and those due one by one. */
void limits_pass_due(struct sim *sim, uint32_t gpu_type,
                     void (*change)(struct sim *sim, uint32_t job));
/* Its configuration or utilization is another, for the same limit: it goes on at the same draw, or
   at its wish if it did. After the filling of this instant the change of its limit is asked for. */
void limits_follow(struct sim *sim, uint32_t job);
void limits_ask_followed(struct sim *sim);
/* Makes the hold of its class and place hold, in members and meter. False: it did already. */
bool limits_apply(struct sim *sim, uint32_t job);

/* --- ends --- */

/* The event of its end is cancelled: a change of its speed then costs none. */
void limits_end_alone(struct sim *sim, uint32_t job, double end_work, enum event_kind kind);
/* A run ends at end_ns if nothing changes. True: it gets no event until segments_settle_limits has
   set its place, in this instant. */
bool limits_may_wait(struct sim *sim, uint32_t job, int64_t end_ns);
/* It gets an event again, from the caller. */
void limits_end_with_event(struct sim *sim, uint32_t job);
/* The time of the next event, after members that may end by then have got theirs. */
int64_t limits_next_event_ns(struct sim *sim);

#endif
