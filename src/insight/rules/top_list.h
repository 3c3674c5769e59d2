/* The few of many that weigh most, in one pass. */
#ifndef EASIM_INSIGHT_RULES_TOP_LIST_H
#define EASIM_INSIGHT_RULES_TOP_LIST_H

#include "insight/rules/insight.h"

struct top_entry {
    double weight;
    uint32_t index;         /* of a job, a user, whatever was counted */
    int64_t from_ns, to_ns; /* if it is of a time */
};

/* Zero-initialise. Heaviest first, of equal ones the first that came. */
struct top_list {
    struct top_entry at[INSIGHT_MOST_EVIDENCE];
    size_t count; /* at most INSIGHT_MOST_EVIDENCE */
    size_t total; /* of all that came */
};

static inline void top_list_add(struct top_list *list, struct top_entry entry) {
    list->total++;
    if (list->count == INSIGHT_MOST_EVIDENCE &&
        entry.weight <= list->at[INSIGHT_MOST_EVIDENCE - 1].weight)
        return;
    size_t place = list->count < INSIGHT_MOST_EVIDENCE ? list->count++ : list->count - 1;
    for (; place > 0 && list->at[place - 1].weight < entry.weight; place--)
        list->at[place] = list->at[place - 1];
    list->at[place] = entry;
}

#endif
