/* Preloaded under valgrind by tools/instructions.py: a child counts its own instructions only, not
   what its parent had counted before the fork, and pidfd_open, which valgrind 3.19 does not know,
   waits for the end of the process. So one child runs at a time. */
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <valgrind/callgrind.h>

int pidfd_open(pid_t pid, unsigned int flags);

static void zero_counts(void) {
    CALLGRIND_ZERO_STATS;
}

__attribute__((constructor)) static void zero_after_fork(void) {
    pthread_atfork(NULL, NULL, zero_counts);
}

/* A descriptor that is readable, as that of a process that has ended. */
int pidfd_open(pid_t pid, unsigned int flags) {
    siginfo_t info;
    (void)flags;
    waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT);
    return eventfd(1, EFD_CLOEXEC);
}
