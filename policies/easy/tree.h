/* Jobs in order, as a search tree that is balanced by chance (a treap: Seidel, Aragon 1996), with
   what is asked of whole ranges: how much the first of them hold, and who is the first that is
   within bounds. A change and a question cost O(log n); with two bounds it may cost more. */
#ifndef EASIM_EASY_TREE_H
#define EASIM_EASY_TREE_H

#include <stdbool.h>
#include <stdint.h>

#define TREE_NONE 0u /* no node */

/* What a node stands for. Order: key, job. */
struct tree_item {
    int64_t key;
    uint32_t job;
    int64_t holds; /* GPUs, or power in nW; >= 0 */
};

struct tree_node {
    struct tree_item item;
    int64_t holds; /* of the nodes below and this one */
    uint32_t left, right;
};

/* How long a job takes in one of its candidates and placements, ns, or how much power it adds
   there, nW: a column. */
struct tree_figure {
    int64_t own, least; /* least: of the nodes below and this one */
};

/* Figures in a column up to this. */
struct tree_bound {
    uint32_t column;
    int64_t most;
};

/* The nodes of any number of trees, each known by its root, TREE_NONE at first. Set columns, leave
 * the rest zero; release with forest_finish. */
struct forest {
    uint32_t columns;            /* figures of each job */
    struct tree_node *nodes;     /* the first is none */
    struct tree_figure *figures; /* by node, then column */
    uint32_t count, capacity, spare;
};

void forest_finish(struct forest *forest);
/* Takes all nodes out of all trees; the roots are the caller's. */
void forest_clear(struct forest *forest);
/* The new node, or TREE_NONE: out of memory. figures: by column. */
uint32_t tree_insert(struct forest *forest, uint32_t *root, const struct tree_item *item,
                     const int64_t *figures);
/* The node must be in the tree. */
void tree_remove(struct forest *forest, uint32_t *root, uint32_t node);

/* The first node from a key on with figures within the bounds, of which there is at least one;
   TREE_NONE. */
uint32_t tree_first(const struct forest *forest, uint32_t root, int64_t key,
                    const struct tree_bound *bounds, uint32_t count);
/* The last node; TREE_NONE. */
uint32_t tree_last(const struct forest *forest, uint32_t root);
/* The first node with which those up to it hold so much (> 0); TREE_NONE: all hold less. */
uint32_t tree_reaching(const struct forest *forest, uint32_t root, int64_t holds);
/* What all nodes up to a key hold. */
int64_t tree_holds(const struct forest *forest, uint32_t root, int64_t key);

#endif
