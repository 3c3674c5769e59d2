/* fcfs: first come, first served. Jobs start in the order of submission; the first that does not
 * fit stops the pass. */
#include <easim/policy.h>

static const struct easim_list list = {
    .struct_size = sizeof(struct easim_list),
    .strict = true,
};

EASIM_EXPORT const struct easim_policy easim_policy = {
    EASIM_POLICY_ABI,
    .name = "fcfs",
    .version = "1.0",
    .summary = "first come, first served",
    .help =
        "Jobs start in the order of submission, each in its fastest configuration that fits now (or in its fixed\n"
        "request). With strict, the default, the first job that does not fit stops the pass; "
        "without it, later\n"
        "jobs may pass it (first fit).",
    .capabilities = EASIM_CAPABILITY_FRACTIONAL_GPU,
    .list = &list,
    .reads = EASIM_READS_NOTHING,
};
