/* Where a job stands in the order of a pass. */
#ifndef EASIM_POLICY_LIST_INDEX_RANK_H
#define EASIM_POLICY_LIST_INDEX_RANK_H

#include <stdbool.h>
#include <stdint.h>

struct index_rank {
    double value;
    int32_t tier;
    uint32_t job; /* jobs in the order of submission */
};

static inline bool index_before(const struct index_rank *a, const struct index_rank *b) {
    if (a->tier != b->tier)
        return a->tier < b->tier;
    if (a->value != b->value)
        return a->value < b->value;
    return a->job < b->job;
}

#endif
