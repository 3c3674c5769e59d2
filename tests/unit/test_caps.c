/* Caps that easim enforces, as a scenario says them: rules and power domains. Expected
   values are read off the scenario by hand. */
#include "../support/scenario.h"
#include "../support/temp_dir.h"
#include "base/units.h"

#include <criterion/criterion.h>
#include <math.h>

TestSuite(caps, .init = temp_dir_enter, .fini = temp_dir_leave);

/* Six nodes of 2 GPUs, each 200 W with idle GPUs; more: keys of the GPU type, and of the cluster.
 */
static void load(struct trial *t, const char *type, const char *cluster) {
    static const struct trial_options options;
    char yaml[2048];
    cr_assert_lt(
        snprintf(
            yaml, sizeof yaml,
            "name: n\nhorizon: 10h\npolicy: {name: fcfs}\n"
            "cluster:\n  gpu_types: [{name: g, idle_w: 50, ctx_w: 90, tdp_w: 400%s}]\n"
            "  nodes: [{count: 4, gpu: g, gpus: 2, base_w: 100}, {count: 2, gpu: g, gpus: 2, base_w: 100}]\n"
            "%s"
            "workload: {kind: periodic, period: 1h, sizes: {law: constant, mean: 1h}, rigid: {k: 1}}\n",
            type, cluster),
        (int)sizeof yaml);
    trial_load(t, &options, yaml);
    trial_must_succeed(t);
}

Test(caps, rules) {
    static const struct {
        const char *keys;
        struct cap_rules rules;
        double cap_w;
    } cases[] = {
        {"", {ENFORCE_NONE, CAP_ORDER_EQUAL, CAP_ADMIT_EFFICIENT, 64, 0}, INFINITY},
        {"  power_cap_w: 2.5 kW\n",
         {ENFORCE_NONE, CAP_ORDER_EQUAL, CAP_ADMIT_EFFICIENT, 64, 0},
         2500},
        {"  power_cap: {watts: 2.5 kW}\n",
         {ENFORCE_NONE, CAP_ORDER_EQUAL, CAP_ADMIT_EFFICIENT, 64, 0},
         2500},
        {"  power_cap: {watts: 2385, enforce: throttle}\n",
         {ENFORCE_THROTTLE, CAP_ORDER_EQUAL, CAP_ADMIT_EFFICIENT, 64, 1},
         2385},
        {"  power_cap: {watts: 2385, enforce: throttle_then_preempt, order: by_class, admit: full, "
         "steps: 1024, grace: 2min}\n",
         {ENFORCE_PREEMPT, CAP_ORDER_BY_CLASS, CAP_ADMIT_FULL, 1024, 120},
         2385},
        {"  power_cap: {watts: 2385, enforce: throttle, order: by_flex, admit: floor, steps: 0, "
         "grace: 0.25}\n",
         {ENFORCE_THROTTLE, CAP_ORDER_BY_FLEX, CAP_ADMIT_FLOOR, 0, 0.25},
         2385},
        {"  power_cap: {enforce: throttle}\n  power_domains: [{name: a, nodes: 0, cap: 300}]\n",
         {ENFORCE_THROTTLE, CAP_ORDER_EQUAL, CAP_ADMIT_EFFICIENT, 64, 1},
         INFINITY},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct trial t;
        load(&t, "", cases[i].keys);
        const struct cap_rules *found = &t.study.cluster.cap_rules, *rules = &cases[i].rules;
        cr_expect(found->enforce == rules->enforce && found->order == rules->order &&
                      found->admit == rules->admit && found->steps == rules->steps &&
                      found->grace_s == rules->grace_s,
                  "case %zu: %d %d %d %lld %g", i, found->enforce, found->order, found->admit,
                  (long long)found->steps, found->grace_s);
        cr_expect_eq(t.study.cluster.power_cap_w, cases[i].cap_w);
        cr_expect_eq(t.study.scenario.signals[SIGNAL_CAP].constant, cases[i].cap_w);
        cr_expect_eq(t.study.cluster.gpu_types[0].limit_delay_s, 0.1);
        trial_finish(&t);
    }
}

/* A file has the same steps under both keys, and none is told of the other. */
Test(caps, of_a_file) {
    static const char *const keys[] = {
        "  power_cap_w: {file: c.csv, column: w, period: 2h}\n",
        "  power_cap: {file: c.csv, column: w, period: 2h, enforce: throttle}\n",
        "  power_cap: {file: d.csv, enforce: throttle}\n",
    };
    temp_file_write_text("c.csv", "time_s,w\n0,3 kW\n3600,\n5400,2000\n");
    temp_file_write_text("d.csv", "time_s,power_w\n0,3000\n3600,\n5400,2000\n");
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        struct trial t;
        load(&t, "", keys[i]);
        const struct series *cap = &t.study.scenario.signals[SIGNAL_CAP];
        cr_assert_eq(cap->count, 3);
        cr_expect(cap->steps[0].value == 3000 && cap->steps[1].value == INFINITY &&
                  cap->steps[2].value == 2000 && cap->steps[2].time_ns == 5400 * NS_PER_S);
        cr_expect_eq(series_period_ns(cap), (i < 2 ? 7200 : 0) * NS_PER_S);
        cr_expect_eq(t.study.cluster.power_cap_w, INFINITY);
        cr_expect_str_eq(cap->kind->path, i == 0 ? "cluster.power_cap_w" : "cluster.power_cap");
        trial_finish(&t);
    }
}

/* Nodes 0 to 3 under a, of which 0 and 1 under b, of which 1 under c; 5 under d; 4 under none. A
   cap of just the idle power is one. */
Test(caps, domains) {
    static const uint32_t innermost[] = {1, 2, 0, 0, EASIM_NONE, 3};
    static const uint32_t parents[] = {EASIM_NONE, 0, 1, EASIM_NONE}, nodes[] = {4, 2, 1, 1};
    static const double caps_w[] = {1200, 2385, 200, 200};
    struct trial t;
    load(&t, "",
         "  power_cap: {watts: 9000, enforce: throttle}\n"
         "  power_domains:\n"
         "    - {name: a, nodes: [3, 0-2], cap: 1.2 kW}\n"
         "    - {name: b, parent: a, nodes: 0-1, cap: 2385}\n"
         "    - {name: c, parent: b, nodes: 1, cap: 200}\n"
         "    - {name: d, nodes: 5-5, cap: 200}\n");
    const struct cluster *cluster = &t.study.cluster;
    cr_assert_eq(cluster->power_domain_count, 4);
    for (uint32_t n = 0; n < 6; n++)
        cr_expect_eq(cluster->node_domain[n], innermost[n], "node %u", n);
    for (uint32_t d = 0; d < 4; d++) {
        const struct power_domain *domain = &cluster->power_domains[d];
        cr_expect_eq(domain->name[0], (char)('a' + d));
        cr_expect(domain->parent == parents[d] && domain->node_count == nodes[d] &&
                  domain->cap_w == caps_w[d]);
    }
    trial_finish(&t);
    load(&t, "", "  power_cap: {watts: 9000, enforce: throttle}\n");
    cr_expect(t.study.cluster.power_domain_count == 0 && !t.study.cluster.node_domain);
    trial_finish(&t);
}
