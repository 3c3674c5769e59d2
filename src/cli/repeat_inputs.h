/* Whether the inputs of a recorded command are still what they were. */
#ifndef EASIM_CLI_REPEAT_INPUTS_H
#define EASIM_CLI_REPEAT_INPUTS_H

#include "base/array.h"
#include "study/recorded.h"

/* Zero-initialise; release with repeat_inputs_finish. */
struct repeat_inputs {
    ARRAY_OF(const char *) changed; /* names of files whose hashes differ */
    const char
        *policy_path; /* for EASIM_POLICY_PATH: where policies were found, and then where it says */
    struct arena arena;
};

/* Names each missing and each changed input on standard error; who: the command, for messages.
   Negative if one is missing that it takes. */
int repeat_inputs_check(struct repeat_inputs *inputs, const struct recorded *recorded,
                        const char *who) MUST_CHECK;
void repeat_inputs_finish(struct repeat_inputs *inputs);

#endif
