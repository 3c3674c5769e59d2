/* Tiers, spans, uplinks and power of a network: see network.h. */
#include "cluster/network.h"

#include "base/str.h"
#include "config/scenario.h"

#include <math.h>
#include <string.h>

#define NETWORK_PATH        "cluster.network"
#define MOST_OVERSUBSCRIBED 1e6
#define MOST_TIER_NODES     1e9
#define PORTS_ROUNDING      1e-9 /* of a switch: what quotients are wrong by */
#define ONE_NODE_NAME       "one_node"
#define ACROSS_NODES_NAME   "across_nodes"

struct network_section {
    struct location where;
    struct schema_list tiers;
    double link_bytes_s, switch_w, optics_w;
    int64_t switch_ports;
    const char *optics_from;
    bool contention;
};

#define WATTS RANGE(0, SCENARIO_MOST_W), UNIT(POWER)

static const struct field tier_fields[] = {
    {LOCATION(network_tier, where)},
    {"name", TEXT(network_tier, name), REQUIRED,
     HELP("name of the tier and of the span under one switch; not one_node or across_nodes")},
    {"nodes", INT(network_tier, nodes), REQUIRED, RANGE(1, MOST_TIER_NODES),
     HELP("nodes under one switch, a multiple of the tier below; the last tier holds all nodes")},
    {"oversubscription", REAL(network_tier, oversubscription), DEFAULT(1),
     RANGE(1, MOST_OVERSUBSCRIBED),
     HELP("links of the GPUs below a node (first tier) or switch, divided by its uplinks")},
    FIELDS_END};

const struct field network_fields[] = {
    {LOCATION(network_section, where)},
    {"tiers", OBJECTS(network_section, tiers, tier_fields, network_tier), REQUIRED,
     HELP("1 to 4 tiers, from the lowest up")},
    {"link", REAL(network_section, link_bytes_s), DEFAULT(NAN), ABOVE(0, 1e30), UNIT(BANDWIDTH),
     HELP("bandwidth of a GPU into the network, bytes/s; only contention uses it")},
    {"switch_ports", INT(network_section, switch_ports), RANGE(2, 1e6),
     HELP("ports of one switch; needs switch_w")},
    {"switch_w", REAL(network_section, switch_w), WATTS, HELP("power of one switch")},
    {"optics_w", REAL(network_section, optics_w), WATTS, HELP("power of the optics of one port")},
    {"optics_from", TEXT(network_section, optics_from),
     HELP("lowest tier whose links are optical; needs optics_w (default: the first)")},
    {"contention", BOOL(network_section, contention),
     HELP("jobs share the uplinks, which needs link and sync_bytes; false: oversubscription "
          "slows synchronization in any case")},
    FIELDS_END};

/* --- binding --- */

static const char *tier_path(const struct binding *binding, uint32_t tier) {
    return arena_printf(binding->arena, NETWORK_PATH ".tiers[%u]", tier);
}

static bool is_name_taken(const struct network *network, uint32_t tier) {
    const char *name = network->tiers[tier].name;
    bool taken = strcmp(name, ONE_NODE_NAME) == 0 || strcmp(name, ACROSS_NODES_NAME) == 0;
    for (uint32_t t = 0; t < tier && !taken; t++)
        taken = network->tiers[t].name && strcmp(network->tiers[t].name, name) == 0;
    return taken;
}

static void check_tier(const struct network *network, uint32_t tier,
                       const struct binding *binding) {
    const struct network_tier *t = &network->tiers[tier];
    const char *path = tier_path(binding, tier);
    if (t->name && !utf8_is_printable(t->name, false))
        problems_add(binding->problems, t->where, path, "expected a name that can be printed");
    else if (t->name && is_name_taken(network, tier))
        problems_add(binding->problems, t->where, path,
                     "expected a name that no other span has, got \"%.80s\"", t->name);
    if (tier == 0 || t->nodes == 0 || t[-1].nodes == 0)
        return;
    if (t->nodes < t[-1].nodes)
        problems_add(binding->problems, t->where, path,
                     "expected at least the %lld nodes of the tier below, got %lld",
                     (long long)t[-1].nodes, (long long)t->nodes);
    else if (tier + 1 < network->tier_count && t->nodes % t[-1].nodes != 0)
        problems_add(binding->problems, t->where, path,
                     "expected a multiple of the %lld nodes of the tier below, got %lld",
                     (long long)t[-1].nodes, (long long)t->nodes);
}

/* The value of a key that is there; a default is none. */
static const struct yaml_node *given_value(const struct yaml_node *node, const char *key) {
    const struct yaml_node *value = yaml_find(node, key);
    return value && !yaml_is_null(value) ? value : NULL;
}

static void check_beside(const struct yaml_node *node, const char *key, const char *needed,
                         const struct binding *binding) {
    const struct yaml_node *given = given_value(node, key);
    if (given && !given_value(node, needed))
        problems_add(binding->problems, given->where,
                     arena_printf(binding->arena, NETWORK_PATH ".%s", key), "expected %s beside it",
                     needed);
}

static void check_keys(const struct yaml_node *node, const struct network *network,
                       const struct binding *binding) {
    if (network->switch_w > 0)
        check_beside(node, "switch_w", "switch_ports", binding);
    check_beside(node, "switch_ports", "switch_w", binding);
    check_beside(node, "optics_from", "optics_w", binding);
    if (network->contention)
        check_beside(node, "contention", "link", binding);
}

static uint32_t find_tier(const struct network *network, const char *name) {
    uint32_t t = 0;
    while (t < network->tier_count &&
           !(network->tiers[t].name && strcmp(network->tiers[t].name, name) == 0))
        t++;
    return t;
}

static void take_optics_from(struct network *network, const char *name,
                             const struct yaml_node *node, const struct binding *binding) {
    const char *names[NETWORK_MOST_TIERS];
    size_t count = 0;
    network->optics_from = name ? find_tier(network, name) : 0;
    if (network->optics_from < network->tier_count || !name)
        return;
    for (uint32_t t = 0; t < network->tier_count; t++)
        if (network->tiers[t].name)
            names[count++] = network->tiers[t].name;
    problems_add(binding->problems, yaml_find(node, "optics_from")->where,
                 NETWORK_PATH ".optics_from", "no tier is named \"%.80s\"%s", name,
                 str_suggestion(binding->arena, name, names, count));
}

int network_bind(struct network *network, const struct yaml_node *node,
                 const struct binding *binding) {
    struct network_section section = {0};
    size_t before = binding->problems->count;
    *network = (struct network){0};
    if (!node)
        return 0;
    int bound = schema_bind(binding, network_fields, node, NETWORK_PATH, &section);
    if (section.tiers.count > NETWORK_MOST_TIERS) {
        problems_add(binding->problems, yaml_find(node, "tiers")->where, NETWORK_PATH ".tiers",
                     "expected at most %d tiers, got %zu", NETWORK_MOST_TIERS, section.tiers.count);
        return ERROR_INPUT;
    }
    if (section.tiers.count == 0)
        return bound;
    *network = (struct network){.tiers = section.tiers.at,
                                .tier_count = (uint32_t)section.tiers.count,
                                .link_bytes_s = section.link_bytes_s,
                                .switch_ports = section.switch_ports,
                                .switch_w = section.switch_w,
                                .optics_w = section.optics_w,
                                .contention = section.contention};
    for (uint32_t t = 0; t < network->tier_count; t++)
        check_tier(network, t, binding);
    check_keys(node, network, binding);
    take_optics_from(network, section.optics_from, node, binding);
    return bound < 0 || binding->problems->count > before ? ERROR_INPUT : 0;
}

int network_take_nodes(struct network *network, uint32_t *gpus_before, uint32_t node_count,
                       const struct binding *binding) {
    network->gpus_before = gpus_before;
    network->node_count = node_count;
    if (network->tier_count == 0)
        return 0;
    uint32_t last = network->tier_count - 1;
    const struct network_tier *t = &network->tiers[last];
    if (t->nodes == 0 || t->nodes >= node_count)
        return 0;
    problems_add(binding->problems, t->where, tier_path(binding, last),
                 "expected a last tier that holds the %u nodes of the cluster, got %lld nodes",
                 node_count, (long long)t->nodes);
    return ERROR_INPUT;
}

/* --- spans --- */

uint32_t network_span_count(const struct network *network) {
    return network->tier_count > 0 ? 1 + network->tier_count : 2;
}

const char *network_span_name(const struct network *network, uint32_t span) {
    if (span == 0)
        return ONE_NODE_NAME;
    return network->tier_count > 0 ? network->tiers[span - 1].name : ACROSS_NODES_NAME;
}

uint32_t network_span(const struct network *network, uint32_t first_node, uint32_t last_node) {
    if (first_node == last_node)
        return 0;
    uint32_t tier = 0;
    while (tier + 1 < network->tier_count && network_switch_of(network, tier, first_node) !=
                                                 network_switch_of(network, tier, last_node))
        tier++;
    return 1 + tier;
}

double network_slowdown(const struct network *network, uint32_t span) {
    double largest = 1;
    for (uint32_t t = 0; t < span && t < network->tier_count && !network->contention; t++)
        largest = fmax(largest, network->tiers[t].oversubscription);
    return largest;
}

/* --- switches and uplinks --- */

uint32_t network_switch_of(const struct network *network, uint32_t tier, uint32_t node) {
    return (uint32_t)(node / network->tiers[tier].nodes);
}

uint32_t network_switch_count(const struct network *network, uint32_t tier) {
    return network_switch_of(network, tier, network->node_count - 1) + 1;
}

uint32_t network_uplink_count(const struct network *network, uint32_t tier) {
    return tier == 0 ? network->node_count : network_switch_count(network, tier - 1);
}

uint32_t network_uplink_of(const struct network *network, uint32_t tier, uint32_t node) {
    return tier == 0 ? node : network_switch_of(network, tier - 1, node);
}

uint32_t network_uplink_gpus(const struct network *network, uint32_t tier, uint32_t uplink) {
    int64_t nodes = tier == 0 ? 1 : network->tiers[tier - 1].nodes;
    int64_t first = uplink * nodes;
    int64_t end = first + nodes < network->node_count ? first + nodes : network->node_count;
    return network->gpus_before[end] - network->gpus_before[first];
}

double network_uplink_bytes_s(const struct network *network, uint32_t tier, uint32_t uplink) {
    return network_uplink_gpus(network, tier, uplink) * network->link_bytes_s /
           network->tiers[tier].oversubscription;
}

/* --- power --- */

double network_ports(const struct network *network, uint32_t tier) {
    return 2.0 * network->gpus_before[network->node_count] / network->tiers[tier].oversubscription;
}

double network_switches_for_ports(const struct network *network, uint32_t tier) {
    return network->switch_ports == 0
               ? 0
               : ceil(network_ports(network, tier) / (double)network->switch_ports -
                      PORTS_ROUNDING);
}

double network_power_w(const struct network *network) {
    double power_w = 0;
    for (uint32_t t = 0; t < network->tier_count; t++) {
        power_w += network_switches_for_ports(network, t) * network->switch_w;
        if (t >= network->optics_from)
            power_w += network_ports(network, t) * network->optics_w;
    }
    return power_w;
}
