/* The hardware of a scenario: GPU types, nodes, their power, and the limits of the whole. Constant
 * during a run. */
#ifndef EASIM_CLUSTER_CLUSTER_H
#define EASIM_CLUSTER_CLUSTER_H

#include "base/rng.h"
#include "cluster/caps.h"
#include "cluster/network.h"
#include "config/outages.h"
#include "config/series.h"

#define CLUSTER_MAX_NODE_GPUS 1048576
#define CLUSTER_MAX_GPUS      (1u << 30)
#define CLUSTER_MAX_TYPES     64
#define USUAL_LIMIT_DELAY_S   0.1

/* How a power limit slows a GPU down (model/laws.h). */
struct limit_law {
    struct location where; /* file NULL: not stated */
    double s, m;           /* shares of power and of time that no limit takes away */
    int32_t evidence;      /* 0: assumed */
    const char *source;
};

struct gpu_type {
    struct location where;
    const char *name;
    double idle_w, ctx_w, tdp_w;
    double busy_w;  /* that a rigid job draws at a utilization of 0; 0: idle_w */
    double floor_w; /* its least power limit; 0: not stated */
    struct limit_law limit_law;
    double limit_delay_s; /* from the change of a limit to its effect */
    double memory_gib;
    double sleep_w, sleep_after_s; /* a GPU that has been free for so long draws so much; INFINITY:
                                      never sleeps */
    double wake_s;                 /* what a start that takes a sleeping GPU waits for it */
    double peak_flops, memory_bytes_s;          /* of one GPU, most a second; stated if above 0 */
    uint32_t gpus;                              /* in the whole cluster */
    uint32_t node_gpus_max;                     /* of its largest node */
    uint32_t tier_gpus_max[NETWORK_MOST_TIERS]; /* of the switch of a tier that has most */
};

/* What draws power in a node beside its GPUs. */
enum node_part { NODE_CPU, NODE_RAM, NODE_NETWORK, NODE_OTHER, NODE_PARTS };

/* Power of a node without its GPUs: fixed_w + cpu_w_per_busy_gpu * allocated GPUs. */
struct node {
    uint32_t gpu_type;
    uint32_t gpus;
    double fixed_w;
    double part_w[NODE_PARTS]; /* what fixed_w is made of; base_w is of the others */
    double cpu_w_per_busy_gpu;
    struct time_law up, repair; /* time to a failure, and from it to the repair; means INFINITY: it
                                   never fails */
};

struct cluster {
    struct gpu_type *gpu_types;
    uint32_t gpu_type_count;
    struct node *nodes; /* in file order */
    uint32_t node_count;
    uint32_t gpus;
    struct network network;
    struct outages outages; /* recorded ones, instead of drawn ones; bound and read by others */
    double storage_bytes_s; /* that all jobs share; 0: jobs are not held back by storage */
    double power_cap_w;     /* INFINITY: none, or a series */
    struct cap_rules cap_rules;
    struct cap_events cap_events;
    struct power_domain *power_domains;
    uint32_t power_domain_count;
    uint32_t *node_domain; /* by node: the innermost one, or EASIM_NONE; NULL: no domains */
    double pue;
    double slowdown_per_neighbour; /* 0: jobs on a node do not notice each other */
};

/* Binds the `cluster` section, its cap to *cap, the file of which is not read yet. Everything is in
   binding->arena. Negative after adding problems. */
int cluster_bind(struct cluster *cluster, struct series *cap, const struct yaml_node *node,
                 const struct binding *binding) MUST_CHECK;

/* Of one GPU that a rigid job holds, at a utilization of 0: what its power begins with. */
double cluster_rigid_busy_w(const struct gpu_type *type);
/* The least power limit of a GPU of a type without measured ones: floor_w, or 0.4 tdp_w. */
double cluster_floor_w(const struct gpu_type *type);
/* GPUs of a type in the largest node, or below the largest switch of the tier, of a span. */
uint32_t cluster_span_gpus_max(const struct cluster *cluster, const struct gpu_type *type,
                               uint32_t span);
/* Nodes in one node, below a switch of the tier of a span, in the cluster. */
uint32_t cluster_span_nodes(const struct cluster *cluster, uint32_t span);
/* The span of k GPUs of a type on the empty cluster; of more than there are the last. */
uint32_t cluster_empty_span(const struct cluster *cluster, const struct gpu_type *type, uint32_t k);
/* Index of a GPU type by name, or -1. */
int cluster_find_type(const struct cluster *cluster, const char *name);
/* The end of a message about a GPU type that is not there: see str_suggestion. */
const char *cluster_suggest_type(const struct cluster *cluster, const char *name,
                                 const struct binding *binding);

extern const struct field cluster_fields[];
#endif
