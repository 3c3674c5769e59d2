/* The values of the axes of a sweep: lists, ranges, zipped lists and samples. Only sweep.c uses it. */
#ifndef EASIM_EXPERIMENT_SWEEP_AXES_H
#define EASIM_EXPERIMENT_SWEEP_AXES_H

#include "experiment/sweep.h"

/* Binds the items of `axes` and adds their axes and groups. Negative if problems were added. */
int sweep_axes_bind(struct sweep *sweep, const struct yaml_node *node, const struct binding *binding) MUST_CHECK;
/* A YAML value as text on one line. */
const char *sweep_flow_text(const struct yaml_node *node, struct arena *arena);

#endif
