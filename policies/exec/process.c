/* A program behind two pipes. Invariant: pid is not reaped before its whole process group has been
   killed, so the number cannot have become somebody else's. */
#include "process.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define DIAGNOSIS_S  0.5 /* a program that has closed a pipe gets so long to show how it ended */
#define TERMINATE_S  0.5 /* between SIGTERM and SIGKILL */
#define FIRST_BUFFER ((size_t)4096)

extern char **environ;

__attribute__((format(printf, 2, 3))) static void say(struct process *p, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(p->problem, sizeof p->problem, format, arguments);
    va_end(arguments);
}

static double clock_s(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* --- start --- */

/* A pipe that no other program inherits, whose ends are none of the standard streams. */
static int make_pipe(int ends[2]) {
    if (pipe2(ends, O_CLOEXEC) < 0)
        return -1;
    for (int i = 0; i < 2; i++) {
        if (ends[i] > STDERR_FILENO)
            continue;
        int moved = fcntl(ends[i], F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
        if (moved < 0) {
            close(ends[0]);
            close(ends[1]);
            return -1;
        }
        close(ends[i]);
        ends[i] = moved;
    }
    return 0;
}

/* The program, in a process just forked: until it is there only calls that are safe beside other
   threads. It ends with the one that asks it, which may be killed. */
static _Noreturn void be_program(const char *script, int in, int out, pid_t parent) {
    char *const argv[] = {"sh", "-c", (char *)(uintptr_t)script, NULL};
    sigset_t none;
    sigemptyset(&none);
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(127); /* it was killed before the line above */
    signal(SIGPIPE, SIG_DFL);
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    sigprocmask(SIG_SETMASK, &none, NULL);
    if (dup2(in, STDIN_FILENO) >= 0 && dup2(out, STDOUT_FILENO) >= 0)
        execve("/bin/sh", argv, environ);
    _exit(127);
}

static int spawn(const char *script, int in, int out, pid_t *ret_pid) {
    pid_t parent = getpid(), pid = fork();
    if (pid == 0)
        be_program(script, in, out, parent);
    if (pid < 0)
        return errno;
    setpgid(pid, pid); /* whoever is first: it has its group when it is asked for */
    *ret_pid = pid;
    return 0;
}

int process_start(struct process *p, const char *command) {
    int in[2], out[2];
    size_t bytes = strlen(command) + sizeof "exec ";
    char *script = malloc(bytes);
    if (!script || make_pipe(in) < 0) {
        say(p, "cannot be started: %s", strerror(errno));
        free(script);
        return -1;
    }
    snprintf(script, bytes, "exec %s", command);
    int r = make_pipe(out) < 0 ? errno : 0;
    bool piped = r == 0;
    if (piped)
        r = spawn(script, in[0], out[1], &p->pid);
    free(script);
    close(in[0]);
    if (piped)
        close(out[1]);
    if (r != 0) {
        say(p, "cannot be started: %s", strerror(r));
        close(in[1]);
        if (piped)
            close(out[0]);
        p->pid = 0;
        errno = r;
        return -1;
    }
    p->to = in[1];
    p->from = out[0];
    fcntl(p->to, F_SETFL, O_NONBLOCK);
    fcntl(p->from, F_SETFL, O_NONBLOCK);
    return 0;
}

int process_connect(struct process *p, const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    size_t length = strlen(path);
    int fd = -1;
    if (length < sizeof address.sun_path) {
        memcpy(address.sun_path, path, length);
        fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    } else {
        errno = ENAMETOOLONG;
    }
    if (fd < 0 || connect(fd, (const struct sockaddr *)&address, sizeof address) < 0 ||
        (p->from = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)) < 0) {
        say(p, "cannot be reached: %s", strerror(errno));
        if (fd >= 0)
            close(fd);
        return -1;
    }
    p->to = fd;
    fcntl(fd, F_SETFL, O_NONBLOCK); /* of both */
    return 0;
}

/* --- exchange --- */

/* An empty or full pipe. */
static bool is_not_yet(void) {
    return errno == EAGAIN || errno == EINTR;
}

/* write() that answers EPIPE instead of ending easim by SIGPIPE. The signal goes to this very
 * thread. */
static ssize_t write_quietly(int fd, const char *text, size_t length) {
    const struct timespec at_once = {0};
    sigset_t pipe, before, pending;
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    sigpending(&pending);
    bool was_pending = sigismember(&pending, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe, &before);
    ssize_t r = write(fd, text, length);
    int error = errno;
    if (r < 0 && error == EPIPE && !was_pending)
        while (sigtimedwait(&pipe, NULL, &at_once) < 0 && errno == EINTR)
            ;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = error;
    return r;
}

/* Whether the program ends within so long; it is not reaped. */
static bool ends_within(const struct process *p, double seconds, siginfo_t *info) {
    const struct timespec pause = {.tv_nsec = 1000000};
    for (double until_s = clock_s() + seconds;;) {
        info->si_pid = 0;
        if (waitid(P_PID, (id_t)p->pid, info, WEXITED | WNOWAIT | WNOHANG) == 0 &&
            info->si_pid != 0)
            return true;
        if (clock_s() >= until_s)
            return false;
        nanosleep(&pause, NULL);
    }
}

/* The program has closed a pipe: says how it ended, or that it did not. */
static void diagnose(struct process *p, const char *stream) {
    siginfo_t info = {0};
    const char *where = p->used > 0 ? " in the middle of a line" : " without an answer";
    if (p->pid == 0)
        say(p, "has closed the connection%s", where);
    else if (!ends_within(p, DIAGNOSIS_S, &info))
        say(p, "has closed its standard %s but still runs", stream);
    else if (info.si_code == CLD_EXITED)
        say(p, "exited with status %d%s%s", info.si_status, where,
            info.si_status == 127 ? " (sh: command not found?)" : "");
    else
        say(p, "was killed by signal %d (%s)%s", info.si_status, strsignal(info.si_status), where);
}

/* Reads what there is. Negative at the end of the stream or when the line is too long. */
static int fill(struct process *p) {
    if (p->used + 1 >= p->capacity) {
        size_t capacity = p->capacity ? 2 * p->capacity : FIRST_BUFFER;
        if (capacity > PROCESS_LINE_BYTES) {
            say(p, "sent a line of more than %zu bytes", p->capacity - 2);
            return -1;
        }
        char *buffer = realloc(p->buffer, capacity);
        if (!buffer) {
            say(p, "cannot be heard: out of memory");
            return -1;
        }
        p->buffer = buffer;
        p->capacity = capacity;
    }
    ssize_t got = read(p->from, p->buffer + p->used, p->capacity - p->used - 1);
    if (got < 0 && is_not_yet())
        return 0;
    if (got <= 0) {
        diagnose(p, "output");
        return -1;
    }
    p->used += (size_t)got;
    return 0;
}

/* Takes the line out of the buffer: there must be nothing behind it. */
static char *take_line(struct process *p, char *end) {
    if (end + 1 != p->buffer + p->used) {
        say(p, "sent more than one line for one message");
        return NULL;
    }
    if (memchr(p->buffer, '\0', (size_t)(end - p->buffer))) { /* what is behind it would be lost */
        say(p, "sent a NUL byte in a line");
        return NULL;
    }
    *end = '\0';
    p->used = 0;
    return p->buffer;
}

char *process_exchange(struct process *p, const char *text, size_t length, double timeout_s) {
    double until_s = clock_s() + timeout_s;
    size_t written = 0;
    for (size_t searched = 0;;) {
        char *end =
            p->used > searched ? memchr(p->buffer + searched, '\n', p->used - searched) : NULL;
        searched = end ? searched : p->used;
        if (end && written == length)
            return take_line(p, end);
        double left_s = until_s - clock_s();
        if (left_s <= 0) {
            say(p, "gave no answer within %g s", timeout_s);
            return NULL;
        }
        struct pollfd fds[] = {{.fd = p->from, .events = POLLIN},
                               {.fd = written < length ? p->to : -1, .events = POLLOUT}};
        if (poll(fds, 2, (int)fmin(ceil(left_s * 1e3), 1e9)) < 0)
            continue; /* EINTR */
        if (fds[1].revents) {
            ssize_t sent = write_quietly(p->to, text + written, length - written);
            if (sent < 0 && !is_not_yet()) {
                diagnose(p, "input");
                return NULL;
            }
            written += sent > 0 ? (size_t)sent : 0;
        }
        if (fds[0].revents && fill(p) < 0)
            return NULL;
    }
}

/* Waits until the pipe can take or has something. Negative when the time is up. */
static int wait_for(struct process *p, int fd, short events, double until_s, double timeout_s) {
    struct pollfd one = {.fd = fd, .events = events};
    double left_s = until_s - clock_s();
    if (left_s <= 0) {
        say(p, "gave no answer within %g s", timeout_s);
        return -1;
    }
    poll(&one, 1, (int)fmin(ceil(left_s * 1e3), 1e9));
    return 0;
}

int process_trade(struct process *p, const void *data, size_t length, void *answer, size_t size,
                  double timeout_s) {
    double until_s = clock_s() + timeout_s;
    for (size_t written = 0; written < length;) {
        const char *from = (const char *)data + written;
        ssize_t sent = p->pid > 0 ? write_quietly(p->to, from, length - written)
                                  : send(p->to, from, length - written, MSG_NOSIGNAL);
        if (sent < 0 && !is_not_yet()) {
            diagnose(p, "input");
            return -1;
        }
        written += sent > 0 ? (size_t)sent : 0;
        if (written < length && wait_for(p, p->to, POLLOUT, until_s, timeout_s) < 0)
            return -1;
    }
    for (size_t got = 0; got < size;) {
        if (wait_for(p, p->from, POLLIN, until_s, timeout_s) < 0)
            return -1;
        ssize_t some = read(p->from, (char *)answer + got, size - got);
        if (some == 0 || (some < 0 && !is_not_yet())) {
            diagnose(p, "output");
            return -1;
        }
        got += some > 0 ? (size_t)some : 0;
    }
    return 0;
}

/* --- stop --- */

void process_stop(struct process *p, const char *text, size_t length, double grace_s) {
    siginfo_t info = {0};
    if (p->pid == 0 && p->to > 0) { /* a connection */
        if (length > 0)
            write_quietly(p->to, text, length);
        close(p->to);
        close(p->from);
    }
    if (p->pid > 0) {
        if (length > 0 && write_quietly(p->to, text, length) < 0)
            grace_s = 0; /* it does not read any more */
        close(p->to);
        close(p->from);
        if (!ends_within(p, grace_s, &info)) {
            kill(-p->pid, SIGTERM);
            ends_within(p, TERMINATE_S, &info);
        }
        kill(-p->pid, SIGKILL); /* whatever else it has started, and itself if it ignores SIGTERM */
        while (waitpid(p->pid, NULL, 0) < 0 && errno == EINTR)
            ;
    }
    free(p->buffer);
    *p = (struct process){0};
}
