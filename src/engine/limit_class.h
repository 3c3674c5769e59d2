/* Draw and speed of jobs on whole GPUs, between their least draw and that of their wish (semantics
   37.2, 37.3). Jobs that are alike in both share a class. */
#ifndef EASIM_ENGINE_LIMIT_CLASS_H
#define EASIM_ENGINE_LIMIT_CLASS_H

#include "base/intern.h"
#include "model/gpu_value.h"
#include "workload/workload.h"

#define LIMIT_RANGES 2 /* in which the draw of a job rises, one after the other (power_cap.h) */

#define LIMIT_CLASSES_FOUND 256

/* Speed and power of a job at some place in its ranges. */
struct limit_hold {
    double goodput; /* without noise and neighbours */
    int64_t nw;     /* of all its GPUs while it computes */
};

/* lo_nw, top_nw and entry_nw are of one GPU, and what counts against a cap: at least ctx_w. */
struct limit_class {
    uint32_t config, span, k, ranges, gpu_type; /* ranges: 1 or 2 */
    double wish_w;                              /* INFINITY: no limit */
    double fastest;                             /* goodput without a limit */
    struct limit_hold full;                     /* at its wish */
    int64_t broken_nw; /* a draw below it costs more speed than its flex allows */
    int64_t lo_nw, top_nw[LIMIT_RANGES], entry_nw; /* top_nw: the end of each range */
    struct limit_curve curve;
    struct limit_hold *steps; /* by the sum of steps of its ranges; NULL: not asked for yet */
};

/* The part of each range, 0 to 1, by which jobs have risen. */
struct limit_place {
    double x[LIMIT_RANGES];
    uint32_t step, step_before; /* the sum over ranges, and what it was until it changed last */
};

/* Whether a draw costs more speed than its flex allows, of a job that may lose some. */
static inline bool limit_class_breaks(const struct limit_class *c, int64_t nw) {
    return nw < c->broken_nw && c->broken_nw < c->full.nw;
}

/* Zero-initialise, except cluster, workload, configs (borrowed) and steps. */
struct limit_classes {
    const struct cluster *cluster;
    const struct workload *workload;
    const struct easim_config *configs; /* those of the view */
    struct intern keys;
    uint32_t found[LIMIT_CLASSES_FOUND]; /* by configuration and span: the class found last + 1 */
    ARRAY_OF(struct limit_class) at;
    uint32_t steps; /* places are multiples of 1 / steps; 0: they are exact */
};

void limit_classes_finish(struct limit_classes *classes);
/* The class of a job in config, placed as span. wish_w: INFINITY if the configuration says it.
   utilization: of a rigid job in its present step; negative: its mean. */
uint32_t limit_class_of(struct limit_classes *classes, uint32_t job, uint32_t config, uint32_t span,
                        double wish_w, double utilization);
/* Power of all its GPUs that counts against the cap at its wish, nW. */
int64_t limit_class_want_nw(const struct limit_class *class);

/* Speed and power of a job of a class at a place. */
struct limit_hold limit_class_hold(struct limit_classes *classes, uint32_t class,
                                   const struct limit_place *place);
/* The same at a draw of each of its GPUs; a draw above that of the wish is brought down to it. */
struct limit_hold limit_class_at(const struct limit_class *class, int64_t gpu_nw);

#endif
