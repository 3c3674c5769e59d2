/* Measured inference in a model file: lookup tables of generation, serving tables, and how well
   their neighbors predict each point. */
#ifndef EASIM_CALIBRATE_INFERENCE_H
#define EASIM_CALIBRATE_INFERENCE_H

#include "base/arena.h"
#include "base/array.h"
#include "base/str.h"
#include "model/model.h"

/* --- inference_row --- */
/* A row of a profile without training: a generation of outputs as a batch job, or a point of a
   serving table (docs/explanation/calibration.md). */

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

/* --- inference --- */

#define INFERENCE_QUANTITY_ROWS(X) \
    X(OF_SPEED, "throughput"), X(OF_POWER, "power"), X(OF_P50, "latency p50"), \
        X(OF_P90, "latency p90"), X(OF_P95, "latency p95"), X(OF_P99, "latency p99")
enum inference_quantity { INFERENCE_QUANTITY_ROWS(ENUM_OF), INFERENCE_QUANTITIES };
extern const char *const inference_quantity_names[INFERENCE_QUANTITIES];

/* An inner point of a curve, predicted at its place from the other points of the curve. */
struct left_out_point {
    const char *model, *gpu;
    uint32_t k;
    double at;                          /* batch_size (all GPUs), or limit, else running batch */
    double error[INFERENCE_QUANTITIES]; /* relative, >= 0; NAN: not predicted */
};

struct left_out_points {
    struct left_out_point *at;
    size_t count, capacity;
};

/* Of the errors of one quantity; worst: index, or count where there are none. */
struct left_out_summary {
    size_t count, worst;
    double mean, median, p90, most;
};

/* A model on one GPU type. */
struct generation_table {
    const char *model, *gpu;
    struct interpolation table;
    enum evidence evidence; /* the weakest */
    size_t rows;            /* equal k and batch: their mean is one point */
    size_t first_left_out, left_out_count;
};

/* Replicas of k GPUs: points in ascending n as measured, rates and latencies not yet pooled. */
struct serving_curve {
    const char *model, *gpu, *prompt;
    enum work_unit unit;
    enum evidence evidence;
    uint32_t k;
    struct serving_table raw, pooled;
    size_t rows;    /* equal limits: their mean is one point */
    size_t dropped; /* points whose n a higher limit does not exceed */
    size_t first_left_out, left_out_count;
};

struct inference {
    struct arena *arena;
    ARRAY_OF(struct generation_table) generations;
    ARRAY_OF(struct serving_curve) curves;
    struct left_out_points generation_errors, serving_errors;
};

/* Sorts rows (by model, GPU type, k, batch or limit) and makes tables and errors of them; what it
   gives points into them. Release with inference_finish. */
void inference_make(struct inference *inference, struct inference_row *rows, size_t count,
                    struct arena *arena);
void inference_finish(struct inference *inference);

/* |found / measured - 1|. */
double left_out_error(double found, double measured);

/* Over count points from `first` on; quantiles between order statistics. */
struct left_out_summary left_out_summarise(const struct left_out_points *points, size_t first,
                                           size_t count, enum inference_quantity quantity);

/* Whether pooling moved a rate or a latency of the point by more than a tenth. */
bool serving_curve_moved(const struct serving_curve *curve, size_t point);

/* --- inference_check: measured inference against the models of a file --- */

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

/* --- inference_writer: as text, models of a model file and words for the terminal --- */

/* Appends the models, each with all its tables, as items of `models`; profile: file name, for
   `source`. Numbers read back exactly. */
void inference_write_models(struct str *out, const struct inference *inference,
                            const char *profile);
/* Appends tables, what was done to their points, and left-out errors over all of them: median, 90 %
   quantile and the worst by name. */
void inference_write_report(struct str *out, const struct inference *inference);
/* Appends how many rows the models predict, and their errors. False if the mean error of rate,
   power or median latency is above max_error. */
bool inference_write_check(struct str *out, const struct inference_check *check, double max_error);

#endif
