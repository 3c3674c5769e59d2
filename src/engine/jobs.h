/* The life of a job: it is submitted, started, finished, interrupted or moved (interrupt,
   job_resize). segments.h has its work in between. Each step keeps placement, power, usage, view
   and pending events together. */
#ifndef EASIM_ENGINE_JOBS_H
#define EASIM_ENGINE_JOBS_H

#include "engine/segments.h"
#include "engine/sim.h"

/* A job is there, known to the view with predictions, but neither in the queue nor rejected yet. */
void jobs_arrive(struct sim *sim, uint32_t job);
void jobs_submit(struct sim *sim, uint32_t job); /* into the queue */
void jobs_reject(struct sim *sim, uint32_t job, const char *reason);
/* Observers hear of jobs that are past for the view; the run keeps what few of its parts have. */
void jobs_drop_past(struct sim *sim);
/* Takes GPUs for a start; the view shows the job as running. False if they are not free. */
bool jobs_take_gpus(struct sim *sim, uint32_t job, uint32_t config, struct allocation *allocation);
/* The start itself: set-up, events, power. Owns the allocation. */
void jobs_start(struct sim *sim, const struct job_start *start);
void jobs_finish(struct sim *sim, uint32_t job);

/* --- interrupt: jobs that are stopped while they run: preempted, or on a node that fails --- */

/* A running job is to be preempted: its GPUs come free now, unless it is to write a checkpoint
   first (which it may not if at_once). */
void interrupt_yield_gpus(struct sim *sim, uint32_t job, bool at_once);
/* The preemption itself, after interrupt_yield_gpus: back to the queue, or into the checkpoint. */
void interrupt_preempt(struct sim *sim, uint32_t job, bool at_once);
void interrupt_release(struct sim *sim,
                       uint32_t job); /* the checkpoint is written: GPUs free, back to the queue */

/* One of its nodes fails: work since the last complete checkpoint is lost, the job waits again. */
void interrupt_fail(struct sim *sim, uint32_t job);

/* --- job_resize: running jobs that move to other GPUs, more or fewer --- */

/* Takes GPUs for start->config for a running job, of which its own may be some; the view shows it
   there, with the checkpoint and the restart that it pays and the finish that is then expected. If
   the work it loses takes its phase back, start->config becomes what it takes in that phase. False,
   with nothing changed, if the GPUs are not free. */
bool job_resize_take_gpus(struct sim *sim, struct job_start *start);
/* Likewise for a job that has let its own GPUs go (gpus_let_go). */
bool job_resize_take_free_gpus(struct sim *sim, struct job_start *start);
/* The resize itself, after job_resize_take_gpus: its segment ends, and set-up begins on the new
   GPUs. Owns the allocation. */
void job_resize_carry_out(struct sim *sim, const struct job_start *start);

/* --- job_limit: power limits that change in place --- */

/* Whether a running job has the GPUs of config already, so that its limit alone changes. */
bool job_limit_alone_differs(const struct sim *sim, uint32_t job, uint32_t config);
/* Its policy wishes another limit: that of config, which differs in nothing else, or, if wish_w is
   finite, wish_w. The view shows it at once; it holds after limit_delay_s. */
void job_limit_change(struct sim *sim, uint32_t job, uint32_t config, double wish_w);
/* The wish for `watts`, brought into the range of the GPUs: in the configuration with this limit if
   there is one, else in that without a limit. */
struct job_wish {
    uint32_t config, class;
    double limit_w; /* brought into the range */
    double wish_w;  /* for job_limit_change */
};
struct job_wish job_limit_find(struct sim *sim, uint32_t job, double watts);
/* Whether its wish is none of its configuration. */
bool job_limit_is_own(const struct sim *sim, uint32_t job);
/* The row of easim.power for a job; and its update after its GPUs, wish or hold have changed. */
struct easim_power_job job_limit_power(const struct sim *sim, uint32_t job);
void job_limit_show_power(struct sim *sim, uint32_t job);
/* Before code of the policy: it sees the speed and power that jobs have under their limits. */
void job_limit_show_all(struct sim *sim);

/* --- rejection --- */
/* Jobs that the policy refuses for good (plan_reject); on arrival: admission, internal.h. */

/* The words for it in all results: "by the policy", with its reason if it has one. sim owns them.
   Their number is limited. */
const char *rejection_words(struct sim *sim, const char *reason);
/* Takes a waiting job out of the queue; rejection_carry_out follows when the decision ends. */
void rejection_take(struct sim *sim, uint32_t job, const char *words);
void rejection_carry_out(struct sim *sim, uint32_t job);
void rejection_finish(struct sim *sim);

/* --- job_phase --- */
/* Phases of a model as a job goes through them (semantics 15): forth while it computes, and back
   with the work it loses. The view always has the configurations of its phase. */

/* The event itself: a computing job enters the next phase, with the batch that it takes there. */
void job_phase_enter(struct sim *sim, uint32_t job);

/* --- job_memory --- */
/* Memory that a policy has for each job (easim_job_memory), zeroed when a job is submitted. */

/* Makes room for all jobs, if the policy declares job_memory_size; fails if that is too much. */
int job_memory_init(struct sim *sim, struct error *reterr) MUST_CHECK;
void job_memory_finish(struct sim *sim); /* accepts a zeroed one */
/* In a checked run: whether the policy has not written past the memory of a submitted job. */
bool job_memory_is_whole(const struct sim *sim, uint32_t job);

#endif
