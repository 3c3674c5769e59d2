/* The trees of easy against arrays: random insertions and removals in several trees of one forest,
   and after each every question, answered by looking at all items. */
#include "easy/tree.h"

#include "check.h"

#include <stdlib.h>

enum { TREES = 3, MOST = 60, STEPS = 3000, COLUMNS = 2 };

struct kept {
    struct tree_item item;
    int64_t figures[COLUMNS];
    uint32_t node;
};

static struct kept kept[TREES][MOST];
static uint32_t counts[TREES], roots[TREES];
static uint64_t state = 20;

static uint32_t draw(uint32_t below) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33) % below;
}

static bool before(const struct tree_item *a, const struct tree_item *b) {
    return a->key != b->key ? a->key < b->key : a->job < b->job;
}

/* Few keys, so that there are equal ones. */
static void change(struct forest *forest, uint32_t tree, uint32_t job) {
    struct kept *all = kept[tree];
    if (counts[tree] == MOST || (counts[tree] > 0 && draw(5) < 2)) {
        uint32_t i = draw(counts[tree]);
        tree_remove(forest, &roots[tree], all[i].node);
        all[i] = all[--counts[tree]];
        return;
    }
    struct kept new = {{draw(40), job, draw(9)}, {draw(50), draw(50)}, 0};
    new.node = tree_insert(forest, &roots[tree], &new.item, new.figures);
    CHECK(new.node != TREE_NONE);
    all[counts[tree]++] = new;
}

/* By one bound or two. */
static void check_first(const struct forest *forest, uint32_t tree) {
    int64_t key = draw(45);
    const struct tree_bound bounds[] = {
        {draw(COLUMNS), draw(8) == 0 ? INT64_MAX : (int64_t)draw(55)}, {draw(COLUMNS), draw(55)}};
    uint32_t count = 1 + draw(2);
    const struct kept *first = NULL;
    for (const struct kept *k = kept[tree]; k < kept[tree] + counts[tree]; k++)
        if (k->item.key >= key && k->figures[bounds[0].column] <= bounds[0].most &&
            (count == 1 || k->figures[bounds[1].column] <= bounds[1].most) &&
            (!first || before(&k->item, &first->item)))
            first = k;
    CHECK(tree_first(forest, roots[tree], key, bounds, count) == (first ? first->node : TREE_NONE));
}

/* What those up to an item hold. */
static int64_t held_with(uint32_t tree, const struct kept *last) {
    int64_t held = 0;
    for (const struct kept *k = kept[tree]; k < kept[tree] + counts[tree]; k++)
        held += before(&last->item, &k->item) ? 0 : k->item.holds;
    return held;
}

static void check_held(const struct forest *forest, uint32_t tree) {
    int64_t key = draw(45), wanted = 1 + draw(260), up_to = 0;
    const struct kept *reaching = NULL, *last = NULL;
    for (const struct kept *k = kept[tree]; k < kept[tree] + counts[tree]; k++) {
        up_to += k->item.key <= key ? k->item.holds : 0;
        last = !last || before(&last->item, &k->item) ? k : last;
        if (held_with(tree, k) >= wanted && (!reaching || before(&k->item, &reaching->item)))
            reaching = k;
    }
    CHECK(tree_holds(forest, roots[tree], key) == up_to);
    CHECK(tree_last(forest, roots[tree]) == (last ? last->node : TREE_NONE));
    CHECK(tree_reaching(forest, roots[tree], wanted) == (reaching ? reaching->node : TREE_NONE));
}

/* Without figures, as running jobs are kept; room for 64 nodes has to grow twice. */
static void check_without_figures(void) {
    struct forest forest = {.columns = 0};
    uint32_t root = TREE_NONE;
    for (uint32_t job = 0; job < 200; job++)
        CHECK(tree_insert(&forest, &root, &(struct tree_item){job, job, 1}, NULL) != TREE_NONE);
    CHECK(tree_holds(&forest, root, 149) == 150);
    forest_finish(&forest);
}

int main(void) {
    struct forest forest = {.columns = COLUMNS};
    check_without_figures();
    for (uint32_t step = 0; step < STEPS; step++) {
        change(&forest, draw(TREES), step);
        for (uint32_t tree = 0; tree < TREES; tree++) {
            check_first(&forest, tree);
            check_held(&forest, tree);
        }
        if (step == STEPS / 2) {
            forest_clear(&forest);
            for (uint32_t tree = 0; tree < TREES; tree++)
                roots[tree] = counts[tree] = 0;
        }
    }
    CHECK(forest.count <= TREES * MOST);
    forest_finish(&forest);
    return checks_failed > 0;
}
