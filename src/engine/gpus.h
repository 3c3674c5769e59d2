/* GPUs, or parts of one, that jobs hold. They are taken and given back in placement, view, power
   and usage at once. Also the power that counts against the cap. */
#ifndef EASIM_ENGINE_GPUS_H
#define EASIM_ENGINE_GPUS_H

#include "engine/sim.h"

/* Computes the power of each configuration once, because every start, segment and stop needs it. */
void gpus_init(struct sim *sim);
/* Thousandths of GPUs that a job holds in config. */
int64_t gpus_held_milli(const struct sim *sim, uint32_t config);
/* Its part of the power cap in config: the higher of its computing power and ctx_w, nW. */
int64_t gpus_committed_nw(const struct sim *sim, uint32_t config, uint32_t span);
/* Power of all that a job holds while it computes, as far as it has come, nW. */
int64_t gpus_running_nw(const struct sim *sim, uint32_t job);
/* And if it computed at that share of its rate (contention.h). */
int64_t gpus_running_at_nw(const struct sim *sim, uint32_t job, double share);
/* The power limit that its policy wants and that has come to hold; INFINITY: none. */
double gpus_limit_w(const struct sim *sim, uint32_t job);
/* Power of all that a job holds in its present segment, nW. */
int64_t gpus_present_nw(const struct sim *sim, uint32_t job);
uint32_t gpus_span(const struct allocation *allocation); /* enum easim_span */

/* For a trial, in placement alone. The GPUs of a job are free, and its again; the first returns
   what that adds to the committed power, in a trial (power_cap.h). */
int64_t gpus_lend(struct sim *sim, uint32_t job);
void gpus_reclaim(struct sim *sim, uint32_t job);
/* Likewise: what it adds that a job on its GPUs takes config, another limit. */
int64_t gpus_try_limit(struct sim *sim, uint32_t job, uint32_t config);
/* Free GPUs for config, if there are, and what they add to the power; and back. */
bool gpus_borrow(struct sim *sim, uint32_t job, uint32_t config, struct allocation *allocation,
                 int64_t *added_to_nw);
void gpus_hand_back(struct sim *sim, struct allocation *allocation);
/* A job that is being resized has no GPUs until it takes others; it still uses its old ones. */
void gpus_let_go(struct sim *sim, uint32_t job);
/* A start of a waiting job, or a resize of a running one. */
struct gpus_trial {
    int span; /* enum easim_span or EASIM_NOFIT */
    bool is_over_cap;
    int64_t committed_nw; /* as views would show it */
};
/* The result of taking config from the free GPUs now; job: EASIM_NONE if there is none. */
struct gpus_trial gpus_try_free(struct sim *sim, uint32_t job, uint32_t config);
/* The same for a start of a waiting job, or a resize of a running one, in config. */
struct gpus_trial gpus_try_config(struct sim *sim, uint32_t job, uint32_t config, bool tells_power);

/* Updates the view of free GPUs, except their number, after some were taken or given back. */
void gpus_show_room(struct sim *sim, uint32_t gpu_type);

/* Takes free GPUs, or part of one, for a job. False, with nothing changed, if they are not free. */
bool gpus_take(struct sim *sim, uint32_t job, uint32_t config, struct allocation *allocation);
/* Undoes gpus_take and empties the allocation. */
void gpus_give_back(struct sim *sim, uint32_t job, uint32_t config, struct allocation *allocation);
/* As gpus_take, for a running job whose own GPUs count as free; it still holds them, in
 * run->allocation. */
bool gpus_swap(struct sim *sim, uint32_t job, uint32_t config, struct allocation *allocation);

/* A job begins to use the GPUs it holds: power and jobs of their nodes. */
void gpus_use(struct sim *sim, uint32_t job);
/* And stops using them, though it still holds them: its GPU time is counted. */
void gpus_stop_using(struct sim *sim, uint32_t job);
void gpus_leave(struct sim *sim, uint32_t job); /* that, and they come free */
/* A job goes on in another configuration on the same GPUs, so the power that counts against the cap
   changes. */
void gpus_recommit(struct sim *sim, uint32_t job, uint32_t from, uint32_t to, uint32_t span);

/* Fills in sim->over_cap and empty_nw: the configurations that a constant cap forbids for the whole
   run. The cluster must be empty. */
void gpus_find_over_cap(struct sim *sim);
/* The most that a job in config may add to the power at entry draws, wherever its GPUs are. */
int64_t gpus_most_entry_nw(struct sim *sim, uint32_t job, uint32_t config);
/* Whether the cap forbids that a job starts in config now, or is resized to it. */
bool gpus_over_cap(struct sim *sim, uint32_t job, uint32_t config);

/* --- utilization --- */
/* Rigid jobs whose utilization changes with their progress (semantics 21): which value holds. A
   step changes the power of a job alone: policies know the mean, and finishes keep their events.
   Where steps begin is in segments.h. */

/* Nothing to keep unless the utilization of some job is known over time. */
void utilization_init(struct sim *sim);

static inline bool utilization_changes(const struct sim *sim, uint32_t job) {
    return SIM_HAS(sim, uses) && sim->workload->jobs.at[job].utilization;
}

/* For a job whose utilization changes: a run begins, with the work it has left. */
void utilization_begin(struct sim *sim, uint32_t job);
/* The value that holds in its run now. */
double utilization_present(const struct sim *sim, uint32_t job);
/* Work that is left of it when the next step begins; negative if there is none. */
double utilization_next_work(const struct sim *sim, uint32_t job);

/* --- phase --- */
/* The phases of a job's model (semantics 15), and the phase that a job is in by the work it has
   left. jobs.h has the consequences for the job. Inline if every event needs it. */

/* The configurations of a job in its present phase: the sets of the phases of one request follow
   each other (config_table.h). */
static inline const struct config_set *phase_set(const struct sim *sim, uint32_t job) {
    return &sim->workload->table.sets.at[sim->workload->jobs.at[job].set + sim->runs[job].phase];
}

/* Whether the present phase is the last one; so it is where the model has none. */
static inline bool phase_is_last(const struct sim *sim, uint32_t job) {
    return !SIM_HAS(sim, workload->table.has_phases) || phase_set(sim, job)->until == 1;
}

/* Work left when the present phase ends; 0 in the last one. */
static inline double phase_end_work(const struct sim *sim, uint32_t job) {
    if (!SIM_HAS(sim, workload->table.has_phases))
        return 0;
    return sim->workload->jobs.at[job].work * (1 - phase_set(sim, job)->until);
}

/* The phase of a job with this work left. A phase that only rounding keeps open is over. */
uint8_t phase_of_work(const struct sim *sim, uint32_t job, double remaining);

#endif
