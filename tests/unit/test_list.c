/* Parts of the list driver that stand alone. */
#include "policy/list/list.h"

#include <criterion/criterion.h>

/* Semantics 5.1: fewer GPUs, lower k*P, earlier type, smaller batch. */
Test(list, tie_break) {
    static const struct easim_choice order[] = {
        {.k = 1, .power_w = 300, .gpu_type = 1, .batch = 8},
        {.k = 2, .power_w = 200, .gpu_type = 1, .batch = 8},
        {.k = 2, .power_w = 250, .gpu_type = 0, .batch = 8},
        {.k = 2, .power_w = 250, .gpu_type = 1, .batch = 4},
        {.k = 2, .power_w = 250, .gpu_type = 1, .batch = 8}};
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        for (size_t j = 0; j < sizeof order / sizeof *order; j++)
            cr_expect_eq(list_choice_before(&order[i], &order[j]), i < j, "%zu before %zu", i, j);
}
