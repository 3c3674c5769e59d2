/* Tiers, spans, uplinks and power of a network (semantics 32), each value worked by hand. */
#include "base/mem.h"
#include "cluster/network.h"

#include <criterion/criterion.h>
#include <math.h>

/* Nine nodes of 8 GPUs and one of 4 behind them; leaves of 2 nodes, pods of 6, one spine. */
static struct network_tier tiers[] = {{.name = "leaf", .nodes = 2, .oversubscription = 1.5},
                                      {.name = "pod", .nodes = 6, .oversubscription = 4},
                                      {.name = "spine", .nodes = 32, .oversubscription = 3}};
static uint32_t gpus_before[] = {0, 8, 16, 24, 32, 40, 48, 56, 64, 72, 76};
static const struct network network = {.tiers = tiers,
                                       .tier_count = 3,
                                       .link_bytes_s = 50e9,
                                       .switch_ports = 16,
                                       .switch_w = 700,
                                       .optics_w = 15,
                                       .optics_from = 1,
                                       .gpus_before = gpus_before,
                                       .node_count = 10};
static const struct network none = {.tier_count = 0};

Test(network, spans) {
    static const struct {
        uint32_t first, last, span;
    } cases[] = {{3, 3, 0}, {0, 1, 1}, {2, 3, 1}, {8, 9, 1}, {1, 2, 2},
                 {0, 5, 2}, {6, 9, 2}, {5, 6, 3}, {0, 9, 3}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        cr_expect_eq(network_span(&network, cases[i].first, cases[i].last), cases[i].span,
                     "nodes %u and %u", cases[i].first, cases[i].last);
    cr_expect_eq(network_span_count(&network), 4);
    cr_expect_str_eq(network_span_name(&network, 0), "one_node");
    cr_expect_str_eq(network_span_name(&network, 2), "pod");
    cr_expect_eq(network_span(&none, 4, 4), 0);
    cr_expect_eq(network_span(&none, 4, 900), 1);
    cr_expect_eq(network_span_count(&none), 2);
    cr_expect_str_eq(network_span_name(&none, 1), "across_nodes");
}

Test(network, slowdown_is_the_largest_crossed) {
    static const double expected[] = {1, 1.5, 4, 4}; /* spine alone has 3, below it is 4 */
    struct network shared = network;
    shared.contention = true;
    for (uint32_t span = 0; span < 4; span++) {
        cr_expect_eq(network_slowdown(&network, span), expected[span]);
        cr_expect_eq(network_slowdown(&shared, span), 1);
    }
    cr_expect_eq(network_slowdown(&none, 1), 1);
}

Test(network, uplinks) {
    cr_expect_eq(network_switch_count(&network, 0), 5); /* of 2 nodes each */
    cr_expect_eq(network_switch_count(&network, 1), 2); /* of 6 nodes and of 4 */
    cr_expect_eq(network_switch_count(&network, 2), 1);
    cr_expect_eq(network_uplink_count(&network, 0), 10);
    cr_expect_eq(network_uplink_count(&network, 1), 5);
    cr_expect_eq(network_uplink_count(&network, 2), 2);
    cr_expect_eq(network_uplink_of(&network, 0, 7), 7);
    cr_expect_eq(network_uplink_of(&network, 1, 7), 3);
    cr_expect_eq(network_uplink_of(&network, 2, 7), 1);
    cr_expect_eq(network_uplink_gpus(&network, 0, 9), 4);
    cr_expect_eq(network_uplink_gpus(&network, 1, 4), 12);
    cr_expect_eq(network_uplink_gpus(&network, 2, 0), 48);
    cr_expect_eq(network_uplink_gpus(&network, 2, 1), 28);
    cr_expect_float_eq(network_uplink_bytes_s(&network, 0, 0), 8 * 50e9 / 1.5, 1);
    cr_expect_float_eq(network_uplink_bytes_s(&network, 1, 4), 12 * 50e9 / 4, 1);
    cr_expect_float_eq(network_uplink_bytes_s(&network, 2, 1), 28 * 50e9 / 3, 1);
}

/* Ports 2 x 76 / o: 101 1/3, 38 and 50 2/3; of 16 each: 7, 3 and 4 switches; optics from the pods
   up. */
Test(network, power) {
    cr_expect_float_eq(network_ports(&network, 0), 304.0 / 3, 1e-12);
    cr_expect_float_eq(network_ports(&network, 1), 38, 1e-12);
    cr_expect_eq(network_switches_for_ports(&network, 0), 7);
    cr_expect_eq(network_switches_for_ports(&network, 1), 3);
    cr_expect_eq(network_switches_for_ports(&network, 2), 4);
    cr_expect_float_eq(network_power_w(&network), 14 * 700 + 15 * (38 + 152.0 / 3), 1e-9);
    cr_expect_eq(network_power_w(&none), 0);
}

/* 2 x 11 / 1.1 is 20 ports, in doubles a little more or less: one switch of 20 has them. */
Test(network, ports_that_just_fill_a_switch) {
    static const double most[] = {1.1, 1.7, 2.3, 3.3};
    for (size_t i = 0; i < sizeof most / sizeof *most; i++) {
        struct network_tier tier = {.nodes = 1, .oversubscription = most[i]};
        uint32_t gpus = (uint32_t)lround(most[i] * 10), before[] = {0, gpus};
        struct network one = {.tiers = &tier,
                              .tier_count = 1,
                              .switch_ports = 20,
                              .gpus_before = before,
                              .node_count = 1};
        cr_expect_eq(network_switches_for_ports(&one, 0), 1, "%g", most[i]);
    }
}
