/* The values of the axes of a sweep: lists, ranges, zipped lists and samples. Only sweep.c uses it. */
#ifndef EASIM_EXPERIMENT_SWEEP_AXES_H
#define EASIM_EXPERIMENT_SWEEP_AXES_H

#include "experiment/sweep.h"

/* Binds the items of `axes` and adds their axes and groups. Negative if problems were added. */
int sweep_axes_bind(struct sweep *sweep, const struct yaml_node *node, const struct binding *binding) MUST_CHECK;
/* Binds a mapping from paths to values. Negative if problems were added. */
int sweep_sets_bind(struct sweep_sets *sets, const struct yaml_node *node, const char *path,
                    const struct binding *binding) MUST_CHECK;

#endif
