/* One command at a time in a folder: see folder_lock.h. */
#include "io/folder_lock.h"

#include "base/mem.h"
#include "io/files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define STEPS_PER_S 50 /* looks at a lock that another has */

struct folder_lock {
    char *path;
    size_t existing; /* of the path, before it was made */
    int fd;
};

/* Whether the folder still has its name: whoever had the lock may have removed it. */
static bool is_in_place(const struct folder_lock *lock) {
    struct stat here, named;
    return fstat(lock->fd, &here) == 0 && stat(lock->path, &named) == 0 &&
           here.st_dev == named.st_dev && here.st_ino == named.st_ino;
}

static void close_folder(struct folder_lock *lock) {
    if (lock->fd >= 0)
        close(lock->fd);
    lock->fd = -1;
}

/* 1: the lock is taken; 0: another has it, or has removed the folder; negative: an error. */
static int try_folder(struct folder_lock *lock, struct error *reterr) {
    if (files_make_folders(lock->path, reterr) < 0)
        return reterr->code;
    lock->fd = (int)TEMP_FAILURE_RETRY(open(lock->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (lock->fd < 0 && errno != ENOENT)
        return error_set(reterr, ERROR_IO, "%s: cannot open folder: %s", lock->path,
                         strerror(errno));
    bool taken = lock->fd >= 0 && (TEMP_FAILURE_RETRY(flock(lock->fd, LOCK_EX | LOCK_NB)) == 0 ||
                                   errno != EWOULDBLOCK);
    if (taken && is_in_place(lock))
        return 1;
    close_folder(lock);
    return 0;
}

int folder_lock_take(const char *path, unsigned wait_s, struct folder_lock **ret_lock,
                     struct error *reterr) {
    struct folder_lock *lock = mem_zalloc(1, sizeof *lock);
    lock->path = mem_strdup(path);
    lock->existing = files_existing(path);
    int r = try_folder(lock, reterr);
    for (unsigned step = 0; r == 0 && step < wait_s * STEPS_PER_S; step++) {
        nanosleep(&(struct timespec){.tv_nsec = 1000000000 / STEPS_PER_S}, NULL);
        r = try_folder(lock, reterr);
    }
    if (r == 0)
        r = error_set(reterr, ERROR_IO, "%s: another command is writing results into it", path);
    if (r < 0) {
        folder_lock_release(lock);
        return r;
    }
    *ret_lock = lock;
    return 0;
}

void folder_lock_release(struct folder_lock *lock) {
    if (!lock)
        return;
    if (lock->fd >= 0) /* else another has it, and may be about to write the first file into it */
        files_remove_empty(lock->path, lock->existing);
    close_folder(lock);
    free(lock->path);
    free(lock);
}
