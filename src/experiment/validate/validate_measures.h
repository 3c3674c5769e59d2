/* The list `measured` of a validation. */
#ifndef EASIM_EXPERIMENT_VALIDATE_VALIDATE_MEASURES_H
#define EASIM_EXPERIMENT_VALIDATE_VALIDATE_MEASURES_H

#include "experiment/validate/validate_case.h"

/* Binds the figures; measured values may stand in a table of facts. Data and jobs are bound. */
int validate_measures_bind(struct validate_case *validation, const struct yaml_node *node,
                           const struct binding *binding) MUST_CHECK;
/* Every figure that a table of jobs allows. */
void validate_measures_of_log(struct validate_case *validation, double tolerance);

#endif
