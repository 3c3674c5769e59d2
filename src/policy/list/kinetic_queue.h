/* The order of waiting jobs by a key that changes with time: a kinetic tournament (queue), and a
   heap of one for each user (user heap). */
#ifndef EASIM_POLICY_LIST_KINETIC_QUEUE_H
#define EASIM_POLICY_LIST_KINETIC_QUEUE_H

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
/* Time goes on (never back); all values are times factor > 0 from now on. Before the first job. */
void queue_advance(struct queue *queue, double now_s, double factor);
/* Adds a job, submitted by the time of queue_advance; its slot until it is removed. */
uint32_t queue_add(struct queue *queue, uint32_t job, double value, double submit_s);
void queue_remove(struct queue *queue, uint32_t slot);
/* The slot of least value at queue_advance, the first submitted among equals; QUEUE_NONE if
   empty. */
uint32_t queue_first(const struct queue *queue);
/* value / (1 + age / ageing_s) * factor of a slot: by that double the order goes. */
double queue_value(const struct queue *queue, uint32_t slot);
/* Whether queue_first will still be what it is at a later time, with the same factor, and the value
   that it will have; if so, queue_advance changes nothing else. The queue is not empty. */
bool queue_foresee(const struct queue *queue, double now_s, double *ret_value);

/* --- user heap --- */
/* Jobs of an index queue by user: a heap of one tournament for each user, or of a single one if
   users do not matter. The place in the heap is that of a bound: the value of the user's first job
   when it was last looked at. While values of a user only grow, the top is brought up to date until
   one stays there, without a look at the users below. */

/* Jobs of one user. */
struct user_queue {
    struct queue jobs;
    double value; /* of the first job, when it was last looked at */
    uint32_t job; /* that one */
    uint32_t user;
    uint32_t place; /* in the heap, while there are jobs */
    uint64_t stamp; /* of the pass that looked at it last */
};

/* Members that have jobs, as numbers in an array of those of all heaps; zero-initialise, release
   heap.at. */
struct user_heap {
    ARRAY_OF(uint32_t) heap;
};

/* A member's jobs, or their values, have changed: into its place, or out if it has none left.
   is_new: it had none. */
void user_heap_sort_in(struct user_heap *users, struct user_queue *members, uint32_t member,
                       bool is_new);

#endif
