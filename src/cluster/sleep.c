/* Sleeping GPUs: see sleep.h. Invariant: a node's free GPUs are awake or asleep. */
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
        const struct gpu_type *type = &cluster->gpu_types[cluster->nodes[n].gpu_type];
        sleep->nodes[n].after_ns =
            isfinite(type->sleep_after_s) ? units_ns(type->sleep_after_s) : INT64_MAX;
        sleep->nodes[n].wake_ns = units_ns(type->wake_s);
        sleep_free(sleep, n, cluster->nodes[n].gpus, 0, 0);
    }
}

void sleep_finish(struct sleep *sleep) {
    for (uint32_t n = 0; sleep->nodes && n < sleep->node_count; n++) {
        free(sleep->nodes[n].awake.at);
        free(sleep->nodes[n].waking.at);
    }
    free(sleep->nodes);
    *sleep = (struct sleep){0};
}

/* The place of the free GPUs that are taken next: awake and freed last, else awake first. */
static size_t next_to_take(const struct sleep_node *node, int64_t now_ns) {
    size_t first = node->awake.count - 1;
    for (size_t i = node->awake.count; i-- > 0;) {
        if (node->awake.at[i].ready_ns <= now_ns)
            return i;
        if (node->awake.at[i].ready_ns < node->awake.at[first].ready_ns)
            first = i;
    }
    return first;
}

/* A job has got GPUs that are awake from ready_ns on. */
static void hold_gpus(struct sleep_node *node, uint32_t gpus, uint32_t job, int64_t ready_ns,
                      int64_t now_ns) {
    if (ready_ns > now_ns && job != SLEEP_NOBODY)
        array_push(&node->waking, ((struct waking){ready_ns, job, gpus}));
}

struct sleep_taken sleep_take(struct sleep *sleep, uint32_t node, uint32_t gpus, uint32_t job,
                              int64_t now_ns) {
    struct sleep_node *s = &sleep->nodes[node];
    struct sleep_taken taken = {.ready_ns = now_ns};
    while (gpus > 0 && s->awake.count > 0) {
        size_t next = next_to_take(s, now_ns);
        struct awake *from = &s->awake.at[next];
        uint32_t here = gpus < from->gpus ? gpus : from->gpus;
        hold_gpus(s, here, job, from->ready_ns, now_ns);
        taken.ready_ns = from->ready_ns > taken.ready_ns ? from->ready_ns : taken.ready_ns;
        gpus -= here;
        from->gpus -= here;
        if (from->gpus == 0)
            memmove(from, from + 1, (--s->awake.count - next) * sizeof *from);
    }
    if (gpus == 0)
        return taken;
    int64_t ready_ns = now_ns + s->wake_ns;
    hold_gpus(s, gpus, job, ready_ns, now_ns);
    s->asleep -= gpus;
    return (struct sleep_taken){gpus, ready_ns > taken.ready_ns ? ready_ns : taken.ready_ns};
}

void sleep_free(struct sleep *sleep, uint32_t node, uint32_t gpus, int64_t ready_ns,
                int64_t now_ns) {
    struct sleep_node *s = &sleep->nodes[node];
    struct awake *last = s->awake.count > 0 ? &s->awake.at[s->awake.count - 1] : NULL;
    bool alike = last && last->since_ns == now_ns &&
                 (last->ready_ns == ready_ns || (last->ready_ns <= now_ns && ready_ns <= now_ns));
    if (alike)
        last->gpus += gpus;
    else
        array_push(&s->awake, ((struct awake){now_ns, ready_ns, gpus}));
}

void sleep_give_back(struct sleep *sleep, uint32_t node, uint32_t gpus, uint32_t job,
                     int64_t now_ns) {
    struct sleep_node *s = &sleep->nodes[node];
    size_t kept = 0;
    for (size_t i = 0; i < s->waking.count; i++) {
        struct waking waking = s->waking.at[i];
        if (waking.ready_ns <= now_ns)
            continue;
        if (waking.job != job) {
            s->waking.at[kept++] = waking;
            continue;
        }
        sleep_free(sleep, node, waking.gpus, waking.ready_ns, now_ns);
        gpus -= waking.gpus;
    }
    s->waking.count = kept;
    if (gpus > 0)
        sleep_free(sleep, node, gpus, now_ns, now_ns);
}

int64_t sleep_next_ns(const struct sleep *sleep, uint32_t node) {
    const struct sleep_node *s = &sleep->nodes[node];
    return s->after_ns == INT64_MAX || s->awake.count == 0 ? INT64_MAX
                                                           : s->awake.at[0].since_ns + s->after_ns;
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

uint32_t sleep_waking(const struct sleep *sleep, uint32_t node, uint32_t job, int64_t now_ns) {
    const struct sleep_node *s = &sleep->nodes[node];
    uint32_t gpus = 0;
    for (size_t i = 0; i < s->waking.count; i++)
        if (s->waking.at[i].job == job && s->waking.at[i].ready_ns > now_ns)
            gpus += s->waking.at[i].gpus;
    return gpus;
}
