/* Files and folders as such. */
#include "io/files.h"

#include "base/machine.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define READ_BYTES   ((size_t)64 << 10) /* at once */
#define SYNC_THREADS 8                  /* that wait for the same writes of a journal */

const char *files_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

bool files_stat(const char *path, struct stat *ret_status) {
    if (stat(path, ret_status) == 0)
        return true;
    machine_check(errno, path, "read");
    return false;
}

bool files_exist(const char *path) {
    struct stat status;
    return files_stat(path, &status);
}

const char *files_real(const char *path, struct arena *arena) {
    char real[PATH_MAX];
    if (realpath(path, real))
        return arena_strdup(arena, real);
    if (errno != ENOENT && errno != ENOTDIR)
        machine_end("%s: cannot follow the path: %s", path, strerror(errno));
    return NULL;
}

const char *files_relative(const char *path, const char *folder, struct arena *arena) {
    const char *slash = strrchr(path, '/'), *name = files_name(path);
    const char *from = files_real(folder, arena);
    const char *to = files_real(
        slash ? arena_strndup(arena, path, slash == path ? 1 : (size_t)(slash - path)) : ".",
        arena);
    struct str out = {0};
    if (!from || !to)
        return arena_strdup(arena, path);
    from = arena_printf(arena, "%s/", strcmp(from, "/") == 0 ? "" : from);
    to = arena_printf(arena, "%s/", strcmp(to, "/") == 0 ? "" : to);
    size_t common = 0;
    for (size_t i = 0; from[i] && from[i] == to[i]; i++)
        if (from[i] == '/')
            common = i + 1;
    for (const char *at = from + common; (at = strchr(at, '/')) != NULL; at++)
        str_add(&out, "../");
    str_addf(&out, "%s%s", to + common, name);
    const char *result = arena_strdup(arena, out.text);
    str_finish(&out);
    return result;
}

int files_open(const char *path, int flags) {
    int fd = (int)TEMP_FAILURE_RETRY(open(path, O_RDONLY | O_CLOEXEC | flags));
    if (fd < 0)
        machine_check(errno, path, "open");
    return fd;
}

int files_read_open(int fd, const char *path, size_t most, struct str *out, struct error *reterr) {
    struct stat status;
    ssize_t count = fstat(fd, &status) == 0 ? 1 : -1;
    bool regular = count > 0 && S_ISREG(status.st_mode), other = count > 0 && !regular;
    while (regular && count > 0 && out->length < most) {
        size_t room = most - out->length < READ_BYTES ? most - out->length : READ_BYTES;
        count = TEMP_FAILURE_RETRY(read(fd, str_reserve(out, room), room));
        out->length += count > 0 ? (size_t)count : 0;
    }
    int code = errno;
    str_add(out, "");
    if (count < 0)
        machine_check(code, path, "read");
    return regular && count >= 0 ? 0
                                 : error_set(reterr, ERROR_INPUT, "%s: cannot read: %s", path,
                                             other ? "not a regular file" : strerror(code));
}

int files_read(const char *path, size_t most, struct str *out, struct error *reterr) {
    int fd = files_open(path, O_NONBLOCK);
    if (fd < 0)
        return error_set(reterr, ERROR_INPUT, "%s: cannot open: %s", path, strerror(errno));
    int r = files_read_open(fd, path, most, out, reterr);
    close(fd);
    return r;
}

int files_remove(const char *path, struct error *reterr) {
    if (TEMP_FAILURE_RETRY(unlink(path)) == 0 || errno == ENOENT)
        return 0;
    return error_set(reterr, ERROR_IO, "%s: cannot remove: %s", path, strerror(errno));
}

/* --- onto the disk --- */

struct syncing {
    const char *const *paths;
    size_t count;
    atomic_size_t next;  /* of the paths, that nobody has taken */
    atomic_size_t wrong; /* one that failed; SIZE_MAX: none */
    atomic_int code;     /* why */
};

/* What a file system cannot wait for is no error, nor is a folder further up that is not ours. */
static void *sync_next(void *context) {
    struct syncing *s = context;
    for (size_t i; (i = atomic_fetch_add(&s->next, 1)) < s->count;) {
        size_t none = SIZE_MAX;
        int fd = (int)TEMP_FAILURE_RETRY(open(s->paths[i], O_RDONLY | O_CLOEXEC | O_NONBLOCK));
        bool failed =
            fd < 0 ? errno != EACCES : TEMP_FAILURE_RETRY(fsync(fd)) < 0 && errno != EINVAL;
        if (failed && atomic_compare_exchange_strong(&s->wrong, &none, i))
            s->code = errno;
        if (fd >= 0)
            close(fd);
    }
    return NULL;
}

int files_sync(const char *const *paths, size_t count, struct error *reterr) {
    struct syncing s = {.paths = paths, .count = count, .wrong = SIZE_MAX};
    pthread_t others[SYNC_THREADS - 1];
    size_t started = 0;
    while (started < SYNC_THREADS - 1 && started + 1 < count &&
           pthread_create(&others[started], NULL, sync_next, &s) == 0)
        started++;
    sync_next(&s);
    for (size_t i = 0; i < started; i++)
        pthread_join(others[i], NULL);
    return s.wrong == SIZE_MAX ? 0
                               : error_set(reterr, ERROR_IO, "%s: cannot write: %s", paths[s.wrong],
                                           strerror(s.code));
}

DIR *files_open_folder(const char *path) {
    DIR *folder = opendir(path);
    if (!folder)
        machine_check(errno, path, "open folder");
    return folder;
}

int files_make_folders(const char *path, struct error *reterr) {
    char *partial = mem_strdup(path);
    int r = 0;
    for (char *at = partial + 1; r == 0; at++) {
        if (*at != '/' && *at != '\0')
            continue;
        char ended = *at;
        *at = '\0';
        if (TEMP_FAILURE_RETRY(mkdir(partial, 0777)) < 0 && errno != EEXIST)
            r = error_set(reterr, ERROR_IO, "%s: cannot make folder: %s", partial, strerror(errno));
        *at = ended;
        if (ended == '\0')
            break;
    }
    free(partial);
    return r;
}

/* Without its last part; false if there is none before it. */
static bool cut_last_part(char *path) {
    char *slash = strrchr(path, '/');
    if (slash)
        *slash = '\0';
    return slash && slash > path;
}

size_t files_existing(const char *path) {
    char *partial = mem_strdup(path);
    bool more = true;
    while (more && access(partial, F_OK) < 0)
        more = cut_last_part(partial);
    size_t length = more ? strlen(partial) : 0;
    free(partial);
    return length;
}

void files_remove_empty(const char *path, size_t existing) {
    char *partial = mem_strdup(path);
    while (strlen(partial) > existing && (rmdir(partial) == 0 || errno == ENOENT) &&
           cut_last_part(partial))
        ;
    free(partial);
}

/* --- file_stamp --- */

#define SETTLED_NS ((int64_t)2000000000)

static int64_t nanoseconds(struct timespec time) {
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

void file_stamp_take(const char *path, struct file_stamp *ret_stamp) {
    struct stat status;
    struct timespec now;
    *ret_stamp = (struct file_stamp){0};
    int r = stat(path, &status);
    if (r < 0 && errno != ENOENT)
        r = stat(path, &status); /* a fault that stays is met by whoever reads the file */
    if (r < 0 || !S_ISREG(status.st_mode))
        return;
    clock_gettime(CLOCK_REALTIME, &now);
    int64_t changed_ns = nanoseconds(status.st_ctim);
    *ret_stamp = (struct file_stamp){.device = status.st_dev,
                                     .inode = status.st_ino,
                                     .bytes = (uint64_t)status.st_size,
                                     .modified_ns = nanoseconds(status.st_mtim),
                                     .changed_ns = changed_ns,
                                     .is_file = true,
                                     .settled = llabs(nanoseconds(now) - changed_ns) > SETTLED_NS};
}

bool file_stamp_same(const struct file_stamp *one, const struct file_stamp *other) {
    return one->is_file == other->is_file && one->device == other->device &&
           one->inode == other->inode && one->bytes == other->bytes &&
           one->modified_ns == other->modified_ns && one->changed_ns == other->changed_ns;
}

/* --- own_folders --- */

bool own_folders_each(const struct own_folders *folders,
                      bool (*visit)(const char *folder, void *context), void *context) {
    char executable[PATH_MAX], folder[2 * PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", executable, sizeof executable - 1);
    executable[length > 0 ? length : 0] = '\0';
    const char *const names[] = {folders->relative, folders->name};
    for (size_t up = 0; up < 2; up++) {
        char *slash = strrchr(executable, '/');
        if (!slash)
            break;
        *slash = '\0';
        for (size_t i = up; i < 2; i++) {
            snprintf(folder, sizeof folder, "%s/%s", executable, names[i]);
            if (visit(folder, context))
                return true;
        }
    }
    return visit(folders->installed, context);
}
