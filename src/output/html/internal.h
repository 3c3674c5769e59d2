/* Declarations shared by the files of src/output/html, for this folder alone. */
#ifndef EASIM_OUTPUT_HTML_INTERNAL_H
#define EASIM_OUTPUT_HTML_INTERNAL_H

#include "base/error.h"
#include "base/str.h"
#include "cluster/cluster.h"
#include "insight/recorded_run.h"
#include "insight/rules/insight.h"
#include "insight/rules/rule_run.h"
#include "output/json.h"

#define ADD_COLUMN(out, key, count, i, add) \
    do { \
        json_out_key(out, key); \
        json_out_open(out, '['); \
        for (size_t i = 0; i < (count); i++) \
            add; \
        json_out_close(out, ']'); \
    } while (0)

/* --- table_json --- */
/* A small CSV file of results as JSON: {"columns": [...], "rows": [[...], ...]}. */

/* Adds a member of that key: null if there is no such file. Cells are numbers, texts in the columns
   of names, null where they are empty. replication: only rows of it, where the file has the column;
   0: all. ERROR_INPUT names the place of a cell that is no number. */
int table_json_add(struct str *out, const char *key, const char *folder, const char *name,
                   int64_t replication, struct error *reterr) MUST_CHECK;

/* Adds the member "jobs": the first `most` rows of a replication in jobs.csv, and "all", how many
   there are; null if there is no such file. */
int job_list_add(struct str *out, const char *folder, int64_t replication, size_t most,
                 struct error *reterr) MUST_CHECK;

/* --- job_curves: distributions over the jobs of a run: completion times, slowdowns, waits --- */

/* Adds the member "curves": the number of rows of jobs.csv, and for each quantity points (x, share
   of all rows that have at most x). There are at most 440 points, and the largest 40 are single
   values. null if there is no jobs.csv. */
int job_curves_add(struct str *out, const char *folder, struct error *reterr) MUST_CHECK;

/* --- service_curves --- */
/* The tokens that the ready replicas of each service served over time, and their capacity. */

/* The member "service_curves": {end_s, step_s, services: [{name, unit, replicas, served,
   capacity}]}, means over equal bins; null where the scenario has no services. */
void service_curves_add(struct str *out, const struct recorded_run *run);

/* --- attribution_json --- */

/* Adds the member "attribution": the path (the first label, if jobs have any, then user, model,
   job), a note, and a tree of nodes by column: name, parent, energy (J), GPU time (s), CO2 (kg) and
   cost, the last two if they are known. On each level the largest nodes below a node are kept, and
   the others are one together. */
int attribution_json_add(struct str *out, const struct recorded_run *run,
                         struct error *reterr) MUST_CHECK;

/* --- insight_json --- */

/* Functions for insights that were found. */
struct insight_hooks {
    void *context;
    /* Simulates what they propose. */
    int (*verify)(void *context, const struct rule_run *rule_run, struct insights *insights,
                  struct error *reterr);
    /* The run that an insight proposes, as a line for the shell, or NULL; in the arena. */
    const char *(*command)(const struct recorded_run *run, const struct insight *insight,
                           size_t number, struct arena *arena);
};

/* Adds the members "waste", of each class its name, group, energy and GPU time, and "insights",
   insights.json of all rules with their usual thresholds. ret_useful_frac: by job, the share of
   what its kept computing drew in the measured time that is useful; owned by the caller. */
int insight_json_add(struct str *out, const struct recorded_run *run,
                     const struct insight_hooks *hooks, double **ret_useful_frac,
                     struct error *reterr) MUST_CHECK;

/* --- blame_json --- */

/* Adds the member "blame": the names of the parts of a job's time, of all jobs their sums (s), and
   of the first `most` jobs their ids, parts, and why and by how much they missed a deadline. */
void blame_json_add(struct str *out, const struct recorded_run *run, size_t most);

/* --- gpu_lanes --- */
/* The GPUs of a cluster in the order in which the page shows them: by GPU type, then node. */

/* Zero-initialise; release with gpu_lanes_finish. */
struct gpu_lanes {
    const struct cluster *cluster;
    uint32_t *first; /* lane of the first GPU of each node */
    uint32_t *nodes; /* nodes in the order of their lanes */
    uint32_t count;
};

void gpu_lanes_init(struct gpu_lanes *lanes, const struct cluster *cluster);
void gpu_lanes_finish(struct gpu_lanes *lanes);
/* The members "count", "types" (names) and "nodes": [first lane, GPUs, type, number in the file].
 */
void gpu_lanes_add(struct str *out, const struct gpu_lanes *lanes);

/* --- lanes_json --- */

/* Adds the member "lanes": GPUs, users, models, the segments that hold GPUs, of more than `most`
   those that hold most GPU time, the jobs that they are of, and what GPUs did without a job. Lists
   by column; docs/reference/outputs.md names them. */
void lanes_json_add(struct str *out, const struct recorded_run *run, const struct gpu_lanes *lanes,
                    size_t most);

/* --- heat_json --- */

/* Adds the member "heat". A row is a number of GPUs of one type, such that there are at most about
   96 rows. There are levels of 240, 960 and 3840 columns of equal time, if there are as many
   segments, and cells are at most `most`. A cell has the share of GPU time that is held, the mean
   power of a GPU, and the useful part of it. useful_frac: by job, the useful share of the energy of
   its kept computing; NULL: not known. */
void heat_json_add(struct str *out, const struct recorded_run *run, const struct gpu_lanes *lanes,
                   const double *useful_frac, size_t most);

/* --- power_levels --- */

/* Adds the member "power": the end of the run, the number of rows, and levels from coarse to fine.
   Up to 3000 rows are one level, as they are. More rows become means over 600 and over 6000 equal
   bins, for power also the least and the largest value in each. A row holds until the next one.
   least_end_s: the run lasts at least until then. null if there is no power.csv. */
int power_levels_add(struct str *out, const char *folder, int64_t replication, double least_end_s,
                     struct error *reterr) MUST_CHECK;

#endif
