/* Placement (semantics 8): one node if it has k free GPUs, the one with fewest free, then file
   order; else all free GPUs of nodes in order of most free, then file order, and the last piece
   from the next node in that order. */
#include "base/mem.h"
#include "base/rng.h"
#include "cluster/placement.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#define PIECES 5

/* Type 0: nodes 0 (4 GPUs), 1 (4), 3 (2), 4 (8); type 1: node 2 (4). */
static struct node nodes[] = {
    {.gpu_type = 0, .gpus = 4}, {.gpu_type = 0, .gpus = 4}, {.gpu_type = 1, .gpus = 4},
    {.gpu_type = 0, .gpus = 2}, {.gpu_type = 0, .gpus = 8},
};
static struct gpu_type types[] = {{.gpus = 18, .node_gpus_max = 8},
                                  {.gpus = 4, .node_gpus_max = 4}};
static const struct cluster cluster = {
    .gpu_types = types, .gpu_type_count = 2, .nodes = nodes, .node_count = 5, .gpus = 22};

/* Takes k (or gives back the allocation of an earlier step) and expects the pieces, ending with 0
 * GPUs. */
struct step {
    uint32_t take, type;
    int give_back; /* number of an earlier step, if take is 0 */
    struct piece pieces[PIECES];
};

static void play(const struct step *steps, size_t count) {
    struct placement p;
    struct allocation allocations[16] = {0};
    placement_init(&p, &cluster);
    for (size_t i = 0; i < count; i++) {
        if (steps[i].take == 0) {
            placement_give_back(&p, &allocations[steps[i].give_back]);
            cr_assert_eq(allocations[steps[i].give_back].count, 0);
            continue;
        }
        cr_assert(placement_take(&p, steps[i].type, steps[i].take, &allocations[i]), "step %zu", i);
        const struct piece *pieces = allocation_pieces(&allocations[i]);
        uint32_t n = 0;
        for (; n < PIECES && steps[i].pieces[n].gpus > 0; n++)
            cr_expect(n < allocations[i].count && pieces[n].node == steps[i].pieces[n].node &&
                          pieces[n].gpus == steps[i].pieces[n].gpus,
                      "step %zu, piece %u", i, n);
        cr_assert_eq(allocations[i].count, n, "step %zu: %u pieces", i, allocations[i].count);
    }
    for (size_t i = 0; i < count; i++)
        placement_give_back(&p, &allocations[i]);
    for (uint32_t n = 0; n < cluster.node_count; n++)
        cr_assert_eq(p.node_free[n], nodes[n].gpus);
    placement_finish(&p);
}

Test(placement, best_fit) {
    static const struct step steps[] = {
        {2, 0, 0, {{3, 2}}}, /* fewest free that has 2: node 3, full */
        {1, 0, 0, {{0, 1}}}, /* nodes 0 and 1 have 4: file order. Free: 3 4 - 0 8 */
        {3, 0, 0, {{0, 3}}}, /* node 0 has just 3. Free: 0 4 - 0 8 */
        {5, 0, 0, {{4, 5}}}, /* only node 4 has 5. Free: 0 4 - 0 3 */
        {3, 1, 0, {{2, 3}}}, /* the other type, for itself */
        {4, 0, 0, {{1, 4}}}, /* Free: 0 0 - 0 3 */
        {2, 0, 0, {{4, 2}}}, /* Free: 0 0 - 0 1 */
        {0, 0, 0, {{0, 0}}}, /* gives back 2 of node 3 */
        {1, 0, 0, {{4, 1}}}, /* node 4 has 1, node 3 has 2: fewest free */
        {2, 0, 0, {{3, 2}}},
    };
    play(steps, sizeof steps / sizeof *steps);
}

Test(placement, spread) {
    static const struct step steps[] = {
        {17,
         0,
         0,
         {{4, 8}, {0, 4}, {1, 4}, {3, 1}}}, /* most free first, 0 before 1, last piece of 1 */
        {0, 0, 0, {{0, 0}}},
        {10,
         0,
         0,
         {{4, 8},
          {0, 2}}}, /* the last piece from node 0, though node 3 has just 2. Free: 2 4 - 2 0 */
        {5, 0, 0, {{1, 4}, {0, 1}}}, /* of 0 and 3, with 2 free each, file order. Free: 1 0 - 2 0 */
        {3, 0, 0, {{3, 2}, {0, 1}}}, /* node 3 has most now */
        {0, 0, 2, {{0, 0}}},         /* gives back 8 of node 4 and 2 of node 0. Free: 2 0 - 0 8 */
        {9, 0, 0, {{4, 8}, {0, 1}}},
    };
    play(steps, sizeof steps / sizeof *steps);
}

Test(placement, refusals) {
    struct placement p;
    struct allocation a = {0}, b = {.count = 77};
    placement_init(&p, &cluster);
    cr_assert_eq(placement_node_free_max(&p, 0), 8);
    cr_assert(!placement_take(&p, 0, 19, &b) && !placement_take(&p, 1, 5, &b) &&
              !placement_take(&p, 0, 0, &b));
    cr_assert_eq(b.count, 77); /* outputs stay untouched */
    cr_assert(placement_take(&p, 0, 18, &a));
    cr_assert_eq(placement_node_free_max(&p, 0), 0);
    cr_assert_eq(placement_node_free_max(&p, 1), 4);
    cr_assert(!placement_take(&p, 0, 1, &b));
    placement_give_back(&p, &a);
    placement_give_back(&p, &a); /* nothing is held: no effect */
    cr_assert_eq(p.types[0].free, 18);
    placement_finish(&p);
}

/* --- random, against the rule written down naively --- */

static bool better_spread(const uint32_t *free, uint32_t a, uint32_t b) {
    return free[a] != free[b] ? free[a] > free[b] : a < b;
}

static uint32_t expect_pieces(const uint32_t *free, uint32_t k, struct piece *pieces) {
    uint32_t best = UINT32_MAX, left[5], count = 0;
    for (uint32_t n = 0; n < 5; n++)
        if (nodes[n].gpu_type == 0 && free[n] >= k && (best == UINT32_MAX || free[n] < free[best]))
            best = n;
    if (best != UINT32_MAX) {
        pieces[0] = (struct piece){best, k};
        return 1;
    }
    memcpy(left, free, sizeof left);
    while (k > 0) {
        uint32_t next = UINT32_MAX;
        for (uint32_t n = 0; n < 5; n++)
            if (nodes[n].gpu_type == 0 && left[n] > 0 &&
                (next == UINT32_MAX || better_spread(left, n, next)))
                next = n;
        uint32_t gpus = left[next] < k ? left[next] : k;
        pieces[count++] = (struct piece){next, gpus};
        left[next] -= gpus;
        k -= gpus;
    }
    return count;
}

Test(placement, random) {
    gsl_rng *rng = rng_create(2385, 0, "placement");
    struct placement p;
    struct allocation held[22] = {0};
    uint32_t free[5] = {4, 4, 0, 2, 8}, total = 18, refused = 0, spread = 0;
    placement_init(&p, &cluster);
    for (int step = 0; step < 4000; step++) {
        uint32_t slot = (uint32_t)gsl_rng_uniform_int(rng, 22),
                 k = 1 + (uint32_t)gsl_rng_uniform_int(rng, 9);
        struct piece expected[PIECES];
        if (held[slot].count > 0) {
            const struct piece *pieces = allocation_pieces(&held[slot]);
            for (uint32_t i = 0; i < held[slot].count; i++) {
                free[pieces[i].node] += pieces[i].gpus;
                total += pieces[i].gpus;
            }
            placement_give_back(&p, &held[slot]);
        } else if (!placement_take(&p, 0, k, &held[slot])) {
            cr_assert_gt(k, total);
            refused++;
        } else {
            uint32_t count = expect_pieces(free, k, expected);
            cr_assert_eq(held[slot].count, count, "step %d: %u pieces, expected %u", step,
                         held[slot].count, count);
            cr_assert_arr_eq(allocation_pieces(&held[slot]), expected, count * sizeof *expected,
                             "step %d", step);
            for (uint32_t i = 0; i < count; i++)
                free[expected[i].node] -= expected[i].gpus;
            total -= k;
            spread += count > 1;
        }
        uint32_t most = 0;
        for (uint32_t n = 0; n < 5; n++) {
            cr_assert(nodes[n].gpu_type == 1 || p.node_free[n] == free[n]);
            most = free[n] > most ? free[n] : most;
        }
        cr_assert_eq(p.types[0].free, total);
        cr_assert_eq(placement_node_free_max(&p, 0), most);
    }
    cr_assert(refused > 100 && spread > 100, "%u refused, %u spread", refused, spread);
    for (int i = 0; i < 22; i++)
        placement_give_back(&p, &held[i]);
    placement_finish(&p);
    gsl_rng_free(rng);
}
