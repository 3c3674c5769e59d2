/* hostile: starts jobs in order, and at a callback `when` does `how` to the process that it runs
   in. The run goes on; what is done has to stay in it. With AS_LIST it is a list policy, named
   hostile_list, that does it when a pass begins; with ON_LOAD a constructor does it too, as
   EASIM_HOSTILE says. Effects are system calls or volatile: no compiler may leave them out. */
#include "faults/in_order.h"

#include <fcntl.h>
#include <fenv.h>
#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

/* --- processes and signals --- */

static void ignore(int number) {
    (void)number;
}

static void nothing(void) {
}

static void do_fork(void) {
    (void)!fork();
}

static void forks(void) {
    for (int i = 0; i < 4; i++)
        (void)!fork();
}

/* A copy that is in no group of easim's. */
static void fork_apart(void) {
    if (fork() == 0) {
        setsid();
        sleep(1);
    }
}

static void do_daemon(void) {
    (void)!daemon(1, 1);
}

static void do_exec(void) {
    execl("/bin/true", "true", NULL);
}

static void session(void) {
    setsid();
}

static void *spin(void *context) {
    volatile unsigned long turns = 0;
    (void)context;
    while (turns + 1 > 0)
        turns++;
    return NULL;
}

static void thread(void) {
    pthread_t other;
    pthread_create(&other, NULL, spin, NULL);
}

static void signals(void) {
    for (int number = 1; number < 32; number++)
        signal(number, ignore);
}

static void block(void) {
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
}

static void terminate(void) {
    kill(0, SIGTERM);
}

static void hang_up(void) {
    kill(0, SIGHUP);
}

static void usr1(void) {
    raise(SIGUSR1);
}

static void killed(void) {
    kill(getpid(), SIGKILL);
}

static void timer(void) {
    const struct itimerval soon = {.it_value = {.tv_usec = 1}};
    setitimer(ITIMER_REAL, &soon, NULL);
}

/* --- ends --- */

static void do_exit(void) {
    exit(0);
}

static void do_quick_exit(void) {
    quick_exit(0);
}

static void wrong_address(void) {
    int *volatile nowhere = (int *)8;
    *(volatile int *)nowhere = 1;
}

static int go_down(volatile const char *above) {
    volatile char room[4096];
    room[0] = *above;
    return (*above > 0 ? go_down(room) : 0) + room[0];
}

static void deep(void) {
    volatile char bottom = 1;
    (void)go_down(&bottom);
}

static void free_twice(void) {
    void *volatile memory = malloc(5000);
    void *volatile same = memory;
    free(memory);
    free(same);
}

/* --- numbers, texts, time --- */

static void upward(void) {
    fesetround(FE_UPWARD);
}

static void downward(void) {
    fesetround(FE_DOWNWARD);
}

static void to_zero(void) {
    fesetround(FE_TOWARDZERO);
}

static void trap(void) {
    feenableexcept(FE_INVALID);
}

/* Numbers smaller than normal ones become 0. */
static void flush(void) {
#if defined(__x86_64__)
    uint32_t mode;
    __asm__ volatile("stmxcsr %0" : "=m"(mode));
    mode |= 0x8040;
    __asm__ volatile("ldmxcsr %0" : : "m"(mode));
#else
    fesetround(FE_UPWARD);
#endif
}

/* long double with the precision of float. */
static void x87(void) {
#if defined(__x86_64__)
    uint16_t mode;
    __asm__ volatile("fnstcw %0" : "=m"(mode));
    mode &= 0xfcff;
    __asm__ volatile("fldcw %0" : : "m"(mode));
#else
    fesetround(FE_DOWNWARD);
#endif
}

static void locale(void) {
    static const char *const names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "C.UTF-8"};
    for (int i = 0; i < 3 && !setlocale(LC_ALL, names[i]); i++)
        ;
}

static void thread_locale(void) {
    locale_t other = newlocale(LC_ALL_MASK, "C.UTF-8", (locale_t)0);
    if (other)
        uselocale(other);
}

static void time_zone(void) {
    setenv("TZ", "Pacific/Kiritimati", 1);
    tzset();
}

static void environment(void) {
    clearenv();
}

/* --- files --- */

static void do_chdir(void) {
    (void)!chdir("/");
}

static void do_umask(void) {
    umask(0777);
}

static void print(void) {
    printf("printed by a hostile policy\n");
    fflush(stdout);
    printf("and not flushed");
    (void)!write(STDOUT_FILENO, "written\n", 8);
}

static void each_file(int first, void (*function)(int fd)) {
    for (int fd = first; fd < 64; fd++)
        function(fd);
}

static void close_file(int fd) {
    close(fd);
}

static void write_file(int fd) {
    static const char junk[] = "written by a hostile policy\n";
    for (int i = 0; i < 3; i++)
        (void)!write(fd, junk, sizeof junk);
    (void)!pwrite(fd, junk, sizeof junk, 0);
}

static void cut_file(int fd) {
    (void)!ftruncate(fd, 3);
}

static void grow_file(int fd) {
    (void)!ftruncate(fd, 10 << 20);
}

static void seek_file(int fd) {
    (void)!lseek(fd, 1 << 20, SEEK_SET);
}

static void append_file(int fd) {
    fcntl(fd, F_SETFL, O_APPEND | O_NONBLOCK);
}

static void seal_file(int fd) {
    fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK);
}

static void close_files(void) {
    each_file(3, close_file);
}

static void close_all(void) {
    each_file(0, close_file);
}

static void write_files(void) {
    each_file(3, write_file);
}

static void cut_files(void) {
    each_file(3, cut_file);
}

static void grow_files(void) {
    each_file(3, grow_file);
}

static void seek_files(void) {
    each_file(3, seek_file);
}

static void append_files(void) {
    each_file(3, append_file);
}

static void seal_files(void) {
    each_file(3, seal_file);
}

static void hoard_files(void) {
    for (int i = 0; i < 100000 && open("/dev/null", O_RDONLY) >= 0; i++)
        ;
}

/* --- limits --- */

static void hoard_memory(void) {
    volatile char *memory = malloc(64 << 20);
    for (size_t i = 0; memory && i < 64 << 20; i += 4096)
        memory[i] = 1;
}

static void limit(int what) {
    const struct rlimit none = {0, 0};
    setrlimit(what, &none);
}

static void no_bytes(void) {
    limit(RLIMIT_FSIZE);
}

static void no_files(void) {
    limit(RLIMIT_NOFILE);
}

static void no_forks(void) {
    limit(RLIMIT_NPROC);
}

static void no_time(void) {
    limit(RLIMIT_CPU);
}

static void no_memory(void) {
    limit(RLIMIT_AS);
}

static void no_data(void) {
    limit(RLIMIT_DATA);
}

/* The first 22 are those of the short test. */
static const char *const hows[] = {
    "nothing",       "fork",        "forks",       "fork_apart",   "chdir",      "umask",
    "locale",        "upward",      "flush",       "signals",      "block",      "close_files",
    "close_all",     "write_files", "cut_files",   "print",        "terminate",  "hang_up",
    "no_bytes",      "no_files",    "no_forks",    "environment",  "downward",   "to_zero",
    "trap",          "x87",         "exit",        "quick_exit",   "abort",      "killed",
    "wrong_address", "deep",        "free_twice",  "usr1",         "exec",       "daemon",
    "timer",         "no_time",     "no_memory",   "no_data",      "seal_files", "append_files",
    "seek_files",    "grow_files",  "hoard_files", "hoard_memory", "thread",     "session",
    "thread_locale", "time_zone",   NULL};
static void (*const harms[])(void) = {
    nothing,     do_fork,    forks,         fork_apart,   do_chdir,    do_umask,   locale,
    upward,      flush,      signals,       block,        close_files, close_all,  write_files,
    cut_files,   print,      terminate,     hang_up,      no_bytes,    no_files,   no_forks,
    environment, downward,   to_zero,       trap,         x87,         do_exit,    do_quick_exit,
    abort,       killed,     wrong_address, deep,         free_twice,  usr1,       do_exec,
    do_daemon,   timer,      no_time,       no_memory,    no_data,     seal_files, append_files,
    seek_files,  grow_files, hoard_files,   hoard_memory, thread,      session,    thread_locale,
    time_zone};
static const char *const whens[] = {"init", "decide", "finish", NULL};

struct params {
    int32_t how, when;
};

struct state {
    int64_t decisions;
};

static const struct easim_param params[] = {
    {"how", "", "what to do", EASIM_PARAM_CHOICE, offsetof(struct params, how), 0,
     sizeof hows / sizeof *hows - 2, 0, false, hows, EASIM_ROLE_NONE},
    {"when", "", "in which callback", EASIM_PARAM_CHOICE, offsetof(struct params, when), 0, 2, 1,
     false, whens, EASIM_ROLE_NONE},
};

static void do_harm(const char *how) {
    for (size_t i = 0; hows[i]; i++)
        if (strcmp(how, hows[i]) == 0)
            harms[i]();
}

#ifdef ON_LOAD
__attribute__((constructor)) static void on_load(void) {
    const char *how = getenv("EASIM_HOSTILE");
    do_harm(how ? how : "nothing");
}
#endif

/* What it does once in each run. */
static void act(const struct easim_pass *pass, int when) {
    const struct params *p = pass->params;
    struct state *state = pass->state;
    if (p->when == when && (when != 1 || ++state->decisions == 5))
        do_harm(hows[p->how]);
}

#ifdef AS_LIST
static void begin(const struct easim_pass *pass) {
    act(pass, 1);
}

static const struct easim_list list = {.struct_size = sizeof list, .begin = begin};
#define NAME "hostile_list"
#define KIND .list = &list
#else
static int decide(const struct easim_pass *pass) {
    act(pass, 1);
    return start_in_order(pass);
}
#define NAME "hostile"
#define KIND .decide = decide
#endif

static int init(const struct easim_pass *pass) {
    act(pass, 0);
    return 0;
}

static void finish(const struct easim_pass *pass) {
    act(pass, 2);
}

EASIM_EXPORT const struct easim_policy easim_policy = {EASIM_POLICY_ABI,
                                                       .name = NAME,
                                                       .version = "1",
                                                       .summary = "harms its process",
                                                       .state_size = sizeof(struct state),
                                                       .params_size = sizeof(struct params),
                                                       .params = params,
                                                       .param_count =
                                                           sizeof params / sizeof *params,
                                                       .init = init,
                                                       .finish = finish,
                                                       KIND};
