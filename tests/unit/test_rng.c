/* Random streams. Expected numbers: xoshiro256** from the state {1, 2, 3, 4} and SplitMix64 from
   1234567 are the values published with other implementations; all of them, and those of the named
   streams, were computed again by an independent Python program written from the papers. */
#include "base/hash.h"
#include "base/rng.h"

#include <criterion/criterion.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <string.h>

Test(rng, xoshiro_reference) {
    static const uint64_t start[4] = {1, 2, 3, 4};
    static const uint64_t expected[10] = {
        11520,
        0,
        1509978240,
        1215971899390074240,
        1216172134540287360,
        607988272756665600,
        16172922978634559625u,
        8476171486693032832,
        10595114339597558777u,
        2904607092377533576,
    };
    gsl_rng *rng = rng_create(0, 0, "");
    cr_assert_eq(gsl_rng_size(rng), sizeof start);
    memcpy(gsl_rng_state(rng), start, sizeof start);
    for (size_t i = 0; i < 10; i++)
        cr_assert_eq(gsl_rng_get(rng), expected[i], "number %zu", i);
    gsl_rng_free(rng);
}

Test(rng, seeded_by_splitmix) {
    static const uint64_t expected[4] = {6457827717110365317, 3203168211198807973,
                                         9817491932198370423u, 4593380528125082431};
    gsl_rng *rng = rng_create(7, 0, "x");
    gsl_rng_set(rng, 1234567);
    cr_assert_arr_eq(gsl_rng_state(rng), expected, sizeof expected);
    gsl_rng_free(rng);
    /* FNV-1a, test vectors of its authors */
    cr_assert_eq(hash_bytes(HASH_START, "a", 1), 0xaf63dc4c8601ec8cu);
    cr_assert_eq(hash_bytes(hash_bytes(HASH_START, "foo", 3), "bar", 3), 0x85944171f73967e8u);
}

/* These never change: runs of earlier versions must stay repeatable. */
Test(rng, named_streams_are_fixed) {
    static const struct {
        uint64_t seed;
        uint32_t replication;
        const char *name;
        uint64_t expected[3];
    } cases[] = {
        {42, 3, "arrivals", {0xfb9ab8594eb8d753, 0xf2b018649095feee, 0xbf394ef0e5aaf070}},
        {0, 0, "", {0x38beff4b3fee3667, 0x002c7d1fab06c306, 0x778dd2223fa57b3c}},
        {UINT64_MAX,
         UINT32_MAX,
         "failures",
         {0x47eece24bb7cb1d5, 0x8a5b02f82f023f8e, 0xa69c1256f6d1f210}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        gsl_rng *rng = rng_create(cases[i].seed, cases[i].replication, cases[i].name);
        for (size_t j = 0; j < 3; j++)
            cr_assert_eq(gsl_rng_get(rng), cases[i].expected[j], "case %zu", i);
        gsl_rng_free(rng);
    }
}

#define DRAWS 20000

static void draw(uint64_t seed, uint32_t replication, const char *name,
                 double values[static DRAWS]) {
    gsl_rng *rng = rng_create(seed, replication, name);
    for (size_t i = 0; i < DRAWS; i++)
        values[i] = gsl_rng_uniform(rng);
    gsl_rng_free(rng);
}

/* Uniform on [0, 1): mean 1/2 with standard error 1/sqrt(12 n) = 0.00204; the correlation of
   unrelated streams has standard error 1/sqrt(n) = 0.0071. Five standard errors, fixed seeds. */
Test(rng, neighbouring_streams_are_unrelated) {
    static double base[DRAWS], other[DRAWS];
    static const struct {
        uint64_t seed;
        uint32_t replication;
        const char *name;
    } others[] = {
        {43, 3, "arrivals"}, {42, 4, "arrivals"},          {42, 3, "arrivalt"},
        {45, 0, "arrivals"}, {42ULL << 32, 3, "arrivals"},
    };
    draw(42, 3, "arrivals", base);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        draw(others[i].seed, others[i].replication, others[i].name, other);
        cr_assert_float_eq(gsl_stats_mean(other, 1, DRAWS), 0.5, 5 * 0.00204);
        cr_assert_lt(fabs(gsl_stats_correlation(base, 1, other, 1, DRAWS)), 5 * 0.0071,
                     "stream %zu", i);
        for (size_t j = 0; j < DRAWS; j++)
            cr_assert(other[j] >= 0 && other[j] < 1);
    }
    draw(42, 3, "arrivals", other);
    cr_assert_arr_eq(base, other, sizeof base);
}
