/* A scenario with everything it refers to loaded and checked: cluster, models, workload source,
   policy and parameters. Constant once loaded; shared by all replications. */
#ifndef EASIM_STUDY_STUDY_H
#define EASIM_STUDY_STUDY_H

#include "metrics/metrics.h"
#include "policy/params.h"
#include "workload/source.h"
#include "workload/source_uses.h"

/* The workloads of replications 1 to count, drawn by one study and run by others. Zero-initialise;
   release with study_workloads_finish. */
struct study_workloads {
    struct workload *at;
    uint32_t count;
};

struct study {
    struct scenario scenario;
    struct cluster cluster;
    struct model_tree model_tree; /* their files, with model_overrides applied */
    struct model_set models;
    struct workload_source source;
    const struct study_workloads
        *drawn; /* by another study, in its physics; NULL: this one draws */
    struct policy_module module;
    const char *effect;  /* "run PROGRAM", "open SOCKET": what its policy does; NULL: nothing */
    const char *foreign; /* what its policy, which is not trusted, would do; NULL: nothing */
    const char *policy;  /* what results call it: its label, its name, or NAME:VARIANT */
    struct policy_params params;
    struct file_stamp stamp;             /* of the scenario's file before it was read */
    struct job_usage rigid;              /* on which GPU types rigid jobs may run */
    const struct job_usage *used_models; /* by model likewise, in the arena */
    uint64_t law_types; /* bit per GPU type on which jobs have power limits by its law */
    ARRAY_OF(const char *) warnings; /* the study runs, but probably not as meant */
    struct metric_set metrics;       /* that its results have; in the arena */
    struct arena arena;
};

/* Initialised by study_load (study_load.h); takes what half a load has left, too. */
void study_finish(struct study *study);
/* The jobs of one replication (from 0), drawn here or where `drawn` says (semantics 17.2), with the
   configurations that there are in the physics of this study, for the parameters of now. */
int study_generate(const struct study *study, uint32_t replication, struct workload *workload,
                   struct problems *problems) MUST_CHECK;
/* Likewise, but the jobs may be made as they arrive (source_await). */
int study_await(const struct study *study, uint32_t replication, struct workload *workload,
                struct problems *problems) MUST_CHECK;
/* Draws those of replications 1 to count, for studies that differ from this one in physics alone
   and are released before. Negative after adding problems. */
int study_draw(const struct study *study, uint32_t count, struct study_workloads *workloads,
               struct problems *problems) MUST_CHECK;
void study_workloads_finish(struct study_workloads *workloads);
/* A simulation of the study with these jobs, for observers, further options, and then loop_init. */
struct sim study_sim(const struct study *study, const struct workload *workload);

/* If a replication has too many jobs to end soon: how many, and up to when. Else nothing. */
void study_announce(const struct study *study, struct str *out);

/* What its runs have more to measure than all runs have: enum metric_group, ored. */
unsigned study_metric_groups(const struct study *study);

/* For the message on a "services." metric that its results do not have: those that they have. */
const char *study_services_text(const struct study *study, struct arena *arena);

/* As if the scenario said `replications: count`. Not while replications run. */
void study_set_replications(struct study *study, uint32_t count);

/* The first series or demand of a service that repeats, from place *at (from 0) on, which moves to
   it; NULL: none. It comes again after end_ns - first_ns. */
const struct series *study_next_repeated(const struct study *study, size_t *at);
/* "repeated: KEY every 24 h, ..." into an empty text; nothing if nothing is. */
void study_add_periods(const struct study *study, struct str *out);

#endif
