/* Sleeping GPUs: see sleep.h. Invariant: awake and sleeping GPUs of a node are together its free ones. */
#include "cluster/sleep.h"

#include "base/units.h"

#include <math.h>
#include <stdlib.h>

void sleep_init(struct sleep *sleep, const struct cluster *cluster) {
    *sleep = (struct sleep){.node_count = cluster->node_count};
    bool any = false;
    for (uint32_t h = 0; h < cluster->gpu_type_count; h++)
        any = any || isfinite(cluster->gpu_types[h].sleep_after_s);
    if (!any)
        return;
    sleep->nodes = mem_zalloc(cluster->node_count, sizeof *sleep->nodes);
    for (uint32_t n = 0; n < cluster->node_count; n++) {
        double after_s = cluster->gpu_types[cluster->nodes[n].gpu_type].sleep_after_s;
        sleep->nodes[n].after_ns = isfinite(after_s) ? units_ns(after_s) : INT64_MAX;
        sleep_give_back(sleep, n, cluster->nodes[n].gpus, 0);
    }
}

void sleep_finish(struct sleep *sleep) {
    for (uint32_t n = 0; sleep->nodes && n < sleep->node_count; n++)
        free(sleep->nodes[n].awake.at);
    free(sleep->nodes);
    *sleep = (struct sleep){0};
}

uint32_t sleep_take(struct sleep *sleep, uint32_t node, uint32_t gpus) {
    struct sleep_node *s = &sleep->nodes[node];
    while (gpus > 0 && s->awake.count > 0) {
        struct awake *last = &s->awake.at[s->awake.count - 1];
        uint32_t taken = gpus < last->gpus ? gpus : last->gpus;
        gpus -= taken;
        last->gpus -= taken;
        s->awake.count -= last->gpus == 0;
    }
    s->asleep -= gpus;
    return gpus;
}

void sleep_give_back(struct sleep *sleep, uint32_t node, uint32_t gpus, int64_t now_ns) {
    struct sleep_node *s = &sleep->nodes[node];
    if (s->awake.count > 0 && s->awake.at[s->awake.count - 1].since_ns == now_ns)
        s->awake.at[s->awake.count - 1].gpus += gpus;
    else
        array_push(&s->awake, ((struct awake){now_ns, gpus}));
}

int64_t sleep_next_ns(const struct sleep *sleep, uint32_t node) {
    const struct sleep_node *s = &sleep->nodes[node];
    return s->after_ns == INT64_MAX || s->awake.count == 0 ? INT64_MAX : s->awake.at[0].since_ns + s->after_ns;
}

uint32_t sleep_fall(struct sleep *sleep, uint32_t node, int64_t now_ns) {
    struct sleep_node *s = &sleep->nodes[node];
    uint32_t due = 0, gpus = 0;
    for (; due < s->awake.count && now_ns - s->awake.at[due].since_ns >= s->after_ns; due++)
        gpus += s->awake.at[due].gpus;
    s->awake.count -= due;
    memmove(s->awake.at, s->awake.at + due, s->awake.count * sizeof *s->awake.at);
    s->asleep += gpus;
    return gpus;
}

uint32_t sleep_awake(const struct sleep *sleep, uint32_t node) {
    uint32_t gpus = 0;
    for (size_t i = 0; i < sleep->nodes[node].awake.count; i++)
        gpus += sleep->nodes[node].awake.at[i].gpus;
    return gpus;
}
