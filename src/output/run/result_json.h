/* aggregate.csv as JSON, for scripts. */
#ifndef EASIM_OUTPUT_RUN_RESULT_JSON_H
#define EASIM_OUTPUT_RUN_RESULT_JSON_H

#include "study/replicate.h"

/* {name, policy, seed, replications, metrics: {METRIC: {n, mean, sd, ci95}}}; what is not defined
 * is null. */
void result_json(const struct study *study, const struct replicate_result *result, struct str *out);

#endif
