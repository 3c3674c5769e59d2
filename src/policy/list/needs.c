/* Ways to start as traits of jobs in line: see needs.h. */
#include "policy/list/needs.h"

#include "cluster/cluster.h"

#include <stdlib.h>

void needs_finish(struct needs *needs) {
    intern_finish(&needs->ways);
    free(needs->open.at);
    free(needs->enders.at);
    *needs = (struct needs){0};
}

/* The trait of those who can start in a way; the next is that of those who ask for room in it. */
static uint32_t trait_of_way(uint32_t way) {
    return TRAIT_COUNT + 2 * way;
}

uint32_t needs_add_kind(struct needs *needs, struct lineup *line, const struct groups *groups,
                        uint32_t group, uint32_t stands) {
    size_t count;
    const struct group_way *ways = groups_ways(groups, group, &count);
    for (size_t i = 0; i < count; i++) {
        bool is_new;
        intern(&needs->ways, &ways[i], sizeof ways[i], &is_new);
        needs->stamp = is_new ? 0 : needs->stamp;
    }
    uint32_t kind = lineup_add_kind(line, trait_of_way((uint32_t)needs->ways.entries.count));
    if (stands < TRAIT_COUNT)
        lineup_set_trait(line, kind, stands);
    for (size_t i = 0; i < count; i++) {
        uint32_t trait = trait_of_way(intern(&needs->ways, &ways[i], sizeof ways[i], NULL));
        lineup_set_trait(line, kind, trait);
        if (stands == TRAIT_ASKS)
            lineup_set_trait(line, kind, trait + 1);
    }
    return kind;
}

static void open_trait(struct needs *needs, uint32_t trait) {
    needs->open.at[trait / 64] |= UINT64_C(1) << trait % 64;
}

/* Without a bound every job that asks is visited; with one those for whom it leaves a way. */
static void open_ways(struct needs *needs, const struct easim_pass *pass,
                      const struct easim_list *ops, bool asks) {
    uint32_t most[CLUSTER_MAX_TYPES]; /* GPUs that there can be room for, by type */
    bool bounded = asks && ops->room_most;
    if (asks && !bounded)
        open_trait(needs, TRAIT_ASKS);
    for (uint32_t h = 0; bounded && h < pass->view->gpu_type_count; h++)
        most[h] = ops->room_most(pass, h);
    for (uint32_t i = 0; i < needs->ways.entries.count; i++) {
        const struct group_way *way = needs->ways.entries.at[i].key;
        if (way->level != pass->level)
            continue;
        int span = easim_room(pass->view, way->gpu_type, way->k, way->milli);
        if (span >= 0 && (way->spans >> span & 1))
            open_trait(needs, trait_of_way(i));
        if (bounded && way->k <= most[way->gpu_type])
            open_trait(needs, trait_of_way(i) + 1);
    }
}

void needs_find_open(struct needs *needs, const struct lineup *line, const struct easim_pass *pass,
                     const struct easim_list *ops, bool asks, bool displaces) {
    needs->open.count = 0;
    while (needs->open.count <= line->words)
        array_push(&needs->open, UINT64_C(0));
    open_ways(needs, pass, ops, asks && lineup_has(line, TRAIT_ASKS));
    if (displaces)
        open_trait(needs, TRAIT_DISPLACES);
}

const uint64_t *needs_enders(struct needs *needs, const struct lineup *line, bool displaces) {
    needs->enders.count = 0;
    while (needs->enders.count <= line->words)
        array_push(&needs->enders, UINT64_C(0));
    needs->enders.at[0] =
        UINT64_C(1) << TRAIT_ORDINARY | (displaces ? 0 : UINT64_C(1) << TRAIT_DISPLACES);
    return needs->enders.at;
}
