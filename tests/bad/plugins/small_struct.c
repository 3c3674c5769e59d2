/* A struct easim_policy that ends too early. The header's own declaration goes by another name,
   lest the host's type be assumed. */
#define easim_policy declared_policy
#include <easim/policy.h>
#undef easim_policy

struct beginning {
    uint32_t abi_major, abi_minor, abi_draft, param_bytes;
    size_t struct_size;
};

extern EASIM_EXPORT const struct beginning easim_policy;

const struct beginning easim_policy = {EASIM_ABI_MAJOR, EASIM_ABI_MINOR, EASIM_ABI_DRAFT,
                                       sizeof(struct easim_param), sizeof(struct beginning)};
