/* Which free GPUs sleep: a GPU falls asleep when no job has held it for its type's sleep_after. Of
   a node's free GPUs those awake are taken first, the last freed first, so that the others come to
   sleep; then those that are still waking up for a job that has left them, the first to be awake
   first. */
#ifndef EASIM_CLUSTER_SLEEP_H
#define EASIM_CLUSTER_SLEEP_H

#include "base/array.h"
#include "cluster/cluster.h"

#define SLEEP_NOBODY UINT32_MAX

/* Free GPUs of a node that do not sleep and were freed together. */
struct awake {
    int64_t since_ns;
    int64_t ready_ns; /* awake from then on */
    uint32_t gpus;
};

/* GPUs of a node that a job holds and that are still waking up. */
struct waking {
    int64_t ready_ns;
    uint32_t job, gpus;
};

struct sleep_node {
    int64_t after_ns;               /* INT64_MAX: its GPUs never sleep */
    int64_t wake_ns;                /* that a sleeping one takes to be awake */
    ARRAY_OF(struct awake) awake;   /* by ascending since_ns */
    ARRAY_OF(struct waking) waking; /* and some that are awake by now */
    uint32_t asleep;
};

/* What sleep_take found. */
struct sleep_taken {
    uint32_t slept;   /* GPUs */
    int64_t ready_ns; /* when all that were taken are awake; now, if they are */
};

struct sleep {
    struct sleep_node *nodes; /* NULL: no GPU of the cluster ever sleeps */
    uint32_t node_count;
};

void sleep_init(struct sleep *sleep,
                const struct cluster *cluster); /* all GPUs free and awake at 0 */
void sleep_finish(struct sleep *sleep);

/* Takes free GPUs of a node for a job, which gives all that it holds of the node back together;
   with SLEEP_NOBODY they come back awake. */
struct sleep_taken sleep_take(struct sleep *sleep, uint32_t node, uint32_t gpus, uint32_t job,
                              int64_t now_ns);
void sleep_give_back(struct sleep *sleep, uint32_t node, uint32_t gpus, uint32_t job,
                     int64_t now_ns);
/* GPUs come free that are awake from ready_ns on. */
void sleep_free(struct sleep *sleep, uint32_t node, uint32_t gpus, int64_t ready_ns,
                int64_t now_ns);
/* When the next GPUs of a node fall asleep; INT64_MAX: none will. */
int64_t sleep_next_ns(const struct sleep *sleep, uint32_t node);
/* Those that are due fall asleep; returns how many. */
uint32_t sleep_fall(struct sleep *sleep, uint32_t node, int64_t now_ns);
uint32_t sleep_awake(const struct sleep *sleep, uint32_t node); /* free GPUs that do not sleep */
/* GPUs of a node that a job holds and that are still waking up. */
uint32_t sleep_waking(const struct sleep *sleep, uint32_t node, uint32_t job, int64_t now_ns);

#endif
