/* Assumptions of results, other than the scenario's own figures: a line for each that applies, with
   the key of the scenario that changes it. */
#ifndef EASIM_OUTPUT_ASSUMPTIONS_H
#define EASIM_OUTPUT_ASSUMPTIONS_H

#include "output/json.h"
#include "study/replicate.h"

/* A policy of a run or a comparison, with what it gave. */
struct assumed_run {
    const struct study *study;
    const struct replicate_result *result;
};

struct assumption {
    const char *text, *key;
};

/* Zero-initialise; release with assumptions_finish. */
struct assumptions {
    ARRAY_OF(struct assumption) at;
    struct arena arena;
};

/* For runs of one scenario under different policies; at least one. */
void assumptions_find(struct assumptions *assumptions, const struct assumed_run *runs,
                      size_t count);
void assumptions_finish(struct assumptions *assumptions);

/* A line each, "TEXT [KEY]", below a heading, or each a note; nothing if none applies. */
void assumptions_print(const struct assumptions *assumptions, bool as_notes, struct str *out);
/* As "assumptions": text and key of each. */
void assumptions_add_json(const struct assumptions *assumptions, cJSON *root);

#endif
