/* The classes that all energy of a run is divided into (semantics 24), in their order of
   precedence. */
#ifndef EASIM_INSIGHT_WASTE_WASTE_CLASS_H
#define EASIM_INSIGHT_WASTE_WASTE_CLASS_H

#include <stdbool.h>

enum waste_class {
    WASTE_BASE,         /* nodes without their GPUs */
    WASTE_NETWORK,      /* the cluster's network: nothing, and not listed, without one */
    WASTE_ASLEEP,       /* GPUs asleep */
    WASTE_FAILED_NODE,  /* GPUs of failed nodes: no energy */
    WASTE_RESERVED,     /* free GPUs kept for a replica */
    WASTE_HELD_BACK,    /* free, and a job that waits would have fitted */
    WASTE_FRAGMENTED,   /* free, and none of those who wait for the type fits */
    WASTE_IDLE,         /* free, and nobody waits for the type */
    WASTE_SET_UP,       /* the first set-up of a job; replicas that load */
    WASTE_RECONFIGURED, /* set-ups, checkpoints and lost work of preemptions and resizes */
    WASTE_FAILED,       /* the same of node failures */
    WASTE_SLOWED,       /* jobs that computed more slowly than their model */
    WASTE_SPREAD,       /* placed on several nodes where the empty cluster has one */
    WASTE_BATCH,        /* another batch or power limit would have been cheaper */
    WASTE_OVER_SCALED,  /* fewer GPUs of the type would have been */
    WASTE_MISPLACED,    /* something that was free at the start would have been */
    WASTE_CROWDED_OUT,  /* something that others had would have been */
    WASTE_UNDERUSED,    /* replicas with less than full load */
    WASTE_USEFUL,       /* what the cheapest allowed configuration would have taken */
    WASTE_CLASSES,
};

struct waste_amount {
    double energy_j, gpu_s;
};

/* What several classes are called together, in the line under the table of a run. */
enum waste_group {
    WASTE_GROUP_USEFUL,
    WASTE_GROUP_IDLE,     /* free GPUs, awake or not */
    WASTE_GROUP_OVERHEAD, /* set-ups, interruptions, neighbours */
    WASTE_GROUP_CHOICE,   /* of configurations */
    WASTE_GROUP_CROWDED_OUT,
    WASTE_GROUP_BASE,
    WASTE_GROUPS,
};

extern const char *const waste_class_names[WASTE_CLASSES];
extern const char *const waste_group_names[WASTE_GROUPS];

/* WASTE_GROUPS for that of failed nodes, which has no energy. */
enum waste_group waste_class_group(enum waste_class class);

#endif
