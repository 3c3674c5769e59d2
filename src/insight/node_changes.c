/* Failures and repairs: see node_changes.h. */
#include "insight/node_changes.h"

#include <stdlib.h>

ORDER_BY(changes_by_time, struct node_change, ASC(time_ns) ASC(fails) ASC(node))

/* The first GPU of a node stands for all: they fail together. */
void node_changes_find(struct node_changes *changes, const struct recorded_run *run) {
    for (size_t i = 0; i < run->rests.count; i++) {
        const struct recorded_rest *r = &run->rests.at[i];
        if (r->state != RECORDED_FAILED || r->first != 0)
            continue;
        array_push(&changes->list, ((struct node_change){r->start_ns, r->node, true}));
        array_push(&changes->list, ((struct node_change){r->end_ns, r->node, false}));
    }
    sort_array(changes->list.at, changes->list.count, changes_by_time);
}

bool node_changes_fail(const struct node_changes *changes, uint32_t node, int64_t time_ns) {
    const struct node_change key = {time_ns, node, true};
    return changes->list.count > 0 && bsearch(&key, changes->list.at, changes->list.count,
                                              sizeof *changes->list.at, changes_by_time) != NULL;
}

void node_changes_finish(struct node_changes *changes) {
    free(changes->list.at);
    *changes = (struct node_changes){0};
}
