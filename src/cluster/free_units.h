/* The nodes of one GPU type, or the switches of a tier above them, by how many GPUs of the type are
   free in each: the one with the fewest that are enough, and the freest, of all of them or of those
   inside one unit of the tier above. Ties go by number, which is file order. */
#ifndef EASIM_CLUSTER_FREE_UNITS_H
#define EASIM_CLUSTER_FREE_UNITS_H

#include "base/idset.h"

#define FREE_UNITS_NONE UINT32_MAX
#define FREE_UNITS_ALL  UINT32_MAX /* not those of one parent, but all */

/* Unit u is inside parent u / width. Members: free * count + unit, and in `inside`
   (parent * (most + 1) + free) * width + unit % width. */
struct free_units {
    struct idset by_free;
    struct idset inside; /* of size 0: the only parent is the whole */
    uint32_t count, width;
    uint32_t most; /* GPUs of one unit */
};

/* None is there yet. parents: of a unit above, whether or not it has units; 1: the whole alone. */
void free_units_init(struct free_units *units, uint32_t count, uint32_t width, uint32_t most);
void free_units_finish(struct free_units *units);

void free_units_add(struct free_units *units, uint32_t unit, uint32_t free);
/* A unit that had `before` free GPUs has so many now. */
void free_units_move(struct free_units *units, uint32_t unit, uint32_t before, uint32_t free);

/* Of the units with at least k free GPUs the one with the fewest; FREE_UNITS_NONE. parent: or
   FREE_UNITS_ALL. ret_free may be NULL. */
uint32_t free_units_fewest(const struct free_units *units, uint32_t parent, uint32_t k,
                           uint32_t *ret_free);
/* The one with the most; some unit has to be there. */
uint32_t free_units_freest(const struct free_units *units, uint32_t parent);
/* Free GPUs of the freest of all. */
uint32_t free_units_most_free(const struct free_units *units);

#endif
