/* A child leaves by _exit only, so that neither the parent's buffers nor leak checkers of
   sanitizers run in it. */
#include "base/child.h"

#include "base/machine.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define WALL_FACTOR 4

/* Exit status of a child that got to its end; a plug-in's exit(0) must not look like that. */
#define DONE      77
#define NO_MEMORY 78

void child_wait_before(unsigned attempt) {
    const long milliseconds = 20L << 2 * attempt;
    const struct timespec wait = {milliseconds / 1000, milliseconds % 1000 * 1000000};
    nanosleep(&wait, NULL);
}

pid_t child_fork(void) {
    pid_t pid = fork();
    for (unsigned attempt = 0; pid < 0 && attempt < CHILD_ATTEMPTS; attempt++) {
        child_wait_before(attempt);
        pid = fork();
    }
    return pid;
}

void child_begin(pid_t parent) {
    const struct rlimit no_core = {0, 0};
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(EXIT_FAILURE); /* it was killed before the line above */
    setpgid(0, 0);
    setrlimit(RLIMIT_CORE, &no_core);
}

const volatile bool *child_original(void) {
    const size_t bytes = (size_t)sysconf(_SC_PAGESIZE);
    bool *page = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED || madvise(page, bytes, MADV_WIPEONFORK) < 0)
        return NULL;
    *page = true;
    return page;
}

static void leave_without_memory(void *context, size_t bytes, const char *fault) {
    (void)context, (void)bytes, (void)fault;
    _exit(NO_MEMORY);
}

_Noreturn static void be_child(void (*function)(void *), void *context, double limit_s,
                               pid_t parent) {
    const rlim_t seconds = (rlim_t)ceil(limit_s);
    const struct rlimit processor = {seconds, seconds + 1};
    child_begin(parent);
    mem_on_failure(leave_without_memory, NULL);
    setrlimit(RLIMIT_CPU, &processor);
    int null = (int)TEMP_FAILURE_RETRY(open("/dev/null", O_WRONLY | O_CLOEXEC));
    if (null >= 0)
        (void)TEMP_FAILURE_RETRY(dup2(null, STDOUT_FILENO)); /* the report is the only text there */
    function(context);
    _exit(DONE);
}

/* ---- Waiting ---- */

int child_watch(pid_t pid) {
    int fd = pidfd_open(pid, 0);
    return fd < 0 ? ~pid : fd;
}

static bool has_ended(pid_t pid) {
    siginfo_t info = {.si_pid = 0};
    return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) < 0 || info.si_pid != 0;
}

/* Of children without a descriptor; returns how many. */
static int mark_ended(struct pollfd *events, nfds_t count) {
    int ended = 0;
    for (nfds_t i = 0; i < count; i++)
        if (events[i].fd < -1 && has_ended(~events[i].fd)) {
            events[i].revents = POLLIN;
            ended++;
        }
    return ended;
}

static void wake(int number) {
    (void)number;
}

/* SIGCHLD comes only in ppoll, so none is lost between the look and the wait. */
static int poll_by_signal(struct pollfd *events, nfds_t count, int timeout_ms) {
    const struct sigaction waking = {.sa_handler = wake};
    struct timespec limit = {timeout_ms / 1000, timeout_ms % 1000 * 1000000L};
    struct sigaction action;
    sigset_t child, before, unblocked;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    pthread_sigmask(SIG_BLOCK, &child, &before);
    sigaction(SIGCHLD, &waking, &action);
    unblocked = before;
    sigdelset(&unblocked, SIGCHLD);
    if (mark_ended(events, count) > 0)
        limit = (struct timespec){0};
    int r = ppoll(events, count, &limit, &unblocked), code = errno;
    sigaction(SIGCHLD, &action, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    int ended = mark_ended(events, count);
    errno = code;
    return ended > 0 && r < 0 ? ended : r + ended;
}

int child_poll(struct pollfd *events, nfds_t count, int timeout_ms) {
    nfds_t i = 0;
    while (i < count && events[i].fd >= -1)
        i++;
    return i == count ? poll(events, count, timeout_ms) : poll_by_signal(events, count, timeout_ms);
}

/* True if the child ended in time; if not it is killed. */
static bool await(pid_t pid, double wall_s) {
    struct pollfd ended = {.fd = child_watch(pid), .events = POLLIN};
    int r;
    do
        r = child_poll(&ended, 1, (int)fmin(wall_s * 1e3, INT32_MAX));
    while (r < 0 && errno == EINTR);
    if (ended.fd >= 0)
        close(ended.fd);
    return r > 0;
}

struct child_result child_run(void (*function)(void *context), void *context, double limit_s) {
    fflush(NULL);
    pid_t parent = getpid(), pid = child_fork();
    if (pid < 0)
        machine_end("cannot start a process: %s", strerror(errno));
    if (pid == 0)
        be_child(function, context, limit_s, parent);
    bool in_time = await(pid, WALL_FACTOR * limit_s);
    int status = 0;
    kill(-pid, SIGKILL); /* also what the plug-in may have started */
    if (!in_time)
        kill(pid, SIGKILL);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (!in_time || (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU))
        return (struct child_result){CHILD_TIMED_OUT, 0};
    if (WIFSIGNALED(status))
        return (struct child_result){CHILD_KILLED, WTERMSIG(status)};
    if (WEXITSTATUS(status) == DONE)
        return (struct child_result){CHILD_DONE, 0};
    if (WEXITSTATUS(status) == NO_MEMORY)
        return (struct child_result){CHILD_NO_MEMORY, 0};
    return (struct child_result){CHILD_EXITED, WEXITSTATUS(status)};
}

void child_explain(const struct child_result *result, double limit_s, struct str *out) {
    switch (result->end) {
    case CHILD_DONE:
        break;
    case CHILD_TIMED_OUT:
        str_addf(out, "did not end within %g s of processor time", limit_s);
        break;
    case CHILD_KILLED:
        str_addf(out, "was ended by signal %d, %s", result->detail, strsignal(result->detail));
        break;
    case CHILD_NO_MEMORY:
        str_add(out, "ran out of memory");
        break;
    case CHILD_EXITED:
        str_addf(out, "ended its process with exit status %d", result->detail);
    }
}

/* --- signals --- */

static void fill_set(sigset_t *set) {
    static const int all[] = {SIGINT, SIGTERM, SIGHUP};
    sigemptyset(set);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        sigaddset(set, all[i]);
}

void signals_hold(sigset_t *ret_before) {
    sigset_t set;
    fill_set(&set);
    pthread_sigmask(SIG_BLOCK, &set, ret_before);
}

void signals_release(const sigset_t *before) {
    pthread_sigmask(SIG_SETMASK, before, NULL);
}

void signals_let_through(void) {
    sigset_t set;
    fill_set(&set);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}
