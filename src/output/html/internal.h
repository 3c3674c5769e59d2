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

/* --- packed: columns of whole numbers next to the JSON, most of the data --- */
/* For each the JSON has {packed: place, count, bytes, steps}. There are `count` lowest bytes of the
   numbers, then as many higher ones. 0, 1, 2, 3, 4 stand for 0, -1, 1, -2, 2; with steps they are
   differences to the number before. */

/* Zero-initialise; release with packed_finish. */
struct packed {
    struct str bytes;
    int64_t *values; /* of the next column */
    size_t capacity;
};

/* Adds a member: the values, below 2^50, for i from 0 on. */
#define ADD_PACKED(out, packed, key, count, i, value) \
    do { \
        int64_t *packed_values = packed_room(packed, count); \
        for (size_t i = 0; i < (count); i++) \
            packed_values[i] = (value); \
        packed_add(out, packed, key, count); \
    } while (0)
int64_t *packed_room(struct packed *packed, size_t count);
void packed_add(struct str *out, struct packed *packed, const char *key, size_t count);
/* Milliseconds from one instant to another, each of them rounded; -1 if the other is before 0. */
int64_t packed_ms(int64_t since_ns, int64_t time_ns);
/* The upper 24 bits of a float, 5 digits; -1 if it is not finite. */
int64_t packed_real(double value);
/* Appends the JSON, which is used up, a NUL and the columns: deflated (RFC 1950), in base 64. */
int packed_write(struct packed *packed, struct str *json, struct str *out,
                 struct error *reterr) MUST_CHECK;
void packed_finish(struct packed *packed);

/* --- table_json --- */
/* A small CSV file of results as JSON: {"columns": [...], "rows": [[...], ...]}. */

/* Adds a member of that key: null if there is no such file. Cells are numbers, texts in the columns
   of names, null where they are empty. replication: only rows of it, where the file has the column;
   0: all. ERROR_INPUT names the place of a cell that is no number. */
int table_json_add(struct str *out, const char *key, const char *folder, const char *name,
                   int64_t replication, struct error *reterr) MUST_CHECK;

/* --- jobs_json --- */

#define MOST_JOBS 500000u /* of all policies together, so that the page stays below 10 MB or so */

/* Adds the members "curves" and "jobs", null if there is no jobs.csv. curves: the rows that count,
   and for completion times, slowdowns and waits points (x, share of these rows that have at most
   x), at most 440, the largest 40 each by itself. jobs: the first rows of the replication by
   column, and "all", how many there are. */
int jobs_json_add(struct str *out, struct packed *packed, const char *folder, int64_t replication,
                  size_t policies, struct error *reterr) MUST_CHECK;

/* Those of the replication that power limits slowed most, at most 10. */
int slowed_json_add(struct str *out, const char *folder, int64_t replication,
                    struct error *reterr) MUST_CHECK;

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
int insight_json_add(struct str *out, const struct recorded_run *run, const struct blame *blame,
                     const struct insight_hooks *hooks, double **ret_useful_frac,
                     struct error *reterr) MUST_CHECK;

/* --- blame_json --- */

/* Adds the member "blame": the names of the parts of a job's time, of all jobs their sums (s), and
   of the first `most` jobs why they missed a deadline, by how much if they have not finished, and
   their parts without computing, which is the rest, and the wait for the start. */
void blame_json_add(struct str *out, struct packed *packed, const struct recorded_run *run,
                    const struct blame *blame, size_t most);

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

/* Adds the member "lanes": GPUs, labels, replicas of services, segments that hold GPUs, of the
   first jobs and of replicas, if there are too many those that hold most GPU time, and what GPUs
   did without a job. A job is its place among the first ones, replicas come after them. */
void lanes_json_add(struct str *out, struct packed *packed, const struct recorded_run *run,
                    const struct gpu_lanes *lanes, size_t policies);

/* --- heat_json --- */

/* Adds the member "heat". A row is a number of GPUs of one type, such that there are at most about
   96 rows. There are 240, 960 or 3840 columns of equal time, the more the more segments there are,
   and cells are at most `most`. A cell has, as a share of the largest value in 4095ths, the share
   of GPU time that is held, the mean power of a GPU, and the useful part of it. useful_frac: by
   job, the useful share of the energy of its kept computing; NULL: not known. */
void heat_json_add(struct str *out, struct packed *packed, const struct recorded_run *run,
                   const struct gpu_lanes *lanes, const double *useful_frac, size_t most);

/* --- power_levels --- */

/* Adds the member "power": the end of the run, the number of rows, and levels from coarse to fine.
   Up to 3000 rows are one level, as they are. More rows become means over 600 and over 6000 equal
   bins, for power also the least and the largest value in each. A row holds until the next one.
   least_end_s: the run lasts at least until then. null if there is no power.csv. */
int power_levels_add(struct str *out, const char *folder, int64_t replication, double least_end_s,
                     struct error *reterr) MUST_CHECK;

#endif
