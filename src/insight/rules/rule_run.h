/* The data of every rule: one recorded replication, and figures that several rules need, computed
   once. Insights are about the measured time, from the end of the warm-up to the end of the run. */
#ifndef EASIM_INSIGHT_RULES_RULE_RUN_H
#define EASIM_INSIGHT_RULES_RULE_RUN_H

#include "base/arena.h"
#include "base/array.h"
#include "insight/blame/blame.h"
#include "insight/recorded_run.h"
#include "insight/rules/power_steps.h"
#include "insight/waste/waste.h"

/* --- policy_facts --- */
/* The manifest of a recorded policy: its capabilities and parameters. Insights propose only
   parameters that the policy has. */

struct policy_param {
    const char *role;         /* what it means to the host: "ageing", "strict"; NULL: nothing */
    const char *name, *value; /* as text: true, 600, off */
};

/* Zero-initialise; release with policy_facts_finish. Nothing is known beyond the manifest. */
struct policy_facts {
    ARRAY_OF(const char *) capabilities;
    ARRAY_OF(struct policy_param) params;
    struct arena arena;
};

bool policy_facts_can(const struct policy_facts *facts, const char *capability);
/* The parameter that has a role; NULL: none has. */
const struct policy_param *policy_facts_param(const struct policy_facts *facts, const char *role);

/* --- rule_run --- */

/* Zero-initialise; release with rule_run_finish. */
struct rule_run {
    const struct recorded_folder *folder;
    const struct recorded_run *run;
    const struct waste *waste; /* where its energy went; borrowed */
    const char *policy;        /* its name */
    int64_t from_ns, to_ns;    /* the measured time */
    double from_s, to_s;
    double energy_j;           /* of the cluster in it */
    double gpu_s;              /* GPUs of the cluster x measured time */
    double jobs;               /* measured ones: submitted in it, up to the end */
    const struct blame *blame; /* where the time of each job went; borrowed */
    struct policy_facts facts; /* what its policy may do, and its parameters */
    struct power_steps power;  /* of all of the run, warm-up included */
};

void rule_run_init(struct rule_run *rule_run, const struct recorded_run *run,
                   const struct waste *waste, const struct blame *blame);
void rule_run_finish(struct rule_run *rule_run);

/* Jobs that were submitted up to the end of the run have indices below this. */
static inline uint32_t rule_run_jobs(const struct rule_run *rule_run) {
    return rule_run->run->part->jobs_submitted;
}
/* First start - submit, up to the end of the run if it never started, s. */
double rule_run_wait_s(const struct rule_run *rule_run, uint32_t job);
/* Power of all GPUs of a segment, W; 0 of an empty one. */
double rule_run_power_w(const struct recorded_segment *segment);
/* The part of an interval within the measured time, s. */
double rule_run_overlap_s(const struct rule_run *rule_run, int64_t start_ns, int64_t end_ns);
/* The part of a segment's energy that is within it, J. */
double rule_run_energy_j(const struct rule_run *rule_run, const struct recorded_segment *segment);
/* Likewise its GPU-seconds. */
double rule_run_gpu_s(const struct rule_run *rule_run, const struct recorded_segment *segment);

#endif
