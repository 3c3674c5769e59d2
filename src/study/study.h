/* A scenario with everything it refers to loaded and checked: cluster, models, workload source,
   policy and parameters. Constant once loaded; shared by all replications. */
#ifndef EASIM_STUDY_STUDY_H
#define EASIM_STUDY_STUDY_H

#include "metrics/metrics.h"
#include "policy/params.h"
#include "workload/source.h"

struct study {
    struct scenario scenario;
    struct cluster cluster;
    struct model_set models;
    struct workload_source source;
    struct policy_module module;
    struct policy_params params;
    ARRAY_OF(const char *) warnings; /* the study runs, but probably not as meant */
    struct arena arena;
};

#define STUDY_SERIES 3

/* Loads path with overrides; readers are the foreign trace formats. All problems of all parts are
   added; negative if there were any. study_finish in any case. */
int study_load(struct study *study, const char *path, const struct scenario_overrides *overrides,
               const struct trace_reader *const *readers, struct problems *problems) MUST_CHECK;
/* Likewise in a process that may be lost: module_open_apart. */
int study_load_apart(struct study *study, const char *path,
                     const struct scenario_overrides *overrides,
                     const struct trace_reader *const *readers,
                     struct problems *problems) MUST_CHECK;
/* The jobs of one replication (from 0), with the configurations that there are for the parameters
 * of now. */
int study_generate(const struct study *study, uint32_t replication, struct workload *workload,
                   struct problems *problems) MUST_CHECK;
/* Only as far as it takes to know which files the scenario names: no policy is opened and no log is
   read. The study cannot be run; study_finish in any case. Problems keep files from being found, no
   more. */
void study_load_files(struct study *study, const char *path,
                      const struct scenario_overrides *overrides, struct problems *problems);
/* A simulation of the study with these jobs, to be given its observers and further options, and
 * then to sim_init.
 */
struct sim study_sim(const struct study *study, const struct workload *workload);
void study_finish(struct study *study);

/* Where a replication has so many jobs that it will not end soon: how many, and up to when. Else
 * nothing. */
void study_announce(const struct study *study, struct str *out);

/* As if the scenario said `replications: count`. Not while replications run. */
void study_set_replications(struct study *study, uint32_t count);

/* Power cap, price and carbon intensity; without a kind where they are constant or absent. */
void study_list_series(const struct study *study, const struct series *list[static STUDY_SERIES]);

#endif
