/* The handler uses only what fault_watch has prepared. It does not jump out of the policy, because
   the state of the policy's locks and memory is unknown. */
#include "policy/fault.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <math.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif

#define MOST_SEGMENTS 8
#define TICKS         16  /* of the timer, until a callback has taken its limit */
#define STACK_WORDS   512 /* in which the policy's own code is looked for, from the top */

/* What a signal handler may reach, beside the flag in cli/scenario_args.c. */
static struct {
    struct {
        uintptr_t start, end, base;
        int side; /* of a mixture of two */
    } code[MOST_SEGMENTS];
    int code_count, side;
    char sides[2][FAULT_NAME_BYTES], policy[FAULT_NAME_BYTES];
    struct policy_fault *fault;
    double limit_s;
    char limit[40];
    pid_t ticking; /* the process that has the timer: copies of it have none */
} guarded;

#define SIGNAL(number, words) {number, #number ", " words},
static const struct {
    int number;
    const char *name;
} signals[] = {CRASH_SIGNALS(SIGNAL)};

/* The instruction that raised the signal, and the top of the stack; 0 where this is not known to be
   told. */
static uintptr_t instruction(const void *context, uintptr_t *ret_stack) {
    const ucontext_t *c = context;
#if defined(__x86_64__)
    *ret_stack = (uintptr_t)c->uc_mcontext.gregs[REG_RSP];
    return (uintptr_t)c->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
    *ret_stack = (uintptr_t)c->uc_mcontext.sp;
    return (uintptr_t)c->uc_mcontext.pc;
#else
    *ret_stack = 0;
    return (void)c, 0;
#endif
}

/* Whose code is there, as an index; -1: no policy's. */
static int code_at(uintptr_t at) {
    for (int i = 0; i < guarded.code_count; i++)
        if (at >= guarded.code[i].start && at < guarded.code[i].end)
            return i;
    return -1;
}

static void note_place(int code, uintptr_t at) {
    guarded.fault->at = at - guarded.code[code].base;
    guarded.fault->side = (uint32_t)guarded.code[code].side;
}

/* Where the policy has called what has not returned: the first word of the stack that leads into
   its code. It may be of a call that is over. */
static void note_caller(uintptr_t stack) {
    const uintptr_t *word = (const void *)(stack & ~(uintptr_t)7);
    for (int i = 0; stack && i < STACK_WORDS; i++) {
        int code = code_at(word[i] - 1);
        if (code >= 0) {
            note_place(code, word[i] - 1);
            return;
        }
    }
}

static void add_words(const char *text) {
    char *at = guarded.fault->words, *end = guarded.fault->words + FAULT_BYTES - 1;
    while (*at)
        at++;
    while (*text && at < end)
        *at++ = *text++;
    *at = '\0';
}

static void on_crash(int number, siginfo_t *info, void *context) {
    uintptr_t stack, at = instruction(context, &stack);
    int own = code_at(at); /* which side's code raised it */
    guarded.fault->words[0] = '\0';
    add_words(own >= 0 ? guarded.sides[guarded.code[own].side] : "crashed outside the code of ");
    add_words(own >= 0 ? " crashed: " : guarded.policy);
    add_words(own >= 0 ? "" : ", perhaps in a function that it called: ");
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        if (signals[i].number == number)
            add_words(signals[i].name);
    if (number == SIGSEGV && info->si_code == SEGV_ACCERR)
        add_words(
            " (memory that is read-only or hidden, as the view and the memory after its arrays in a checked run)");
    signal(number, SIG_DFL); /* and once more, for a core dump or a debugger */
    if (own >= 0)
        note_place(own, at);
    else
        note_caller(stack);
    if (info->si_code <= 0)
        raise(number); /* sent, not raised by an instruction: it does not come back by itself */
}

/* Time has passed in the process, perhaps in a callback. */
static void on_tick(int number, siginfo_t *info, void *context) {
    struct calling *calling = &guarded.fault->calling;
    const char *name = calling->name;
    uintptr_t stack, at = instruction(context, &stack);
    (void)number, (void)info;
    if (!name || ++calling->ticks <= TICKS)
        return;
    guarded.fault->words[0] = '\0';
    add_words(guarded.policy);
    add_words(": ");
    add_words(name);
    add_words(" did not end within ");
    add_words(guarded.limit);
    add_words(" s of processor time");
    if (code_at(at) >= 0)
        note_place(code_at(at), at);
    else
        note_caller(stack);
    _exit(EXIT_FAILURE);
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
        guarded.code[guarded.code_count].base = info->dlpi_addr;
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
    snprintf(guarded.fault->files[guarded.side], PATH_MAX, "%s", module->path);
    if (dlinfo(module->handle, RTLD_DI_LINKMAP, &map) == 0)
        dl_iterate_phdr(keep_code, map);
    guarded.side++;
}

void fault_set_limit(double limit_s) {
    guarded.limit_s = limit_s;
}

/* A timer of this process that ticks while it works. */
static void start_ticks(void) {
    struct sigaction action = {.sa_sigaction = on_tick,
                               .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART};
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGPROF};
    double limit_s = guarded.limit_s > 0 ? guarded.limit_s : FAULT_LIMIT_S,
           tick_s = fmax(limit_s / TICKS, 1e-3), whole_s = floor(tick_s);
    struct timespec tick = {(time_t)whole_s, (long)((tick_s - whole_s) * 1e9)};
    if (guarded.ticking == getpid())
        return;
    guarded.ticking = getpid();
    timer_t timer;
    snprintf(guarded.limit, sizeof guarded.limit, "%g", limit_s);
    sigaction(SIGPROF, &action, NULL);
    if (timer_create(CLOCK_PROCESS_CPUTIME_ID, &event, &timer) == 0)
        (void)timer_settime(timer, 0, &(struct itimerspec){tick, tick}, NULL);
}

void fault_watch(const struct policy_module *module, struct policy_fault *fault) {
    struct sigaction action = {.sa_sigaction = on_crash,
                               .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
#ifdef SANITIZED
    return;
#endif
    guarded.code_count = guarded.side = 0;
    guarded.fault = fault;
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
    start_ticks();
}

/* --- fault_locate --- */

/* What addr2line prints; the number of bytes. */
static size_t run_addr2line(const char *file, const char *address, char *text, size_t bytes) {
    const char *const words[] = {"addr2line", "-f", "-e", file, address, NULL};
    extern char **environ;
    posix_spawn_file_actions_t actions;
    int ends[2], status;
    pid_t pid;
    size_t length = 0;
    if (pipe(ends) < 0)
        return 0;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    posix_spawn_file_actions_addclose(&actions, ends[1]);
    int r = posix_spawnp(&pid, words[0], &actions, NULL, (char *const *)(uintptr_t)words, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    for (ssize_t got = 1; r == 0 && got > 0 && length < bytes;
         length += (size_t)(got > 0 ? got : 0))
        got = TEMP_FAILURE_RETRY(read(ends[0], text + length, bytes - length));
    close(ends[0]);
    if (r == 0)
        while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
            ;
    return length;
}

void fault_locate(struct policy_fault *fault, struct str *out) {
    char address[24], text[PATH_MAX + 512];
    if (fault->at == 0 || fault->side > 1)
        return;
    fault->files[fault->side][PATH_MAX - 1] = '\0';
    snprintf(address, sizeof address, "%#llx", (unsigned long long)fault->at);
    size_t length = run_addr2line(fault->files[fault->side], address, text, sizeof text - 1);
    text[length] = '\0';
    char *line = strchr(text, '\n');
    if (!line || text[0] == '?')
        return;
    *line++ = '\0';
    line[strcspn(line, "\n ")] = '\0';
    const char *slash = strrchr(line, '/'), *place = slash ? slash + 1 : line;
    str_add(out, ", in ");
    str_add_visible(out, text);
    if (strchr(place, '?') || !strchr(place, ':')) /* without debugging information */
        return;
    str_add(out, " (");
    str_add_visible(out, place);
    str_add(out, ")");
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
