/* A summary with a control character. */
#include "wrong.h"

EASIM_EXPORT const struct easim_policy easim_policy = {.abi_major = EASIM_ABI_MAJOR,
                                                       .abi_minor = EASIM_ABI_MINOR,
                                                       .abi_draft = EASIM_ABI_DRAFT,
                                                       .param_bytes = sizeof(struct easim_param),
                                                       .struct_size = sizeof(struct easim_policy),
                                                       .name = "wrong",
                                                       .version = "1",
                                                       .summary = "has\x1b one fault",
                                                       .decide = start_in_order};
