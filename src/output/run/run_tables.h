/* Tables of a run, each in the file of its name (docs/reference/outputs.md): a header with the line
   end, and the rows of a replication. */
#ifndef EASIM_OUTPUT_RUN_RUN_TABLES_H
#define EASIM_OUTPUT_RUN_RUN_TABLES_H

#include "base/array.h"
#include "base/error.h"
#include "base/str.h"
#include "engine/observer.h"
#include "metrics/summary.h"
#include "output/bound.h"
#include "study/replicate.h"
#include "study/shared_ring.h"

#include <stdint.h>

/* A writer of rows while a replication runs. */
struct rows_csv {
    struct observer observer;
    struct str begin; /* of each row: the cells of policy and replication; owned by the caller */
    struct pieces *pieces;
};

/* Before replication `number`, from 1; rows: what is to be told of, with a rows_csv as context. */
const struct observer *rows_csv_watch(struct rows_csv *csv, const struct observer *rows,
                                      const struct study *study, uint32_t number);

/* The result of each job that has been submitted; a column for each label of the workload. */
void jobs_csv_header(const struct workload *workload, struct str *out);
/* Of the jobs that are not past. */
void jobs_csv_rows(const struct replication *replication, struct pieces *pieces);
extern const struct observer jobs_csv_past_rows; /* of those that are, after the header */
/* The measured jobs of each user. */
extern const char users_csv_header[];
void users_csv_rows(const struct replication *replication, struct pieces *pieces);
/* Use and energy of each GPU type. */
extern const char types_csv_header[];
void types_csv_rows(const struct replication *replication, struct pieces *pieces);
/* Power of each power domain. */
extern const char domains_csv_header[];
void domains_csv_rows(const struct replication *replication, struct pieces *pieces);
/* Requests that each service answered, and the resources for them. */
extern const char services_csv_header[];
void services_csv_rows(const struct replication *replication, struct pieces *pieces);
/* Actions that the policy tried, and each job that was rejected. */
extern const char decisions_csv_header[];
void decisions_csv_rows(const struct replication *replication, struct pieces *pieces);
/* What each event of the power cap did. */
extern const char cap_events_csv_header[];
void cap_events_csv_rows(const struct replication *replication, struct pieces *pieces);
/* Mean power of intervals of one length. */
extern const char meter_csv_header[];
void meter_csv_rows(const struct replication *replication, struct pieces *pieces);
/* Power cap, price and carbon intensity over the time of the runs: header and rows, at 0 and at
   each change up to end_ns. */
void series_csv(const struct study *study, int64_t end_ns, struct str *out);

/* ---- Of a recorded replication ---- */

/* The activities of each job, from its submission on, then those of each replica. */
void segments_csv_header(const struct cluster *cluster, struct str *out);
void segments_csv_rows(const struct replication *replication, struct pieces *pieces);
/* Times at which GPUs without a job were free, asleep or failed. */
extern const char gpus_csv_header[];
void gpus_csv_rows(const struct replication *replication, struct pieces *pieces);
/* The jobs with the configurations that they allow; a column for each label of the workload. */
void workload_csv_header(const struct workload *workload, struct str *out);
void workload_csv_rows(const struct replication *replication, struct pieces *pieces);

/* --- summary_csv --- */
/* Metrics of each replication, a row each. */

/* For `easim run`, with the columns of these metric groups (enum metric_group). */
void summary_csv_header(unsigned groups, struct str *out);
void summary_csv_row(const char *policy, uint32_t replication, int64_t seed, unsigned groups,
                     const struct summary *summary, struct str *out);

/* For tables of many runs: without the policy they begin with a comma. Columns that not all runs
   have, of single services, too, go by their names in the set. */
void summary_csv_run_header(const struct metric_set *metrics, struct str *out);
void summary_csv_run(uint32_t replication, int64_t seed, const struct metric_set *metrics,
                     const struct summary *summary, struct str *out);

/* --- aggregate_csv --- */
/* aggregate.csv: one row per metric over all replications; groups: enum metric_group. */

void aggregate_csv_header(struct str *out);
void aggregate_csv_rows(const char *policy, unsigned groups, const struct summary *summaries,
                        uint32_t count, struct str *out);

/* --- result_json: aggregate.csv as JSON, for scripts --- */

/* {name, policy, seed, replications, metrics: {METRIC: {n, mean, sd, ci95}}}, and "bounds" unless
   they are NULL; what is not defined is null. */
void result_json(const struct study *study, const struct replicate_result *result,
                 const struct bound_output *bounds, struct str *out);

/* --- power_csv: the state of the cluster after each instant at which something happened --- */

void power_csv_header(const struct cluster *cluster, struct str *out);
extern const struct observer power_csv_rows;

/* --- caps_csv: how far jobs rise under an enforced cap, after each instant that changed it --- */

/* The writer of the rows while a replication runs. */
struct cap_share; /* engine/power_cap.h */
struct caps_csv {
    struct observer observer;
    struct str begin; /* as of rows_csv */
    struct pieces *pieces;
    uint64_t settled;             /* of struct cap_state, at the last look */
    struct cap_share *last, *now; /* by domain; last: in the file; NULL: nothing is */
};

extern const char caps_csv_header[];
/* Before replication `number`, from 1; release with caps_csv_finish. */
void caps_csv_watch(struct caps_csv *csv, const char *policy, uint32_t number,
                    struct pieces *pieces);
void caps_csv_finish(struct caps_csv *csv);

/* --- recorded_csv --- */
/* Runs that a recorded folder holds, and facts of each as a whole (docs/reference/outputs.md). */

extern const char recorded_csv_header[];
/* Bytes of the rows of a replication in the files that are read by parts. */
struct recorded_bytes {
    size_t segments, gpus, workload;
};

/* For a recorded replication. */
void recorded_csv_row(const struct replication *replication, const struct recorded_bytes *bytes,
                      struct str *out);

/* --- record_files --- */
/* Recorded rows of a comparison: each policy makes files of its own, which are put together, by
   policy, in the folder of the comparison. */

#define RECORD_FILES 4
extern const char *const record_file_names[]; /* RECORD_FILES of them */

/* Files of one policy, as far as they are written; not in place. */
struct record_part {
    struct atomic_file *files[RECORD_FILES];
    uint32_t replications;
};

/* Zero-initialise; release with record_files_finish. */
struct record_files {
    ARRAY_OF(struct record_part) parts;
    int64_t end_ns; /* the longest run */
};

/* The files are owned here from then on. */
void record_files_take(struct record_files *record, const struct record_part *part, int64_t end_ns);
/* Puts all of them together into the folder; without parts removes those that are there. The jobs
   of all replications, which all policies share, are those of the first that had most. */
int record_files_write(struct record_files *record, const char *folder,
                       struct error *reterr) MUST_CHECK;
void record_files_finish(struct record_files *record); /* accepts NULL */

#endif
