/* Parts of GPUs: random takes of parts and of whole GPUs, against the rule written down naively:
   the shared GPU with the least room that is enough, then by node and by number; else a free one of
   the node with the fewest free GPUs, which gets the least number that is not in use. */
#include "base/rng.h"
#include "base/units.h"
#include "cluster/placement.h"

#include <criterion/criterion.h>

#define NODES 4
#define GPUS  5 /* of the largest node */
#define JOBS  40

/* Type 0: nodes 0, 1, 3; type 1: node 2. */
static struct node nodes[NODES] = {{.gpu_type = 0, .gpus = 2},
                                   {.gpu_type = 0, .gpus = 5},
                                   {.gpu_type = 1, .gpus = 3},
                                   {.gpu_type = 0, .gpus = 3}};
static struct gpu_type types[] = {{.gpus = 10, .node_gpus_max = 5},
                                  {.gpus = 3, .node_gpus_max = 3}};
static const struct cluster cluster = {
    .gpu_types = types, .gpu_type_count = 2, .nodes = nodes, .node_count = NODES, .gpus = 13};

/* Room of each GPU in use by parts, else WHOLE_GPU_MILLI; and GPUs held as a whole. */
struct naive {
    uint32_t room[NODES][GPUS], whole[NODES];
};

static uint32_t free_of(const struct naive *n, uint32_t node) {
    uint32_t free = nodes[node].gpus - n->whole[node];
    for (uint32_t g = 0; g < GPUS; g++)
        free -= n->room[node][g] < WHOLE_GPU_MILLI;
    return free;
}

/* False if nothing has so much room. */
static bool choose(const struct naive *n, uint32_t type, uint32_t milli, uint32_t *node,
                   uint32_t *gpu) {
    uint32_t least = WHOLE_GPU_MILLI, fewest = UINT32_MAX;
    for (uint32_t i = 0; i < NODES; i++)
        for (uint32_t g = 0; g < GPUS; g++)
            if (nodes[i].gpu_type == type && n->room[i][g] >= milli && n->room[i][g] < least) {
                least = n->room[i][g];
                *node = i;
                *gpu = g;
            }
    if (least < WHOLE_GPU_MILLI)
        return true;
    for (uint32_t i = 0; i < NODES; i++)
        if (nodes[i].gpu_type == type && free_of(n, i) > 0 && free_of(n, i) < fewest) {
            fewest = free_of(n, i);
            *node = i;
        }
    for (*gpu = 0; fewest != UINT32_MAX && n->room[*node][*gpu] < WHOLE_GPU_MILLI;)
        ++*gpu;
    return fewest != UINT32_MAX;
}

static void expect_totals(const struct placement *p, const struct naive *n) {
    for (uint32_t t = 0; t < 2; t++) {
        uint32_t count = 0, most = 0;
        uint64_t room = 0;
        for (uint32_t i = 0; i < NODES; i++) {
            cr_assert_eq(p->node_free[i], free_of(n, i));
            for (uint32_t g = 0; g < GPUS && nodes[i].gpu_type == t; g++) {
                if (n->room[i][g] == WHOLE_GPU_MILLI)
                    continue;
                count++;
                room += n->room[i][g];
                most = n->room[i][g] > most ? n->room[i][g] : most;
            }
        }
        cr_assert(p->types[t].sharing.count == count && p->types[t].sharing.free_milli == room &&
                  sharing_free_max(&p->types[t].sharing) == most);
    }
}

Test(sharing, random) {
    static const uint32_t first[NODES] = {0, 2, 0,
                                          7}; /* number of each node's first GPU within its type */
    gsl_rng *rng = rng_create(2385, 0, "sharing");
    struct placement p;
    struct allocation held[JOBS] = {0};
    struct naive n = {0};
    uint32_t refused = 0, joined = 0;
    for (int i = 0; i < NODES * GPUS; i++)
        n.room[i / GPUS][i % GPUS] = WHOLE_GPU_MILLI;
    placement_init(&p, &cluster);
    for (int step = 0; step < 20000; step++) {
        struct allocation *a = &held[gsl_rng_uniform_int(rng, JOBS)];
        uint32_t type = gsl_rng_uniform_int(rng, 3) == 0, node = 0, gpu = 0;
        uint32_t milli = 1 + (uint32_t)gsl_rng_uniform_int(rng, 10) * 111;
        bool whole = gsl_rng_uniform_int(rng, 4) == 0;
        if (a->count > 0) {
            if (a->milli > 0)
                n.room[a->first.node][a->gpu - first[a->first.node]] += a->milli;
            else
                n.whole[a->first.node]--;
            placement_give_back(&p, a);
            cr_assert_eq(a->count, 0);
        } else if (whole) {
            if (placement_take(&p, type, 1, a))
                n.whole[a->first.node]++;
        } else if (!choose(&n, type, milli, &node, &gpu)) {
            cr_assert(!placement_take_share(&p, type, milli, a) && a->count == 0);
            refused++;
        } else {
            bool alone = n.room[node][gpu] == WHOLE_GPU_MILLI;
            cr_assert(placement_take_share(&p, type, milli, a));
            cr_assert(a->first.node == node && a->gpu == first[node] + gpu && a->milli == milli,
                      "step %d: node %u, GPU %u instead of %u, %u", step, a->first.node, a->gpu,
                      node, gpu);
            cr_assert_eq(placement_is_alone(&p, a), alone);
            n.room[node][gpu] -= milli;
            joined += !alone;
        }
        expect_totals(&p, &n);
    }
    cr_assert(refused > 500 && joined > 1000, "%u refused, %u joined", refused, joined);
    for (int i = 0; i < JOBS; i++)
        placement_give_back(&p, &held[i]);
    cr_assert(p.types[0].free == 10 && p.types[1].free == 3);
    placement_finish(&p);
    gsl_rng_free(rng);
}

/* A node of the most GPUs: a million. */
Test(sharing, largest_node) {
    struct node node = {.gpus = CLUSTER_MAX_NODE_GPUS};
    struct gpu_type type = {.gpus = CLUSTER_MAX_NODE_GPUS, .node_gpus_max = CLUSTER_MAX_NODE_GPUS};
    struct cluster one = {.gpu_types = &type, .gpu_type_count = 1, .nodes = &node, .node_count = 1};
    struct placement p;
    struct allocation a = {0}, b = {0}, c = {0};
    placement_init(&p, &one);
    cr_assert(placement_take_share(&p, 0, 1, &a) && placement_take_share(&p, 0, 999, &b));
    cr_assert(a.gpu == b.gpu && sharing_free_max(&p.types[0].sharing) == 0);
    cr_assert(placement_take_share(&p, 0, 1, &c) && c.gpu == 1);
    placement_give_back(&p, &a);
    placement_give_back(&p, &c);
    placement_give_back(&p, &b);
    cr_assert_eq(p.types[0].free, CLUSTER_MAX_NODE_GPUS);
    placement_finish(&p);
}
