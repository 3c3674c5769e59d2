/* Tasks in processes of their own: what comes back, and how a task ends that does not come back. */
#include "study/worker_pool.h"

#include "base/mem.h"
#include "study/shared_ring.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#define TASKS 12
#define LARGE (1u << 20) /* more than any pipe holds */

struct seen {
    int count; /* of tasks that are over */
    int stop_at;
    char failures[TASKS][300];
    size_t lengths[TASKS];
    bool intact[TASKS];
    atomic_bool cancel;
};

static size_t length_of(size_t task) {
    return task * task * LARGE / (TASKS * TASKS); /* none for task 0 */
}

static void work(void *context, size_t task, struct crash_context *crash, struct str *out) {
    struct seen *seen = context;
    seen->count = 1000; /* in this process only */
    for (size_t i = 0; i < length_of(task); i++)
        str_add_char(out, (char)(task + i % 251));
    crash->replication = (uint32_t)task;
    crash->now_ns = 2385 * 1000000ll;
    crash->decisions = 17;
    if (task == 3)
        _exit(0); /* not done, whatever the status says */
    if (task == 4)
        raise(SIGUSR1);
    if (task == 5)
        for (;;)
            pause();
}

static int done(void *context, size_t task, struct slice result, const char *failure) {
    struct seen *seen = context;
    seen->count++;
    seen->lengths[task] = result.length;
    seen->intact[task] = true;
    for (size_t i = 0; i < result.length; i++)
        seen->intact[task] = seen->intact[task] && result.at[i] == (char)(task + i % 251);
    snprintf(seen->failures[task], sizeof seen->failures[task], "%s", failure ? failure : "");
    return seen->count == seen->stop_at ? -1 : 0;
}

static struct isolated all(struct seen *seen, unsigned processes) {
    return (struct isolated){.count = TASKS,
                             .processes = processes,
                             .limit_s = 3,
                             .context = seen,
                             .work = work,
                             .done = done};
}

Test(isolate, results_and_failures) {
    for (unsigned processes = 1; processes <= 16; processes += 15) {
        struct seen seen = {0};
        struct isolated tasks = all(&seen, processes);
        struct error error = {0};
        cr_assert_eq(isolated_run(&tasks, &error), 0);
        cr_assert_eq(seen.count, TASKS);
        for (size_t i = 0; i < TASKS; i++) {
            bool ends = i < 3 || i > 5;
            cr_expect_eq(seen.lengths[i], ends ? length_of(i) : 0);
            cr_expect(seen.intact[i] && (seen.failures[i][0] == '\0') == ends);
        }
        cr_expect_str_eq(
            seen.failures[3],
            "the run of a policy that was being loaded ended its process with exit status 0 (replication 3, at t = 2.385 s, after 17 decisions)");
        cr_expect_str_eq(
            seen.failures[4],
            "the run of a policy that was being loaded was ended by signal 10, User defined signal 1 (replication 4, at t = 2.385 s, after 17 decisions)");
        cr_expect_str_eq(
            seen.failures[5],
            "the run of a policy that was being loaded was not done within 3 s (replication 5, at t = 2.385 s, after 17 decisions)");
    }
}

Test(isolate, a_negative_answer_stops) {
    struct seen seen = {.stop_at = 2};
    struct isolated tasks = all(&seen, 1);
    struct error error = {0};
    cr_assert_eq(isolated_run(&tasks, &error), 0);
    cr_assert_eq(seen.count, 2);
}

/* Tasks 0 and 1 kill themselves at each try, 1 before 0; 2 runs until one of them is tried again.
 */
static void shoot(void *context, size_t task, struct crash_context *crash, struct str *out) {
    atomic_int *tries = context;
    (void)crash;
    (void)out;
    int number = atomic_fetch_add(&tries[task], 1);
    while (number == 0 && ((task == 0 && atomic_load(&tries[2]) == 0) ||
                           (task == 2 && atomic_load(&tries[0]) + atomic_load(&tries[1]) < 3)))
        usleep(1000);
    if (task < 2)
        raise(SIGKILL);
}

static int note_first(void *context, size_t task, struct slice result, const char *failure) {
    atomic_int *first = (atomic_int *)context + 3;
    (void)result;
    if (failure && atomic_load(first) == 0)
        atomic_store(first, (int)task + 1);
    return failure ? -1 : 0;
}

/* Of those that are tried again the first comes first, though it was shot after the other. */
Test(isolate, the_first_failure_does_not_depend_on_time, .timeout = 600) {
    atomic_int *seen = mem_shared(4 * sizeof *seen);
    struct isolated tasks = {
        .count = 3, .processes = 2, .context = seen, .work = shoot, .done = note_first};
    struct error error = {0};
    cr_assert_eq(isolated_run(&tasks, &error), 0);
    cr_expect_eq(atomic_load(&seen[3]), 1);
    cr_expect_eq(atomic_load(&seen[0]), 2);
    mem_unshare(seen, 4 * sizeof *seen);
}

static void sleep_on(void *context, size_t task, struct crash_context *crash, struct str *out) {
    const struct seen *seen = context;
    (void)crash;
    while (task > 0 && !atomic_load(&seen->cancel))
        usleep(1000);
    str_add(out, "asked to end");
}

static struct seen *cancelled;

static void cancel(int number) {
    (void)number;
    atomic_store(&cancelled->cancel, true);
}

static int cancel_it(void *context, size_t task, struct slice result, const char *failure) {
    struct seen *seen = context;
    cr_expect_null(failure);
    cr_expect_eq(result.length, strlen("asked to end"));
    seen->count++;
    if (task == 0)
        atomic_store(&seen->cancel, true);
    return 0;
}

/* The first to end cancels the rest: the one that runs beside it is asked to end by SIGTERM, others
 * never begin. */
Test(isolate, cancelled) {
    struct seen seen = {0};
    struct isolated tasks = {.count = TASKS,
                             .processes = 2,
                             .cancel = &seen.cancel,
                             .context = &seen,
                             .work = sleep_on,
                             .done = cancel_it};
    struct error error = {0};
    cancelled = &seen;
    signal(SIGTERM, cancel);
    cr_assert_eq(isolated_run(&tasks, &error), ERROR_CANCELLED);
    cr_expect_str_eq(error.text, "interrupted");
    cr_assert_eq(seen.count, 2);
}

/* Two files for each task that puts no pieces: where few may be open, fewer tasks run at a time,
 * and poll takes no more entries. */
Test(isolate, few_files, .timeout = 600) {
    struct seen seen = {0};
    struct isolated tasks = all(&seen, 64);
    struct error error = {0};
    int lowest = dup(STDERR_FILENO);
    const struct rlimit few = {(rlim_t)lowest + 5, (rlim_t)lowest + 5};
    close(lowest);
    cr_assert_eq(setrlimit(RLIMIT_NOFILE, &few), 0);
    cr_assert_eq(isolated_run(&tasks, &error), 0);
    cr_assert_eq(seen.count, TASKS);
    for (size_t i = 0; i < TASKS; i++)
        cr_expect_eq(seen.failures[i][0] == '\0', i < 3 || i > 5);
}

/* ---- Tasks that share a process ---- */

#define SHARING 40

struct shared_tasks {
    atomic_int tries[SHARING];
    pid_t pids[SHARING];
    char failures[SHARING][300];
    int over, lengths[SHARING];
};

/* 7: crashes; 11: killed from outside at its first try; 17: leaves by _exit; 23: hangs. */
static void work_shared(void *context, size_t task, struct crash_context *crash, struct str *out) {
    struct shared_tasks *seen = context;
    int number = atomic_fetch_add(&seen->tries[task], 1);
    seen->pids[task] = getpid();
    crash->replication = (uint32_t)task;
    if (task == 7)
        raise(SIGUSR1);
    if (task == 11 && number == 0)
        raise(SIGKILL);
    if (task == 17)
        _exit(0);
    while (task == 23)
        pause();
    for (size_t i = 0; i < task * 1000; i++)
        str_add_char(out, 'x');
}

static int end_shared(void *context, size_t task, struct slice result, const char *failure) {
    struct shared_tasks *seen = context;
    seen->over++;
    seen->lengths[task] = (int)result.length;
    for (size_t i = 0; i < result.length; i++)
        if (result.at[i] != 'x')
            seen->lengths[task] = -1;
    snprintf(seen->failures[task], sizeof seen->failures[task], "%s", failure ? failure : "");
    return 0;
}

static int distinct_processes(const struct shared_tasks *seen) {
    int count = 0;
    for (int i = 0; i < SHARING; i++) {
        int j = 0;
        while (seen->pids[j] != seen->pids[i])
            j++;
        count += j == i;
    }
    return count;
}

/* Each failure costs one task and its process: 4 of them and the first ones. */
Test(isolate, tasks_that_share_a_process, .timeout = 600) {
    for (unsigned processes = 1; processes <= 3; processes += 2) {
        struct shared_tasks *seen = mem_shared(sizeof *seen);
        struct isolated tasks = {.count = SHARING,
                                 .processes = processes,
                                 .limit_s = 3,
                                 .context = seen,
                                 .work = work_shared,
                                 .done = end_shared,
                                 .shares = true};
        struct error error = {0};
        cr_assert_eq(isolated_run(&tasks, &error), 0);
        cr_assert_eq(seen->over, SHARING);
        for (int i = 0; i < SHARING; i++) {
            bool fails = i == 7 || i == 17 || i == 23;
            cr_expect_eq(seen->failures[i][0] != '\0', fails, "task %d: %s", i, seen->failures[i]);
            cr_expect_eq(seen->lengths[i], fails ? 0 : i * 1000, "task %d", i);
            cr_expect_eq(atomic_load(&seen->tries[i]), i == 11 ? 2 : 1);
        }
        cr_expect_str_eq(
            seen->failures[23],
            "the run of a policy that was being loaded was not done within 3 s (replication 23, at t = 0 s, after 0 decisions)");
        cr_expect_leq(distinct_processes(seen), (int)processes + 4);
        mem_unshare(seen, sizeof *seen);
    }
}

/* The process is killed between two tasks, before its second one has begun. */
static int shoot_worker(void *context, size_t task, struct slice result, const char *failure) {
    struct shared_tasks *seen = context;
    (void)end_shared(context, task, result, failure);
    if (task % 5 == 0)
        kill(seen->pids[task], SIGKILL);
    if (task % 5 == 2)
        kill(seen->pids[task], SIGTERM); /* which ends it, while it waits */
    return 0;
}

static void work_quietly(void *context, size_t task, struct crash_context *crash, struct str *out) {
    (void)crash;
    ((struct shared_tasks *)context)->pids[task] = getpid();
    str_add_char(out, 'x');
}

Test(isolate, killed_between_two_tasks, .timeout = 600) {
    struct shared_tasks *seen = mem_shared(sizeof *seen);
    struct isolated tasks = {.count = SHARING,
                             .processes = 2,
                             .context = seen,
                             .work = work_quietly,
                             .done = shoot_worker,
                             .shares = true};
    struct error error = {0};
    cr_assert_eq(isolated_run(&tasks, &error), 0);
    cr_assert_eq(seen->over, SHARING);
    for (int i = 0; i < SHARING; i++)
        cr_expect(seen->failures[i][0] == '\0' && seen->lengths[i] == 1, "task %d: %s", i,
                  seen->failures[i]);
    mem_unshare(seen, sizeof *seen);
}

/* ---- Pieces ---- */

#define PIECES       100 /* more than there is room for at a time */
#define FIRST_PIECES 7   /* of a task that is shot then, and tried again */

struct heard {
    int count[2], begun[2]; /* by task */
    bool in_order[2];
    char failure[300];
    bool spoils;
};

/* Task 0 is shot at its first try, when seven pieces are on their way. */
static void send_pieces(void *context, size_t task, struct crash_context *crash, struct str *out) {
    const struct heard *heard = context;
    char bytes[100];
    bool first_try = heard->begun[task] == 1;
    for (unsigned p = 0; p < PIECES; p++) {
        memset(bytes, (int)p, sizeof bytes);
        shared_ring_put(crash->ring, p + (unsigned)task, (struct slice){bytes, p});
        if (task == 0 && first_try && p + 1 == FIRST_PIECES)
            raise(SIGKILL);
    }
    if (heard->spoils)
        crash->ring->put += 100;
    str_add(out, "the end");
}

static void hear_begin(void *context, size_t task) {
    struct heard *heard = context;
    heard->begun[task]++;
    heard->count[task] = 0;
    heard->in_order[task] = true;
}

static void hear_piece(void *context, size_t task, unsigned part, struct slice piece) {
    struct heard *heard = context;
    unsigned p = (unsigned)heard->count[task]++;
    heard->in_order[task] = heard->in_order[task] && part == p + task && piece.length == p;
    for (size_t i = 0; i < piece.length; i++)
        heard->in_order[task] = heard->in_order[task] && piece.at[i] == (char)p;
}

static int hear_end(void *context, size_t task, struct slice result, const char *failure) {
    struct heard *heard = context;
    (void)task;
    if (failure)
        snprintf(heard->failure, sizeof heard->failure, "%s", failure);
    else
        cr_expect(slice_is(result, "the end"));
    return 0;
}

static void hear_all(struct heard *heard, bool shares) {
    struct error error = {0};
    const struct isolated tasks = {.count = 2,
                                   .processes = 2,
                                   .context = heard,
                                   .work = send_pieces,
                                   .begun = hear_begin,
                                   .piece = hear_piece,
                                   .done = hear_end,
                                   .shares = shares};
    cr_assert_eq(isolated_run(&tasks, &error), 0, "%s", error.text);
}

/* All of them, in order; those of a try that failed come before it begins again. */
Test(isolate, pieces, .timeout = 600) {
    for (int shares = 0; shares <= 1; shares++) {
        struct heard *heard = mem_shared(sizeof *heard);
        hear_all(heard, shares);
        cr_expect_str_eq(heard->failure, "");
        cr_expect(heard->begun[0] == 2 && heard->begun[1] == 1);
        for (int task = 0; task < 2; task++)
            cr_expect(heard->count[task] == PIECES && heard->in_order[task]);
        mem_unshare(heard, sizeof *heard);
    }
}

/* What a policy writes there is not taken for rows. */
Test(isolate, spoilt_pieces, .timeout = 600) {
    for (int shares = 0; shares <= 1; shares++) {
        struct heard heard = {.spoils = true};
        hear_all(&heard, shares);
        cr_expect_str_eq(heard.failure, "the rows of a policy that was being loaded were changed");
    }
}
