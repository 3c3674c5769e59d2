/* Shapley values: see shapley.h. */
#include "experiment/shapley.h"

#include <assert.h>

/* Share of the orders in which a player joins exactly the given ones: size! (players - size - 1)! / players!, that
   is 1 / (players * (players - 1 over size)). */
static double weight(unsigned players, unsigned size) {
    double choices = 1;
    for (unsigned i = 1; i <= size; i++)
        choices = choices * (players - i) / i;
    return 1 / (players * choices);
}

void shapley_shares(const double *values, unsigned players, double *shares) {
    assert(players <= SHAPLEY_MOST);
    for (unsigned p = 0; p < players; p++) {
        shares[p] = 0;
        for (unsigned set = 0; set < 1u << players; set++)
            if (!(set >> p & 1))
                shares[p] +=
                    weight(players, (unsigned)__builtin_popcount(set)) * (values[set | 1u << p] - values[set]);
    }
}
