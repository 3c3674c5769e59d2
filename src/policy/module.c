/* Finding and opening of policy modules. */
#include "policy/module.h"

#include "base/array.h"
#include "base/child.h"
#include "base/machine.h"
#include "base/mem.h"
#include "base/own_state.h"
#include "policy/interface.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <unistd.h>

#define TRIAL_S 5 /* of processor time, to load, read and close a module */

/* Sanitizers report leaks of closed modules without names, so there they stay open until exit. */
#if defined(__SANITIZE_ADDRESS__)
#define KEEP_OPEN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define KEEP_OPEN 1
#endif
#endif

/* Bytes of the symbol; 0: it is not data. */
static size_t data_bytes(const void *symbol) {
    Dl_info info;
    void *entry = NULL;
    if (!dladdr1(symbol, &info, &entry, RTLD_DL_SYMENT) || !entry)
        return 0;
    const ElfW(Sym) *elf = entry;
    return ELF64_ST_TYPE(elf->st_info) == STT_OBJECT ? elf->st_size : 0;
}

static int read_symbol(struct policy_module *module, const char *path, struct error *reterr) {
    struct easim_policy *policy = NULL;
    const void *symbol = dlsym(module->handle, "easim_policy");
    if (!symbol)
        return error_set(reterr, ERROR_INPUT, "%s: no symbol easim_policy: not a policy module",
                         path);
    int r = interface_read(symbol, data_bytes(symbol), path, &policy, reterr);
    module->policy = policy;
    return r;
}

static void *load_module(const char *path, struct error *reterr) {
    errno = 0;
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (handle)
        return handle;
    int code = errno;
    error_set(reterr, ERROR_INPUT, "cannot load policy: %s", dlerror());
    if (code == ENOMEM || machine_is_named(reterr->text))
        machine_end("%s", reterr->text);
    return NULL;
}

/* In a child. What is wrong, but does not end it, the parent finds and says. */
static void read_and_close(void *context) {
    struct policy_module module = {.handle = dlopen(context, RTLD_NOW | RTLD_LOCAL)};
    if (!module.handle)
        return;
    if (read_symbol(&module, context, NULL) == 0)
        free((void *)module.policy);
    dlclose(module.handle);
}

/* Whether a process outlives the code that the loader runs and a look at what is exported, where
   pointers and counts may be wrong; of a module that is open already one has. */
static int try_path(const char *path, struct error *reterr) {
    void *open = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
    if (open) {
        dlclose(open);
        return 0;
    }
    char *own = mem_strdup(path);
    struct child_result result = child_run(read_and_close, own, TRIAL_S);
    struct str how = {0};
    free(own);
    if (result.end == CHILD_DONE)
        return 0;
    if (result.end == CHILD_NO_MEMORY)
        mem_exhausted(0);
    child_explain(&result, TRIAL_S, &how);
    error_set(reterr, ERROR_INPUT,
              "%s: ends the process while it is loaded and its tables are read: it %s", path,
              how.text);
    str_finish(&how);
    return reterr->code;
}

static void *load_here(const char *path, struct error *reterr) {
    struct own_state state;
    own_state_keep(&state);
    void *handle = load_module(path, reterr);
    own_state_restore(&state);
    return handle;
}

static bool each_own_folder(bool (*visit)(const char *folder, void *context), void *context) {
    const struct own_folders own = {"policies", EASIM_PLUGIN_DIR_FROM_PROGRAM, EASIM_PLUGIN_DIR};
    return own_folders_each(&own, visit, context);
}

/* The folders where policies are sought, in order; each is given to visit until it returns true. */
static bool each_folder(bool (*visit)(const char *folder, void *context), void *context) {
    const char *list = getenv("EASIM_POLICY_PATH");
    char folder[PATH_MAX];
    for (const char *at = list; at && *at;) {
        size_t length = strcspn(at, ":");
        snprintf(folder, sizeof folder, "%.*s", (int)length, at);
        if (length > 0 && visit(folder, context))
            return true;
        at += length + (at[length] == ':');
    }
    return each_own_folder(visit, context);
}

struct search {
    const char *name;
    char path[PATH_MAX + 320];
};

static bool has_module(const char *folder, void *context) {
    struct search *search = context;
    snprintf(search->path, sizeof search->path, "%s/%.255s.so", folder, search->name);
    int r = access(search->path, R_OK);
    if (r < 0)
        machine_check(errno, search->path, "read");
    return r == 0;
}

/* Whether a file is a module of easim's own, by whatever path. */
static bool is_own_file(const char *path, const struct file_stamp *stamp) {
    const char *file = files_name(path);
    char name[PATH_MAX];
    struct search own = {.name = name};
    struct file_stamp ours;
    snprintf(name, sizeof name, "%.*s", (int)(strlen(file) - (strlen(file) > 3 ? 3 : 0)), file);
    if (!each_own_folder(has_module, &own))
        return false;
    file_stamp_take(own.path, &ours);
    return stamp->is_file && file_stamp_same(&ours, stamp);
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

/* Such as a link to a file that is gone. */
static bool has_unreadable(const char *folder, void *context) {
    const struct search *search = context;
    struct stat status;
    return !has_module(folder, context) && lstat(search->path, &status) == 0;
}

static int refuse_unreadable(const char *path, struct error *reterr) {
    int code = access(path, R_OK) < 0 ? errno : EAGAIN; /* it was just being put there */
    char target[PATH_MAX];
    ssize_t length = readlink(path, target, sizeof target);
    return length > 0 ? error_set(reterr, ERROR_INPUT, "%s: cannot open: %s (it is a link to %.*s)",
                                  path, strerror(code), (int)length, target)
                      : error_set(reterr, ERROR_INPUT, "%s: cannot open: %s", path, strerror(code));
}

int module_not_found(const char *name, struct error *reterr) {
    struct known known = {.names = {0}};
    struct search search = {.name = name};
    if (each_folder(has_unreadable, &search))
        return refuse_unreadable(search.path, reterr);
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

bool module_is_own(const char *name) {
    struct search first = {.name = name};
    struct file_stamp stamp;
    if (strchr(name, '/') || !each_folder(has_module, &first))
        return false;
    file_stamp_take(first.path, &stamp);
    return is_own_file(first.path, &stamp);
}

bool module_is_shipped(const struct policy_module *module) {
    return module->sides[0]
               ? module_is_shipped(module->sides[0]) && module_is_shipped(module->sides[1])
               : module->own;
}

bool module_leaves_nothing(const struct policy_module *module) {
    if (module->sides[0])
        return module_leaves_nothing(module->sides[0]) && module_leaves_nothing(module->sides[1]);
    for (size_t i = 0; i < module->policy->param_count; i++)
        if (module->policy->params[i].type == EASIM_PARAM_TEXT && module->policy->params[i].max > 0)
            return false;
    return module_is_shipped(module);
}

/* --- open --- */

/* A module of easim's own is not tried, as that takes a process: if it is damaged, a signal handler
   names it, and the input is bad. */
#define NUMBER(number, words) number,
static const int crashes[] = {CRASH_SIGNALS(NUMBER)};
#define CRASHES   (sizeof crashes / sizeof *crashes)
#define BAD_INPUT 2 /* the exit status of it (cli/cli.h) */

static const char *volatile loading;

static void name_damaged(int number) {
    static char begin[] = "easim: ", end[] = ": crashes while it is loaded: build or install easim "
                                             "again\n";
    struct iovec said[] = {{begin, sizeof begin - 1}, {(char *)loading, 0}, {end, sizeof end - 1}};
    (void)number;
    while (loading[said[1].iov_len])
        said[1].iov_len++;
    _exit(writev(STDERR_FILENO, said, 3) < 0 ? EXIT_FAILURE : BAD_INPUT);
}

static int load(const char *path, struct policy_module *module, struct error *reterr) {
    module->handle = (module->apart || module->own ? load_module : load_here)(path, reterr);
    return module->handle ? read_symbol(module, path, reterr) : ERROR_INPUT;
}

static int load_untried(const char *path, struct policy_module *module, struct error *reterr) {
    struct sigaction before[CRASHES], now = {.sa_handler = name_damaged};
    loading = path;
    for (size_t i = 0; i < CRASHES; i++)
        sigaction(crashes[i], &now, &before[i]);
    int r = load(path, module, reterr);
    for (size_t i = 0; i < CRASHES; i++)
        sigaction(crashes[i], &before[i], NULL);
    return r;
}

static unsigned foreign_count;

static int open_path(const char *path, bool apart, struct policy_module *module,
                     struct error *reterr) {
    *module = (struct policy_module){.apart = apart};
    file_stamp_take(path, &module->stamp);
    module->own = is_own_file(path, &module->stamp);
    if (!apart && !module->own && try_path(path, reterr) < 0)
        return ERROR_INPUT;
    int r = (apart || !module->own ? load : load_untried)(path, module, reterr);
    if (!module->handle)
        return r;
    module->path = mem_strdup(path);
    foreign_count += r < 0 || !module_leaves_nothing(module);
    return r;
}

unsigned module_foreign_count(void) {
    return foreign_count;
}

static int open_name(const char *name, bool apart, struct policy_module *module,
                     struct error *reterr) {
    struct search search = {.name = name};
    const char *path = strchr(name, '/') ? name : search.path;
    *module = (struct policy_module){0};
    if (path == search.path && !each_folder(has_module, &search))
        return module_not_found(name, reterr);
    return open_path(path, apart, module, reterr);
}

int module_open(const char *name, struct policy_module *module, struct error *reterr) {
    return open_name(name, false, module, reterr);
}

int module_open_apart(const char *name, struct policy_module *module, struct error *reterr) {
    return open_name(name, true, module, reterr);
}

#ifndef KEEP_OPEN
static void unload_module(const struct policy_module *module) {
    struct own_state state;
    if (!module->own)
        own_state_keep(&state);
    dlclose(module->handle);
    if (!module->own)
        own_state_restore(&state);
}
#endif

void module_close(struct policy_module *module) {
    if (module->handle)
        free((void *)module->policy);
#ifndef KEEP_OPEN
    if (module->handle && !module->apart) /* else its process ends soon, by _exit */
        unload_module(module);
#endif
    free(module->path);
    *module = (struct policy_module){0};
}

struct listing {
    ARRAY_OF(char *) names;
};

static bool list_folder(const char *folder, void *context) {
    struct listing *listing = context;
    DIR *dir = files_open_folder(folder);
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

void module_list(void (*visit)(const char *name, void *context), void *context) {
    struct listing listing = {0};
    each_folder(list_folder, &listing);
    sort_array(listing.names.at, listing.names.count, by_text);
    for (size_t i = 0; i < listing.names.count; i++) {
        if (i == 0 || strcmp(listing.names.at[i], listing.names.at[i - 1]) != 0)
            visit(listing.names.at[i], context);
    }
    for (size_t i = 0; i < listing.names.count; i++)
        free(listing.names.at[i]);
    free(listing.names.at);
}
