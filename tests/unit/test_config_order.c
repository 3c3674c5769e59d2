/* The order of configurations among which nothing else decides. */
#include "model/config_speeds.h"

#include <criterion/criterion.h>
#include <math.h>

/* Semantics 5.1: fewer GPUs, lower k * P, earlier type, smaller batch, higher limit. Each row
   is worse than the one above in one member, and better in all that count less. */
Test(config_order, each_member_in_turn) {
    static const struct config_rank order[] = {
        {.k = 1, .power_w = 300, .gpu_type = 2, .batch = 16, .power_limit_w = 100},
        {.k = 2, .power_w = 200, .gpu_type = 2, .batch = 16, .power_limit_w = 100},
        {.k = 2, .power_w = 250, .gpu_type = 0, .batch = 16, .power_limit_w = 100},
        {.k = 2, .power_w = 250, .gpu_type = 1, .batch = 4, .power_limit_w = 100},
        {.k = 2, .power_w = 250, .gpu_type = 1, .batch = 8, .power_limit_w = INFINITY},
        {.k = 2, .power_w = 250, .gpu_type = 1, .batch = 8, .power_limit_w = 300},
        {.k = 2, .power_w = 250, .gpu_type = 1, .batch = 8, .power_limit_w = 200}};
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        for (size_t j = 0; j < sizeof order / sizeof *order; j++)
            cr_expect_eq(config_order_before(&order[i], &order[j]), i < j, "%zu before %zu", i, j);
}
