/* Why configurations fell out, in words, where none is left. */
#ifndef EASIM_MODEL_CONFIG_DROPPED_H
#define EASIM_MODEL_CONFIG_DROPPED_H

#include "model/model.h"

/* Candidates by what they failed at. Start with least_k UINT32_MAX, all else 0. */
struct config_dropped {
    uint32_t by_gpus, by_memory, by_most, by_range, by_span, by_plan, by_batch;
    uint32_t least_k, most_gpus; /* asked for, and of the largest allowed type */
    double least_gib;            /* that any of those by_memory needs */
};

void config_dropped_by_memory(struct config_dropped *dropped, double gib);
/* model: NULL of a rigid job. The text is a constant or the arena's. */
const char *config_dropped_reason(const struct config_dropped *dropped, const struct model *model,
                                  struct arena *arena);

#endif
