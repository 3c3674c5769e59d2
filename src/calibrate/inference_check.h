/* Measured inference against the models of a file. */
#ifndef EASIM_CALIBRATE_INFERENCE_CHECK_H
#define EASIM_CALIBRATE_INFERENCE_CHECK_H

#include "calibrate/inference.h"

/* One point for each predicted row, at its batch size or limit. Zero-initialise; release with
   inference_check_finish. */
struct inference_check {
    struct left_out_points generation, serving;
    size_t rows[2];       /* by whether they are of serving */
    size_t no_table[2];   /* without a model, GPU type or number of GPUs in the file */
    size_t outside[2];    /* outside the points of their table */
    size_t other_unit[2]; /* of models that count something else */
};

void inference_check_rows(struct inference_check *check, const struct inference_row *rows,
                          size_t count, const struct model_set *models);
void inference_check_finish(struct inference_check *check);

#endif
