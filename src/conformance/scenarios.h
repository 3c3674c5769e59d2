/* The built-in scenarios of the conformance suite, and their loading from memory. */
#ifndef EASIM_CONFORMANCE_SCENARIOS_H
#define EASIM_CONFORMANCE_SCENARIOS_H

#include "study/study.h"

struct builtin {
    const char *name;
    const char *text; /* the scenario, without policy; without models, unless it has its own */
    const char *jobs; /* a workload CSV, or NULL */
};

/* All of them; the first BUILTIN_COMPARED are those that comparisons of two runs use. */
extern const struct builtin builtins[];
extern const uint32_t builtin_count;
#define BUILTIN_COMPARED 3

/* Two more, for policies that declare POWER_CAP and KEEPS_CAP. No job alone reaches the first cap;
   the second falls, once below the power of idle nodes. */
extern const struct builtin builtin_capped, builtin_falling_cap;

/* Loads a scenario with a policy (a path) and `--set` values as the command line would, through the
   ordinary loader. Negative after adding problems; study_finish in any case. */
int builtin_load(const struct builtin *builtin, const char *policy, const char *const *sets,
                 size_t set_count, struct study *study, struct problems *problems) MUST_CHECK;

#endif
