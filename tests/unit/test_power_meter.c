/* The power meter: the integral of a step function by hand, and its independence of the order of
 * summation. */
#include "base/rng.h"
#include "cluster/power_meter.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

static struct node nodes[] = {{.gpu_type = 0, .gpus = 3, .fixed_w = 100.5, .cpu_w_per_busy_gpu = 3},
                              {.gpu_type = 1, .gpus = 2, .fixed_w = 20.25}};
static struct gpu_type types[] = {{.idle_w = 50, .ctx_w = 90, .tdp_w = 400, .gpus = 3},
                                  {.idle_w = 7.125, .ctx_w = 8, .tdp_w = 70, .gpus = 2}};
static const struct cluster cluster = {
    .gpu_types = types, .gpu_type_count = 2, .nodes = nodes, .node_count = 2, .gpus = 5};

static void expect_near(double found, double expected, const char *what) {
    cr_expect(fabs(found - expected) <= 1e-14 * fabs(expected), "%s: %.17g, not %.17g", what, found,
              expected);
}

/* Fixed: 120.75 W. Idle GPUs: 3 * 50 + 2 * 7.125 = 164.25 W.
     0 .. 2.385 s   all idle:                                              285 W
     .. 3.885 s     2 of type 0 in set-up: 2 * 3 more, 180 - 100 more:     285 + 6 + 80 = 371 W
     .. 13.885 s    they compute at 317.5 W each: 635 - 100 more:          285 + 6 + 535 = 826 W
     .. 14.885 s    and one of type 1 at 66.6 W:                           826 + 66.6 - 7.125 =
   885.475 W
     .. 15.135 s    type 0 idle again:                                     285 + 59.475 = 344.475 W
 */
Test(power_meter, step_function) {
    struct power_meter m;
    power_meter_init(&m, &cluster);
    cr_assert_eq(power_meter_total_nw(&m), 285000000000);
    power_meter_advance(&m, 2385000000);
    power_meter_allocate(&m, 0, 2000);
    m.types[0].setup = (struct power_use){.milli = 2000, .nw = power_of_gpus_nw(90, 2, 0)};
    cr_assert_eq(power_meter_total_nw(&m), 371000000000);
    power_meter_advance(&m, 1500000000);
    m.types[0].setup.milli = m.types[0].setup.nw = 0;
    m.types[0].computing = (struct power_use){.milli = 2000, .nw = 2 * power_nw(317.5)};
    cr_assert_eq(power_meter_total_nw(&m), 826000000000);
    power_meter_advance(&m, 10000000000);
    m.types[1].computing = (struct power_use){.milli = 1000, .nw = power_nw(66.6)};
    power_meter_allocate(&m, 1, 1000);
    cr_assert_eq(power_meter_total_nw(&m), 885475000000);
    power_meter_advance(&m, 1000000000);
    m.types[0].computing.milli = m.types[0].computing.nw = 0;
    power_meter_release(&m, 0, 2000);
    cr_assert_eq(power_meter_total_nw(&m), 344475000000);
    power_meter_advance(&m, 250000000);
    power_meter_advance(&m, 0);
    expect_near(power_j(power_meter_energy(&m)),
                285 * 2.385 + 371 * 1.5 + 826 * 10.0 + 885.475 * 1.0 + 344.475 * 0.25, "all");
    expect_near(power_j(m.base_energy), 120.75 * 15.135 + 6 * 12.5, "nodes");
    expect_near(power_j(m.types[0].idle_energy), 150 * (2.385 + 0.25) + 50 * 12.5, "idle 0");
    expect_near(power_j(m.types[1].idle_energy), 14.25 * 13.885 + 7.125 * 1.25, "idle 1");
    expect_near(power_j(m.types[0].setup.energy), 180 * 1.5, "set-up");
    expect_near(power_j(m.types[0].computing.energy), 635 * 11.0, "computing 0");
    expect_near(power_j(m.types[1].computing.energy), 66.6 * 1.25, "computing 1");
    expect_near(power_gpu_s(m.types[0].setup.gpu_ps), 3, "set-up time");
    expect_near(power_gpu_s(m.types[0].computing.gpu_ps), 22, "computing time");
    power_meter_finish(&m);
}

/* Many short steps and one long one give the same energy, to the last unit of 1e-18 J; so do 126
 * years at 9e9 W. */
Test(power_meter, exact) {
    gsl_rng *rng = rng_create(2385, 0, "power");
    struct power_meter one, many;
    power_meter_init(&one, &cluster);
    power_meter_init(&many, &cluster);
    one.types[0].computing = many.types[0].computing =
        (struct power_use){.milli = 3000, .nw = power_nw(1000.0 / 3)};
    int64_t total_ns = 0;
    for (int i = 0; i < 1000; i++) {
        int64_t step_ns = (int64_t)(gsl_rng_get(rng) >> 20);
        total_ns += step_ns;
        power_meter_advance(&many, step_ns);
    }
    power_meter_advance(&one, total_ns);
    cr_assert(power_meter_energy(&one) == power_meter_energy(&many));
    cr_assert(power_meter_energy(&one) == (int128)power_meter_total_nw(&one) * total_ns);
    one.base_nw = power_nw(POWER_MAX_W / 2);
    power_meter_advance(&one, 4000000000000000000);
    expect_near(power_j(one.base_energy), POWER_MAX_W / 2 * 4e9 + 120.75 * (double)total_ns / 1e9,
                "126 years");
    power_meter_finish(&one);
    power_meter_finish(&many);
    gsl_rng_free(rng);
}

Test(power_meter, units) {
    cr_assert_eq(power_nw(2.385), 2385000000);
    cr_assert_eq(power_nw(0.1 + 0.2), 300000000);
    cr_assert_eq(power_nw(1e-9 * 1.6), 2); /* nearest */
    cr_assert_eq(power_w(2385000001), 2.385000001);
    cr_assert_eq(power_j((int128)1000000000 * 1000000000 * 5), 5);
}

static void expect_as_compiler(int128 value) {
    double found = int128_double(value), expected = (double)value;
    cr_expect(memcmp(&found, &expected, sizeof found) == 0, "%016llx %016llx: %a, not %a",
              (unsigned long long)(value >> 64), (unsigned long long)value, found, expected);
}

/* As the compiler's own conversion: beside every power of two, where 53 bits end in a tie, and for
   10^6 values of all lengths. */
Test(power_meter, doubles_of_128_bits) {
    const int128 most = (int128)(((uint128)1 << 127) - 1);
    expect_as_compiler(0);
    expect_as_compiler(most);
    expect_as_compiler(-most);
    expect_as_compiler(-most - 1);
    for (int bit = 0; bit < 126; bit++)
        for (int tail = 0; tail <= bit; tail++)
            for (int near = -2; near <= 2; near++) {
                int128 value = ((int128)1 << bit) + ((int128)1 << tail) + near;
                expect_as_compiler(value);
                expect_as_compiler(-value);
                expect_as_compiler(value + ((int128)1 << bit) / 2 - ((int128)1 << tail));
            }
    gsl_rng *rng = rng_create(2385, 0, "int128");
    for (int i = 0; i < 1000000; i++) {
        uint128 bits = (uint128)gsl_rng_get(rng) << 64 | gsl_rng_get(rng);
        expect_as_compiler((int128)bits >> gsl_rng_uniform_int(rng, 128));
    }
    gsl_rng_free(rng);
}

/* 0.3 and 0.45 of a GPU that draws 317.5 W when it computes and 50 W when it is idle, on a node
   that draws 3 W for a busy GPU: 238.125 W, what is free of it 12.5 W, and the node 2.25 W. All
   parts together are the whole. */
Test(power_meter, parts) {
    struct power_meter m;
    power_meter_init(&m, &cluster);
    m.types[0].computing.milli = 300 + 450;
    m.types[0].computing.nw = power_of_gpus_nw(317.5, 1, 300) + power_of_gpus_nw(317.5, 1, 450);
    power_meter_allocate(&m, 0, 300);
    power_meter_allocate(&m, 0, 450);
    cr_assert_eq(power_meter_total_nw(&m),
                 285000000000 - 50000000000 + 238125000000 + 12500000000 + 2250000000);
    power_meter_advance(&m, 3);
    cr_assert_eq(m.advanced_nw, power_meter_total_nw(&m));
    cr_assert(m.types[0].computing.gpu_ps == 2250);
    cr_assert_eq(power_gpu_s(m.types[0].computing.gpu_ps), 2.25e-9);
    cr_assert_eq(power_of_gpus_nw(317.5, 1, 999) + power_of_gpus_nw(317.5, 1, 1),
                 power_of_gpus_nw(317.5, 1, 0));
    power_meter_finish(&m);
}

/* Type 0 sleeps at 6 W: two of its GPUs asleep draw 88 W less than 285. Then node 1 fails: 20.25
   + 14.25 W less. After 3 s both are as before. */
Test(power_meter, asleep_and_failed) {
    struct power_meter m;
    types[0].sleep_w = 6;
    power_meter_init(&m, &cluster);
    m.types[0].asleep = 2;
    cr_assert_eq(power_meter_total_nw(&m), 197000000000);
    power_meter_advance(&m, 2000000000);
    power_meter_fail(&m, &nodes[1]);
    cr_assert_eq(power_meter_total_nw(&m), 162500000000);
    power_meter_advance(&m, 3000000000);
    power_meter_repair(&m, &nodes[1]);
    m.types[0].asleep = 0;
    cr_assert_eq(power_meter_total_nw(&m), 285000000000);
    expect_near(power_j(power_meter_energy(&m)), 197 * 2.0 + 162.5 * 3, "all");
    expect_near(power_j(m.types[0].idle_energy), 62 * 5.0, "idle, asleep included");
    expect_near(power_j(m.types[1].idle_energy), 14.25 * 2, "idle until the failure");
    expect_near(power_gpu_s(m.types[0].sleep_gpu_ps), 10, "sleep");
    power_meter_finish(&m);
}

/* A network draws what it draws, whoever fails. */
Test(power_meter, network) {
    struct network_tier tier = {.name = "all", .nodes = 2, .oversubscription = 1.5};
    uint32_t before[] = {0, 3, 5};
    struct cluster with = cluster;
    struct power_meter m;
    with.network = (struct network){.tiers = &tier,
                                    .tier_count = 1,
                                    .switch_ports = 4,
                                    .switch_w = 100.123456789,
                                    .optics_w = 7,
                                    .gpus_before = before,
                                    .node_count = 2};
    /* 2 x 5 / 1.5 = 6 2/3 ports, 2 switches */
    int64_t expected_nw = llround((2 * 100.123456789 + 7 * 20 / 3.0) * 1e9);
    cr_expect_eq(power_meter_network_nw(&with), expected_nw);
    cr_expect_eq(power_meter_network_nw(&cluster), 0);
    power_meter_init(&m, &with);
    cr_expect_eq(m.base_nw, power_nw(120.75) + expected_nw);
    power_meter_fail(&m, &nodes[0]);
    power_meter_fail(&m, &nodes[1]);
    cr_expect_eq(m.base_nw, expected_nw);
    power_meter_finish(&m);
}
