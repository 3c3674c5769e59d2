/* manifest.json: what produced a folder of results, enough to make it again. Holds no time or host, so that equal
   runs have equal manifests. */
#ifndef EASIM_OUTPUT_MANIFEST_H
#define EASIM_OUTPUT_MANIFEST_H

#include "experiment/replicate.h"
#include "output/json.h"

struct manifest_state {
    const struct replicate_result *result;
    bool partial;             /* interrupted or failed */
    const char *const *files; /* written, NULL-terminated */
};

/* Parts, for the manifests of several runs: program and scenario; its hash, which a policy and its parameters
   change; a policy with its parameters, or one of them; and what was read: models, logs, series, warnings. */
cJSON *manifest_begin(const struct study *study);
void manifest_add_hash(cJSON *object, const struct study *study);
cJSON *manifest_add_policy(cJSON *object, const char *key, const struct study *study);
void manifest_add_param(cJSON *object, const struct policy_params *params, size_t index);
void manifest_add_inputs(cJSON *root, const struct study *study);

void manifest_write(const struct study *study, const struct manifest_state *state, struct str *out);

#endif
