/* A job's batch in another phase: see phase_batch.h. */
#include "model/phase_batch.h"

#include "model/speed.h"

uint32_t phase_batch_find(const struct easim_config *configs, uint32_t first, uint32_t count,
                          const struct easim_config *now, uint32_t span) {
    uint32_t below = EASIM_NONE;
    for (uint32_t i = first; i < first + count; i++) {
        const struct easim_config *c = &configs[i];
        if (c->gpu_type != now->gpu_type || c->k != now->k || c->milli != now->milli ||
            c->power_limit_w != now->power_limit_w || !(c->goodput[span] > 0))
            continue;
        if (c->batch * BATCH_EQUAL >= now->batch)
            return i; /* they come by ascending batch */
        below = i;
    }
    return below;
}
