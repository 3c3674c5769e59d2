/* The network in a recorded run: its use by the GPUs of a job (team), and its power (fabric). */
#ifndef EASIM_INSIGHT_NETWORK_USE_H
#define EASIM_INSIGHT_NETWORK_USE_H

#include "cluster/cluster.h"
#include "insight/recorded_run.h"

/* The span of a segment by its name: "one_node", or a tier. NULL: queued, or no network. */
const char *team_tier(const struct recorded_run *run, const struct recorded_segment *segment);

/* The plan of a transformer's segment, as text; NULL: it has none. */
const char *team_plan(const struct recorded_run *run, const struct recorded_segment *segment,
                      char text[static PLAN_TEXT_BYTES]);

/* Whether a segment has a tier or a plan to tell of, and not those of `last`, the one that was told
   before it; NULL: none was. */
bool team_is_news(const struct recorded_run *run, const struct recorded_segment *segment,
                  const struct recorded_segment *last);

/* Share of an iteration that synchronization takes, as models say of a span, without contention: of
   a plan all that its GPUs send each other. NAN: rigid, or a table of points, which do not tell. */
double team_sync_share(const struct recorded_run *run, uint32_t job,
                       const struct easim_config *config, uint32_t span);

/* --- fabric: the power of the cluster's network (semantics 32.2), divided among GPU types --- */

/* The part that a GPU type has of it by its share of the GPUs, in whole nW; the parts add up to
   what the meter has. It never changes, whatever fails. 0: there is no network. */
int64_t fabric_nw(const struct cluster *cluster, uint32_t gpu_type);

#endif
