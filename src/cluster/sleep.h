/* Which free GPUs sleep: a GPU falls asleep when no job has held it for its type's sleep_after. Of a node's free
   GPUs those awake are taken first, the last freed first, so that the others come to sleep. */
#ifndef EASIM_CLUSTER_SLEEP_H
#define EASIM_CLUSTER_SLEEP_H

#include "base/array.h"
#include "cluster/cluster.h"

/* Free GPUs of a node that are awake and were freed together. */
struct awake {
    int64_t since_ns;
    uint32_t gpus;
};

struct sleep_node {
    int64_t after_ns;             /* INT64_MAX: its GPUs never sleep */
    ARRAY_OF(struct awake) awake; /* by ascending since_ns */
    uint32_t asleep;
};

struct sleep {
    struct sleep_node *nodes; /* NULL: no GPU of the cluster ever sleeps */
    uint32_t node_count;
};

void sleep_init(struct sleep *sleep, const struct cluster *cluster); /* all GPUs free and awake at 0 */
void sleep_finish(struct sleep *sleep);

/* Takes free GPUs of a node; returns how many of them slept. */
uint32_t sleep_take(struct sleep *sleep, uint32_t node, uint32_t gpus);
void sleep_give_back(struct sleep *sleep, uint32_t node, uint32_t gpus, int64_t now_ns); /* free and awake */
/* When the next GPUs of a node fall asleep; INT64_MAX: none will. */
int64_t sleep_next_ns(const struct sleep *sleep, uint32_t node);
/* Those that are due fall asleep; returns how many. */
uint32_t sleep_fall(struct sleep *sleep, uint32_t node, int64_t now_ns);
uint32_t sleep_awake(const struct sleep *sleep, uint32_t node); /* free GPUs that do not sleep */

#endif
