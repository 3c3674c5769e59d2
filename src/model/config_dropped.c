/* Words for what is not feasible: see config_dropped.h. */
#include "model/config_dropped.h"

#include "base/numfmt.h"

#include <math.h>

void config_dropped_by_memory(struct config_dropped *dropped, double gib) {
    dropped->by_memory++;
    dropped->least_gib = dropped->least_gib > 0 ? fmin(dropped->least_gib, gib) : gib;
}

const char *config_dropped_reason(const struct config_dropped *d, const struct model *model,
                                  struct arena *arena) {
    char text[NUMFMT_BYTES];
    if (d->by_memory > 0) {
        numfmt_real(text, d->least_gib);
        return arena_printf(arena, "needs at least %s GiB of GPU memory", text);
    }
    if (d->by_batch > 0)
        return "its model is a transformer, whose plans choose the batch: expected no b";
    if (d->by_plan > 0)
        return "no plan divides its model's heads, layers and global batch among so many GPUs, or the one "
               "that is stated for them cannot be on nodes of their type";
    if (d->by_most > 0)
        return "needs steps of more samples per GPU than most_batch of its model";
    if (d->by_span > 0)
        return "the lookup table knows its configurations only across nodes, or only in one node, where the empty cluster never places them";
    if (d->by_range > 0)
        return "no allowed configuration is in the measured range of its lookup table";
    if (d->by_gpus > 0)
        return arena_printf(arena, "needs %u GPUs of one type, the largest allowed type has %u",
                            d->least_k, d->most_gpus);
    if (!model)
        return "no allowed GPU type in the cluster";
    return model->gpu_count == 0 ? "its model has serving tables only: no job can be of it"
                                 : "its model knows no allowed GPU type";
}
