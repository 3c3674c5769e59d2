/* Preloaded under valgrind by tools/instructions.py: a child counts its own instructions only, not
   what its parent had counted before the fork, and for pidfd_open, which valgrind 3.19 does not
   know, a thread waits for the end of the process. */
#include <pthread.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>
#include <valgrind/callgrind.h>

int pidfd_open(pid_t pid, unsigned int flags);

static void zero_counts(void) {
    CALLGRIND_ZERO_STATS;
}

__attribute__((constructor)) static void zero_after_fork(void) {
    pthread_atfork(NULL, NULL, zero_counts);
}

struct waiting {
    pid_t pid;
    int fd;
};

static void *wait_for_end(void *argument) {
    struct waiting *waiting = argument;
    siginfo_t info;
    waitid(P_PID, (id_t)waiting->pid, &info, WEXITED | WNOWAIT);
    eventfd_write(waiting->fd, 1);
    close(waiting->fd);
    free(waiting);
    return NULL;
}

/* A descriptor that is readable once the process has ended. */
int pidfd_open(pid_t pid, unsigned int flags) {
    struct waiting *waiting = malloc(sizeof *waiting);
    int fd = eventfd(0, EFD_CLOEXEC);
    pthread_t thread;
    (void)flags;
    *waiting = (struct waiting){pid, dup(fd)};
    pthread_create(&thread, NULL, wait_for_end, waiting);
    pthread_detach(thread);
    return fd;
}
