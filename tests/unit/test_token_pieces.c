/* Quantiles over tokens, by closed forms and against a search over a fine grid. */
#include "metrics/service_stats.h"

#include <criterion/criterion.h>
#include <gsl/gsl_rng.h>
#include <math.h>

Test(token_pieces, by_hand) {
    struct token_pieces p = {.endless = 0};
    cr_expect(isnan(token_pieces_quantile(&p, 0.5)));
    token_pieces_add(&p, 0, 0, 50);
    token_pieces_add(&p, 6, 0, 50);                /* spread evenly over 0..6 */
    cr_expect_eq(token_pieces_quantile(&p, 0), 0); /* the least value */
    cr_expect_eq(token_pieces_quantile(&p, 0.5), 0);
    cr_expect_float_eq(token_pieces_quantile(&p, 0.75), 3, 1e-12);
    cr_expect_float_eq(token_pieces_quantile(&p, 0.99), 6 * 0.98, 1e-12);
    cr_expect_float_eq(token_pieces_quantile(&p, 1), 6, 1e-12);
    token_pieces_add(&p, INFINITY, INFINITY, 100); /* the half of all */
    cr_expect_float_eq(token_pieces_quantile(&p, 0.5), 6, 1e-9);
    cr_expect_eq(token_pieces_quantile(&p, 0.51), INFINITY);
    token_pieces_finish(&p);
    token_pieces_add(&p, INFINITY, INFINITY, 1);
    cr_expect_eq(token_pieces_quantile(&p, 0), INFINITY);
    token_pieces_finish(&p);
    token_pieces_add(&p, 1, 1, 0.25);
    token_pieces_add(&p, 6, 6, 0.25);
    cr_expect_eq(token_pieces_quantile(&p, 1), 6);
    token_pieces_add(&p, INFINITY, INFINITY, 0.5); /* more than a half is not up to 6 */
    cr_expect_eq(token_pieces_quantile(&p, 0.5), 6);
    cr_expect_eq(token_pieces_quantile(&p, nextafter(0.5, 1)), INFINITY);
    token_pieces_finish(&p);
}

/* In doubles (0.1 + 0.2) + 0.3 is more than (0.2 + 0.3) + 0.1: all tokens, the value of which is
   the greatest, are more than those below it and its own. */
Test(token_pieces, all_in_spite_of_rounding) {
    struct token_pieces p = {.endless = 0};
    token_pieces_add(&p, 6, 6, 0.1);
    token_pieces_add(&p, 1, 1, 0.2);
    token_pieces_add(&p, 2, 2, 0.3);
    cr_expect_eq(token_pieces_quantile(&p, 1), 6);
    token_pieces_finish(&p);
}

Test(token_pieces, equal_values_are_one) {
    struct token_pieces p = {.endless = 0};
    for (int i = 0; i < 1000; i++)
        token_pieces_add(&p, 7, 7, 0.5);
    token_pieces_add(&p, 1, 1, 0); /* nothing */
    cr_expect_eq(p.list.count, 1);
    cr_expect_eq(token_pieces_quantile(&p, 0.99), 7);
    token_pieces_finish(&p);
}

/* Up to a value lie at least the share of the tokens, and just below it fewer. */
Test(token_pieces, random_pieces) {
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
    for (int round = 0; round < 200; round++) {
        struct token_pieces p = {.endless = 0};
        double total = 0;
        for (unsigned long i = gsl_rng_uniform_int(rng, 40) + 1; i > 0; i--) {
            double low = (double)gsl_rng_uniform_int(rng, 20),
                   high = low + (double)gsl_rng_uniform_int(rng, 3) * gsl_rng_uniform(rng),
                   tokens = 1 + gsl_rng_uniform(rng);
            token_pieces_add(&p, low, high, tokens);
            total += tokens;
        }
        double share = gsl_rng_uniform(rng), value = token_pieces_quantile(&p, share), up_to[2];
        for (int side = 0; side < 2; side++) {
            double at = value + (side ? 1e-9 : -1e-9);
            up_to[side] = 0;
            for (size_t i = 0; i < p.list.count; i++) {
                const struct token_piece *x = &p.list.at[i];
                double part = x->high > x->low ? (at - x->low) / (x->high - x->low) : at >= x->low;
                up_to[side] += x->tokens * fmin(fmax(part, 0), 1);
            }
        }
        cr_expect(up_to[0] <= share * total + 1e-6 && up_to[1] >= share * total - 1e-6,
                  "round %d: %g..%g of %g at %g", round, up_to[0], up_to[1], share * total, value);
        token_pieces_finish(&p);
    }
    gsl_rng_free(rng);
}
