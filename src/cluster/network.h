/* The network of a cluster (semantics 32): tiers of switches over the nodes in file order, and the
   uplinks between them. Constant during a run. There are two spans, inside a node and across nodes,
   or one more than tiers. */
#ifndef EASIM_CLUSTER_NETWORK_H
#define EASIM_CLUSTER_NETWORK_H

#include "config/schema.h"

#define NETWORK_MOST_TIERS 4
#define NETWORK_MOST_SPANS (1 + NETWORK_MOST_TIERS) /* in a node, or held by a switch of a tier */

/* Switches that each hold so many nodes, the next ones in file order; the last may hold fewer. A
   switch of the last tier holds the cluster. */
struct network_tier {
    struct location where;
    const char *name;
    int64_t nodes;
    double oversubscription; /* o, absolute: of uplinks from below, (GPUs below) x link / o */
};

struct network {
    struct network_tier *tiers; /* from the lowest up */
    uint32_t tier_count;        /* 0: the scenario has no network */
    double link_bytes_s;        /* of one GPU; NAN: not stated */
    int64_t switch_ports;       /* 0: not stated */
    double switch_w, optics_w;  /* of one switch; of one port, in the tiers from */
    uint32_t optics_from;       /*   this one up */
    bool contention;            /* uplinks are shared, instead of slowing down by o */
    uint32_t *gpus_before;      /* by node, and behind the last: GPUs of the nodes before it */
    uint32_t node_count;
};

/* Binds `cluster.network`; NULL: there is none. Negative after adding problems. */
int network_bind(struct network *network, const struct yaml_node *node,
                 const struct binding *binding) MUST_CHECK;
/* Takes the nodes, of which the GPUs are counted in gpus_before (node_count + 1 of them, of the
   binding's arena). Negative after adding a problem: they are more than the last tier holds. */
int network_take_nodes(struct network *network, uint32_t *gpus_before, uint32_t node_count,
                       const struct binding *binding) MUST_CHECK;

/* --- spans: 0 in one node, 1 + t held by a switch of tier t, but not of one below --- */

uint32_t network_span_count(const struct network *network);
/* "one_node", then the names of the tiers; without them "across_nodes". */
const char *network_span_name(const struct network *network, uint32_t span);
/* Of a set of nodes of which these are the first and the last in file order. */
uint32_t network_span(const struct network *network, uint32_t first_node, uint32_t last_node);
/* What synchronization across nodes is multiplied by without contention: the largest o of the tiers
   that a job of the span crosses; 1 in one node, with contention, and without a network. */
double network_slowdown(const struct network *network, uint32_t span);

/* --- switches and uplinks --- */

uint32_t network_switch_of(const struct network *network, uint32_t tier, uint32_t node);
uint32_t network_switch_count(const struct network *network, uint32_t tier);
/* Uplinks into a tier: of each node into the lowest, of each switch of the tier below into others,
   numbered as those are. */
uint32_t network_uplink_count(const struct network *network, uint32_t tier);
uint32_t network_uplink_of(const struct network *network, uint32_t tier, uint32_t node);
/* GPUs below an uplink, and bytes a second that it carries; link_bytes_s has to be stated. */
uint32_t network_uplink_gpus(const struct network *network, uint32_t tier, uint32_t uplink);
double network_uplink_bytes_s(const struct network *network, uint32_t tier, uint32_t uplink);

/* --- power, which never changes --- */

/* Ports of a tier: two of each of its GPUs / o links; the switches that have so many. */
double network_ports(const struct network *network, uint32_t tier);
double network_switches_for_ports(const struct network *network, uint32_t tier);
double network_power_w(const struct network *network);

extern const struct field network_fields[];
#endif
