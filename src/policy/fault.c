/* The handler uses only what fault_watch has prepared. It does not jump out of the policy, because
   the state of the policy's locks and memory is unknown. */
#include "policy/fault.h"

#include <dlfcn.h>
#include <link.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif

#define MOST_SEGMENTS 8

/* What a signal handler may reach, beside the flag in cli/scenario_args.c. */
static struct {
    struct {
        uintptr_t start, end;
        int side; /* of a mixture of two */
    } code[MOST_SEGMENTS];
    int code_count, side;
    char sides[2][FAULT_NAME_BYTES], policy[FAULT_NAME_BYTES];
    char *words;
} guarded;

static const struct {
    int number;
    const char *name;
} signals[] = {{SIGSEGV, "SIGSEGV, a wrong address"},
               {SIGBUS, "SIGBUS, a wrong address"},
               {SIGFPE, "SIGFPE, a wrong operation such as an integer division by zero"},
               {SIGILL, "SIGILL, a wrong instruction"}};

/* The instruction that raised the signal; 0 where this is not known to be told. */
static uintptr_t instruction(const void *context) {
    const ucontext_t *c = context;
#if defined(__x86_64__)
    return (uintptr_t)c->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
    return (uintptr_t)c->uc_mcontext.pc;
#else
    return (void)c, 0;
#endif
}

static void add_words(const char *text) {
    char *at = guarded.words, *end = guarded.words + FAULT_BYTES - 1;
    while (*at)
        at++;
    while (*text && at < end)
        *at++ = *text++;
    *at = '\0';
}

static void on_crash(int number, siginfo_t *info, void *context) {
    uintptr_t at = instruction(context);
    int own = -1; /* which side's code raised it */
    for (int i = 0; i < guarded.code_count; i++)
        if (at >= guarded.code[i].start && at < guarded.code[i].end)
            own = guarded.code[i].side;
    guarded.words[0] = '\0';
    add_words(own >= 0 ? guarded.sides[own] : "crashed outside the code of ");
    add_words(own >= 0 ? " crashed: " : guarded.policy);
    add_words(own >= 0 ? "" : ", perhaps in a function that it called: ");
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        if (signals[i].number == number)
            add_words(signals[i].name);
    if (number == SIGSEGV && info->si_code == SEGV_ACCERR)
        add_words(
            " (memory that is read-only or hidden, as the view and what is behind its arrays in a checked run)");
    signal(number, SIG_DFL); /* and once more, for a core dump or a debugger */
    if (info->si_code <= 0)
        raise(number); /* sent, not raised by an instruction: it does not come back by itself */
}

static int keep_code(struct dl_phdr_info *info, size_t size, void *context) {
    const struct link_map *map = context;
    (void)size;
    if (info->dlpi_addr != map->l_addr || strcmp(info->dlpi_name, map->l_name) != 0)
        return 0;
    for (int i = 0; i < info->dlpi_phnum && guarded.code_count < MOST_SEGMENTS; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X))
            continue;
        uintptr_t start = info->dlpi_addr + segment->p_vaddr;
        guarded.code[guarded.code_count].start = start;
        guarded.code[guarded.code_count].side = guarded.side;
        guarded.code[guarded.code_count++].end = start + segment->p_memsz;
    }
    return 1;
}

__attribute__((format(printf, 2, 3))) static void name_into(char name[static FAULT_NAME_BYTES],
                                                            const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    if (vsnprintf(name, FAULT_NAME_BYTES, format, arguments) >= FAULT_NAME_BYTES)
        memcpy(name + FAULT_NAME_BYTES - 4, "...", 4);
    va_end(arguments);
}

void fault_name(const struct policy_module *module, char name[static FAULT_NAME_BYTES]) {
    const struct policy_module *first = module->sides[0], *second = module->sides[1];
    if (first)
        name_into(name, "policy %s (%s) or policy %s (%s)", first->policy->name, first->path,
                  second->policy->name, second->path);
    else
        name_into(name, "policy %s (%s)", module->policy->name, module->path);
}

/* Its code, and what it is called, as the next side. */
static void watch_side(const struct policy_module *module) {
    struct link_map *map = NULL;
    fault_name(module, guarded.sides[guarded.side]);
    if (dlinfo(module->handle, RTLD_DI_LINKMAP, &map) == 0)
        dl_iterate_phdr(keep_code, map);
    guarded.side++;
}

void fault_watch(const struct policy_module *module, char words[static FAULT_BYTES]) {
    struct sigaction action = {.sa_sigaction = on_crash,
                               .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
#ifdef SANITIZED
    return;
#endif
    guarded.code_count = guarded.side = 0;
    guarded.words = words;
    fault_name(module, guarded.policy);
    watch_side(module->sides[0] ? module->sides[0] : module);
    if (module->sides[1])
        watch_side(module->sides[1]);
    /* a stack of its own, for a policy that overflows this thread's; it lives until the end */
    static _Alignas(16) char room[64 << 10];
    const stack_t stack = {.ss_sp = room, .ss_size = sizeof room};
    sigaltstack(&stack, NULL);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        sigaction(signals[i].number, &action, NULL);
}

/* --- names --- */

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
