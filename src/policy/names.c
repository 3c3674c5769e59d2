/* Names of policies: see names.h. */
#include "policy/names.h"

#include "policy/module.h"

#include <string.h>

struct wanted {
    const char *name;
    bool found;
};

static void compare_file(const char *file, void *context) {
    struct wanted *wanted = context;
    wanted->found = wanted->found || strcmp(file, wanted->name) == 0;
}

/* A policy may have another name than its file. */
static void compare_policy(const char *file, void *context) {
    struct wanted *wanted = context;
    struct policy_module module = {0};
    struct error ignored = {0};
    if (!wanted->found && module_open(file, &module, &ignored) == 0)
        wanted->found = strcmp(module.policy->name, wanted->name) == 0;
    module_close(&module);
}

int policy_name_check(const char *name, const char *const *loaded, size_t loaded_count, struct error *reterr) {
    static void (*const looks[])(const char *file, void *context) = {compare_file, compare_policy};
    struct wanted wanted = {.name = name};
    for (int l = 0; l < 2 && !wanted.found; l++) {
        for (size_t i = 0; i < loaded_count; i++)
            looks[l](loaded[i], &wanted);
        if (!wanted.found)
            module_list(looks[l], &wanted);
    }
    return wanted.found ? 0 : module_not_found(name, reterr);
}
