/* Jobs in order, as a search tree that is balanced by chance (a treap: Seidel, Aragon 1996), with
   what is asked of whole ranges: how many GPUs the first of them hold, and who is the first that
   does not take too long. A change and a question cost O(log n). */
#ifndef EASIM_EASY_TREE_H
#define EASIM_EASY_TREE_H

#include <stdbool.h>
#include <stdint.h>

#define TREE_NONE 0u /* no node */

/* What a node stands for. Order: key, job. */
struct tree_item {
    int64_t key;
    uint32_t job, gpus;
};

struct tree_node {
    struct tree_item item;
    uint64_t gpus; /* of the nodes below and this one */
    uint32_t left, right;
};

/* How long a job takes in one of its candidates and placements: a column. */
struct tree_time {
    int64_t own_ns, least_ns; /* least: of the nodes below and this one */
};

/* The nodes of any number of trees, each known by its root, TREE_NONE at first. Set columns, leave
 * the rest zero; release with forest_finish. */
struct forest {
    uint32_t columns;        /* times of each job */
    struct tree_node *nodes; /* the first is none */
    struct tree_time *times; /* by node, then column */
    uint32_t count, capacity, spare;
};

void forest_finish(struct forest *forest);
/* Takes all nodes out of all trees; the roots are the caller's. */
void forest_clear(struct forest *forest);
/* The new node, or TREE_NONE: out of memory. times_ns: by column. */
uint32_t tree_insert(struct forest *forest, uint32_t *root, const struct tree_item *item,
                     const int64_t *times_ns);
/* The node must be in the tree. */
void tree_remove(struct forest *forest, uint32_t *root, uint32_t node);

/* The first node from a key on whose time in the column is at most most_ns; TREE_NONE. */
uint32_t tree_first(const struct forest *forest, uint32_t root, int64_t key, uint32_t column,
                    int64_t most_ns);
/* The last node; TREE_NONE. */
uint32_t tree_last(const struct forest *forest, uint32_t root);
/* The first node with which those up to it hold so many GPUs (> 0); TREE_NONE: all hold fewer. */
uint32_t tree_reaching(const struct forest *forest, uint32_t root, uint64_t gpus);
/* GPUs of all nodes up to a key. */
uint64_t tree_gpus(const struct forest *forest, uint32_t root, int64_t key);

#endif
