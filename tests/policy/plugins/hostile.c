/* hostile: starts jobs in order, and at a callback `when` does `how` to the process that it runs
   in. The run goes on; what is done has to stay in it. With AS_LIST it is a list policy, named
   hostile_list, that does it when a pass begins; with ON_LOAD a constructor does it too, as
   EASIM_HOSTILE says. Effects are system calls or volatile: no compiler may leave them out. */
#include "faults/in_order.h"

#include <fcntl.h>
#include <fenv.h>
#include <locale.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const hows[] = {
    "nothing",   "fork",        "forks",     "fork_apart",  "chdir",     "umask",
    "locale",    "upward",      "flush",     "signals",     "block",     "close_files",
    "close_all", "write_files", "cut_files", "print",       "terminate", "hang_up",
    "no_bytes",  "no_files",    "no_forks",  "environment", NULL};
static const char *const whens[] = {"init", "decide", "finish", NULL};

struct params {
    int32_t how, when;
};

struct state {
    int64_t decisions;
};

static const struct easim_param params[] = {
    {"how", "", "what to do", EASIM_PARAM_CHOICE, offsetof(struct params, how), 0,
     sizeof hows / sizeof *hows - 2, 0, false, hows},
    {"when", "", "in which callback", EASIM_PARAM_CHOICE, offsetof(struct params, when), 0, 2, 1,
     false, whens},
};

static void ignore(int number) {
    (void)number;
}

/* Numbers smaller than normal ones become 0. */
static void flush_small_numbers(void) {
#if defined(__x86_64__)
    uint32_t mode;
    __asm__ volatile("stmxcsr %0" : "=m"(mode));
    mode |= 0x8040;
    __asm__ volatile("ldmxcsr %0" : : "m"(mode));
#else
    fesetround(FE_UPWARD);
#endif
}

static void limit(int what) {
    const struct rlimit none = {0, 0};
    setrlimit(what, &none);
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

static int do_harm(const char *how) {
    volatile bool for_ever = true;
    if (strcmp(how, "fork") == 0) {
        return fork();
    } else if (strcmp(how, "forks") == 0) {
        for (int i = 0; i < 4; i++)
            fork();
    } else if (strcmp(how, "fork_apart") == 0) { /* a copy that is in no group of easim's */
        if (fork() == 0) {
            setsid();
            sleep(1);
        }
    } else if (strcmp(how, "chdir") == 0) {
        return chdir("/");
    } else if (strcmp(how, "umask") == 0) {
        umask(0777);
    } else if (strcmp(how, "locale") == 0) {
        static const char *const names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "C.UTF-8"};
        for (int i = 0; i < 3 && !setlocale(LC_ALL, names[i]); i++)
            ;
    } else if (strcmp(how, "upward") == 0) {
        return fesetround(FE_UPWARD);
    } else if (strcmp(how, "flush") == 0) {
        flush_small_numbers();
    } else if (strcmp(how, "signals") == 0) {
        for (int number = 1; number < 32; number++)
            signal(number, ignore);
    } else if (strcmp(how, "block") == 0) {
        sigset_t all;
        sigfillset(&all);
        sigprocmask(SIG_BLOCK, &all, NULL);
    } else if (strcmp(how, "close_files") == 0) {
        each_file(3, close_file);
    } else if (strcmp(how, "close_all") == 0) {
        each_file(0, close_file);
    } else if (strcmp(how, "write_files") == 0) {
        each_file(3, write_file);
    } else if (strcmp(how, "cut_files") == 0) {
        each_file(3, cut_file);
    } else if (strcmp(how, "print") == 0) {
        printf("printed by a hostile policy\n");
        fflush(stdout);
        printf("and not flushed");
        (void)!write(STDOUT_FILENO, "written\n", 8);
    } else if (strcmp(how, "terminate") == 0) {
        kill(0, SIGTERM);
    } else if (strcmp(how, "hang_up") == 0) {
        kill(0, SIGHUP);
    } else if (strcmp(how, "no_bytes") == 0) {
        limit(RLIMIT_FSIZE);
    } else if (strcmp(how, "no_files") == 0) {
        limit(RLIMIT_NOFILE);
    } else if (strcmp(how, "no_forks") == 0) {
        limit(RLIMIT_NPROC);
    } else if (strcmp(how, "environment") == 0) {
        clearenv();
    } else if (strcmp(how, "nothing") != 0) {
        while (for_ever)
            ;
    }
    return 0;
}

#ifdef ON_LOAD
__attribute__((constructor)) static void on_load(void) {
    const char *how = getenv("EASIM_HOSTILE");
    (void)do_harm(how ? how : "nothing");
}
#endif

/* What it does once in each run. */
static void act(const struct easim_pass *pass, int when) {
    const struct params *p = pass->params;
    struct state *state = pass->state;
    if (p->when == when && (when != 1 || ++state->decisions == 5))
        (void)do_harm(hows[p->how]);
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
