/* The law of power limits, one a GPU type, fitted to measured curves of speed and power over the
   limit. Errors are |ln(predicted / measured)|. */
#ifndef EASIM_CALIBRATE_LIMIT_FIT_H
#define EASIM_CALIBRATE_LIMIT_FIT_H

#include "base/arena.h"
#include "base/array.h"
#include "model/laws.h"

/* Limits below this share of the highest are not fitted: boards hardly hold them. */
#define LIMIT_FIT_FROM 0.4

enum limit_error {
    LIMIT_LAW_SPEED, /* fitted without the limit */
    LIMIT_LAW_DRAW,
    LIMIT_SHARE_SPEED, /* the control: speed in proportion to the draw of the law */
    LIMIT_TABLE_SPEED, /* of inner limits, each left out of the table of its curve */
    LIMIT_TABLE_DRAW,
    LIMIT_FITTED_SPEED, /* by the law of all limits */
    LIMIT_ERRORS
};

/* A configuration under a limit, against itself without one. */
struct limit_row {
    const char *gpu, *model;
    uint32_t curve, k; /* rows of a curve stand together, by ascending limit */
    double batch, limit_w;
    double most_w, top_w; /* P, and under which limit it was measured; NAN: none */
    double draw, speed;   /* measured, shares */
    enum evidence evidence;
    bool fitted;
    double error[LIMIT_ERRORS]; /* NAN: not defined */
};

/* Of one GPU type. */
struct limit_fit {
    const char *gpu;
    struct limit_law law;
    double highest_w, from_w, to_w; /* its highest limit; least and largest limit fitted */
    size_t rows, curves, limits;    /* fitted */
    enum evidence evidence;         /* the weakest of the rows */
};

/* Zero-initialise; release with limit_fits_finish. */
struct limit_fits {
    ARRAY_OF(struct limit_row) rows;
    ARRAY_OF(struct limit_fit) fits; /* in the order of the files */
    uint32_t curves;
    bool has_runs;      /* some file is of metered runs */
    struct arena arena; /* of texts */
};

/* Adds the rows of a file: a profile CSV, whose rows without a limit, or at the highest one, are
   the unlimited ones; or metered runs (limit_w, mean_w, s_per_work), of which `reference` names the
   one without a limit (NULL: none is named). Negative after adding problems. */
int limit_fits_load(struct limit_fits *fits, const char *path, const char *reference,
                    struct problems *problems) MUST_CHECK;
/* Finds s and m in steps of 0.01, with the least sum of |ln(predicted / measured speed)|, which
   outliers hardly move, and then all errors. path: for messages. Negative after adding problems: no
   row, or a GPU type with one limit. */
int limit_fits_make(struct limit_fits *fits, const char *path,
                    struct problems *problems) MUST_CHECK;
/* The errors of one kind of a GPU type (NULL: all): count, median and 90 % (nearest rank). */
struct limit_error_sizes {
    size_t count;
    double median, most_of_90;
} limit_error_sizes_of(const struct limit_fits *fits, const char *gpu, enum limit_error error);
void limit_fits_finish(struct limit_fits *fits);

#endif
