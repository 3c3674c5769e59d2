/* Whether the inputs of a recorded command are still what they were. */
#ifndef EASIM_CLI_REPEAT_INPUTS_H
#define EASIM_CLI_REPEAT_INPUTS_H

#include "base/array.h"
#include "study/recorded.h"

/* Zero-initialise; release with repeat_inputs_finish. */
struct repeat_inputs {
    ARRAY_OF(const char *) changed; /* names of files whose hashes differ */
    bool trust;                     /* set before the check, as is */
    const char *results;            /* of struct options; NULL: none of its policies is refused */
    const char *policy_path; /* for EASIM_POLICY_PATH, valid from any folder: where policies were
                                found, if that is trusted, and then where it says */
    struct arena arena;
};

/* Names each missing and each changed input on standard error; who: the command, for messages.
   Negative if one is missing that it takes, or if a policy is foreign and not trusted, or is not
   what was trusted. */
int repeat_inputs_check(struct repeat_inputs *inputs, const struct recorded *recorded,
                        const char *who) MUST_CHECK;
void repeat_inputs_finish(struct repeat_inputs *inputs);

#endif
