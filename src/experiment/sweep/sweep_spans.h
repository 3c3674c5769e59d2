/* Numbers between two bounds: of a range, or of a sample. */
#ifndef EASIM_EXPERIMENT_SWEEP_SWEEP_SPANS_H
#define EASIM_EXPERIMENT_SWEEP_SWEEP_SPANS_H

#include "experiment/sweep/sweep_sets.h"

struct sweep_span {
    struct location where;
    const char *path;                  /* of samples */
    const struct yaml_node *bounds[3]; /* from, to, step: see bind_bounds */
    double from, to, step;             /* step: NAN if a range has a count, and of samples */
    const char *unit;                  /* of all three, with the blanks before it; "" */
    int64_t count;                     /* numbers of a range */
    int32_t scale;
    bool integer;
};

/* Of one span of a sample, whose bounds sweep_span_bind_bounds binds then. */
extern const struct field sweep_sample_span_fields[];

/* from, to and step with their unit. Negative if problems were added. */
int sweep_span_bind_bounds(struct sweep_span *span, const char *path,
                           const struct binding *binding) MUST_CHECK;
/* A range with its bounds; *span is zeroed before. Negative if problems were added. */
int sweep_span_bind_range(struct sweep_span *span, const struct yaml_node *node, const char *path,
                          const struct binding *binding) MUST_CHECK;

/* The number at a share 0..1 of the way, in equal steps of the value or of its logarithm. */
double sweep_span_along(const struct sweep_span *span, double share);
/* A number of a range, from 0. */
double sweep_span_number(const struct sweep_span *span, size_t index);
/* The number as a value, with the unit, in the arena. */
const char *sweep_span_text(const struct sweep_span *span, double value, struct arena *arena);

#endif
