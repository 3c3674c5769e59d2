/* What the jobs in line (lineup.h) wait for, as traits: one for each way to start that any of them
   has, and one more of those who may have room made for them. The ways that are open now are a mask
   of traits, found once per state of the cluster for all jobs together. */
#ifndef EASIM_POLICY_LIST_NEEDS_H
#define EASIM_POLICY_LIST_NEEDS_H

#include "policy/list/group.h"
#include "policy/list/lineup.h"

/* How jobs stand to room that is made; the ways follow, two traits each. */
enum trait { TRAIT_ORDINARY, TRAIT_DISPLACES, TRAIT_ASKS, TRAIT_COUNT };

/* Zero-initialise; release with needs_finish. */
struct needs {
    struct intern ways;              /* struct group_way */
    ARRAY_OF(uint64_t) open, enders; /* masks of traits */
    uint64_t stamp; /* of the state of the cluster that `open` is about; 0: out of date */
};

void needs_finish(struct needs *needs);
/* Makes a kind of the jobs of a group; `stands`: one of enum trait, or TRAIT_COUNT: urgent, but not
   asking yet. Returns its number. */
uint32_t needs_add_kind(struct needs *needs, struct lineup *line, const struct groups *groups,
                        uint32_t group, uint32_t stands);
/* The traits of which a job must have one to be visited now. asks, displaces: whether room may be
   made for urgent jobs, and for those that may displace others. */
void needs_find_open(struct needs *needs, const struct lineup *line, const struct easim_pass *pass,
                     const struct easim_list *ops, bool asks, bool displaces);
/* The traits of jobs that end a pass when nothing is free: no room is made for them. */
const uint64_t *needs_enders(struct needs *needs, const struct lineup *line, bool displaces);

#endif
