/* Small scenarios whose decisions are worked out by hand: a policy, a few jobs, and what is to
 * become of each. */
#ifndef EASIM_TESTS_POLICY_CASE_H
#define EASIM_TESTS_POLICY_CASE_H

#include "scenario.h"

#define POLICY_CASE_MOST 8

/* What is to become of a job. */
struct expected {
    const char *id;
    double start_s, finish_s;
    uint32_t k, gpu_type;
};

struct policy_case {
    const char *name, *policy, *cluster, *limits, *jobs;
    struct expected expected[POLICY_CASE_MOST];
};

/* Models flat, costly, wide and pair are at hand, see policy_case.c. Runs with --strict; fails the
 * Criterion test.
 */
void policy_cases_run(const struct policy_case *cases, size_t count);

#endif
