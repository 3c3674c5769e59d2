/* Tables of a run, each in the file of its name (docs/record.md): a header with the line end, and
   the rows of a replication. */
#ifndef EASIM_OUTPUT_RUN_RUN_TABLES_H
#define EASIM_OUTPUT_RUN_RUN_TABLES_H

#include "study/replicate.h"

/* What became of each job that has been submitted; a column for each label of the workload. */
void jobs_csv_header(const struct workload *workload, struct str *out);
void jobs_csv_rows(const struct replication *replication, struct flow *flow);
/* The measured jobs of each user. */
void users_csv_header(struct str *out);
void users_csv_rows(const struct replication *replication, struct flow *flow);
/* Use and energy of each GPU type. */
void types_csv_header(struct str *out);
void types_csv_rows(const struct replication *replication, struct flow *flow);
/* What each service answered, and what that took. */
void services_csv_header(struct str *out);
void services_csv_rows(const struct replication *replication, struct flow *flow);
/* What the policy tried, and each job that was rejected. */
void decisions_csv_header(struct str *out);
void decisions_csv_rows(const struct replication *replication, struct flow *flow);
/* Mean power of intervals of one length. */
void meter_csv_header(struct str *out);
void meter_csv_rows(const struct replication *replication, struct flow *flow);
/* Power cap, price and carbon intensity over the time of the runs: header and rows, at 0 and at
   each change up to end_ns. */
void series_csv(const struct study *study, int64_t end_ns, struct str *out);

/* ---- Of a recorded replication ---- */

/* What each job did, from its submission on, and behind them each replica. */
void segments_csv_header(struct str *out);
void segments_csv_rows(const struct replication *replication, struct flow *flow);
/* When GPUs that no job held were free, asleep or failed. */
void gpus_csv_header(struct str *out);
void gpus_csv_rows(const struct replication *replication, struct flow *flow);
/* The jobs with the configurations that they allow; a column for each label of the workload. */
void workload_csv_header(const struct workload *workload, struct str *out);
void workload_csv_rows(const struct replication *replication, struct flow *flow);

#endif
