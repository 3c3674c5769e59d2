/* Shapley shares: games with known values, and the definition by orders. */
#include "base/rng.h"
#include "experiment/ablate.h"

#include <criterion/criterion.h>
#include <math.h>

/* Two players, worth 0, 10, 20, 50 ({}, {0}, {1}, {0, 1}): player 0 adds 10 when first and 50 - 20
   when second, so (10 + 30) / 2 = 20; player 1 (20 + 40) / 2 = 30. */
Test(shapley, two_players) {
    const double values[] = {0, 10, 20, 50};
    double shares[2];
    shapley_shares(values, 2, shares);
    cr_assert_float_eq(shares[0], 20, 1e-12);
    cr_assert_float_eq(shares[1], 30, 1e-12);
}

/* The glove game: player 2 has the only left glove, 0 and 1 a right one each; a pair is worth 1. Of
   the six orders player 0 completes a pair in one (2, 0, 1), player 1 in one, player 2 in four. */
Test(shapley, gloves) {
    double values[8], shares[3];
    for (unsigned set = 0; set < 8; set++)
        values[set] = (set & 4) && (set & 3) ? 1 : 0;
    shapley_shares(values, 3, shares);
    cr_assert_float_eq(shares[0], 1.0 / 6, 1e-12);
    cr_assert_float_eq(shares[1], 1.0 / 6, 1e-12);
    cr_assert_float_eq(shares[2], 4.0 / 6, 1e-12);
}

Test(shapley, nobody_and_one) {
    double values[] = {3, 7}, share = 0;
    shapley_shares(values, 0, &share);
    cr_assert_eq(share, 0);
    shapley_shares(values, 1, &share);
    cr_assert_float_eq(share, 4, 1e-12);
}

#define PLAYERS 5

/* By definition: the mean over all orders of what the player adds to those before. */
static void walk(const double *values, unsigned joined, double *sums, unsigned *orders) {
    static unsigned order[PLAYERS];
    unsigned count = (unsigned)__builtin_popcount(joined), set = 0;
    if (count == PLAYERS) {
        for (unsigned i = 0; i < PLAYERS; set |= 1u << order[i++])
            sums[order[i]] += values[set | 1u << order[i]] - values[set];
        (*orders)++;
        return;
    }
    for (unsigned p = 0; p < PLAYERS; p++)
        if (!(joined >> p & 1)) {
            order[count] = p;
            walk(values, joined | 1u << p, sums, orders);
        }
}

/* Random games in which player 3 changes nothing: exactly 0 for that one, the definition for all,
 * and the sum. */
Test(shapley, orders) {
    gsl_rng *rng = rng_create(77, 0, "games");
    for (int game = 0; game < 200; game++) {
        double values[1 << PLAYERS], shares[PLAYERS], sums[PLAYERS] = {0}, total = 0;
        unsigned orders = 0;
        for (unsigned set = 0; set < 1u << PLAYERS; set++)
            values[set] = set & 8 ? values[set & ~8u] : 1e3 * gsl_rng_uniform(rng);
        shapley_shares(values, PLAYERS, shares);
        walk(values, 0, sums, &orders);
        cr_assert_eq(orders, 120);
        cr_assert_eq(shares[3], 0);
        for (unsigned p = 0; p < PLAYERS; p++) {
            cr_assert_float_eq(shares[p], sums[p] / orders, 1e-9);
            total += shares[p];
        }
        cr_assert_float_eq(total, values[(1 << PLAYERS) - 1] - values[0], 1e-9);
        double turned[1 << PLAYERS], negative[PLAYERS]; /* sides exchanged: exactly the negative */
        for (unsigned set = 0; set < 1u << PLAYERS; set++)
            turned[set] = values[~set & ((1 << PLAYERS) - 1)];
        shapley_shares(turned, PLAYERS, negative);
        for (unsigned p = 0; p < PLAYERS; p++)
            cr_assert(negative[p] == -shares[p]);
    }
    gsl_rng_free(rng);
}
