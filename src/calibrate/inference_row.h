/* A row of a profile that measured no training: a generation of outputs as a batch job, or a point
   of a serving table (docs/calibration.md). */
#ifndef EASIM_CALIBRATE_INFERENCE_ROW_H
#define EASIM_CALIBRATE_INFERENCE_ROW_H

#include "model/model.h"

struct inference_row {
    const char *model, *gpu, *source; /* interned: equal ones have one address */
    const char *prompt;               /* "included", a number, or "" */
    enum work_unit unit;              /* of tokens or outputs */
    enum evidence evidence;
    uint32_t k, line;
    double batch;   /* generation: outputs at once, per GPU */
    double limit;   /* serving: most requests at once; NAN: not stated */
    double running; /* serving: mean of the requests at once; NAN: a generation */
    double per_s;
    double power_w;                       /* of one GPU */
    double latency_ms[SERVING_QUANTILES]; /* serving; of outputs all the same */
};

static inline bool inference_row_is_serving(const struct inference_row *row) {
    return row->running > 0;
}

#endif
