/* Measured profiles: what a training job reached on k GPUs with a batch, one row per measurement
 * (docs/calibration.md). */
#ifndef EASIM_CALIBRATE_PROFILE_TABLE_H
#define EASIM_CALIBRATE_PROFILE_TABLE_H

#include "base/array.h"
#include "base/error.h"
#include "base/intern.h"
#include "model/model_file.h"

struct profile_point {
    const char *model; /* with the precision behind it: MODEL-PRECISION */
    const char *gpu, *source;
    uint32_t k;
    double batch; /* per GPU */
    bool across_nodes;
    double limit_w;              /* power limit; NAN: none */
    double throughput_samples_s; /* of all k GPUs */
    double power_w;              /* of one GPU; NAN: not measured */
    enum evidence evidence;
    uint32_t line, group;
};

/* The rows of one model on one GPU type, by limit (none first, then from the highest), span, k,
 * batch, line. */
struct profile_group {
    const char *model, *gpu;
    const struct profile_point *rows;
    size_t count;
    size_t
        base_count; /* of rows without a limit; where there are none, of rows at the highest one */
};

/* Zero-initialise; release with profile_table_finish. Text is borrowed from it. */
struct profile_table {
    const char *file; /* the caller's */
    ARRAY_OF(struct profile_point) rows;
    ARRAY_OF(struct profile_group) groups; /* in the order of first appearance */
    struct intern texts, keys;
};

/* Reads a profile CSV (plain, gz or zst). All bad rows are problems with line and column; then
 * negative. */
int profile_table_load(struct profile_table *profile, const char *path,
                       struct problems *problems) MUST_CHECK;
void profile_table_finish(struct profile_table *profile);

#endif
