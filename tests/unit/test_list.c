/* Parts of the list driver that stand alone. */
#include "policy/list/choice.h"

#include <criterion/criterion.h>

static uint32_t best_of(const struct easim_choice *choices, const double *objectives,
                        size_t count) {
    struct choice_best best = CHOICE_NONE_YET;
    for (size_t i = 0; i < count; i++)
        choice_keep_better(&best, &choices[i], objectives[i]);
    return best.choice.config;
}

/* The least objective wins, wherever it stands, and among equal ones the order of
   model/config_order.h: fewer GPUs first. */
Test(list, best_choice) {
    static const struct easim_choice choices[] = {
        {.config = 0, .k = 4}, {.config = 1, .k = 2}, {.config = 2, .k = 3}};
    cr_expect_eq(best_of(choices, (double[]){5, 6, 7}, 3), 0);
    cr_expect_eq(best_of(choices, (double[]){7, 6, 5}, 3), 2);
    cr_expect_eq(best_of(choices, (double[]){5, 5, 5}, 3), 1);
    cr_expect_eq(best_of(choices, (double[]){5, 6, 5}, 3), 2);
}

/* An infinite objective is a configuration that the job must never get. */
Test(list, infinite_is_no_choice) {
    static const struct easim_choice choices[] = {{.config = 0, .k = 4}, {.config = 1, .k = 2}};
    cr_expect_eq(best_of(choices, (double[]){INFINITY, INFINITY}, 2), EASIM_NONE);
    cr_expect_eq(best_of(choices, (double[]){INFINITY, 5}, 2), 1);
}
