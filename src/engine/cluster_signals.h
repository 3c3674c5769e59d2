/* Signals of the cluster: changes of cap, price and carbon (cluster_changes), and forecasts; and
   the wake-ups that policies ask for. */
#ifndef EASIM_ENGINE_CLUSTER_SIGNALS_H
#define EASIM_ENGINE_CLUSTER_SIGNALS_H

#include "engine/sim.h"

/* Puts the values of t = 0 into the view and the first changes into the event set. */
void cluster_changes_init(struct sim *sim);
/* The event of change `which`, a signal, or from SIGNALS on an event of the cap: its value in the
   view, the next one in the event set. */
void cluster_changes_apply(struct sim *sim, uint32_t which);
/* The least common multiple of two periods, at most TIME_MAX_S; 0 stands for no period. */
int64_t cluster_changes_common_period_ns(int64_t a_ns, int64_t b_ns);
/* An event of another class has happened. */
void cluster_changes_reset_round(struct sim *sim);
/* Fails the run if time would go on to to_ns but the series do not. */
void cluster_changes_check_end(struct sim *sim, int64_t to_ns);
/* Whether anything is to come that may help a job that waits now. All nodes are sound or never
   repaired, and no event is pending but those of the background (nodes that are still to fail, GPUs
   that will fall asleep): then the policy has at most what it has now. Nor do values of repeated
   series help that it has had before, in all states that they can be in together. */
bool cluster_changes_helpful_left(const struct sim *sim);

void cluster_changes_finish(struct sim *sim); /* accepts a zeroed sim */

/* --- cap_events --- */
/* Demand response (semantics 37.5). */

/* Time has gone on from from_ns to now: what comes before notices is measured, and notices come. */
void cap_events_advance(struct sim *sim, int64_t from_ns);

/* --- wake_ups --- */
/* The instants at which the policy asks to be woken: a set, of which the earliest is an event. */

void wake_ups_add(struct sim *sim, int64_t time_ns); /* not before now; no effect if present */
/* Those of the policy. */
void wake_ups_clear(struct sim *sim);
void wake_ups_pass(struct sim *sim); /* the event itself */
/* Before a decision: fails the run after MOST_WOKEN in a row that only wake-ups have caused, within
   WOKEN_WINDOW_S. */
void wake_ups_count_decision(struct sim *sim);
void wake_ups_finish(struct sim *sim); /* accepts a zeroed sim */

/* --- forecasts --- */
/* Hour by hour (semantics 29). They are new at every full hour, which is no event: policies see
   them when they decide. */

#define FORECAST_HOUR_NS (3600 * NS_PER_S)

/* Number of hours that the policy of a simulation sees: 0 unless it has easim.forecast. */
uint32_t forecasts_hours(const struct sim *sim);
/* Puts those of the first hour into the view, which holds the values of t = 0 already. */
void forecasts_init(struct sim *sim);
/* Those of the present hour, if they are not in the view yet. */
void forecasts_update(struct sim *sim);
void forecasts_finish(struct sim *sim); /* accepts a zeroed sim */

#endif
