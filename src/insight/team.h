/* How the GPUs of a job work together in a recorded run: where they are in the network, under which
   plan, and how much of their time they wait for each other. */
#ifndef EASIM_INSIGHT_TEAM_H
#define EASIM_INSIGHT_TEAM_H

#include "insight/recorded_run.h"

/* The span of a segment by its name: "one_node", or a tier. NULL: queued, or the cluster has no
   network. */
const char *team_tier(const struct recorded_run *run, const struct recorded_segment *segment);

/* The plan of a transformer's segment, as text; NULL: it has none. */
const char *team_plan(const struct recorded_run *run, const struct recorded_segment *segment,
                      char text[static PLAN_TEXT_BYTES]);

/* Whether a segment has a tier or a plan to tell of, and not those of `last`, the one that was told
   before it; NULL: none was. */
bool team_is_news(const struct recorded_run *run, const struct recorded_segment *segment,
                  const struct recorded_segment *last);

/* Share of an iteration that synchronisation takes, as models say of a span, without contention: of
   a plan all that its GPUs send each other. NAN: rigid, or a table of points, which do not tell. */
double team_sync_share(const struct recorded_run *run, uint32_t job,
                       const struct easim_config *config, uint32_t span);

#endif
