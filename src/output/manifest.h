/* manifest.json: what produced a folder of results, enough to make it again. Holds no time or host, so that equal
   runs have equal manifests. */
#ifndef EASIM_OUTPUT_MANIFEST_H
#define EASIM_OUTPUT_MANIFEST_H

#include "experiment/replicate.h"

struct manifest_state {
    const struct replicate_result *result;
    bool partial;             /* interrupted or failed */
    const char *const *files; /* written, NULL-terminated */
};

void manifest_write(const struct study *study, const struct manifest_state *state, struct str *out);

#endif
