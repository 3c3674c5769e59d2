/* Jobs in order: see tree.h. Invariant: no node has a child of greater rank. */
#include "tree.h"

#include <stdlib.h>

void forest_finish(struct forest *forest) {
    free(forest->nodes);
    free(forest->figures);
    *forest = (struct forest){0};
}

void forest_clear(struct forest *forest) {
    forest->count = 0;
    forest->spare = TREE_NONE;
}

/* As good as random, and the same in every run: the finaliser of MurmurHash3. */
static uint32_t rank_of(uint32_t node) {
    uint32_t h = node;
    h = (h ^ h >> 16) * 0x85ebca6bu;
    h = (h ^ h >> 13) * 0xc2b2ae35u;
    return h ^ h >> 16;
}

static bool item_before(const struct tree_item *a, const struct tree_item *b) {
    return a->key != b->key ? a->key < b->key : a->job < b->job;
}

/* Sums a node up from its children; of no node the figures are INT64_MAX. */
static void sum_up(const struct forest *forest, uint32_t node) {
    struct tree_node *nodes = forest->nodes, *n = &nodes[node];
    n->holds = n->item.holds + nodes[n->left].holds + nodes[n->right].holds;
    if (forest->columns == 0)
        return;
    struct tree_figure *figure = &forest->figures[node * forest->columns];
    const struct tree_figure *left = &forest->figures[n->left * forest->columns],
                             *right = &forest->figures[n->right * forest->columns];
    for (uint32_t column = 0; column < forest->columns; column++) {
        int64_t below =
            left[column].least < right[column].least ? left[column].least : right[column].least;
        figure[column].least = figure[column].own < below ? figure[column].own : below;
    }
}

/* Those before an item, and the others. */
static void split_tree(const struct forest *forest, uint32_t root, const struct tree_item *item,
                       uint32_t *before, uint32_t *after) {
    struct tree_node *nodes = forest->nodes;
    if (root == TREE_NONE) {
        *before = *after = TREE_NONE;
        return;
    }
    if (item_before(&nodes[root].item, item)) {
        *before = root;
        split_tree(forest, nodes[root].right, item, &nodes[root].right, after);
    } else {
        *after = root;
        split_tree(forest, nodes[root].left, item, before, &nodes[root].left);
    }
    sum_up(forest, root);
}

/* All of the first come before all of the second. */
static uint32_t join_trees(const struct forest *forest, uint32_t before, uint32_t after) {
    struct tree_node *nodes = forest->nodes;
    if (before == TREE_NONE || after == TREE_NONE)
        return before == TREE_NONE ? after : before;
    uint32_t root = rank_of(before) > rank_of(after) ? before : after;
    if (root == before)
        nodes[root].right = join_trees(forest, nodes[root].right, after);
    else
        nodes[root].left = join_trees(forest, before, nodes[root].left);
    sum_up(forest, root);
    return root;
}

/* Who gets a node below it holds more, and has less figures at most. */
static void put_node(const struct forest *forest, uint32_t *root, uint32_t node) {
    struct tree_node *nodes = forest->nodes, *n;
    const struct tree_item *item = &nodes[node].item;
    const struct tree_figure *own = &forest->figures[node * forest->columns];
    const uint32_t rank = rank_of(node);
    for (; *root != TREE_NONE && rank <= rank_of(*root);
         root = item_before(&n->item, item) ? &n->right : &n->left) {
        struct tree_figure *figure = &forest->figures[*root * forest->columns];
        n = &nodes[*root];
        n->holds += item->holds;
        for (uint32_t column = 0; column < forest->columns; column++)
            if (own[column].own < figure[column].least)
                figure[column].least = own[column].own;
    }
    split_tree(forest, *root, item, &nodes[node].left, &nodes[node].right);
    sum_up(forest, node);
    *root = node;
}

/* Without figures: who has the node below it holds less. */
static void cut_plain_node(const struct forest *forest, uint32_t *root, uint32_t node) {
    struct tree_node *nodes = forest->nodes, *n;
    const struct tree_item *item = &nodes[node].item;
    for (; *root != node; root = item_before(&n->item, item) ? &n->right : &n->left) {
        n = &nodes[*root];
        n->holds -= item->holds;
    }
    *root = join_trees(forest, nodes[node].left, nodes[node].right);
}

static uint32_t cut_node(const struct forest *forest, uint32_t root, uint32_t node) {
    struct tree_node *nodes = forest->nodes;
    if (root == node)
        return join_trees(forest, nodes[node].left, nodes[node].right);
    if (item_before(&nodes[root].item, &nodes[node].item))
        nodes[root].right = cut_node(forest, nodes[root].right, node);
    else
        nodes[root].left = cut_node(forest, nodes[root].left, node);
    sum_up(forest, root);
    return root;
}

/* Room for one node more; false: out of memory. */
static bool grow_forest(struct forest *forest) {
    uint32_t capacity = forest->capacity ? 2 * forest->capacity : 64;
    struct tree_node *nodes = realloc(forest->nodes, capacity * sizeof *nodes);
    forest->nodes = nodes ? nodes : forest->nodes;
    struct tree_figure *figures =
        realloc(forest->figures, (size_t)capacity * (forest->columns + 1) * sizeof *figures);
    forest->figures = figures ? figures : forest->figures;
    if (!nodes || !figures)
        return false;
    forest->capacity = capacity;
    nodes[TREE_NONE] = (struct tree_node){0};
    for (uint32_t column = 0; column < forest->columns; column++)
        figures[column] = (struct tree_figure){INT64_MAX, INT64_MAX};
    return true;
}

static uint32_t take_node(struct forest *forest) {
    uint32_t node = forest->spare;
    if (node != TREE_NONE) {
        forest->spare = forest->nodes[node].left;
        return node;
    }
    if (forest->count + 1 >= forest->capacity && !grow_forest(forest))
        return TREE_NONE;
    return ++forest->count;
}

uint32_t tree_insert(struct forest *forest, uint32_t *root, const struct tree_item *item,
                     const int64_t *figures) {
    uint32_t node = take_node(forest);
    if (node == TREE_NONE)
        return TREE_NONE;
    forest->nodes[node] = (struct tree_node){.item = *item};
    for (uint32_t column = 0; column < forest->columns; column++)
        forest->figures[node * forest->columns + column].own = figures[column];
    put_node(forest, root, node);
    return node;
}

void tree_remove(struct forest *forest, uint32_t *root, uint32_t node) {
    if (forest->columns == 0)
        cut_plain_node(forest, root, node);
    else
        *root = cut_node(forest, *root, node);
    forest->nodes[node].left = forest->spare;
    forest->spare = node;
}

uint32_t tree_first(const struct forest *forest, uint32_t root, int64_t key,
                    const struct tree_bound *bounds, uint32_t count) {
    if (root == TREE_NONE)
        return TREE_NONE;
    const struct tree_node *n = &forest->nodes[root];
    const struct tree_figure *figures = &forest->figures[root * forest->columns];
    bool is_within = true;
    for (uint32_t i = 0; i < count; i++) {
        const struct tree_figure *figure = &figures[bounds[i].column];
        if (figure->least > bounds[i].most)
            return TREE_NONE;
        is_within = is_within && figure->own <= bounds[i].most;
    }
    if (n->item.key < key)
        return tree_first(forest, n->right, key, bounds, count);
    uint32_t first = tree_first(forest, n->left, key, bounds, count);
    if (first != TREE_NONE)
        return first;
    return is_within ? root : tree_first(forest, n->right, key, bounds, count);
}

uint32_t tree_last(const struct forest *forest, uint32_t root) {
    while (root != TREE_NONE && forest->nodes[root].right != TREE_NONE)
        root = forest->nodes[root].right;
    return root;
}

uint32_t tree_reaching(const struct forest *forest, uint32_t root, int64_t holds) {
    const struct tree_node *nodes = forest->nodes;
    while (root != TREE_NONE) {
        int64_t before = nodes[nodes[root].left].holds, with = before + nodes[root].item.holds;
        if (holds > before && holds <= with)
            return root;
        root = holds <= before ? nodes[root].left : nodes[root].right;
        holds -= holds > with ? with : 0;
    }
    return TREE_NONE;
}

int64_t tree_holds(const struct forest *forest, uint32_t root, int64_t key) {
    const struct tree_node *nodes = forest->nodes;
    int64_t holds = 0;
    while (root != TREE_NONE) {
        bool counts = nodes[root].item.key <= key;
        holds += counts ? nodes[nodes[root].left].holds + nodes[root].item.holds : 0;
        root = counts ? nodes[root].right : nodes[root].left;
    }
    return holds;
}
