/* Measured profiles: what a training job reached on k GPUs with a batch, one row per measurement
 * (docs/reference/profiles.md). */
#ifndef EASIM_CALIBRATE_PROFILE_TABLE_H
#define EASIM_CALIBRATE_PROFILE_TABLE_H

#include "base/array.h"
#include "base/error.h"
#include "base/intern.h"
#include "calibrate/inference.h"
#include "model/model_file.h"

/* Whose power is metered: of a GPU, or of a whole node, at the plug or behind its power supplies.
 * By place in profile_scope_names. */
enum profile_scope { PROFILE_SCOPE_GPU, PROFILE_SCOPE_NODE, PROFILE_SCOPE_AC, PROFILE_SCOPE_DC };
extern const char *const profile_scope_names[]; /* NULL-terminated */

struct profile_point {
    const char *model; /* with the precision behind it: MODEL-PRECISION */
    const char *gpu, *source;
    uint32_t k;
    double batch; /* per GPU */
    bool across_nodes;
    double limit_w;              /* power limit; NAN: none */
    double throughput_samples_s; /* of all k GPUs */
    double power_w;              /* of one GPU, or its share of the node; NAN: not measured */
    enum profile_scope scope;    /* of power_w */
    enum evidence evidence;
    /* Of the whole training run. */
    uint32_t nodes, grad_accum, runs; /* runs: repetitions that the row is the median of */
    double samples_to_target;         /* these and the next: NAN where not measured */
    double run_s;
    double node_power_w, node_floor_w; /* mean while training, lowest reading after it */
    const char *round;                 /* "" if not said */
    uint32_t line, group;
};

/* By span, k, batch; 0: the same configuration. */
int profile_compare_places(const struct profile_point *a, const struct profile_point *b);

/* The rows of one model on one GPU type, by limit (none first, then from the highest), span, k,
 * batch, line. */
struct profile_group {
    const char *model, *gpu;
    const struct profile_point *rows;
    size_t count;
    size_t
        base_count; /* of rows without a limit; where there are none, of rows at the highest one */
    /* Rows without a limit stand beside rows at the highest limit of the GPU type: these count as
       unlimited, too (merged_w: that limit; else 0), unless where both were measured their speeds
       differ by more than 2 % in the mean (differs: by how much; else 0). */
    double merged_w, differs;
    bool unwanted; /* not to be calibrated; its rows tell of convergence and floors all the same */
};

/* Zero-initialise; release with profile_table_finish. Text is borrowed from it. */
struct profile_table {
    const char *file; /* the caller's */
    ARRAY_OF(struct profile_point) rows;
    ARRAY_OF(struct profile_point)
    readings; /* rows with node power and no throughput: further meters of runs that have a row */
    ARRAY_OF(struct inference_row) inference; /* rows of tokens or outputs: in no group */
    ARRAY_OF(struct profile_group) groups;    /* in the order of first appearance */
    struct intern texts, keys;
};

/* Reads a profile CSV (plain, gz or zst). All bad rows are problems with line and column; then
 * negative. */
int profile_table_load(struct profile_table *profile, const char *path,
                       struct problems *problems) MUST_CHECK;
void profile_table_finish(struct profile_table *profile);

#endif
