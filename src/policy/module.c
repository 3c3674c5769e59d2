/* Opening and checking of policy modules. */
#include "policy/module.h"

#include "base/array.h"
#include "base/child.h"
#include "policy/params.h"

#include <dirent.h>
#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#ifndef EASIM_PLUGIN_DIR
#define EASIM_PLUGIN_DIR "/usr/local/lib/easim/policies"
#endif

#define TRIAL_S 5 /* of processor time, to load and close a module */

/* Address sanitizers report leaks of closed modules without names, so there they stay open until
 * exit. */
#if defined(__SANITIZE_ADDRESS__)
#define KEEP_OPEN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define KEEP_OPEN 1
#endif
#endif

static const char *const capability_names[] = {
    "PREEMPT", "RESIZE", "MIGRATE", "POWER_CAP", "FREQUENCY", "FRACTIONAL_GPU", "TICK", "ORACLE"};

const char *module_capability_name(uint32_t bit) {
    for (size_t i = 0; i < sizeof capability_names / sizeof *capability_names; i++)
        if (bit == 1u << i)
            return capability_names[i];
    return NULL;
}

static bool valid_name(const char *name) {
    size_t length = name ? strlen(name) : 0;
    return length > 0 && name[0] >= 'a' && name[0] <= 'z' &&
           strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_") == length;
}

static int check_capabilities(const struct easim_policy *p, const char *path,
                              struct error *reterr) {
    for (int i = 0; i < 32; i++) {
        uint32_t bit = p->capabilities & 1u << i;
        if (bit == 0 || (bit & MODULE_CAPABILITIES))
            continue;
        const char *name = module_capability_name(bit);
        if (!name)
            return error_set(reterr, ERROR_INPUT, "%s: policy %s: unknown capability bit %d", path,
                             p->name, i);
        return error_set(reterr, ERROR_INPUT,
                         "%s: policy %s: capability %s is not supported by this easim", path,
                         p->name, name);
    }
    return 0;
}

/* Each type's value may stand at multiples of its size. */
static size_t param_size(enum easim_param_type type) {
    static const size_t sizes[] = {sizeof(double), sizeof(double),  sizeof(int64_t),
                                   sizeof(bool),   sizeof(int32_t), sizeof(const char *)};
    return (uint32_t)type < sizeof sizes / sizeof *sizes ? sizes[type] : 0;
}

static bool is_whole(double value) {
    return fabs(value) <= 0x1p53 && trunc(value) == value;
}

static const char *default_fault(const struct easim_param *param) {
    double value = param->default_value;
    if (param->may_be_off && value == EASIM_OFF)
        return NULL;
    if (param->type == EASIM_PARAM_CHOICE) {
        size_t count = 0;
        while (param->choices[count])
            count++;
        return value >= 0 && value < (double)count && is_whole(value)
                   ? NULL
                   : "default_value is not the index of a choice";
    }
    if (param->type == EASIM_PARAM_TEXT)
        return NULL;
    if (!(value >= param->min && value <= param->max))
        return "default_value lies outside min..max";
    return param->type == EASIM_PARAM_INT && !is_whole(value) ? "default_value is not an integer"
                                                              : NULL;
}

static const char *param_fault(const struct easim_policy *p, const struct easim_param *param) {
    size_t size = param_size(param->type);
    if (!valid_name(param->name))
        return "expected a name of a-z, 0-9 and _";
    if (size == 0)
        return "unknown type";
    if (!param->unit || !param->help)
        return "unit and help must not be NULL";
    if (param->offset > p->params_size || p->params_size - param->offset < size)
        return "offset lies outside params_size";
    if (param->type == EASIM_PARAM_CHOICE && (!param->choices || !param->choices[0]))
        return "a choice needs choices";
    if (param->may_be_off && param->type != EASIM_PARAM_REAL && param->type != EASIM_PARAM_DURATION)
        return "only numbers and durations may be off";
    if (p->list && params_is_list_option(param->name))
        return "every list policy has an option of that name";
    if ((p->capabilities & EASIM_CAPABILITY_FREQUENCY) && params_is_frequency_option(param->name))
        return "every policy that declares FREQUENCY has an option of that name";
    return default_fault(param);
}

static bool overlaps(const struct easim_param *a, const struct easim_param *b) {
    return a->offset < b->offset + param_size(b->type) &&
           b->offset < a->offset + param_size(a->type);
}

static int wrong_param(const struct easim_policy *p, const char *path, uint32_t number,
                       const char *fault, struct error *reterr) {
    const char *name = p->params[number].name;
    return error_set(reterr, ERROR_INPUT, "%s: policy %s: parameter %u (%s): %s", path, p->name,
                     number, name ? name : "no name", fault);
}

/* Where values stand in the parameter struct: each aligned, none upon another. All are whole within
 * params_size. */
static int check_offsets(const struct easim_policy *p, const char *path, struct error *reterr) {
    char fault[200];
    for (uint32_t i = 0; i < p->param_count; i++) {
        const struct easim_param *param = &p->params[i];
        size_t size = param_size(param->type);
        snprintf(fault, sizeof fault, "offset %zu is not a multiple of %zu, as its type needs",
                 param->offset, size);
        if (param->offset % size != 0)
            return wrong_param(p, path, i, fault, reterr);
        for (uint32_t j = 0; j < i; j++) {
            snprintf(fault, sizeof fault, "overlaps parameter %.80s at offset %zu",
                     p->params[j].name, p->params[j].offset);
            if (overlaps(param, &p->params[j]))
                return wrong_param(p, path, i, fault, reterr);
        }
    }
    return 0;
}

static int check_params(const struct easim_policy *p, const char *path, struct error *reterr) {
    if (p->param_count > 0 && !p->params)
        return error_set(reterr, ERROR_INPUT, "%s: policy %s: param_count is %u but params is NULL",
                         path, p->name, p->param_count);
    for (uint32_t i = 0; i < p->param_count; i++) {
        const struct easim_param *param = &p->params[i];
        const char *fault = param_fault(p, param);
        for (uint32_t j = 0; j < i && !fault; j++)
            if (strcmp(p->params[j].name, param->name) == 0)
                fault = "defined twice";
        if (fault)
            return wrong_param(p, path, i, fault, reterr);
    }
    return check_offsets(p, path, reterr);
}

static int check_list(const struct easim_policy *p, const char *path, struct error *reterr) {
    const struct easim_list *list = p->list;
    const size_t least = offsetof(struct easim_list, resize_least) + sizeof list->resize_least;
    if (list->struct_size < least)
        return error_set(
            reterr, ERROR_INPUT,
            "%s: policy %s: list.struct_size is too small: expected at least %zu, found %zu", path,
            p->name, least, list->struct_size);
    return 0;
}

int module_check(const struct easim_policy *p, const char *path, struct error *reterr) {
    if (p->abi_major != EASIM_ABI_MAJOR || p->abi_minor > EASIM_ABI_MINOR)
        return error_set(reterr, ERROR_INPUT, "%s: expected policy ABI %u.0 to %u.%u, found %u.%u",
                         path, EASIM_ABI_MAJOR, EASIM_ABI_MAJOR, EASIM_ABI_MINOR, p->abi_major,
                         p->abi_minor);
    if (p->struct_size < offsetof(struct easim_policy, finish) + sizeof p->finish)
        return error_set(reterr, ERROR_INPUT,
                         "%s: struct_size is too small: expected at least %zu, found %zu", path,
                         offsetof(struct easim_policy, finish) + sizeof p->finish, p->struct_size);
    if (!valid_name(p->name))
        return error_set(reterr, ERROR_INPUT,
                         "%s: expected a policy name of a-z, 0-9 and _, found \"%s\"", path,
                         p->name ? p->name : "");
    if (!p->version || !p->summary)
        return error_set(reterr, ERROR_INPUT, "%s: policy %s: version and summary must not be NULL",
                         path, p->name);
    if (!p->list == !p->decide)
        return error_set(reterr, ERROR_INPUT,
                         "%s: policy %s: expected one of list and decide, found %s", path, p->name,
                         p->list ? "both" : "neither");
    int r = check_capabilities(p, path, reterr);
    if (r == 0)
        r = check_params(p, path, reterr);
    if (r == 0 && p->list)
        r = check_list(p, path, reterr);
    return r;
}

/* Whether the symbol is data, and long enough to say which ABI it follows. */
static bool is_policy_symbol(const void *symbol) {
    Dl_info info;
    void *entry = NULL;
    if (!dladdr1(symbol, &info, &entry, RTLD_DL_SYMENT) || !entry)
        return false;
    const ElfW(Sym) *elf = entry;
    return ELF64_ST_TYPE(elf->st_info) == STT_OBJECT &&
           elf->st_size >= offsetof(struct easim_policy, name);
}

/* In a child. */
static void load_and_close(void *context) {
    void *handle = dlopen(context, RTLD_NOW | RTLD_LOCAL);
    if (handle)
        dlclose(handle); /* the parent says why there is none */
}

/* Whether the code that the loader runs leaves a process alive; of a module that is open already it
 * has. */
static int try_path(const char *path, struct error *reterr) {
    void *open = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
    if (open) {
        dlclose(open);
        return 0;
    }
    char *own = mem_strdup(path);
    struct child_result result = child_run(load_and_close, own, TRIAL_S);
    struct str how = {0};
    free(own);
    if (result.end == CHILD_DONE)
        return 0;
    child_explain(&result, TRIAL_S, &how);
    error_set(reterr, ERROR_INPUT, "%s: ends the process while it is loaded: it %s", path,
              how.text);
    str_finish(&how);
    return reterr->code;
}

static int open_path(const char *path, struct policy_module *module, struct error *reterr) {
    *module = (struct policy_module){.handle = dlopen(path, RTLD_NOW | RTLD_LOCAL)};
    if (!module->handle)
        return error_set(reterr, ERROR_INPUT, "cannot load policy: %s", dlerror());
    module->path = mem_strdup(path);
    module->policy = dlsym(module->handle, "easim_policy");
    if (!module->policy)
        return error_set(reterr, ERROR_INPUT, "%s: no symbol easim_policy: not a policy module",
                         path);
    if (!is_policy_symbol(module->policy))
        return error_set(reterr, ERROR_INPUT,
                         "%s: the symbol easim_policy is not a struct easim_policy", path);
    return module_check(module->policy, path, reterr);
}

/* The folders where policies are sought, in order; each is given to visit until it returns true. */
static bool each_folder(bool (*visit)(const char *folder, void *context), void *context) {
    const char *list = getenv("EASIM_POLICY_PATH");
    char folder[PATH_MAX + 32], executable[PATH_MAX];
    for (const char *at = list; at && *at;) {
        size_t length = strcspn(at, ":");
        snprintf(folder, sizeof folder, "%.*s", (int)length, at);
        if (length > 0 && visit(folder, context))
            return true;
        at += length + (at[length] == ':');
    }
    ssize_t length = readlink("/proc/self/exe", executable, sizeof executable - 1);
    for (int up = 0; up < 2 && length > 0; up++) {
        executable[length] = '\0';
        char *slash = strrchr(executable, '/');
        if (!slash)
            break;
        length = slash - executable;
        snprintf(folder, sizeof folder, "%.*s/policies", (int)length, executable);
        if (visit(folder, context))
            return true;
    }
    return visit(EASIM_PLUGIN_DIR, context);
}

struct search {
    const char *name;
    char path[PATH_MAX + 320];
};

static bool has_module(const char *folder, void *context) {
    struct search *search = context;
    snprintf(search->path, sizeof search->path, "%s/%.255s.so", folder, search->name);
    return access(search->path, R_OK) == 0;
}

/* The policies there are, for a message. */
struct known {
    ARRAY_OF(const char *) names;
    struct str text;
    struct arena arena;
};

static void remember(const char *name, void *context) {
    struct known *known = context;
    array_push(&known->names, arena_strdup(&known->arena, name));
    str_addf(&known->text, "%s%s", known->names.count > 1 ? ", " : "", name);
}

int module_not_found(const char *name, struct error *reterr) {
    struct known known = {.names = {0}};
    module_list(remember, &known);
    error_set(reterr, ERROR_INPUT, "no policy is named \"%.80s\"%s (found: %s)", name,
              str_suggestion(&known.arena, name, known.names.at, known.names.count),
              known.names.count > 0 ? known.text.text : "none");
    free(known.names.at);
    str_finish(&known.text);
    arena_finish(&known.arena);
    return ERROR_INPUT;
}

bool module_find(const char *name, struct str *path) {
    struct search search = {.name = name};
    bool found = each_folder(has_module, &search);
    if (found)
        str_add(path, search.path);
    return found;
}

static int open_name(const char *name, bool apart, struct policy_module *module,
                     struct error *reterr) {
    struct search search = {.name = name};
    const char *path = strchr(name, '/') ? name : search.path;
    *module = (struct policy_module){0};
    if (path == search.path && !each_folder(has_module, &search))
        return module_not_found(name, reterr);
    int r = apart ? 0 : try_path(path, reterr);
    return r < 0 ? r : open_path(path, module, reterr);
}

int module_open(const char *name, struct policy_module *module, struct error *reterr) {
    return open_name(name, false, module, reterr);
}

int module_open_apart(const char *name, struct policy_module *module, struct error *reterr) {
    return open_name(name, true, module, reterr);
}

void module_close(struct policy_module *module) {
#ifndef KEEP_OPEN
    if (module->handle)
        dlclose(module->handle);
#endif
    free(module->path);
    *module = (struct policy_module){0};
}

struct listing {
    ARRAY_OF(char *) names;
};

static bool list_folder(const char *folder, void *context) {
    struct listing *listing = context;
    DIR *dir = opendir(folder);
    for (struct dirent *entry; dir && (entry = readdir(dir)) != NULL;) {
        size_t length = strlen(entry->d_name);
        if (length <= 3 || strcmp(entry->d_name + length - 3, ".so") != 0)
            continue;
        entry->d_name[length - 3] = '\0';
        array_push(&listing->names, mem_strdup(entry->d_name));
    }
    if (dir)
        closedir(dir);
    return false;
}

static int compare_names(const void *left, const void *right) {
    return strcmp(*(char *const *)left, *(char *const *)right);
}

void module_list(void (*visit)(const char *name, void *context), void *context) {
    struct listing listing = {0};
    each_folder(list_folder, &listing);
    if (listing.names.count > 0)
        qsort(listing.names.at, listing.names.count, sizeof *listing.names.at, compare_names);
    for (size_t i = 0; i < listing.names.count; i++) {
        if (i == 0 || strcmp(listing.names.at[i], listing.names.at[i - 1]) != 0)
            visit(listing.names.at[i], context);
    }
    for (size_t i = 0; i < listing.names.count; i++)
        free(listing.names.at[i]);
    free(listing.names.at);
}
