/* One child for each task. A child leaves by _exit only, so that neither the parent's buffers nor
   leak checkers of sanitizers run in it; its result goes through a file in memory, so that no pipe
   can be full, cut off or held open. It is written when the policy has ended, over whatever that
   has written into it; the parent closes it to writers, and compares length and hash before it is
   used. */
#include "study/isolate.h"

#include "base/child.h"
#include "base/hash.h"
#include "base/idset.h"
#include "base/mem.h"
#include "base/own_state.h"
#include "base/units.h"
#include "engine/sim.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define ABSURD_BYTES ((size_t)1 << 46) /* no machine has them: whoever asks is to blame */
#define TICK_MS      100
#define GRACE_S      2.0 /* for a cancelled task to put the file in place that it is writing */

struct child {
    pid_t pid; /* 0: none */
    int ended; /* readable once it has */
    int result;
    size_t task;
    double began_s;
    bool timed_out, killed; /* killed: it was asked to end, and did not */
    struct trail *trail;
};

struct crew {
    const struct isolated *all;
    struct child *children;
    size_t running, next;
    size_t limit;         /* tasks of this number or a higher one do not begin any more */
    bool *tried;          /* by task: the machine has failed it once */
    struct idset waiting; /* to be tried again, when all tasks have begun */
    double cancelled_s;   /* when; 0: not */
    struct str stubborn;  /* the first that had to be killed then */
    size_t stubborn_task; /* its number */
    size_t stubborn_count, given_up;
};

/* ---- What is known of a task ---- */

void trail_policy(struct trail *trail, const struct policy_module *module) {
    fault_name(module, trail->policy);
    fault_watch(module, trail->words);
}

void trail_end_policy(const struct trail *trail) {
    if (getpid() != trail->pid)
        _exit(EXIT_FAILURE);
    own_state_set_locale();
}

/* A replication, and not a policy in it, nor one that is being loaded. */
static bool easim_is_at_work(const struct trail *trail) {
    return trail->generating > 0 || (trail->replication > 0 && !trail->calling);
}

/* Where mem.h has no memory: what the parent is to say. */
static void no_memory(void *context, size_t bytes) {
    struct trail *trail = context;
    const char *where = easim_is_at_work(trail) ? "easim itself, not in"
                        : trail->calling        ? trail->calling
                                                : "the run";
    int length = snprintf(trail->words, FAULT_BYTES, "out of memory in %s%s %s", where,
                          easim_is_at_work(trail) ? "" : " of",
                          trail->policy[0] ? trail->policy : "a policy that was being loaded");
    if (bytes > 0 && length < FAULT_BYTES)
        snprintf(trail->words + length, FAULT_BYTES - (size_t)length,
                 ": no room for %zu more bytes", bytes);
    trail->machine = bytes < ABSURD_BYTES;
    _exit(EXIT_FAILURE);
}

static void note_time(void *context, const struct sim *sim, int64_t from_ns, int64_t to_ns) {
    struct trail *trail = context;
    (void)from_ns;
    trail->now_ns = to_ns;
    trail->decisions = sim->decision_total;
}

struct observer trail_observer(struct trail *trail) {
    return (struct observer){.context = trail, .advance = note_time};
}

/* Of one that had to be killed the policy is named only if it may be to blame: not while easim
 * itself is at work.
 */
static void explain_killed(const struct trail *trail, const char *who, struct str *out) {
    bool own = easim_is_at_work(trail);
    str_addf(out, "%s%s was killed, for it did not end within %g s",
             own ? "a replication" : "the run of ", own ? "" : who, GRACE_S);
}

/* How far it had come. */
static void explain_place(const struct trail *trail, struct str *out) {
    if (trail->generating > 0)
        str_addf(out, " (easim was generating the jobs of replication %u)", trail->generating);
    else if (trail->replication > 0)
        str_addf(out, " (replication %u, at t = %.9g s, after %llu decisions)", trail->replication,
                 units_s(trail->now_ns), (unsigned long long)trail->decisions);
}

static const char *name_of(const struct trail *trail) {
    return trail->policy[0] ? trail->policy : "a policy that was being loaded";
}

/* Why a task is not done; out stays empty if it is. */
static void explain(const struct child *c, int status, double limit_s, struct str *out) {
    struct trail *trail = c->trail;
    const char *who = name_of(trail);
    if (trail->done && WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return;
    trail->words[FAULT_BYTES - 1] = trail->policy[FAULT_NAME_BYTES - 1] =
        '\0'; /* a policy may write anywhere */
    if (c->timed_out)
        str_addf(out, "the run of %s was not done within %g s", who, limit_s);
    else if (c->killed)
        explain_killed(trail, who, out);
    else if (trail->words[0])
        str_add(out, trail->words);
    else if (WIFEXITED(status))
        str_addf(out, "the run of %s ended its process with exit status %d", who,
                 WEXITSTATUS(status));
    else
        str_addf(out, "the run of %s was ended by signal %d, %s", who, WTERMSIG(status),
                 strsignal(WTERMSIG(status)));
    explain_place(trail, out);
}

/* ---- Children ---- */

static double clock_s(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Of the parent's files, and of other policies' results, a policy sees none. Standard input is
   empty, and what is printed on standard output goes where messages go. */
static void keep_descriptor(int fd) {
    int null = open("/dev/null", O_RDONLY);
    if (null >= 0)
        dup2(null, STDIN_FILENO);
    dup2(STDERR_FILENO, STDOUT_FILENO);
    if (fd > STDERR_FILENO + 1)
        close_range(STDERR_FILENO + 1, (unsigned)fd - 1, 0);
    close_range((unsigned)fd + 1, ~0u, 0);
}

static bool write_result(int fd, const struct str *result) {
    size_t at = 0;
    bool good = ftruncate(fd, 0) == 0;
    while (good && at < result->length) {
        ssize_t count = pwrite(fd, result->text + at, result->length - at, (off_t)at);
        at += count > 0 ? (size_t)count : 0;
        good = count > 0 || (count < 0 && errno == EINTR);
    }
    return good;
}

/* Of a full disk or memory the machine is to blame, of a descriptor that is gone the policy. */
static void hand_in(int fd, const struct str *result, struct trail *trail) {
    if (!write_result(fd, result)) {
        trail->machine = errno == ENOSPC || errno == ENOMEM;
        snprintf(trail->words, FAULT_BYTES, "the result of %s cannot be handed over: %s",
                 name_of(trail), strerror(errno));
        return;
    }
    trail->bytes = result->length;
    trail->hash = hash_words(HASH_START, result->text, result->length);
    trail->done = true;
}

static _Noreturn void be_child(const struct isolated *all, const struct child *c, pid_t parent) {
    struct str result = {0};
    child_begin(parent);
    keep_descriptor(c->result);
    c->trail->pid = getpid();
    c->trail->original = child_original();
    mem_on_failure(no_memory, c->trail);
    all->work(all->context, c->task, c->trail, &result);
    trail_end_policy(c->trail);
    hand_in(c->result, &result, c->trail);
    fflush(NULL); /* what the policy has printed */
    _exit(EXIT_SUCCESS);
}

static void kill_child(const struct child *c) {
    kill(-c->pid, SIGKILL); /* with what the plug-in may have started */
    kill(c->pid, SIGKILL);  /* if it is not yet, or not any more, in that group */
}

static void forget_child(struct child *c) {
    if (c->ended >= 0)
        close(c->ended);
    if (c->result >= 0)
        close(c->result);
    *c = (struct child){.trail = c->trail};
}

/* False: not started, errno tells why. */
static bool start_child(const struct isolated *all, struct child *c, size_t task) {
    pid_t parent = getpid();
    *c = (struct child){.ended = -1, .task = task, .began_s = clock_s(), .trail = c->trail};
    memset(c->trail, 0, sizeof *c->trail);
    fflush(NULL); /* a plug-in may call exit, which writes out what is buffered */
    c->result = memfd_create("easim", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    c->pid = c->result < 0 ? -1 : fork();
    if (c->pid == 0)
        be_child(all, c, parent);
    if (c->pid > 0)
        c->ended = pidfd_open(c->pid, 0);
    if (c->ended >= 0)
        return true;
    int code = errno;
    if (c->pid > 0) {
        kill_child(c);
        waitpid(c->pid, NULL, 0);
    }
    forget_child(c);
    errno = code;
    return false;
}

/* With nobody else of this crew to wait for, a little later too. */
static bool start_patiently(const struct crew *crew, struct child *c, size_t task) {
    for (unsigned attempt = 0;; attempt++) {
        if (start_child(crew->all, c, task))
            return true;
        if (crew->running > 0 || attempt == CHILD_ATTEMPTS)
            return false;
        child_wait_before(attempt);
    }
}

static bool has_tasks(const struct crew *crew) {
    return crew->next < crew->all->count || idset_next(&crew->waiting, 0) != IDSET_NONE;
}

/* None after one that has failed begins, but those before it do: the first failure in the order of
   tasks is the same whichever of them end first. */
static bool choose_task(const struct crew *crew, size_t *ret_task) {
    uint64_t task = crew->next < crew->limit ? crew->next : idset_next(&crew->waiting, 0);
    *ret_task = (size_t)task;
    return task < crew->limit;
}

static void start_more(struct crew *crew, struct error *reterr) {
    size_t task;
    for (unsigned i = 0; i < crew->all->processes && choose_task(crew, &task); i++) {
        if (crew->children[i].pid != 0)
            continue;
        if (start_patiently(crew, &crew->children[i], task)) {
            crew->running++;
            if (task == crew->next)
                crew->next++;
            else
                idset_remove(&crew->waiting, task);
        } else if (crew->running > 0) {
            return; /* there is room when one of them has ended */
        } else {
            crew->limit = 0;
            error_set(reterr, ERROR_MACHINE, "no process can be started: %s", strerror(errno));
        }
    }
}

/* A task that was interrupted and did not end by itself. */
static void note_stubborn(struct crew *crew, const struct child *c, const struct str *how) {
    if (!c->killed)
        return;
    if (crew->stubborn_count == 0 || c->task < crew->stubborn_task) {
        crew->stubborn.length = 0;
        str_add_bytes(&crew->stubborn, how->text, how->length);
        crew->stubborn_task = c->task;
    }
    crew->stubborn_count++;
}

/* Whether a task that the machine has failed gets a second try. So does one that was killed, by
   nobody here: its policy may do that to itself, but so may somebody else, or the kernel for want
   of memory. */
static bool tries_again(struct crew *crew, const struct child *c, int status, const char *failure) {
    bool shot = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL && !c->timed_out && !c->killed;
    if (!failure || !(c->trail->machine || shot) || crew->tried[c->task] || c->task >= crew->limit)
        return false;
    crew->tried[c->task] = true;
    idset_insert(&crew->waiting, c->task);
    return true;
}

static int tell_end(const struct isolated *all, const struct child *c, struct slice result,
                    const char *failure) {
    return failure && c->trail->machine && all->lost
               ? all->lost(all->context, c->task, failure)
               : all->done(all->context, c->task, result, failure);
}

/* What a child has handed in, unless it was cut or changed since: then it is empty, and why is
   added. Nobody can change what is mapped. */
static struct slice open_result(const struct child *c, struct str *failure) {
    struct trail *trail = c->trail;
    struct slice result = {NULL, 0};
    struct stat file = {0};
    bool sealed = fcntl(c->result, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE) == 0;
    if (!sealed || fstat(c->result, &file) < 0)
        str_addf(failure, "the result of %s cannot be read: %s", name_of(trail), strerror(errno));
    else if ((uint64_t)file.st_size != trail->bytes)
        str_addf(failure, "the result of %s is not whole: %lld of %llu bytes", name_of(trail),
                 (long long)file.st_size, (unsigned long long)trail->bytes);
    else if (file.st_size > 0) {
        void *map = mmap(NULL, (size_t)file.st_size, PROT_READ, MAP_PRIVATE, c->result, 0);
        trail->machine = map == MAP_FAILED;
        if (map == MAP_FAILED)
            str_addf(failure, "the result cannot be read: %s", strerror(errno));
        else
            result = (struct slice){map, (size_t)file.st_size};
    }
    if (!failure->text && hash_words(HASH_START, result.at, result.length) != trail->hash)
        str_addf(failure, "the result of %s was changed", name_of(trail));
    return result;
}

static void hand_over(struct crew *crew, const struct child *c, int status) {
    const struct isolated *all = crew->all;
    struct str failure = {0};
    struct slice result = {NULL, 0};
    explain(c, status, all->limit_s, &failure);
    bool given_up = crew->cancelled_s > 0 && failure.text;
    crew->given_up += given_up;
    if (given_up)
        note_stubborn(crew, c, &failure);
    if (!failure.text)
        result = open_result(c, &failure);
    if (!given_up && !tries_again(crew, c, status, failure.text) &&
        tell_end(all, c, failure.text ? (struct slice){0} : result, failure.text) < 0 &&
        c->task < crew->limit)
        crew->limit = c->task;
    if (result.at)
        munmap((void *)(uintptr_t)result.at, result.length);
    str_finish(&failure);
}

static void reap_child(struct crew *crew, struct child *c) {
    int status = 0;
    kill(-c->pid, SIGKILL);
    while (waitpid(c->pid, &status, 0) < 0 && errno == EINTR)
        ;
    hand_over(crew, c, status);
    forget_child(c);
    crew->running--;
}

static void look_at_clock(struct crew *crew) {
    const struct isolated *all = crew->all;
    double now_s = clock_s();
    bool cancel = crew->cancelled_s == 0 && all->cancel && atomic_load(all->cancel);
    if (cancel) {
        crew->limit = 0;
        crew->cancelled_s = now_s;
    }
    for (unsigned i = 0; i < all->processes; i++) {
        struct child *c = &crew->children[i];
        if (c->pid == 0)
            continue;
        if (cancel)
            kill(c->pid, SIGTERM);
        c->timed_out = c->timed_out || (all->limit_s > 0 && now_s > c->began_s + all->limit_s);
        c->killed = c->killed || (crew->cancelled_s > 0 && now_s > crew->cancelled_s + GRACE_S);
        if (c->timed_out || c->killed)
            kill_child(c);
    }
}

/* Reaps those that end within a tick. ended: room for all; only what runs is in it, since poll
   refuses more entries than files may be open. */
static void wait_for_some(struct crew *crew, struct pollfd *ended) {
    nfds_t count = 0, at = 0;
    for (unsigned i = 0; i < crew->all->processes; i++)
        if (crew->children[i].pid != 0)
            ended[count++] = (struct pollfd){.fd = crew->children[i].ended, .events = POLLIN};
    if (poll(ended, count, TICK_MS) <= 0)
        return;
    for (unsigned i = 0; i < crew->all->processes; i++)
        if (crew->children[i].pid != 0 && ended[at++].revents)
            reap_child(crew, &crew->children[i]);
}

static int conclude_crew(struct crew *crew, const struct error *failure, struct error *reterr) {
    const struct str *who = &crew->stubborn;
    bool cut_short = crew->cancelled_s > 0 && (crew->given_up > 0 || has_tasks(crew));
    if (failure->code < 0)
        *reterr = *failure;
    else if (crew->stubborn_count > 1)
        error_set(reterr, ERROR_CANCELLED, "interrupted, and %s; %zu more likewise", who->text,
                  crew->stubborn_count - 1);
    else if (crew->stubborn_count == 1)
        error_set(reterr, ERROR_CANCELLED, "interrupted, and %s", who->text);
    else if (cut_short)
        error_set(reterr, ERROR_CANCELLED, "interrupted");
    str_finish(&crew->stubborn);
    return failure->code < 0 ? failure->code : cut_short ? ERROR_CANCELLED : 0;
}

int isolated_run(const struct isolated *all, struct error *reterr) {
    if (all->count == 0)
        return 0;
    struct crew crew = {.all = all,
                        .limit = all->count,
                        .children = mem_zalloc(all->processes, sizeof *crew.children)};
    struct pollfd *ended = mem_zalloc(all->processes, sizeof *ended);
    struct trail *trails = mem_shared(all->processes * sizeof *trails);
    struct error error = {0};
    crew.tried = mem_zalloc(all->count, sizeof *crew.tried);
    idset_init(&crew.waiting, all->count);
    for (unsigned i = 0; i < all->processes; i++)
        crew.children[i].trail = &trails[i];
    look_at_clock(&crew);
    start_more(&crew, &error);
    while (crew.running > 0) {
        wait_for_some(&crew, ended);
        look_at_clock(&crew);
        start_more(&crew, &error);
    }
    mem_unshare(trails, all->processes * sizeof *trails);
    free(ended);
    free(crew.tried);
    free(crew.children);
    int r = conclude_crew(&crew, &error, reterr);
    idset_finish(&crew.waiting);
    return r;
}
