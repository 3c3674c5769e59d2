/* Waiting jobs of one kind in the order of their keys while time passes: a kinetic tournament. Each
   inner node of a binary tree holds the winner of the jobs below it and the time until which that
   is certain, so that a look at a later time plays again only the matches that may have turned. A
   look costs O(1) if none has, a change O(log n). A queue is brought up to date only when its bound
   is first of all (index_bound): what is left out could not be the least, by more than rounding
   does, so the doubles are those of asking everything, which --check does. */
#ifndef EASIM_POLICY_LIST_QUEUE_H
#define EASIM_POLICY_LIST_QUEUE_H

#include "base/array.h"

#include <stdbool.h>
#include <stdint.h>

#define QUEUE_NONE UINT32_MAX

struct queue_entry {
    double value; /* not NaN; >= 0 if the queue ages */
    double submit_s;
    uint32_t job; /* jobs in the order of submission; QUEUE_NONE: the slot is empty */
    uint32_t next_empty;
};

struct queue_node {
    double until_s; /* the winner is certain before that time */
    uint32_t winner;
};

/* Set ageing_s, leave the rest zero; release with queue_finish. */
struct queue {
    double ageing_s;             /* 0: values stay as they are */
    double now_s, factor;        /* of the last queue_advance */
    struct queue_entry *entries; /* by slot */
    struct queue_node
        *nodes; /* nodes[1] is the root, the children of i are 2i and 2i + 1, slots come last */
    uint32_t capacity;    /* slots, a power of two */
    uint32_t count;       /* of jobs */
    uint32_t used;        /* slots that were ever taken */
    uint32_t first_empty; /* slot + 1 of a list; 0: none */
};

void queue_finish(struct queue *queue);
/* Time goes on (never back), and all values are multiplied by factor > 0 from now on. Before the
 * first job. */
void queue_advance(struct queue *queue, double now_s, double factor);
/* Adds a job, which must not have been submitted after the time of queue_advance; its slot until it
 * is removed. */
uint32_t queue_add(struct queue *queue, uint32_t job, double value, double submit_s);
void queue_remove(struct queue *queue, uint32_t slot);
/* The slot of least value at the time of queue_advance, the first in submission among equals;
 * QUEUE_NONE if empty.
 */
uint32_t queue_first(const struct queue *queue);
/* value / (1 + age / ageing_s) * factor of a slot: by that double the order goes. */
double queue_value(const struct queue *queue, uint32_t slot);
/* Whether queue_first will still be what it is at a later time, with the same factor, and the value
   that it will have; if so, queue_advance changes nothing else. The queue is not empty. */
bool queue_foresee(const struct queue *queue, double now_s, double *ret_value);

#endif
