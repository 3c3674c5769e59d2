/* Forked processes. They leave by _exit only, so that neither the parent's buffers nor leak
   checkers of sanitizers run in them; their result goes through a file in memory, so that no pipe
   can be full, cut off or held open. It is written when the policy has ended, over whatever that
   has written into it; the parent closes it to writers, and compares length and hash before it is
   used. */
#include "study/forked.h"

#include "base/child.h"
#include "base/hash.h"
#include "base/machine.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

double forked_clock_s(void) {
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
static void keep_descriptors(int fd, int bell) {
    int low = bell < 0 || fd < bell ? fd : bell, high = fd < bell ? bell : fd;
    int null = open("/dev/null", O_RDONLY);
    if (null >= 0)
        dup2(null, STDIN_FILENO);
    dup2(STDERR_FILENO, STDOUT_FILENO);
    close_between(STDERR_FILENO + 1, low - 1);
    close_between(low + 1, high - 1);
    close_between(high + 1, INT_MAX);
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
        trail->machine = machine_is_at_fault(errno);
        snprintf(trail->words, FAULT_BYTES, "the result of %s cannot be handed over: %s",
                 trail_name(trail), strerror(errno));
        return;
    }
    trail->bytes = result->length;
    trail->hash = hash_words(HASH_START, result->text, result->length);
    trail->done = true;
}

_Noreturn void forked_hand_in(const struct forked *forked, const struct str *result) {
    trail_end_policy(forked->trail);
    hand_in(forked->result, result, forked->trail);
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
    if (forked->conveyor)
        conveyor_close(forked->conveyor);
    *forked = (struct forked){.trail = forked->trail, .conveyor = forked->conveyor};
}

static void begin_copy(const struct forked *forked, pid_t parent) {
    child_begin(parent);
    keep_descriptors(forked->result, forked->conveyor ? forked->conveyor->bell : -1);
    trail_begin(forked->trail);
}

int forked_start(struct forked *forked) {
    pid_t parent = getpid();
    *forked = (struct forked){.ended = -1,
                              .began_s = forked_clock_s(),
                              .trail = forked->trail,
                              .conveyor = forked->conveyor};
    memset(forked->trail, 0, sizeof *forked->trail);
    forked->trail->conveyor = forked->conveyor;
    fflush(NULL); /* a plug-in may call exit, which writes out what is buffered */
    if (forked->conveyor && conveyor_open(forked->conveyor) < 0)
        return -1;
    forked->result = memfd_create("easim", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    forked->pid = forked->result < 0 ? -1 : fork();
    if (forked->pid == 0) {
        begin_copy(forked, parent);
        return 1;
    }
    if (forked->pid > 0) {
        forked->ended = child_watch(forked->pid);
        return 0;
    }
    int code = errno;
    forked_forget(forked);
    errno = code;
    return -1;
}

struct slice forked_open_result(const struct forked *forked, struct str *failure) {
    struct trail *trail = forked->trail;
    struct slice result = {NULL, 0};
    struct stat file = {0};
    bool sealed =
        fcntl(forked->result, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE) == 0;
    if (!sealed || fstat(forked->result, &file) < 0) {
        trail->machine = machine_is_at_fault(errno);
        str_addf(failure, "the result of %s cannot be read: %s", trail_name(trail),
                 strerror(errno));
    } else if ((uint64_t)file.st_size != trail->bytes)
        str_addf(failure, "the result of %s is not whole: %lld of %llu bytes", trail_name(trail),
                 (long long)file.st_size, (unsigned long long)trail->bytes);
    else if (file.st_size > 0) {
        void *map = mmap(NULL, (size_t)file.st_size, PROT_READ, MAP_PRIVATE, forked->result, 0);
        trail->machine = map == MAP_FAILED;
        if (map == MAP_FAILED)
            str_addf(failure, "the result cannot be read: %s", strerror(errno));
        else
            result = (struct slice){map, (size_t)file.st_size};
    }
    if (!failure->text && hash_words(HASH_START, result.at, result.length) != trail->hash)
        str_addf(failure, "the result of %s was changed", trail_name(trail));
    return result;
}

void forked_close_result(struct slice result) {
    if (result.at)
        munmap((void *)(uintptr_t)result.at, result.length);
}
