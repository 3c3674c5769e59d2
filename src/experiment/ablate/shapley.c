/* Shapley values: see shapley.h. */
#include "experiment/ablate/shapley.h"

#include <assert.h>

/* Share of the orders in which a player joins exactly the given ones: size! (players - size - 1)! /
   players!, that is 1 / (players * (players - 1 over size)). */
static double coalition_weight(unsigned players, unsigned size) {
    double choices = 1;
    for (unsigned i = 1; i <= size; i++)
        choices = choices * (players - i) / i;
    return 1 / (players * choices);
}

/* A set and its complement among the others have the same weight, so their two terms are added
   before they are weighed. Rounding is then the same in both directions: if values[S] and
   values[complement of S] are exchanged, every share becomes exactly its negative. */
static double share_of(const double *values, unsigned players, unsigned player) {
    unsigned own = 1u << player, others = ((1u << players) - 1) & ~own;
    double sum = 0;
    for (unsigned set = 0; set <= others; set++) {
        unsigned rest = others & ~set;
        if (set & own || set > rest)
            continue;
        double added = values[set | own] - values[set];
        if (set != rest)
            added += values[rest | own] - values[rest];
        sum += coalition_weight(players, (unsigned)__builtin_popcount(set)) * added;
    }
    return sum;
}

void shapley_shares(const double *values, unsigned players, double *shares) {
    assert(players <= SHAPLEY_MOST);
    for (unsigned p = 0; p < players; p++)
        shares[p] = share_of(values, players, p);
}
