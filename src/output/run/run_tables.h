/* CSV text of the output files (docs/outputs.md): columns, rows and number formats, one pair of
 * functions per file. */
#ifndef EASIM_OUTPUT_RUN_RUN_TABLES_H
#define EASIM_OUTPUT_RUN_RUN_TABLES_H

#include "experiment/statistics.h"
#include "study/replicate.h"

/* Headers, with the line end. jobs.csv has a column for each label of the workload. */
void run_tables_jobs_header(const struct workload *workload, struct str *out);
void run_tables_users_header(struct str *out);
void run_tables_types_header(struct str *out);
void run_tables_power_header(struct str *out);
void run_tables_decisions_header(struct str *out);
void run_tables_summary_header(struct str *out);
void run_tables_aggregate_header(struct str *out);

/* Rows of one replication. */
void run_tables_jobs(const struct replication *replication, struct str *out);
void run_tables_users(const struct replication *replication, struct str *out);
void run_tables_types(const struct replication *replication, struct str *out);
void run_tables_power(const struct replication *replication, struct str *out);
void run_tables_decisions(const struct replication *replication, struct str *out);
void run_tables_summary(const char *policy, uint32_t number, int64_t seed,
                        const struct summary *summary, struct str *out);

/* The rest of a row behind what tells runs apart: replication, seed and the summary. */
void run_tables_run_header(struct str *out);
void run_tables_run(uint32_t number, int64_t seed, const struct summary *summary, struct str *out);

/* One row per metric over all replications. */
void run_tables_aggregate(const char *policy, const struct summary *summaries, uint32_t count,
                          struct str *out);

#endif
