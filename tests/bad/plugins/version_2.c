/* As a plug-in compiled against version 2.2 begins: there was no draft number then. */
#include <stddef.h>
#include <stdint.h>

struct version_2 {
    uint32_t abi_major, abi_minor;
    size_t struct_size;
    const char *name, *version, *summary, *help;
    uint32_t capabilities;
    size_t state_size, params_size;
    const void *params;
    uint32_t param_count;
    const void *list;
    int (*decide)(const void *pass);
    int (*init)(const void *pass);
    void (*finish)(const void *pass);
};

extern __attribute__((visibility("default"))) const struct version_2 easim_policy;

static int decide(const void *pass) {
    (void)pass;
    return 0;
}

const struct version_2 easim_policy = {.abi_major = 2,
                                       .abi_minor = 2,
                                       .struct_size = sizeof(struct version_2),
                                       .name = "version_2",
                                       .version = "1.0",
                                       .summary = "for tests",
                                       .decide = decide};
