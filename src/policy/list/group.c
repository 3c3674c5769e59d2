/* Groups of waiting jobs: see group.h. Invariant: two jobs are in one group if and only if their
 * ways are equal. */
#include "policy/list/group.h"

#include <stdlib.h>

#define ONE    (1u << EASIM_ONE_NODE)
#define ACROSS (1u << EASIM_ACROSS_NODES)

void groups_finish(struct groups *g) {
    intern_finish(&g->ways);
    free(g->groups.at);
    free(g->building.at);
    *g = (struct groups){0};
}

void groups_begin(struct groups *g) {
    g->building.count = 0;
    g->gpu_type = EASIM_NONE;
}

static struct group_way *last_way(struct groups *g, uint32_t gpu_type, uint32_t k) {
    struct group_way *last = g->building.count > 0 ? &g->building.at[g->building.count - 1] : NULL;
    return last && last->gpu_type == gpu_type && last->k == k ? last : NULL;
}

/* Only GPUs matter, so configurations of equal k are one way (of a job all are parts of a GPU,
   equal ones, or none), and a way is left out if a smaller k is free whenever it is: in one node if
   a smaller one is admitted there; across nodes too if a smaller one is admitted in both. */
static void add_gpus(struct groups *g, const struct easim_config *c, uint32_t spans) {
    uint32_t gpu_type = c->gpu_type, k = c->k;
    if (gpu_type != g->gpu_type) {
        g->gpu_type = gpu_type;
        g->covered = 0;
        g->done = false;
    }
    spans &= ~g->covered;
    if (g->done || spans == 0)
        return;
    struct group_way *way = last_way(g, gpu_type, k);
    if (!way)
        array_push(&g->building, ((struct group_way){EASIM_NONE, gpu_type, k, c->milli, 0}));
    way = &g->building.at[g->building.count - 1];
    way->spans |= spans;
    g->covered |= spans & ONE;
    g->done = (g->covered & ONE) && (way->spans & ACROSS);
}

void groups_add(struct groups *g, const struct easim_view *view, uint32_t config, uint32_t spans,
                bool by_config) {
    const struct easim_config *c = easim_view_config(view, config);
    if (!by_config)
        add_gpus(g, c, spans);
    else if (spans != 0)
        array_push(&g->building, ((struct group_way){config, c->gpu_type, c->k, c->milli, spans}));
}

uint32_t groups_end(struct groups *g) {
    bool is_new;
    uint32_t group =
        intern(&g->ways, g->building.at, g->building.count * sizeof *g->building.at, &is_new);
    if (is_new)
        array_push(&g->groups, (struct group){0});
    return group;
}

static bool is_open(const struct intern_entry *ways, const struct easim_pass *pass,
                    const struct easim_list *ops, const struct easim_job *job) {
    const struct group_way *way = ways->key; /* its spans are those in which it is known */
    for (const struct group_way *end = way + ways->length / sizeof *way; way < end; way++) {
        int span = easim_fit(pass->view, &(struct easim_config){.k = way->k,
                                                                .gpu_type = way->gpu_type,
                                                                .goodput = {1, 1},
                                                                .milli = way->milli});
        if (span >= 0 && (way->spans >> span & 1) &&
            (!ops->allow || ops->allow(pass, job, way->config)))
            return true;
    }
    return false;
}

bool groups_open(struct groups *g, uint32_t group, const struct easim_pass *pass,
                 const struct easim_list *ops, const struct easim_job *job, uint64_t stamp) {
    struct group *known = &g->groups.at[group];
    if (known->stamp != stamp)
        *known = (struct group){stamp, is_open(&g->ways.entries.at[group], pass, ops, job)};
    return known->open;
}
