/* Times to failure and of repair in recorded outages (config/outages.h). */
#ifndef EASIM_CALIBRATE_OUTAGE_TIMES_H
#define EASIM_CALIBRATE_OUTAGE_TIMES_H

#include "calibrate/time_fit.h"
#include "config/outages.h"

/* Release with outage_times_finish. */
struct outage_times {
    struct seen_times up, repair;
    double until_s;                     /* the record goes from 0 to it */
    uint32_t nodes, failed_nodes;       /* all, and those with an outage in the record */
    uint64_t running, outside, at_once; /* outages not taken as repair times: running at 0, not in
                                           the record, of no time */
};

/* nodes: of the cluster, 0: as many as the outages name; until_s: NAN: the last time in the file.
   Outages are of nodes below that. Nodes that never failed count with their whole time. */
void outage_times_find(struct outage_times *times, const struct outages *outages, uint32_t nodes,
                       double until_s);
void outage_times_finish(struct outage_times *times);

#endif
