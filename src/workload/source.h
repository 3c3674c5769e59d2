/* The workload section of a scenario, bound and checked once; each replication draws its jobs from
 * it. */
#ifndef EASIM_WORKLOAD_SOURCE_H
#define EASIM_WORKLOAD_SOURCE_H

#include "config/scenario.h"
#include "workload/service.h"
#include "workload/stream.h"

/* Release with source_finish. */
struct workload_source {
    const struct cluster *cluster;
    const struct model_set *models;
    const struct scenario *scenario;
    struct schema_list streams;  /* struct stream */
    struct schema_list services; /* struct service */
    struct start_costs rigid_costs;
    int64_t warmup_ns;          /* when the measured time begins: warm-up and leads are over */
    const char *warmup_path;    /* of the key that says so */
    int64_t own_warmup_ns;      /* of workload.warmup alone */
    struct k_choice *allowed_k; /* by model */
    struct config_table *known; /* of usage_keep_table, for those of replications; or NULL */
    double expected_jobs;       /* of one replication: rows of logs, and what the rates give */
};

/* Binds the keys of the section: problems of its form. Negative after adding some; the source can
   be finished in any case. */
int source_bind(struct workload_source *source, const struct scenario *scenario,
                const struct binding *binding) MUST_CHECK;
/* Ties a bound source to cluster and models, and reads recorded logs: problems of its meaning.
   readers: NULL-terminated table of the foreign formats. Negative after adding problems. */
int source_load(struct workload_source *source, const struct cluster *cluster,
                const struct model_set *models, const struct trace_reader *const *readers,
                const struct binding *binding) MUST_CHECK;
/* Notes jobs that ask for part of a GPU and get a whole one because the policy does not share. */
void source_note_whole_gpus(struct workload_source *source);
void source_finish(struct workload_source *source);

/* The jobs of one replication (from 0); the same arguments give the same jobs. extras: of their
   configurations, for the policy that is to run them. */
int source_generate(const struct workload_source *source, uint32_t replication,
                    const struct config_extras *extras, struct workload *workload,
                    struct problems *problems) MUST_CHECK;

/* Likewise, but the jobs are made as they arrive (jobs_to_come) unless a log has draws of its own,
   or one of several has labels; the workload then stays where it is. */
int source_await(const struct workload_source *source, uint32_t replication,
                 const struct config_extras *extras, struct workload *workload,
                 struct problems *problems) MUST_CHECK;

/* A table for jobs of the source. Negative after adding problems; config_table_finish in any case.
 */
int source_begin_table(const struct workload_source *source, const struct config_extras *extras,
                       struct config_table *table, struct problems *problems) MUST_CHECK;

/* Whether all replications have the arrivals of the same logs. */
bool source_repeats_arrivals(const struct workload_source *source);

extern const struct field workload_forms[]; /* of the section */
#endif
