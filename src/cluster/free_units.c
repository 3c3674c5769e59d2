/* Nodes and switches by free GPUs: see free_units.h. */
#include "cluster/free_units.h"

/* Where the units of a parent, or all, stand in a set: from base to below end, `width` of them for
   each number of free GPUs. */
struct shelf {
    const struct idset *set;
    uint64_t base, end;
    uint32_t width, first_unit;
};

static uint64_t parent_size(const struct free_units *units) {
    return ((uint64_t)units->most + 1) * units->width;
}

static uint64_t member_of_all(const struct free_units *units, uint32_t unit, uint32_t free) {
    return (uint64_t)free * units->count + unit;
}

static uint64_t member_inside(const struct free_units *units, uint32_t unit, uint32_t free) {
    return unit / units->width * parent_size(units) + (uint64_t)free * units->width +
           unit % units->width;
}

void free_units_init(struct free_units *units, uint32_t count, uint32_t width, uint32_t most) {
    *units =
        (struct free_units){.count = count, .width = width < count ? width : count, .most = most};
    idset_init(&units->by_free, member_of_all(units, 0, most + 1));
    if (width < count)
        idset_init(&units->inside, (uint64_t)(1 + (count - 1) / width) * parent_size(units));
}

void free_units_finish(struct free_units *units) {
    idset_finish(&units->by_free);
    idset_finish(&units->inside);
}

void free_units_add(struct free_units *units, uint32_t unit, uint32_t free) {
    idset_insert(&units->by_free, member_of_all(units, unit, free));
    if (units->inside.size > 0)
        idset_insert(&units->inside, member_inside(units, unit, free));
}

void free_units_move(struct free_units *units, uint32_t unit, uint32_t before, uint32_t free) {
    idset_remove(&units->by_free, member_of_all(units, unit, before));
    if (units->inside.size > 0)
        idset_remove(&units->inside, member_inside(units, unit, before));
    free_units_add(units, unit, free);
}

static struct shelf shelf_of(const struct free_units *units, uint32_t parent) {
    uint64_t size = parent_size(units);
    if (parent == FREE_UNITS_ALL || units->inside.size == 0)
        return (struct shelf){&units->by_free, 0, units->by_free.size, units->count, 0};
    return (struct shelf){&units->inside, parent * size, parent * size + size, units->width,
                          parent * units->width};
}

uint32_t free_units_fewest(const struct free_units *units, uint32_t parent, uint32_t k,
                           uint32_t *ret_free) {
    if (k > units->most)
        return FREE_UNITS_NONE;
    const struct shelf shelf = shelf_of(units, parent);
    uint64_t found = idset_next(shelf.set, shelf.base + (uint64_t)k * shelf.width);
    if (found >= shelf.end)
        return FREE_UNITS_NONE;
    if (ret_free)
        *ret_free = (uint32_t)((found - shelf.base) / shelf.width);
    return shelf.first_unit + (uint32_t)((found - shelf.base) % shelf.width);
}

uint32_t free_units_freest(const struct free_units *units, uint32_t parent) {
    const struct shelf shelf = shelf_of(units, parent);
    uint64_t last = idset_prev(shelf.set, shelf.end - 1) - shelf.base;
    uint64_t first = idset_next(shelf.set, shelf.base + last - last % shelf.width) - shelf.base;
    return shelf.first_unit + (uint32_t)(first % shelf.width);
}

uint32_t free_units_most_free(const struct free_units *units) {
    return (uint32_t)(idset_prev(&units->by_free, units->by_free.size - 1) / units->count);
}
