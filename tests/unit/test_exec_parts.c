/* The parts of the policy exec, with calls of the system that do not go as usual: read() and
   write() that are interrupted or fail, pipe2(), fork() and setpgid() that fail, and a count of the
   calls of poll(). */
#include "../support/temp_dir.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static struct {
    int fail_reads, read_error; /* so many calls of read() fail first, with that errno */
    int fail_writes, write_error;
    int polls;
    enum { BOTH, ONLY_PARENT, ONLY_CHILD } groups; /* whose setpgid() has an effect */
    int starts_left; /* calls of pipe2() and fork() before the one that fails; 0: none does */
} system_calls;

static ssize_t read_or_fail(int fd, void *to, size_t bytes) {
    if (system_calls.fail_reads > 0) {
        system_calls.fail_reads--;
        errno = system_calls.read_error;
        return -1;
    }
    return read(fd, to, bytes);
}

static ssize_t write_or_fail(int fd, const void *from, size_t bytes) {
    if (system_calls.fail_writes > 0) {
        system_calls.fail_writes--;
        errno = system_calls.write_error;
        return -1;
    }
    return write(fd, from, bytes);
}

/* Of the child's it is late: the program is there already (setpgid(2): EACCES). A child whose own
   call has no effect waits for its parent's, which would be refused after exec. */
static int setpgid_or_fail(pid_t pid, pid_t group) {
    if (system_calls.groups == (pid == 0 ? ONLY_PARENT : ONLY_CHILD)) {
        while (pid == 0 && getpgid(0) != getpid())
            sched_yield();
        errno = EACCES;
        return -1;
    }
    return setpgid(pid, group);
}

/* Whether it is the turn of this call to fail. */
static bool must_fail(int error) {
    errno = error;
    return system_calls.starts_left > 0 && --system_calls.starts_left == 0;
}

static int pipe2_or_fail(int ends[2], int flags) {
    return must_fail(EMFILE) ? -1 : pipe2(ends, flags);
}

static pid_t fork_or_fail(void) {
    return must_fail(EAGAIN) ? -1 : fork();
}

static int counted_poll(struct pollfd *fds, nfds_t count, int timeout_ms) {
    system_calls.polls++;
    return poll(fds, count, timeout_ms);
}

#define read(fd, to, bytes)          read_or_fail(fd, to, bytes)
#define write(fd, from, bytes)       write_or_fail(fd, from, bytes)
#define setpgid(pid, group)          setpgid_or_fail(pid, group)
#define poll(fds, count, timeout_ms) counted_poll(fds, count, timeout_ms)
#define pipe2(ends, flags)           pipe2_or_fail(ends, flags)
#define fork()                       fork_or_fail()
#include "../policies/exec/message.c"
#include "../policies/exec/process.c"
#undef read
#undef write
#undef setpgid
#undef poll
#undef pipe2
#undef fork

static const char hello[] = "hello\n";

/* Reads that are interrupted, or find nothing after all, are tried again. */
Test(exec_parts, reads_again) {
    static const int errors[] = {EINTR, EAGAIN};
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
        struct process process = {0};
        cr_assert_eq(process_start(&process, "cat"), 0);
        system_calls.fail_reads = 3;
        system_calls.read_error = errors[i];
        const char *line = process_exchange(&process, hello, sizeof hello - 1, 60);
        cr_assert(line, "%s: %s", strerror(errors[i]), process.problem);
        cr_expect_str_eq(line, "hello");
        cr_expect_eq(system_calls.fail_reads, 0);
        process_stop(&process, "", 0, 0);
    }
}

/* So are writes. */
Test(exec_parts, writes_again) {
    static const int errors[] = {EINTR, EAGAIN};
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
        struct process process = {0};
        cr_assert_eq(process_start(&process, "cat"), 0);
        system_calls.fail_writes = 3;
        system_calls.write_error = errors[i];
        const char *line = process_exchange(&process, hello, sizeof hello - 1, 60);
        cr_assert(line, "%s: %s", strerror(errors[i]), process.problem);
        cr_expect_str_eq(line, "hello");
        cr_expect_eq(system_calls.fail_writes, 0);
        process_stop(&process, "", 0, 0);
    }
}

/* Any other error is an end, and told as one. */
Test(exec_parts, a_failed_read_is_an_end) {
    struct process process = {0};
    cr_assert_eq(process_start(&process, "cat"), 0);
    system_calls.fail_reads = 1;
    system_calls.read_error = EIO;
    cr_expect_null(process_exchange(&process, hello, sizeof hello - 1, 60));
    cr_expect_str_eq(process.problem, "has closed its standard output but still runs");
    process_stop(&process, "", 0, 0);
    cr_assert_eq(process_start(&process, "cat"), 0);
    system_calls.fail_writes = 1;
    system_calls.write_error = EIO;
    cr_expect_null(process_exchange(&process, hello, sizeof hello - 1, 60));
    cr_expect_str_eq(process.problem, "has closed its standard input but still runs");
    process_stop(&process, "", 0, 0);
}

/* What is open, below 64. */
static unsigned long long open_files(void) {
    unsigned long long found = 0;
    for (int fd = 0; fd < 64; fd++)
        found |= (unsigned long long)(fcntl(fd, F_GETFD) >= 0) << fd;
    return found;
}

/* Without a pipe to the program, one from it, or a process there is none: said as errno has it, and
   everything that was opened is closed again. */
Test(exec_parts, cannot_be_started) {
    static const char *const reasons[] = {"Too many open files", "Too many open files",
                                          "Resource temporarily unavailable"};
    for (int i = 0; i < 3; i++) {
        struct process process = {0};
        unsigned long long before = open_files();
        system_calls.starts_left = i + 1;
        cr_assert_lt(process_start(&process, "cat"), 0, "%d", i);
        cr_expect(strstr(process.problem, "cannot be started: ") == process.problem &&
                      strstr(process.problem, reasons[i]),
                  "%d: %s", i, process.problem);
        cr_expect_eq(process.pid, 0);
        cr_expect_eq(open_files(), before, "%d: open are %llx, not %llx", i, open_files(), before);
        process_stop(&process, "", 0, 0);
        cr_expect_eq(open_files(), before);
    }
}

/* Where easim itself has no standard streams, any of them: its pipes take the place of none. */
Test(exec_parts, without_standard_streams) {
    enum { KEPT = 50 };
    for (int closed = 1; closed < 8; closed++) {
        struct process process = {0};
        for (int fd = 0; fd < 3; fd++) {
            dup2(fd, KEPT + fd);
            if (closed >> fd & 1)
                close(fd);
        }
        int r = process_start(&process, "cat");
        int to = process.to, from = process.from;
        bool in_place = false;
        for (int fd = 0; fd < 3; fd++)
            in_place = in_place || ((closed >> fd & 1) && fcntl(fd, F_GETFD) >= 0);
        const char *line = r == 0 ? process_exchange(&process, hello, sizeof hello - 1, 60) : NULL;
        bool same = line && strcmp(line, "hello") == 0;
        process_stop(&process, "", 0, 0);
        for (int fd = 0; fd < 3; fd++) {
            dup2(KEPT + fd, fd);
            close(KEPT + fd);
        }
        cr_expect(r == 0 && same && !in_place && to > STDERR_FILENO && from > STDERR_FILENO,
                  "%d: started %d, same %d, in place %d, to %d, from %d", closed, r, same, in_place,
                  to, from);
    }
}

/* Nor where there is no other place for an end: then both are closed again. */
Test(exec_parts, no_other_place) {
    struct process process = {0};
    struct rlimit limit, tight;
    int next = fcntl(STDERR_FILENO, F_DUPFD, STDERR_FILENO + 1); /* the first that is free */
    close(next);
    close(STDIN_FILENO);
    getrlimit(RLIMIT_NOFILE, &limit);
    tight = (struct rlimit){(rlim_t)next + 1, limit.rlim_max}; /* room for it and descriptor 0 */
    unsigned long long before = open_files();
    setrlimit(RLIMIT_NOFILE, &tight);
    cr_expect_lt(process_start(&process, "cat"), 0);
    setrlimit(RLIMIT_NOFILE, &limit);
    cr_expect_str_eq(process.problem, "cannot be started: Too many open files");
    cr_expect_eq(open_files(), before, "open are %llx, not %llx", open_files(), before);
    process_stop(&process, "", 0, 0);
}

/* A program that answers before it has read a message that no pipe holds: the answer is kept until
   all is written (pipe(7): 64 KiB by default, 1 MiB at most without privileges). */
Test(exec_parts, answers_early) {
    static char message[3 << 20];
    memset(message, 'x', sizeof message - 1);
    message[sizeof message - 1] = '\n';
    unsigned long long before = open_files();
    struct process process = {0};
    cr_assert_eq(process_start(&process, "sh -c 'echo early; sleep 0.2; head -c 3145727 >&2; "
                                         "echo late; cat' 2>/dev/null"),
                 0);
    const char *line = process_exchange(&process, message, sizeof message - 1, 60);
    cr_assert(line, "%s", process.problem);
    cr_expect_str_eq(line, "early");
    line = process_exchange(&process, "", 0, 60); /* all of it has been sent, not a byte more */
    cr_assert(line, "%s", process.problem);
    cr_expect_str_eq(line, "late");
    line = process_exchange(&process, hello, sizeof hello - 1, 60);
    cr_assert(line, "%s", process.problem);
    cr_expect_str_eq(line, "hello");
    process_stop(&process, "", 0, 0);
    cr_expect_eq(open_files(), before);
}

/* Waiting for an answer costs nothing: one poll to write, one that lasts until the line is there,
   and a few more where it comes in pieces. */
Test(exec_parts, waits_without_spinning) {
    struct process process = {0};
    cr_assert_eq(process_start(&process, "sh -c 'read line; sleep 0.3; echo \"$line\"; cat'"), 0);
    system_calls.polls = 0;
    const char *line = process_exchange(&process, hello, sizeof hello - 1, 60);
    cr_assert(line, "%s", process.problem);
    cr_expect_str_eq(line, "hello");
    cr_expect_leq(system_calls.polls, 10);
    process_stop(&process, "", 0, 0);
}

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* A program that does not even read: the time is up when it is, not before, though the message fits
   into no pipe. */
Test(exec_parts, never_reads, .timeout = 600) {
    static char message[3 << 20];
    struct process process = {0};
    cr_assert_eq(process_start(&process, "sleep 100"), 0);
    double before_s = seconds();
    cr_expect_null(process_exchange(&process, message, sizeof message, 1));
    double took_s = seconds() - before_s;
    cr_expect(took_s >= 1 && took_s < 90, "%g s", took_s);
    cr_expect_str_eq(process.problem, "gave no answer within 1 s");
    process_stop(&process, "", 0, 0);
}

/* Nor one that is traded frames with. */
Test(exec_parts, never_takes, .timeout = 600) {
    static char frame[3 << 20], answer[8];
    struct process process = {0};
    cr_assert_eq(process_start(&process, "sleep 100"), 0);
    cr_expect_lt(process_trade(&process, frame, sizeof frame, answer, sizeof answer, 1), 0);
    cr_expect_str_eq(process.problem, "gave no answer within 1 s");
    process_stop(&process, "", 0, 0);
}

/* The longest line has as many bytes as the header says, its end included. */
Test(exec_parts, longest_line) {
    for (int more = 0; more < 2; more++) {
        struct process process = {0};
        char program[100];
        snprintf(program, sizeof program,
                 "sh -c 'head -c %zu /dev/zero | tr \"\\\\0\" x; echo; cat'",
                 PROCESS_LINE_BYTES - 2 + (size_t)more);
        cr_assert_eq(process_start(&process, program), 0);
        const char *line = process_exchange(&process, "", 0, 60);
        if (more == 0) {
            cr_assert(line, "%s", process.problem);
            cr_expect_eq(strlen(line), PROCESS_LINE_BYTES - 2);
            cr_expect_eq(strspn(line, "x"), PROCESS_LINE_BYTES - 2);
        } else {
            cr_expect_null(line);
            cr_expect_str_eq(process.problem, "sent a line of more than 16777214 bytes");
        }
        process_stop(&process, "", 0, 0);
    }
}

/* A program that has closed its output is given the time to end. */
Test(exec_parts, ends_soon) {
    static const char *const ends[][2] = {
        {"exit 3", "exited with status 3 without an answer"},
        {"exit 127", "exited with status 127 without an answer (sh: command not found?)"},
        {"kill -9 $$", "was killed by signal 9 (Killed) without an answer"}};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        struct process process = {0};
        char program[100];
        snprintf(program, sizeof program, "sh -c 'exec >&-; sleep 0.1; %s'", ends[i][0]);
        cr_assert_eq(process_start(&process, program), 0);
        cr_expect_null(process_exchange(&process, hello, sizeof hello - 1, 60));
        cr_expect_str_eq(process.problem, ends[i][1]);
        process_stop(&process, "", 0, 0);
    }
}

/* One of the two calls of setpgid is enough, whichever is first; no program inherits the pipes, and
   easim waits for neither. */
Test(exec_parts, groups_and_pipes) {
    for (int groups = BOTH; groups <= ONLY_CHILD; groups++) {
        struct process process = {0};
        system_calls.groups = groups;
        cr_assert_eq(process_start(&process, "cat"), 0);
        const char *line = process_exchange(&process, hello, sizeof hello - 1, 60);
        cr_expect(line && strcmp(line, "hello") == 0);
        cr_expect_eq(getpgid(process.pid), process.pid, "%d", groups);
        cr_expect(fcntl(process.to, F_GETFD) & FD_CLOEXEC);
        cr_expect(fcntl(process.from, F_GETFD) & FD_CLOEXEC);
        cr_expect(fcntl(process.to, F_GETFL) & O_NONBLOCK);
        cr_expect(fcntl(process.from, F_GETFL) & O_NONBLOCK);
        process_stop(&process, "", 0, 0);
    }
}

/* The program finds signals as if easim neither ignored nor blocked any of those it uses. */
Test(exec_parts, signals_of_the_program) {
    const unsigned long long ours =
        1ull << (SIGPIPE - 1) | 1ull << (SIGINT - 1) | 1ull << (SIGTERM - 1);
    sigset_t all, before;
    sigfillset(&all);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    sigprocmask(SIG_SETMASK, &all, &before);
    struct process process = {0};
    int r = process_start(
        &process,
        "sh -c 'grep -E \"SigBlk|SigIgn\" /proc/self/status | tr \"\\n\" \" \"; echo; cat'");
    const char *line = r == 0 ? process_exchange(&process, "", 0, 60) : NULL;
    unsigned long long blocked = ~0ull, ignored = ~0ull;
    int found = line ? sscanf(line, "SigBlk: %llx SigIgn: %llx", &blocked, &ignored) : 0;
    process_stop(&process, "", 0, 0);
    sigprocmask(SIG_SETMASK, &before, NULL);
    cr_expect(found == 2 && blocked == 0 && (ignored & ours) == 0, "%d: %llx %llx", found, blocked,
              ignored);
}

static bool is_pending(int number) {
    sigset_t pending;
    sigpending(&pending);
    return sigismember(&pending, number);
}

/* A closed pipe leaves no signal behind; one that was there before stays; nothing else changes. */
Test(exec_parts, signal_of_a_closed_pipe) {
    for (int before = 0; before < 2; before++) {
        struct process process = {0};
        sigset_t pipe, mask;
        sigemptyset(&pipe);
        sigaddset(&pipe, SIGPIPE);
        cr_assert_eq(process_start(&process, "sh -c 'exec <&-; echo closed; sleep 100'"), 0);
        cr_assert(process_exchange(&process, "", 0, 60));
        sigprocmask(SIG_BLOCK, &pipe, NULL);
        if (before)
            raise(SIGPIPE);
        cr_expect_null(process_exchange(&process, hello, sizeof hello - 1, 60));
        cr_expect_str_eq(process.problem, "has closed its standard input but still runs");
        cr_expect_eq(is_pending(SIGPIPE), before == 1);
        sigprocmask(SIG_BLOCK, NULL, &mask);
        cr_expect(sigismember(&mask, SIGPIPE) && !sigismember(&mask, SIGINT));
        double before_s = seconds();
        process_stop(&process, hello, sizeof hello - 1,
                     60); /* it hears nothing: it is not given the time */
        cr_expect_lt(seconds() - before_s, 50);
        cr_expect_eq(is_pending(SIGPIPE), before == 1);
        signal(SIGPIPE, SIG_IGN); /* discards it */
        signal(SIGPIPE, SIG_DFL);
        sigprocmask(SIG_UNBLOCK, &pipe, NULL);
        cr_assert_eq(process_start(&process, "sh -c 'exec <&-; echo closed; sleep 100'"), 0);
        cr_assert(process_exchange(&process, "", 0, 60));
        cr_expect_null(process_exchange(&process, hello, sizeof hello - 1, 60));
        sigprocmask(SIG_BLOCK, NULL, &mask);
        cr_expect(!sigismember(&mask, SIGPIPE));
        process_stop(&process, "", 0, 0);
    }
}

/* What a file holds, without the line end; "" if it is not there. */
static const char *text_of(const char *path) {
    static char text[100];
    FILE *file = fopen(path, "r");
    *text = '\0';
    if (file && !fgets(text, sizeof text, file))
        *text = '\0';
    if (file)
        fclose(file);
    text[strcspn(text, "\n")] = '\0';
    return text;
}

/* A stop sends the last message and closes the pipe; a program that then ends by itself is waited
   for, one that does not hears SIGTERM first; in the end no process of it is left. */
Test(exec_parts, stops, .init = temp_dir_enter, .fini = temp_dir_leave, .timeout = 600) {
    static const struct {
        const char *program, *wrote;
        double grace_s;
    } cases[] = {
        {"read line; cat; sleep 0.3; echo \"$line\" >wrote", "hello", 60},
        {"trap \"echo term >wrote; exit\" TERM; echo up; while :; do sleep 0.05; done", "term", 0},
        {"trap \"\" TERM; echo up; sleep 100; echo late >wrote", "", 0},
        {"sleep 100 & echo up; exec cat", "", 60}};
    prctl(PR_SET_CHILD_SUBREAPER, 1); /* what loses its parent becomes a child of this test */
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct process process = {0};
        char program[300];
        unsigned long long before = open_files();
        snprintf(program, sizeof program, "sh -c '%s'", cases[i].program);
        cr_assert_eq(process_start(&process, program), 0);
        pid_t pid = process.pid;
        if (i > 0)
            cr_assert(process_exchange(&process, "", 0, 60), "%zu: %s", i, process.problem);
        double before_s = seconds();
        process_stop(&process, hello, sizeof hello - 1, cases[i].grace_s);
        cr_expect_lt(seconds() - before_s, 50, "%zu", i);
        cr_expect_str_eq(text_of("wrote"), cases[i].wrote, "%zu: \"%s\"", i, text_of("wrote"));
        cr_expect(waitpid(pid, NULL, WNOHANG) < 0 && errno == ECHILD, "%zu", i);
        cr_expect(process.pid == 0 && !process.buffer && process.used == 0 &&
                  process.capacity == 0);
        cr_expect_eq(open_files(), before, "%zu", i);
        for (int tries = 0; tries < 1000 && kill(-pid, 0) == 0; tries++) {
            waitpid(-pid, NULL, WNOHANG); /* what it had started, see above */
            usleep(10000);
        }
        cr_expect(kill(-pid, 0) < 0, "%zu", i);
        unlink("wrote");
    }
}

/* No text is a text. */
Test(exec_parts, prints_nothing) {
    struct text text = {0};
    text_printf(&text, "%s", "");
    cr_expect(!text.failed && text.length == 0);
    text_printf(&text, "%d", 7);
    cr_expect_str_eq(text.at, "7");
    free(text.at);
}

/* A shorter text over a longer one ends where it ends. */
Test(exec_parts, starts_anew) {
    struct text text = {0};
    text_printf(&text, "%s", "longer");
    text.length = 0;
    text_add(&text, "short");
    cr_expect_str_eq(text.at, "short");
    free(text.at);
}
