/* The cluster whose power is metered: how many GPUs there are to be at rest. */
#ifndef EASIM_CALIBRATE_METERED_METERED_CLUSTER_H
#define EASIM_CALIBRATE_METERED_METERED_CLUSTER_H

#include "calibrate/metered/metered_jobs.h"

struct metered_type {
    const char *name;    /* borrowed from the jobs */
    double nodes;        /* 0: not given, then as many as jobs need at once */
    double gpus_of_node; /* >= 1 */
    double peak;         /* GPUs that jobs hold at once */
    bool nodes_given;
};

/* Types as those of the jobs. base_w: of a node without its GPUs; idle_w: of a GPU at rest; one of
   them may be known before, the other is NAN; both NAN: base_w is taken as 0. */
struct metered_cluster {
    struct metered_type types[METERED_MOST_TYPES];
    size_t type_count;
    double base_w, idle_w;
    double nodes, gpus; /* in all */
};

/* names, peaks and sums; nodes and gpus_of_node of the types are given. Negative after adding
   problems: jobs that hold more GPUs than there are. */
int metered_cluster_complete(struct metered_cluster *cluster, const struct metered_jobs *jobs,
                             const char *file, struct problems *problems) MUST_CHECK;
/* What of the power at rest is known before. */
double metered_cluster_floor_w(const struct metered_cluster *cluster);
/* Of a fitted power at rest of the whole: that of a GPU, and of a node without GPUs. */
double metered_cluster_idle_w(const struct metered_cluster *cluster, double rest_w);
double metered_cluster_base_w(const struct metered_cluster *cluster, double rest_w);

#endif
