/* Processes that work for this one: see worker_pool.h. */
#include "study/worker_pool.h"

#include "base/child.h"
#include "base/hash.h"
#include "base/idset.h"
#include "base/machine.h"
#include "base/mem.h"
#include "policy/module.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <malloc.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* --- forked --- */
/* They leave by _exit only, so that neither the parent's buffers nor leak checkers of sanitizers
   run in them; their result goes through a file in memory, so that no pipe can be full, cut off or
   held open. It is written when the policy has ended, over what the policy may have written there;
   the parent closes it to writers, and compares length and hash before use. */

/* Of memory that a task has freed the next one has so much at hand; what is larger comes from the
   system each time, and can grow without a copy. */
#define KEPT_BYTES  (64 << 20)
#define LARGE_BYTES (1 << 20)

/* By a clock that only goes on. */
static double forked_clock_s(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* close_range, also where there is none (Linux before 5.9). */
static void close_between(int first, int last) {
    if (first > last || close_range((unsigned)first, (unsigned)last, 0) == 0)
        return;
    DIR *folder = opendir("/proc/self/fd");
    for (const struct dirent *entry; folder && (entry = readdir(folder));) {
        int fd = atoi(entry->d_name);
        if (fd >= first && fd <= last && fd != dirfd(folder))
            close(fd);
    }
    if (folder)
        closedir(folder);
}

/* Of the parent's files, and of other policies' results, a policy sees none. Standard input is
   empty, and what is printed on standard output goes where messages go. */
static void keep_descriptors(const int kept[], size_t count) {
    int null = open("/dev/null", O_RDONLY);
    if (null >= 0)
        dup2(null, STDIN_FILENO);
    dup2(STDERR_FILENO, STDOUT_FILENO);
    for (int last = STDERR_FILENO, next; last < INT_MAX; last = next) {
        next = INT_MAX;
        for (size_t i = 0; i < count; i++)
            if (kept[i] > last && kept[i] < next)
                next = kept[i];
        close_between(last + 1, next == INT_MAX ? next : next - 1);
    }
}

static bool write_result(int fd, const struct str *result) {
    size_t at = 0;
    bool good = true;
    while (good && at < result->length) {
        ssize_t count = pwrite(fd, result->text + at, result->length - at, (off_t)at);
        at += count > 0 ? (size_t)count : 0;
        good = count > 0 || (count < 0 && errno == EINTR);
    }
    return good && ftruncate(fd, (off_t)at) == 0; /* pages of the last result are written over */
}

/* Of a full disk or memory the machine is to blame, of a descriptor that is gone the policy. */
static void hand_in(int fd, const struct str *result, struct crash_context *crash) {
    if (!write_result(fd, result)) {
        crash->machine = machine_is_at_fault(errno);
        snprintf(crash->fault.words, FAULT_BYTES, "the result of %s cannot be handed over: %s",
                 crash_context_name(crash), strerror(errno));
        return;
    }
    crash->bytes = result->length;
    crash->hash = hash_words(HASH_START, result->text, result->length);
    crash->done = true;
}

_Noreturn void forked_hand_in(const struct forked *forked, const struct str *result) {
    crash_context_end_policy(forked->crash);
    hand_in(forked->result, result, forked->crash);
    fflush(NULL); /* what the policy has printed */
    _exit(EXIT_SUCCESS);
}

void forked_kill(const struct forked *forked) {
    kill(-forked->pid, SIGKILL);
    kill(forked->pid, SIGKILL); /* if it is not yet, or not any more, in that group */
}

int forked_wait(const struct forked *forked) {
    int status = 0;
    kill(-forked->pid, SIGKILL);
    while (waitpid(forked->pid, &status, 0) < 0 && errno == EINTR)
        ;
    return status;
}

void forked_forget(struct forked *forked) {
    if (forked->ended >= 0)
        close(forked->ended);
    if (forked->result >= 0)
        close(forked->result);
    if (forked->orders >= 0)
        close(forked->orders);
    if (forked->ring)
        shared_ring_close(forked->ring);
    *forked = (struct forked){.crash = forked->crash, .ring = forked->ring};
}

static unsigned foreign_before; /* modules, opened before this process was a copy */

static void begin_copy(struct forked *forked, pid_t parent, int orders) {
    const int kept[] = {forked->result, orders, forked->ring ? forked->ring->wake_fd : -1};
    child_begin(parent);
    keep_descriptors(kept, sizeof kept / sizeof *kept);
    forked->orders = orders;
    if (orders >= 0) {
        (void)mallopt(M_MMAP_THRESHOLD, LARGE_BYTES);
        (void)mallopt(M_TRIM_THRESHOLD, KEPT_BYTES);
    }
    crash_context_begin(forked->crash);
    foreign_before = module_foreign_count();
}

/* In the caller, before a task begins. */
static void reset(struct forked *forked) {
    memset(forked->crash, 0, sizeof *forked->crash);
    forked->crash->ring = forked->ring;
    forked->began_s = forked_clock_s();
}

int forked_start(struct forked *forked, bool stays) {
    pid_t parent = getpid();
    int ends[2] = {-1, -1};
    *forked = (struct forked){
        .ended = -1, .result = -1, .orders = -1, .crash = forked->crash, .ring = forked->ring};
    fflush(NULL); /* a plug-in may call exit, which writes out what is buffered */
    reset(forked);
    if (forked->ring && shared_ring_open(forked->ring) < 0)
        return -1;
    forked->result = memfd_create("easim", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    bool good = forked->result >= 0 &&
                (!stays || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) == 0);
    forked->orders = ends[0];
    forked->pid = good ? fork() : -1;
    if (forked->pid == 0) {
        begin_copy(forked, parent, ends[1]);
        return 1;
    }
    int code = errno;
    if (ends[1] >= 0)
        close(ends[1]);
    if (forked->pid > 0) {
        forked->ended = child_watch(forked->pid);
        return 0;
    }
    forked_forget(forked);
    errno = code;
    return -1;
}

size_t forked_next(const struct forked *forked, const struct str *result, const atomic_bool *end) {
    const char done = 1;
    size_t task;
    crash_context_end_policy(forked->crash);
    hand_in(forked->result, result, forked->crash);
    fflush(NULL);
    if (!forked->crash->done || module_foreign_count() > foreign_before ||
        (end && atomic_load(end)) ||
        TEMP_FAILURE_RETRY(send(forked->orders, &done, sizeof done, MSG_NOSIGNAL)) < 0 ||
        TEMP_FAILURE_RETRY(recv(forked->orders, &task, sizeof task, 0)) != sizeof task ||
        (end && atomic_load(end)))
        _exit(EXIT_SUCCESS);
    crash_context_begin(forked->crash);
    return task;
}

bool forked_is_done(const struct forked *forked) {
    char done;
    return forked->orders >= 0 && recv(forked->orders, &done, sizeof done, MSG_DONTWAIT) == 1;
}

bool forked_order(struct forked *forked, size_t task) {
    reset(forked);
    return send(forked->orders, &task, sizeof task, MSG_NOSIGNAL) >= 0;
}

struct slice forked_open_result(const struct forked *forked, struct str *failure) {
    struct crash_context *crash = forked->crash;
    struct slice result = {NULL, 0};
    struct stat file = {0};
    bool sealed =
        forked->orders >= 0 || /* it waits for its next task */
        fcntl(forked->result, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE) == 0;
    if (!sealed || fstat(forked->result, &file) < 0) {
        crash->machine = machine_is_at_fault(errno);
        str_addf(failure, "the result of %s cannot be read: %s", crash_context_name(crash),
                 strerror(errno));
    } else if ((uint64_t)file.st_size != crash->bytes)
        str_addf(failure, "the result of %s is not whole: %lld of %llu bytes",
                 crash_context_name(crash), (long long)file.st_size,
                 (unsigned long long)crash->bytes);
    else if (file.st_size > 0) {
        void *map = mmap(NULL, (size_t)file.st_size, PROT_READ, MAP_PRIVATE, forked->result, 0);
        crash->machine = map == MAP_FAILED;
        if (map == MAP_FAILED)
            str_addf(failure, "the result cannot be read: %s", strerror(errno));
        else
            result = (struct slice){map, (size_t)file.st_size};
    }
    if (!failure->text && hash_words(HASH_START, result.at, result.length) != crash->hash)
        str_addf(failure, "the result of %s was changed", crash_context_name(crash));
    return result;
}

void forked_close_result(struct slice result) {
    if (result.at)
        munmap((void *)(uintptr_t)result.at, result.length);
}

/* --- isolate: tasks in child processes, with a time limit --- */

#define IDLE    SIZE_MAX
#define TICK_MS 100
#define GRACE_S 2.0 /* for a cancelled task to put the file in place that it is writing */

struct child {
    struct forked forked;
    size_t task;            /* IDLE: it waits for one */
    bool follows;           /* the task is not its first */
    bool timed_out, killed; /* killed: it was asked to end, and did not */
    bool spoilt;            /* its ring */
};

struct worker_pool {
    const struct isolated *all;
    struct child *children;
    size_t running, next;
    size_t limit;         /* tasks of this number or a higher one do not begin any more */
    bool *tried;          /* by task: the machine has failed it once */
    struct idset waiting; /* to be tried again, when all tasks have begun */
    double cancelled_s;   /* when; 0: not */
    struct str killed;    /* the first that had to be killed then */
    size_t killed_task;   /* its number */
    size_t killed_count, given_up;
};

/* One that waits leaves by itself, as it is told. */
static void dismiss(struct child *c) {
    struct pollfd ended = {.fd = c->forked.ended, .events = POLLIN};
    (void)shutdown(c->forked.orders, SHUT_RDWR);
    (void)child_poll(&ended, 1, (int)(GRACE_S * 1e3));
    forked_kill(&c->forked);
    (void)forked_wait(&c->forked);
    forked_forget(&c->forked);
}

static _Noreturn void work_on(const struct isolated *all, struct child *c, size_t task) {
    for (;;) {
        struct str result = {0};
        all->work(all->context, task, c->forked.crash, &result);
        if (c->forked.orders < 0)
            forked_hand_in(&c->forked, &result);
        task = forked_next(&c->forked, &result, all->cancel);
        str_finish(&result);
    }
}

/* False: not started, errno tells why. */
static bool start_child(const struct isolated *all, struct child *c, size_t task) {
    if (all->begun)
        all->begun(all->context, task);
    if (c->forked.pid != 0 && forked_order(&c->forked, task)) {
        c->task = task;
        c->follows = true;
        return true;
    }
    if (c->forked.pid != 0)
        dismiss(c);
    *c = (struct child){.forked = {.crash = c->forked.crash, .ring = c->forked.ring}, .task = task};
    int copy = forked_start(&c->forked, all->shares);
    if (copy > 0)
        work_on(all, c, task);
    return copy == 0;
}

/* With nobody else of this pool to wait for, a little later too. */
static bool start_patiently(const struct worker_pool *pool, struct child *c, size_t task) {
    for (unsigned attempt = 0;; attempt++) {
        if (start_child(pool->all, c, task))
            return true;
        if (pool->running > 0 || attempt == CHILD_ATTEMPTS)
            return false;
        child_wait_before(attempt);
    }
}

static bool has_tasks(const struct worker_pool *pool) {
    return pool->next < pool->all->count || idset_next(&pool->waiting, 0) != IDSET_NONE;
}

/* None after one that has failed begins, but those before it do: the first failure in the order of
   tasks is the same whichever of them end first. */
static bool choose_task(const struct worker_pool *pool, size_t *ret_task) {
    uint64_t task = pool->next < pool->limit ? pool->next : idset_next(&pool->waiting, 0);
    *ret_task = (size_t)task;
    return task < pool->limit;
}

static bool has_task(const struct child *c) {
    return c->forked.pid != 0 && c->task != IDLE;
}

/* Of those that have none, one that waits for a task, or else a place for another; NULL: all have
   one. */
static struct child *find_free(const struct worker_pool *pool) {
    struct child *found = NULL;
    for (unsigned i = 0; i < pool->all->processes; i++) {
        struct child *c = &pool->children[i];
        if (!has_task(c) && (!found || (c->forked.pid != 0 && found->forked.pid == 0)))
            found = c;
    }
    return found;
}

static void start_more(struct worker_pool *pool, struct error *reterr) {
    size_t task;
    struct child *c;
    while (choose_task(pool, &task) && (c = find_free(pool))) {
        if (start_patiently(pool, c, task)) {
            pool->running++;
            if (task == pool->next)
                pool->next++;
            else
                idset_remove(&pool->waiting, task);
        } else if (pool->running > 0) {
            return; /* there is room when one of them has ended */
        } else {
            pool->limit = 0;
            error_set(reterr, ERROR_MACHINE, "cannot start a process: %s", strerror(errno));
        }
    }
}

/* A task that was interrupted and did not end by itself. */
static void note_killed(struct worker_pool *pool, const struct child *c, const struct str *how) {
    if (!c->killed)
        return;
    if (pool->killed_count == 0 || c->task < pool->killed_task) {
        pool->killed.length = 0;
        str_add_bytes(&pool->killed, how->text, how->length);
        pool->killed_task = c->task;
    }
    pool->killed_count++;
}

/* Whether a task that the machine has failed gets a second try. So does one that was killed, by
   nobody here: its policy may do that to itself, but so may somebody else, or the kernel for want
   of memory. */
static bool tries_again(struct worker_pool *pool, const struct child *c, int status,
                        const char *failure) {
    bool shot = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL && !c->timed_out && !c->killed;
    bool begun = !c->follows || c->forked.crash->pid != 0; /* else it ended before its next task */
    if (!failure || !(c->forked.crash->machine || shot || !begun) || pool->tried[c->task] ||
        c->task >= pool->limit)
        return false;
    pool->tried[c->task] = begun;
    idset_insert(&pool->waiting, c->task);
    return true;
}

static int tell_end(const struct isolated *all, const struct child *c, struct slice result,
                    const char *failure) {
    return failure && c->forked.crash->machine && all->lost
               ? all->lost(all->context, c->task, failure)
               : all->done(all->context, c->task, result, failure);
}

static void hand_over(struct worker_pool *pool, const struct child *c, int status) {
    const struct isolated *all = pool->all;
    struct str failure = {0};
    struct slice result = {NULL, 0};
    crash_context_explain(
        c->forked.crash,
        &(struct process_end){status, c->timed_out, c->killed, all->limit_s, GRACE_S}, &failure);
    bool given_up = pool->cancelled_s > 0 && failure.text;
    pool->given_up += given_up;
    if (given_up)
        note_killed(pool, c, &failure);
    if (!failure.text && c->spoilt)
        str_addf(&failure, "the rows of %s were changed", crash_context_name(c->forked.crash));
    if (!failure.text)
        result = forked_open_result(&c->forked, &failure);
    if (!given_up && !tries_again(pool, c, status, failure.text) &&
        tell_end(all, c, failure.text ? (struct slice){0} : result, failure.text) < 0 &&
        c->task < pool->limit)
        pool->limit = c->task;
    forked_close_result(result);
    str_finish(&failure);
}

/* Takes over what the child has put into its ring. */
static void take_pieces(const struct worker_pool *pool, struct child *c) {
    unsigned part;
    struct slice piece;
    int r;
    if (!c->forked.ring || c->spoilt)
        return;
    shared_ring_quiet(c->forked.ring);
    while ((r = shared_ring_take(c->forked.ring, &part, &piece)) > 0) {
        pool->all->piece(pool->all->context, c->task, part, piece);
        shared_ring_done(c->forked.ring);
    }
    c->spoilt = r < 0;
}

/* Its task is over. */
static void end_task(struct worker_pool *pool, struct child *c, int status) {
    take_pieces(pool, c);
    hand_over(pool, c, status);
    c->task = IDLE;
    pool->running--;
}

static void reap_child(struct worker_pool *pool, struct child *c) {
    end_task(pool, c, forked_wait(&c->forked));
    forked_forget(&c->forked);
}

static void look_at_clock(struct worker_pool *pool) {
    const struct isolated *all = pool->all;
    double now_s = forked_clock_s();
    bool cancel = pool->cancelled_s == 0 && all->cancel && atomic_load(all->cancel);
    if (cancel) {
        pool->limit = 0;
        pool->cancelled_s = now_s;
    }
    for (unsigned i = 0; i < all->processes; i++) {
        struct child *c = &pool->children[i];
        if (!has_task(c))
            continue;
        if (cancel)
            kill(c->forked.pid, SIGTERM);
        c->timed_out =
            c->timed_out || (all->limit_s > 0 && now_s > c->forked.began_s + all->limit_s);
        c->killed = c->killed || (pool->cancelled_s > 0 && now_s > pool->cancelled_s + GRACE_S);
        if (c->timed_out || c->killed)
            forked_kill(&c->forked);
    }
}

#define CHILD_EVENTS 3

/* Takes what is put, and hands over the tasks that end within a tick. events: room for
   CHILD_EVENTS of each child; only what runs is in it, since poll refuses more entries than files
   may be open. */
static void wait_for_some(struct worker_pool *pool, struct pollfd *events) {
    nfds_t count = 0, at = 0;
    for (unsigned i = 0; i < pool->all->processes; i++) {
        const struct child *c = &pool->children[i];
        if (!has_task(c))
            continue;
        events[count++] = (struct pollfd){.fd = c->forked.ended, .events = POLLIN};
        if (c->forked.orders >= 0)
            events[count++] = (struct pollfd){.fd = c->forked.orders, .events = POLLIN};
        if (c->forked.ring)
            events[count++] = (struct pollfd){.fd = c->forked.ring->wake_fd, .events = POLLIN};
    }
    if (child_poll(events, count, TICK_MS) < 0)
        return;
    for (unsigned i = 0; i < pool->all->processes; i++) {
        struct child *c = &pool->children[i];
        if (!has_task(c))
            continue;
        bool ended = events[at].revents;
        at += 1 + (c->forked.orders >= 0) + (c->forked.ring != NULL);
        take_pieces(pool, c);
        if (forked_is_done(&c->forked)) {
            end_task(pool, c, EXIT_SUCCESS);
            if (c->spoilt)
                dismiss(c);
        } else if (ended)
            reap_child(pool, c);
    }
}

static int conclude(struct worker_pool *pool, const struct error *failure, struct error *reterr) {
    const struct str *who = &pool->killed;
    bool cut_short = pool->cancelled_s > 0 && (pool->given_up > 0 || has_tasks(pool));
    if (failure->code < 0)
        *reterr = *failure;
    else if (pool->killed_count > 1)
        error_set(reterr, ERROR_CANCELLED, "interrupted, and %s; %zu more, too", who->text,
                  pool->killed_count - 1);
    else if (pool->killed_count == 1)
        error_set(reterr, ERROR_CANCELLED, "interrupted, and %s", who->text);
    else if (cut_short)
        error_set(reterr, ERROR_CANCELLED, "interrupted");
    str_finish(&pool->killed);
    return failure->code < 0 ? failure->code : cut_short ? ERROR_CANCELLED : 0;
}

int isolated_run(const struct isolated *all, struct error *reterr) {
    if (all->count == 0)
        return 0;
    struct worker_pool pool = {.all = all,
                               .limit = all->count,
                               .children = mem_zalloc(all->processes, sizeof *pool.children)};
    struct pollfd *events = mem_zalloc(all->processes, CHILD_EVENTS * sizeof *events);
    struct crash_context *crashes = mem_shared(all->processes * sizeof *crashes);
    struct shared_ring *rings = all->piece ? mem_shared(all->processes * sizeof *rings) : NULL;
    struct error error = {0};
    pool.tried = mem_zalloc(all->count, sizeof *pool.tried);
    idset_init(&pool.waiting, all->count);
    for (unsigned i = 0; i < all->processes; i++) {
        pool.children[i].forked.crash = &crashes[i];
        pool.children[i].forked.ring = rings ? &rings[i] : NULL;
    }
    look_at_clock(&pool);
    start_more(&pool, &error);
    while (pool.running > 0) {
        wait_for_some(&pool, events);
        look_at_clock(&pool);
        start_more(&pool, &error);
    }
    for (unsigned i = 0; i < all->processes; i++)
        if (pool.children[i].forked.pid != 0)
            dismiss(&pool.children[i]);
    mem_unshare(crashes, all->processes * sizeof *crashes);
    if (rings)
        mem_unshare(rings, all->processes * sizeof *rings);
    free(events);
    free(pool.tried);
    free(pool.children);
    int r = conclude(&pool, &error, reterr);
    idset_finish(&pool.waiting);
    return r;
}
