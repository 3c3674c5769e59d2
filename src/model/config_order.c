/* The tie-break between configurations: see config_order.h. */
#include "model/config_order.h"

bool config_order_before(const struct config_rank *a, const struct config_rank *b) {
    if (a->k != b->k)
        return a->k < b->k;
    if (a->power_w != b->power_w) /* k is equal, so this is k * P */
        return a->power_w < b->power_w;
    if (a->gpu_type != b->gpu_type)
        return a->gpu_type < b->gpu_type;
    if (a->batch != b->batch)
        return a->batch < b->batch;
    return a->power_limit_w > b->power_limit_w;
}
