/* aggregate.csv as JSON, for scripts. */
#ifndef EASIM_OUTPUT_RUN_RESULT_JSON_H
#define EASIM_OUTPUT_RUN_RESULT_JSON_H

#include "output/bound/bound_tables.h"
#include "study/replicate.h"

/* {name, policy, seed, replications, metrics: {METRIC: {n, mean, sd, ci95}}}, and "bounds" unless
   they are NULL; what is not defined is null. */
void result_json(const struct study *study, const struct replicate_result *result,
                 const struct bound_output *bounds, struct str *out);

#endif
