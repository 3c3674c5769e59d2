/* The parts of the policy exec, with calls of the system that do not go as usual: read() that is
   interrupted or fails, and a count of the calls of poll(). */
#include <criterion/criterion.h>
#include <errno.h>
#include <poll.h>
#include <unistd.h>

static struct {
    int fail_reads, read_error; /* so many calls of read() fail first, with that errno */
    int polls;
} system_calls;

static ssize_t read_or_fail(int fd, void *to, size_t bytes) {
    if (system_calls.fail_reads > 0) {
        system_calls.fail_reads--;
        errno = system_calls.read_error;
        return -1;
    }
    return read(fd, to, bytes);
}

static int counted_poll(struct pollfd *fds, nfds_t count, int timeout_ms) {
    system_calls.polls++;
    return poll(fds, count, timeout_ms);
}

#define read(fd, to, bytes)          read_or_fail(fd, to, bytes)
#define poll(fds, count, timeout_ms) counted_poll(fds, count, timeout_ms)
#include "../policies/exec/message.c"
#include "../policies/exec/process.c"
#undef read
#undef poll

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
