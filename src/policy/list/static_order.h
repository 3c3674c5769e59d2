/* Waiting jobs by a key that stays: a B+ tree, and what its jobs wait for. */
#ifndef EASIM_POLICY_LIST_STATIC_ORDER_H
#define EASIM_POLICY_LIST_STATIC_ORDER_H

#include "base/array.h"
#include "policy/list/groups.h"

#include <stdbool.h>
#include <stdint.h>

struct index_rank {
    double value;
    int32_t tier;
    uint32_t job; /* jobs in the order of submission */
};

static inline bool index_before(const struct index_rank *a, const struct index_rank *b) {
    if (a->tier != b->tier)
        return a->tier < b->tier;
    if (a->value != b->value)
        return a->value < b->value;
    return a->job < b->job;
}

/* --- static order --- */
/* A B+ tree of the ranks of waiting jobs. A job is of a kind, a set of traits: bits that say what
   it waits for. A node has the traits of all jobs below it, so the first job after a place that has
   one of some traits is found without a look at the others: O(log n), like a change. Traits are
   ways to start, and whether a job asks for room. An urgent job has the ways that are in time: one
   that is too late stays so, so a job visited in vain is described again once for each way that it
   loses. A job that waits for more room than its policy could make (room_most), or not yet
   (room_from_s), is not asked for. */

#define ORDER_NONE UINT32_MAX
#define ORDER_MOST 32 /* jobs or children of a node */

/* A leaf has jobs, an inner node children, by the least rank that may be in each. */
struct order_node {
    struct index_rank ranks[ORDER_MOST];
    uint32_t at[ORDER_MOST]; /* kind of each job, or number of the child */
    uint32_t count;
    bool leaf;
};

struct order_place {
    struct index_rank rank;
    uint32_t kind;
};

/* Zero-initialise; release with static_order_finish. */
struct static_order {
    ARRAY_OF(struct order_node) nodes;
    ARRAY_OF(uint32_t) unused;      /* nodes */
    ARRAY_OF(uint64_t) node_traits; /* `words` of each node */
    ARRAY_OF(uint64_t) kind_traits; /* `words` of each kind */
    uint32_t words;
    uint32_t root;
    size_t count; /* of jobs */
};

void static_order_finish(struct static_order *line);
/* Room for one more kind, and for traits below trait_count, all of which it lacks. Returns its
   number: kinds are numbered 0, 1, 2, ... */
uint32_t static_order_add_kind(struct static_order *line, uint32_t trait_count);
/* Before the first job of the kind. */
static inline void static_order_set_trait(struct static_order *line, uint32_t kind,
                                          uint32_t trait) {
    line->kind_traits.at[(size_t)kind * line->words + trait / 64] |= UINT64_C(1) << trait % 64;
}
void static_order_add(struct static_order *line, const struct index_rank *rank, uint32_t kind);
void static_order_remove(struct static_order *line, const struct index_rank *rank);
/* A job that is there becomes one of another kind. */
void static_order_change(struct static_order *line, const struct index_rank *rank, uint32_t kind);
/* The first job behind `after`, or of all if that is NULL, with one of the traits in mask, `words`
   words, or any if that is NULL. */
bool static_order_next(const struct static_order *line, const struct index_rank *after,
                       const uint64_t *mask, struct order_place *ret);
/* Whether any job has the trait. */
static inline bool static_order_has(const struct static_order *line, uint32_t trait) {
    return line->count > 0 &&
           (line->node_traits.at[(size_t)line->root * line->words + trait / 64] >> trait % 64 & 1);
}

/* --- waits --- */
/* What the jobs of the tree wait for, as traits: one for each way to start that any of them has,
   and one of those who may have room made for them. The ways that are open now are a mask of
   traits, found once per state of the cluster for all jobs together. */

/* How jobs stand to room that is made; the ways follow, two traits each. */
enum trait { TRAIT_ORDINARY, TRAIT_DISPLACES, TRAIT_ASKS, TRAIT_COUNT };

/* Zero-initialise; release with order_waits_finish. */
struct order_waits {
    struct intern ways;              /* struct group_way */
    ARRAY_OF(uint64_t) open, enders; /* masks of traits */
    uint64_t stamp; /* of the state of the cluster that `open` is about; 0: out of date */
};

void order_waits_finish(struct order_waits *waits);
/* Makes a kind of the jobs of a group; `stands`: one of enum trait, or TRAIT_COUNT: urgent, but not
   asking yet. Returns its number. */
uint32_t order_waits_add_kind(struct order_waits *waits, struct static_order *line,
                              const struct groups *groups, uint32_t group, uint32_t stands);
/* The traits of which a job must have one to be visited now. asks, displaces: whether room may be
   made for urgent jobs, and for those that may displace others. */
void order_waits_find_open(struct order_waits *waits, const struct static_order *line,
                           const struct easim_pass *pass, const struct easim_list *ops, bool asks,
                           bool displaces);
/* The traits of jobs that end a pass when nothing is free: no room is made for them. */
const uint64_t *order_waits_enders(struct order_waits *waits, const struct static_order *line,
                                   bool displaces);

#endif
