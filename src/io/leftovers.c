/* Locks on folders and files that are being made: see leftovers.h. */
#include "io/leftovers.h"

#include "base/arena.h"
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

#define MARK     ".tmp-"
#define RANDOM   6 /* characters behind it */
#define ATTEMPTS 10

bool leftovers_claim(int fd) {
    struct stat status;
    if (TEMP_FAILURE_RETRY(flock(fd, LOCK_EX | LOCK_NB)) < 0 && errno == EWOULDBLOCK)
        return false;
    return fstat(fd, &status) == 0 && status.st_nlink > 0;
}

int leftovers_make_folder(char *pattern, int *ret_fd, struct error *reterr) {
    size_t length = strlen(pattern);
    int fd = -1;
    for (int attempt = 0; attempt < ATTEMPTS && fd < 0; attempt++) {
        memset(pattern + length - RANDOM, 'X', RANDOM);
        if (!mkdtemp(pattern))
            break;
        fd = (int)TEMP_FAILURE_RETRY(open(pattern, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
        if (fd >= 0 && !leftovers_claim(fd)) {
            close(fd);
            fd = -1;
        }
    }
    if (fd < 0)
        return error_set(reterr, ERROR_IO, "%s: cannot create a folder: %s", pattern,
                         strerror(errno));
    *ret_fd = fd;
    return 0;
}

/* The bytes of NAME in NAME.tmp-XXXXXX; 0: it is another name. */
static size_t stem_of(const char *name) {
    size_t length = strlen(name), tail = strlen(MARK) + RANDOM;
    if (length <= tail || strncmp(name + length - tail, MARK, strlen(MARK)) != 0)
        return 0;
    for (const char *at = name + length - RANDOM; *at; at++)
        if (!strchr("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", *at))
            return 0;
    return length - tail;
}

static bool is_named(const char *name, const char *const *names) {
    size_t stem = stem_of(name);
    bool found = !names;
    for (; names && *names && !found; names++)
        found = strlen(*names) == stem && strncmp(*names, name, stem) == 0;
    return stem > 0 && found;
}

/* Locked, and open; -1: somebody has it, or it is neither a file nor a folder. */
static int take_over(const char *path, bool *ret_folder) {
    struct stat status;
    int fd = (int)TEMP_FAILURE_RETRY(open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (fd < 0)
        return -1;
    bool mine = fstat(fd, &status) == 0 && (S_ISREG(status.st_mode) || S_ISDIR(status.st_mode)) &&
                TEMP_FAILURE_RETRY(flock(fd, LOCK_EX | LOCK_NB)) == 0;
    *ret_folder = mine && S_ISDIR(status.st_mode);
    if (mine)
        return fd;
    close(fd);
    return -1;
}

/* Whether what stands at FOLDER/NAME is left of one of those names (NULL: of any). */
static bool is_leftover(const char *folder, const char *name, const char *const *names) {
    struct arena arena = {0};
    bool is_folder;
    int fd = is_named(name, names)
                 ? take_over(arena_printf(&arena, "%s/%s", folder, name), &is_folder)
                 : -1;
    if (fd >= 0)
        close(fd);
    arena_finish(&arena);
    return fd >= 0;
}

void leftovers_remove_folder(const char *path) {
    struct arena arena = {0};
    DIR *dir = files_open_folder(path);
    for (struct dirent *entry; dir && (entry = readdir(dir));)
        (void)unlink(arena_printf(&arena, "%s/%s", path, entry->d_name)); /* not . and .. */
    if (dir)
        closedir(dir);
    (void)rmdir(path);
    arena_finish(&arena);
}

void leftovers_remove(const char *folder, const char *const *names) {
    struct arena arena = {0};
    DIR *dir = files_open_folder(folder);
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        bool is_folder;
        if (!is_named(entry->d_name, names))
            continue;
        const char *path = arena_printf(&arena, "%s/%s", folder, entry->d_name);
        int fd = take_over(path, &is_folder);
        if (fd < 0)
            continue;
        if (is_folder)
            leftovers_remove_folder(path);
        else
            (void)unlink(path);
        close(fd);
    }
    if (dir)
        closedir(dir);
    arena_finish(&arena);
}

/* ---- Folders with nothing else in them ---- */

static bool is_dot(const char *name) {
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

static bool is_folder(const char *path) {
    struct stat status;
    return lstat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

int leftovers_only(const char *folder, int depth, struct error *reterr) {
    struct arena arena = {0};
    DIR *dir = files_open_folder(folder);
    int empty = 1;
    if (!dir)
        return errno == ENOENT ? 1
                               : error_set(reterr, ERROR_INPUT, "%s: cannot open folder: %s",
                                           folder, strerror(errno));
    for (const struct dirent *entry; empty == 1 && (entry = readdir(dir));) {
        const char *inner = arena_printf(&arena, "%s/%s", folder, entry->d_name);
        if (is_dot(entry->d_name) || is_leftover(folder, entry->d_name, NULL))
            continue;
        empty = depth > 0 && is_folder(inner) ? leftovers_only(inner, depth - 1, reterr) : 0;
    }
    closedir(dir);
    arena_finish(&arena);
    return empty;
}

void leftovers_clear(const char *folder, int depth) {
    struct arena arena = {0};
    DIR *dir = depth > 0 ? files_open_folder(folder) : NULL;
    for (const struct dirent *entry; dir && (entry = readdir(dir));) {
        const char *inner = arena_printf(&arena, "%s/%s", folder, entry->d_name);
        if (is_dot(entry->d_name) || !is_folder(inner))
            continue;
        leftovers_clear(inner, depth - 1);
        (void)rmdir(inner);
    }
    if (dir)
        closedir(dir);
    leftovers_remove(folder, NULL);
    arena_finish(&arena);
}

/* --- folder_lock --- */

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
