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

/* --- tiers --- */

/* Twelve nodes of 4 GPUs; leaves of 2, pods of 4, a spine over all. */
#define TIER_NODES 12
static struct network_tier tiers[] = {{.name = "leaf", .nodes = 2, .oversubscription = 1},
                                      {.name = "pod", .nodes = 4, .oversubscription = 1},
                                      {.name = "spine", .nodes = 16, .oversubscription = 1}};
static struct node tier_nodes[TIER_NODES];
static struct gpu_type tier_type[] = {{.gpus = 4 * TIER_NODES, .node_gpus_max = 4}};

static struct cluster tiered(uint32_t first_tier) {
    for (int n = 0; n < TIER_NODES; n++)
        tier_nodes[n] = (struct node){.gpus = 4};
    return (struct cluster){.gpu_types = tier_type,
                            .gpu_type_count = 1,
                            .nodes = tier_nodes,
                            .node_count = TIER_NODES,
                            .gpus = 4 * TIER_NODES,
                            .network = {.tiers = tiers + first_tier,
                                        .tier_count = 3 - first_tier,
                                        .node_count = TIER_NODES}};
}

/* Free GPUs of the nodes, k, where they go, and the span. */
static void expect_tiered(const char *free, uint32_t k, const char *taken, uint32_t span) {
    const struct cluster c = tiered(0);
    struct placement p;
    struct allocation a;
    char found[TIER_NODES + 1];
    placement_init(&p, &c);
    for (uint32_t n = 0; n < TIER_NODES; n++)
        placement_set_node(&p, n, (uint32_t)(free[n] - '0'));
    cr_assert(placement_take(&p, 0, k, &a));
    for (int n = 0; n < TIER_NODES; n++)
        found[n] = (char)(free[n] - (char)p.node_free[n]);
    found[TIER_NODES] = '\0';
    cr_expect_str_eq(found, taken, "%u GPUs of %s: %s", k, free, found);
    cr_expect_eq(a.span, span, "%u GPUs of %s: span %u", k, free, a.span);
    placement_give_back(&p, &a);
    placement_finish(&p);
}

/* Worked by hand. Leaves are nodes 0 1, 2 3, ..; pods 0-3, 4-7, 8-11. */
Test(placement, lowest_tier) {
    expect_tiered("444444444444", 4, "400000000000", 0);
    /* the first leaf, and in it the first node */
    expect_tiered("444444444444", 5, "410000000000", 1);
    /* leaf 2 has 5, the others 6 and more: fewest free */
    expect_tiered("443341444444", 5, "000041000000", 1);
    /* leaves have 2 and 3, pods 4, 6 and 5 */
    expect_tiered("111121211112", 4, "111100000000", 2);
    /* the freest leaf of pod 0, then 3 inside the next one: the node with fewest that has 3 */
    expect_tiered("444444444444", 11, "443000000000", 2);
    /* only pod 2 has 13: its first leaf, then 5 inside the other, which no node of it has */
    expect_tiered("431234124444", 13, "000000004441", 2);
    /* pod 0, then 4 inside pod 1, where a node has them */
    expect_tiered("444444444444", 20, "444440000000", 3);
    /* pod 0, then 11 inside pod 1: its first leaf, and 3 of one node of the next */
    expect_tiered("444444444444", 27, "444444300000", 3);
}

/* The rule once more, written down naively: places of a level are runs of `width` nodes. */
struct naive {
    const uint32_t *width; /* by span; of the last all nodes */
    uint32_t free[TIER_NODES];
};

static uint32_t naive_free(const struct naive *n, uint32_t span, uint32_t place) {
    uint32_t sum = 0;
    for (uint32_t i = 0; i < TIER_NODES; i++)
        sum += i / n->width[span] == place ? n->free[i] : 0;
    return sum;
}

/* Of the places of a span inside (outer, place) the one with fewest free that has k, or with k = 0
   the one with most. */
static uint32_t naive_choose(const struct naive *n, uint32_t span, uint32_t outer, uint32_t place,
                             uint32_t k) {
    uint32_t best = UINT32_MAX, best_free = 0;
    for (uint32_t i = 0; i < TIER_NODES; i += n->width[span]) {
        uint32_t free = naive_free(n, span, i / n->width[span]);
        if (i / n->width[outer] != place || free < k)
            continue;
        if (best == UINT32_MAX || (k > 0 ? free < best_free : free > best_free)) {
            best = i / n->width[span];
            best_free = free;
        }
    }
    return best;
}

static uint32_t naive_take(struct naive *n, uint32_t span, uint32_t place, uint32_t k) {
    for (uint32_t lower = 0; lower < span; lower++) {
        uint32_t found = naive_choose(n, lower, span, place, k);
        if (found != UINT32_MAX)
            return naive_take(n, lower, found, k);
    }
    if (span == 0)
        n->free[place] -= k;
    while (span > 0 && k > 0) {
        uint32_t child = naive_choose(n, span - 1, span, place, 0);
        uint32_t free = naive_free(n, span - 1, child), taken = free < k ? free : k;
        naive_take(n, span - 1, child, taken);
        k -= taken;
    }
    return span;
}

/* Taking, giving back, failing nodes at random, with one, two and three tiers. */
Test(placement, tiers_as_written_down_naively) {
    static const uint32_t widths[][4] = {{1, 2, 4, 16}, {1, 4, 16, 16}, {1, 16, 16, 16}};
    gsl_rng *rng = rng_create(3, 0, "placement");
    for (uint32_t first = 0; first < 3; first++) {
        const struct cluster c = tiered(first);
        uint32_t tier_count = c.network.tier_count, took[4] = {0};
        struct naive n = {.width = widths[first]};
        struct placement p;
        struct allocation held[8] = {0};
        placement_init(&p, &c);
        for (uint32_t i = 0; i < TIER_NODES; i++)
            n.free[i] = 4;
        for (int step = 0; step < 4000; step++) {
            struct allocation *a = &held[gsl_rng_uniform_int(rng, 8)];
            uint32_t k = 1 + (uint32_t)gsl_rng_uniform_int(rng, step % 3 ? 9 : 24);
            const struct piece *pieces = allocation_pieces(a);
            for (uint32_t i = 0; i < a->count; i++)
                n.free[pieces[i].node] += pieces[i].gpus;
            if (a->count > 0)
                placement_give_back(&p, a);
            else if (placement_take(&p, 0, k, a)) {
                cr_assert_eq(a->span, naive_take(&n, tier_count, 0, k));
                took[a->span]++;
            }
            for (uint32_t i = 0; i < TIER_NODES; i++)
                cr_assert_eq(p.node_free[i], n.free[i], "%u tiers, step %d", tier_count, step);
            for (uint32_t span = 0; span <= tier_count; span++)
                cr_assert_eq(placement_span_free_max(&p, 0, span),
                             naive_free(&n, span, naive_choose(&n, span, tier_count, 0, 0)));
        }
        for (uint32_t span = 0; span <= tier_count; span++)
            cr_expect(took[span] > 20, "%u tiers: %u jobs of span %u", tier_count, took[span],
                      span);
        for (int i = 0; i < 8; i++)
            placement_give_back(&p, &held[i]);
        placement_finish(&p);
    }
    gsl_rng_free(rng);
}
