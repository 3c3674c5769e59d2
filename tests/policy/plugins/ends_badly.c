/* ends_badly: starts jobs in order; at its decision number `after` it does what `how` says. With
   AS_LIST it is a list policy, named ends_badly_list. What does harm is volatile, so that no
   compiler may leave it out. */
#include "faults/in_order.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum how {
    NOT,
    CRASH,
    IN_LIBRARY,
    ABORT,
    EXIT,
    QUICK_EXIT,
    LEAVE,
    LOOP,
    HEAP,
    KILL,
    TERMINATE,
    THREAD_EXIT,
    FORK,
    TWO,
    SCRATCH,
    HOG,
    FAIL,
    HOWS
};
static const char *const hows[] = {
    "not",  "crash",     "in_library",  "abort", "exit", "quick_exit", "leave", "loop", "heap",
    "kill", "terminate", "thread_exit", "fork",  "two",  "scratch",    "hog",   "fail", NULL};

struct params {
    int64_t after;
    int32_t how;
};

struct state {
    int64_t decisions;
};

static const struct easim_param params[] = {
    {"after", "", "at which decision", EASIM_PARAM_INT, offsetof(struct params, after), 1, 1e6, 20,
     false, NULL, EASIM_ROLE_NONE},
    {"how", "", "what to do", EASIM_PARAM_CHOICE, offsetof(struct params, how), 0, HOWS - 1, NOT,
     false, hows, EASIM_ROLE_NONE},
};

/* Writes over what malloc keeps in front of a block, and frees that. */
static void corrupt_heap(void) {
    char *volatile block = malloc(24);
    for (volatile char *at = block - 16; at < block; at++)
        *at = 0x5a;
    free(block);
}

/* Says that it begins to, by a file in the folder that the test names. It sleeps meanwhile, as
   tests wait for what easim does by the clock. */
static void loop(void) {
    const char *folder = getenv("ENDS_BADLY_LOOPS");
    char path[4096];
    if (folder && snprintf(path, sizeof path, "%s/%d", folder, (int)getpid()) > 0)
        close(open(path, O_CREAT | O_WRONLY, 0600));
    volatile bool for_ever = true;
    while (for_ever)
        usleep(10000);
}

/* More and more memory, all of it used: until a limit, or 64 GiB. */
static void hog(const struct easim_pass *pass) {
    for (int i = 0; i < 1 << 16; i++)
        *(volatile char *)pass->host->scratch(pass->plan, 1 << 20) = 1;
}

static int end_badly(const struct easim_pass *pass, enum how how) {
    const char *volatile nowhere = (const char *)8;
    switch (how) {
    case CRASH:
        return read_nothing();
    case IN_LIBRARY:
        return (int)strlen(nowhere);
    case EXIT:
        exit(0);
    case QUICK_EXIT:
        quick_exit(0);
    case LEAVE:
        _exit(0);
    case LOOP:
        loop();
        break;
    case HEAP:
        corrupt_heap();
        break;
    case KILL:
        raise(SIGKILL);
        break;
    case TERMINATE:
        raise(SIGTERM);
        break;
    case THREAD_EXIT:
        pthread_exit(NULL);
    case TWO: /* the rest of the run is done twice */
        fork();
        break;
    case SCRATCH:
        *(volatile char *)pass->host->scratch(pass->plan, SIZE_MAX / 4) = 1;
        break;
    case HOG:
        hog(pass);
        break;
    case FORK: /* and leaves its child behind */
        if (fork() == 0)
            loop();
        abort();
    case FAIL:
        pass->host->fail(pass->plan, "as it was told");
        return -1;
    default:
        abort();
    }
    return 0;
}

/* Negative: as it was told. */
static int count(const struct easim_pass *pass) {
    const struct params *p = pass->params;
    struct state *state = pass->state;
    return ++state->decisions == p->after && p->how != NOT ? end_badly(pass, (enum how)p->how) : 0;
}

#ifdef AS_LIST
static void begin(const struct easim_pass *pass) {
    (void)count(pass);
}

static const struct easim_list list = {.struct_size = sizeof list, .begin = begin};
#define NAME "ends_badly_list"
#define KIND .list = &list
#else
static int decide(const struct easim_pass *pass) {
    int r = count(pass);
    return r < 0 ? r : start_in_order(pass);
}
#define NAME "ends_badly"
#define KIND .decide = decide
#endif

EASIM_EXPORT const struct easim_policy easim_policy = {
    EASIM_POLICY_ABI,
    .name = NAME,
    .version = "1",
    .summary = "ends its process, or does not end",
    .state_size = sizeof(struct state),
    .params_size = sizeof(struct params),
    .params = params,
    .param_count = sizeof params / sizeof *params,
    KIND};
