/* A struct easim_policy that ends too early; not declared as one, lest the host's type be assumed.
 */
#include <stddef.h>
#include <stdint.h>

struct beginning {
    uint32_t abi_major, abi_minor;
    size_t struct_size;
};

extern __attribute__((visibility("default"))) const struct beginning easim_policy;

const struct beginning easim_policy = {2, 0, sizeof(struct beginning)};
