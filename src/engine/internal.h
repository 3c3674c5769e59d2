/* Declarations shared by the files of src/engine, for this folder alone. */
#ifndef EASIM_ENGINE_INTERNAL_H
#define EASIM_ENGINE_INTERNAL_H

#include "engine/replicas.h"
#include "engine/segments.h"
#include "engine/services.h"
#include "engine/sim.h"

/* --- callbacks --- */

/* Asks the policy for its decision and carries it out. On failure sim->error is set. */
void callbacks_decide(struct sim *sim);
/* Calls the policy's init (before the first event) or finish (after the last), if any. */
void callbacks_init(struct sim *sim);
void callbacks_finish(struct sim *sim);
/* At the end of a checked run: compares all of the view. */
void callbacks_check_view(struct sim *sim);
/* For a run that ends because jobs wait for ever: whether a list policy would start one of them if
   the host called all its callbacks again. text says which. Then the view is as after its start. */
#define EXPLANATION_BYTES 256
bool callbacks_explain(struct sim *sim, char text[static EXPLANATION_BYTES]);

/* --- admission: whether a job that arrives goes into the queue or is rejected, for ever --- */

/* The arrival of a job: into the queue, or rejected. */
void admission_submit(struct sim *sim, uint32_t job);

/* --- exchange --- */

/* What exchange_try makes of a part that resizes a job to what it has, or to the same GPUs under
   another power limit. */
#define EXCHANGE_NOTHING UINT32_MAX
#define EXCHANGE_LIMIT   (UINT32_MAX - 1)

/* Parts as the host keeps them; zero-initialise, release with exchange_finish. */
struct exchange {
    struct easim_part *parts;
    struct allocation *allocations; /* that a start or resize gets; empty otherwise */
    uint32_t count;
};

/* Copies what the policy passes: parts part_bytes long each. False if that is no set of parts. */
bool exchange_read(struct exchange *exchange, const struct sim *sim, const void *parts,
                   uint32_t count, size_t part_bytes);
void exchange_finish(struct exchange *exchange);

/* Tries an exchange, and changes nothing else: why it is refused and for which part, or
   REFUSED_NOT; and, unless NULL, the committed power of the cluster with it. */
enum refusal exchange_try(struct sim *sim, struct exchange *exchange, uint32_t *ret_part,
                          int64_t *ret_committed_nw);
/* Gives and takes the GPUs of an exchange that exchange_try has just found in order; its starts and
   resizes have their allocations then, and are still to be carried out. */
void exchange_take_gpus(struct sim *sim, struct exchange *exchange);

/* --- action_checks --- */
/* Whether an action is possible at all under the present plan. Fit and power cap come later. */

bool action_has_capability(const struct sim *sim, uint32_t capability);
/* Whether a resize would change nothing: it runs, also since this very plan, in that one. */
bool action_keeps_config(const struct sim *sim, uint32_t job, uint32_t config);

/* REFUSED_NOT: it can be tried. */
enum refusal action_check_start(const struct sim *sim, uint32_t job, uint32_t config);
enum refusal action_check_preempt(const struct sim *sim, uint32_t job);
enum refusal action_check_resize(const struct sim *sim, uint32_t job, uint32_t config);
enum refusal action_check_reject(const struct sim *sim, uint32_t job);
/* The same for a configuration of a replica, and for a replica, by their places in the view. */
enum refusal action_check_limit(const struct sim *sim, uint32_t job, double watts);
enum refusal action_check_scale_up(const struct sim *sim, uint32_t replica_config);
enum refusal action_check_scale_down(const struct sim *sim, uint32_t replica);

/* --- invariants --- */

/* Checks four things. GPUs are conserved on every node and below every switch. Each job is in one
   state and has the span of its nodes. Committed and metered power equal the sum over jobs. The
   energy of jobs, idle GPUs and nodes equals the integral of power. The first violation fails the
   run. */
void invariants_check_all(struct sim *sim);
/* To be called after every event. Checks all of it while there are at most 64 jobs to look at; of
   n > 64 jobs only at every n/64-th call, since otherwise a long queue would cost its square. To
   look at are all jobs submitted so far but those in front of the oldest that is not over. */
void invariants_check(struct sim *sim);

/* Power of a node, added up again. */
struct check_node {
    int64_t drawn_nw, committed_nw;
};

static inline void check_node_add(struct check_node *node, int64_t drawn_nw, int64_t committed_nw) {
    node->drawn_nw += drawn_nw;
    node->committed_nw += committed_nw;
}

/* --- limits_check --- */
/* The rules of --check for power limits and enforced caps (semantics 37), at the end of an instant.
   Each job draws what its class allows, and its energy is the integral of that. Power is below
   every cap, except while changes are pending or least draws exceed it. What jobs draw, or will
   when pending changes hold, is that of a fill from nothing. */

/* With limits; nodes: all but jobs with limits. */
void limits_check(struct sim *sim, const struct check_node *nodes);

/* --- contention_check --- */
/* The rules of --check for shares (semantics 35.4), by the allocations of jobs: no uplink or
   storage carries more than it can. A job with less than it could use is on a full one, and others
   there have no more. */

/* With contention: fails the run if that is not so. */
void contention_check(struct sim *sim);

/* --- forecasts_check --- */
/* The rules of `--check` for forecasts: a past hour was as shown while it was present, even if
   later hours had errors. Without an error, the forecast of an hour never changes. */

/* Around forecasts_update, with the view of the instant before and the time to which it goes on. */
void forecasts_check_advance(struct sim *sim, int64_t from_ns, int64_t to_ns);
void forecasts_check_shown(struct sim *sim);
void forecasts_check_finish(struct sim *sim);

/* --- services_check --- */
/* Checks of services after every event, derived from replicas and demand (semantics 34). */

/* Totals of replicas and reservations: the GPUs that they hold and their power. */
struct services_held {
    uint32_t *node_gpus;      /* by node; added to */
    struct check_node *nodes; /* likewise; reserved GPUs draw as idle ones do */
    int128 energy;            /* of replicas so far, 1e-18 J */
};

void services_check(struct sim *sim, struct services_held *held);

/* --- failures --- */

void failures_init(struct sim *sim);
void failures_finish(struct sim *sim);
/* The events themselves. */
void failures_fail(struct sim *sim, uint32_t node);
void failures_repair(struct sim *sim, uint32_t node);

/* --- scaling --- */

/* The event itself. */
void scaling_tick(struct sim *sim);
/* After a decision: what the cap does not allow is released, the replica of most power first, as
   long as its service keeps its least number. Whether there was any. */
bool scaling_keep_cap(struct sim *sim);

#endif
