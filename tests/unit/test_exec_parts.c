/* The parts of the policy exec, with calls of the system that do not go as usual: read() that is
   interrupted or fails, pipe2() and fork() that fail, and a count of the calls of poll(). */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <unistd.h>

static struct {
    int fail_reads, read_error; /* so many calls of read() fail first, with that errno */
    int polls;
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
#define poll(fds, count, timeout_ms) counted_poll(fds, count, timeout_ms)
#define pipe2(ends, flags)           pipe2_or_fail(ends, flags)
#define fork()                       fork_or_fail()
#include "../policies/exec/message.c"
#include "../policies/exec/process.c"
#undef read
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

/* Any other error is an end, and told as one. */
Test(exec_parts, a_failed_read_is_an_end) {
    struct process process = {0};
    cr_assert_eq(process_start(&process, "cat"), 0);
    system_calls.fail_reads = 1;
    system_calls.read_error = EIO;
    cr_expect_null(process_exchange(&process, hello, sizeof hello - 1, 60));
    cr_expect_str_eq(process.problem, "has closed its standard output but still runs");
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

/* Where easim itself has no standard streams: its pipes take the place of none of them. */
Test(exec_parts, without_standard_streams) {
    struct process process = {0};
    close(STDIN_FILENO);
    cr_assert_eq(process_start(&process, "cat"), 0);
    cr_expect_gt(process.to, STDERR_FILENO);
    cr_expect_gt(process.from, STDERR_FILENO);
    const char *line = process_exchange(&process, hello, sizeof hello - 1, 60);
    cr_expect(line && strcmp(line, "hello") == 0);
    cr_expect_lt(fcntl(STDIN_FILENO, F_GETFD), 0);
    process_stop(&process, "", 0, 0);
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
    cr_assert_eq(process_start(&process, "sh -c 'echo early; sleep 0.2; cat > /dev/null; true'"),
                 0);
    const char *line = process_exchange(&process, message, sizeof message, 60);
    cr_assert(line, "%s", process.problem);
    cr_expect_str_eq(line, "early");
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
