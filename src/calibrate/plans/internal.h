/* What the files of src/calibrate/plans share; for this folder alone. */
#ifndef EASIM_CALIBRATE_PLANS_INTERNAL_H
#define EASIM_CALIBRATE_PLANS_INTERNAL_H

#include "base/array.h"
#include "model/model_file.h"

/* --- plan_rows --- */

struct plan_row {
    uint32_t line;
    const struct gpu_model *gpu_model;
    const char *model, *group; /* group: rows with one compute_fraction */
    const char *round, *fold;  /* of software; left out together: "" if none is stated */
    double round_factor;       /* speed of the round, times that of the others; NAN: not stated */
    double shape_fraction;     /* of the peak that products of the row's shapes reach alone */
    uint32_t node_gpus;
    struct transformer shape; /* the model's, with the row's global batch */
    struct plan plan;
    double iteration_s;
    bool held_out; /* not fitted */
};

/* Zero-initialise; release with plan_rows_finish. */
struct plan_rows {
    ARRAY_OF(struct plan_row) rows;
    bool has_shapes;    /* there is a column shape_fraction */
    uint32_t node_gpus; /* of rows whose model states no gpus_per_node; set before loading */
};

/* Reads columns model, gpu, gpus, tp, pp, mb, one of iteration_s, samples_s, tokens_s_gpu and
   tflops_gpu (operations as transformer_flop counts them), and where there are any v, cp,
   global_batch, group (default: GPU type and precision, if the model states one), round (of
   software), round_factor (default: 1 where there is no round), fold, shape_fraction, held_out.
   Models borrow from the set. Negative after adding problems. */
int plan_rows_load(struct plan_rows *rows, const char *path, const struct model_set *models,
                   const struct binding *binding) MUST_CHECK;
void plan_rows_finish(struct plan_rows *rows);

#endif
