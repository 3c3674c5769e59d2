/* Names of policies: see names.h. */
#include "policy/names.h"

#include <string.h>

struct wanted {
    const char *name;
    bool apart, found;
    struct policy_module *module; /* opened if it is found by its own name */
};

static void compare_file(const char *file, void *context) {
    struct wanted *wanted = context;
    wanted->found = wanted->found || strcmp(file, wanted->name) == 0;
}

/* A policy may have another name than its file. */
static void compare_policy(const char *file, void *context) {
    struct wanted *wanted = context;
    struct error ignored = {0};
    if (wanted->module->policy)
        return;
    int r = (wanted->apart ? module_open_apart : module_open)(file, wanted->module, &ignored);
    if (r == 0 && strcmp(wanted->module->policy->name, wanted->name) == 0)
        wanted->found = true;
    else
        module_close(wanted->module);
}

static void look_for_policy(struct wanted *wanted, void (*compare)(const char *file, void *context),
                            const char *const *loaded, size_t loaded_count) {
    for (size_t i = 0; i < loaded_count; i++)
        compare(loaded[i], wanted);
    if (!wanted->found)
        module_list(compare, wanted);
}

int policy_name_open(const char *name, bool apart, const char *const *loaded, size_t loaded_count,
                     struct policy_module *module, struct error *reterr) {
    struct wanted wanted = {.name = name, .apart = apart, .module = module};
    *module = (struct policy_module){0};
    look_for_policy(&wanted, compare_file, loaded, loaded_count);
    if (wanted.found)
        compare_policy(name, &wanted);
    else
        look_for_policy(&wanted, compare_policy, loaded, loaded_count);
    return wanted.found ? 0 : module_not_found(name, reterr);
}

struct visiting {
    void (*visit)(const char *name, const struct easim_policy *policy, void *context);
    void *context;
};

static void visit_policy(const char *name, void *context) {
    const struct visiting *visiting = context;
    struct policy_module module;
    struct error ignored = {0};
    if (module_open(name, &module, &ignored) == 0)
        visiting->visit(name, module.policy, visiting->context);
    module_close(&module);
}

void policy_names_each(void (*visit)(const char *name, const struct easim_policy *policy,
                                     void *context),
                       void *context) {
    struct visiting visiting = {visit, context};
    module_list(visit_policy, &visiting);
}
