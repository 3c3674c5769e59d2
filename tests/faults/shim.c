/* Stands before libc (LD_PRELOAD) and lets the n-th call of a kind fail, be interrupted, or end the
   process. Calls are counted over a command and all that it forks, in a file that outlives them:

   FAULT_STATE  the file, 32 bytes of 0 before a command (struct state)
   FAULT_CALL   the kinds that count, as "write,rename": see `kinds`
   FAULT_AT     the number of the first call that is hit, from 1; 0 or none: they are only counted
   FAULT_TIMES  how many calls in a row are hit; 1 if it is not given
   FAULT_DO     what happens: the name of an error; "short", half of a write; "kill", SIGKILL before
                the call; "signal-15", that signal before the call; "wait", until FAULT_GO exists
   FAULT_PATH   only calls on a file whose path holds this text (of fork and malloc: none)
   FAULT_WHO    "parent" or "children": only calls of the first process, or of the others

   tests/faults/harness.py sets them. */
#undef _FILE_OFFSET_BITS /* open and open64 are two */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum kind {
    WRITE, /* pwrite, too */
    READ,  /* pread, too */
    OPEN,
    CLOSE,
    RENAME,
    UNLINK,
    MKDIR,
    FSYNC,
    SYNCFS,
    FORK,
    MALLOC,
    STAT, /* fstat, lstat and access, too */
    REALPATH,
    FOLDER, /* opendir, scandir */
    MEMFD,  /* memfd_create */
    MAP,    /* mmap */
    PIDFD,  /* pidfd_open */
    RANGE,  /* close_range */
    KIND_COUNT
};

static const char *const kinds[KIND_COUNT] = {
    "write", "read",   "open", "close",    "rename", "unlink", "mkdir", "fsync", "syncfs",
    "fork",  "malloc", "stat", "realpath", "folder", "memfd",  "map",   "pidfd", "range"};

static const struct {
    const char *name;
    int number;
} errors[] = {{"EIO", EIO},       {"EINTR", EINTR},   {"ENOSPC", ENOSPC}, {"EMFILE", EMFILE},
              {"ENOMEM", ENOMEM}, {"EAGAIN", EAGAIN}, {"EACCES", EACCES}, {"EDQUOT", EDQUOT},
              {"ENOSYS", ENOSYS}, {"EPERM", EPERM}};

/* The file. */
struct state {
    _Atomic uint64_t calls, hits; /* that counted, that were hit */
    _Atomic int64_t first;        /* process */
    uint64_t unused;
};

enum act { ACT_ERROR, ACT_SHORT, ACT_SIGNAL, ACT_WAIT };

static struct {
    struct state *state; /* NULL: nothing is asked for */
    bool kinds[KIND_COUNT];
    uint64_t at, times;
    enum act act;
    int number; /* of the error or the signal */
    const char *path, *who, *go;
} asked;

/* ---- What is asked for ---- */

static void read_act(const char *what) {
    asked.act = ACT_ERROR;
    asked.number = EIO;
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (strcmp(what, errors[i].name) == 0)
            asked.number = errors[i].number;
    if (strcmp(what, "short") == 0)
        asked.act = ACT_SHORT;
    if (strcmp(what, "wait") == 0)
        asked.act = ACT_WAIT;
    if (strcmp(what, "kill") == 0 || strncmp(what, "signal-", 7) == 0) {
        asked.act = ACT_SIGNAL;
        asked.number = what[0] == 'k' ? SIGKILL : atoi(what + 7);
    }
}

static uint64_t number_of(const char *name, uint64_t otherwise) {
    const char *text = getenv(name);
    return text ? strtoull(text, NULL, 10) : otherwise;
}

__attribute__((constructor)) static void read_environment(void) {
    const char *path = getenv("FAULT_STATE"), *calls = getenv("FAULT_CALL");
    const char *what = getenv("FAULT_DO");
    int fd = path && calls ? open(path, O_RDWR | O_CLOEXEC) : -1;
    if (fd < 0)
        return;
    struct state *state = mmap(NULL, sizeof *state, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (state == MAP_FAILED)
        return;
    for (int kind = 0; kind < KIND_COUNT; kind++)
        asked.kinds[kind] = strstr(calls, kinds[kind]) != NULL;
    asked.at = number_of("FAULT_AT", 0);
    asked.times = number_of("FAULT_TIMES", 1);
    asked.path = getenv("FAULT_PATH");
    asked.who = getenv("FAULT_WHO");
    asked.go = getenv("FAULT_GO");
    read_act(what ? what : "EIO");
    int64_t nobody = 0;
    atomic_compare_exchange_strong(&state->first, &nobody, getpid());
    asked.state = state;
}

/* ---- Whether a call is hit ---- */

static bool is_about(const char *path) {
    return !asked.path || (path && strstr(path, asked.path));
}

static bool is_asked_process(void) {
    if (!asked.who)
        return true;
    return (asked.who[0] == 'p') == (getpid() == (pid_t)atomic_load(&asked.state->first));
}

static void wait_for_go(void) {
    const struct timespec tick = {0, 1000000};
    while (asked.go && faccessat(AT_FDCWD, asked.go, F_OK, 0) < 0)
        nanosleep(&tick, NULL);
}

/* True: the call is to fail, errno says how, or to be short. */
static bool is_hit(enum kind kind, const char *path) {
    if (!asked.state || !asked.kinds[kind] || !is_about(path) || !is_asked_process())
        return false;
    uint64_t call = atomic_fetch_add(&asked.state->calls, 1) + 1;
    if (asked.at == 0 || call < asked.at || call >= asked.at + asked.times)
        return false;
    atomic_fetch_add(&asked.state->hits, 1);
    if (asked.act == ACT_WAIT)
        wait_for_go();
    else if (asked.act == ACT_SIGNAL)
        kill(getpid(), asked.number);
    else
        errno = asked.number;
    return asked.act == ACT_ERROR || asked.act == ACT_SHORT;
}

static bool is_hit_fd(enum kind kind, int fd) {
    char link[64], path[4096];
    if (!asked.state || !asked.kinds[kind])
        return false;
    if (!asked.path)
        return is_hit(kind, NULL);
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    path[length > 0 ? length : 0] = '\0';
    return is_hit(kind, path);
}

/* ---- The calls ---- */

/* ISO C has no conversion between pointers to objects and to functions; POSIX has. */
#define REAL(type, name) \
    static type real; \
    if (!real) { \
        void *found = dlsym(RTLD_NEXT, name); \
        memcpy(&real, &found, sizeof found); \
    }

typedef ssize_t (*write_function)(int, const void *, size_t);
typedef ssize_t (*read_function)(int, void *, size_t);
typedef int (*open_function)(const char *, int, ...);
typedef int (*path_function)(const char *);
typedef int (*fd_function)(int);

ssize_t write(int fd, const void *bytes, size_t length) {
    REAL(write_function, "write")
    if (!is_hit_fd(WRITE, fd))
        return real(fd, bytes, length);
    return asked.act == ACT_SHORT ? real(fd, bytes, (length + 1) / 2) : -1;
}

ssize_t read(int fd, void *bytes, size_t room) {
    REAL(read_function, "read")
    if (!is_hit_fd(READ, fd))
        return real(fd, bytes, room);
    return asked.act == ACT_SHORT ? real(fd, bytes, (room + 1) / 2) : -1;
}

typedef ssize_t (*pwrite_function)(int, const void *, size_t, off64_t);
typedef ssize_t (*pread_function)(int, void *, size_t, off64_t);
typedef int (*stat_function)(const char *, struct stat64 *);
typedef int (*fstat_function)(int, struct stat64 *);

ssize_t pwrite64(int fd, const void *bytes, size_t length, off64_t at) {
    REAL(pwrite_function, "pwrite64")
    if (!is_hit_fd(WRITE, fd))
        return real(fd, bytes, length, at);
    return asked.act == ACT_SHORT ? real(fd, bytes, (length + 1) / 2, at) : -1;
}

ssize_t pread64(int fd, void *bytes, size_t room, off64_t at) {
    REAL(pread_function, "pread64")
    if (!is_hit_fd(READ, fd))
        return real(fd, bytes, room, at);
    return asked.act == ACT_SHORT ? real(fd, bytes, (room + 1) / 2, at) : -1;
}

int stat64(const char *path, struct stat64 *status) {
    REAL(stat_function, "stat64")
    return is_hit(STAT, path) ? -1 : real(path, status);
}

int lstat64(const char *path, struct stat64 *status) {
    REAL(stat_function, "lstat64")
    return is_hit(STAT, path) ? -1 : real(path, status);
}

int fstat64(int fd, struct stat64 *status) {
    REAL(fstat_function, "fstat64")
    return is_hit_fd(STAT, fd) ? -1 : real(fd, status);
}

int access(const char *path, int mode) {
    typedef int (*access_function)(const char *, int);
    REAL(access_function, "access")
    return is_hit(STAT, path) ? -1 : real(path, mode);
}

char *realpath(const char *path, char *resolved) {
    typedef char *(*realpath_function)(const char *, char *);
    REAL(realpath_function, "realpath")
    return is_hit(REALPATH, path) ? NULL : real(path, resolved);
}

DIR *opendir(const char *path) {
    typedef DIR *(*opendir_function)(const char *);
    REAL(opendir_function, "opendir")
    return is_hit(FOLDER, path) ? NULL : real(path);
}

int scandir64(const char *path, struct dirent64 ***entries,
              int (*is_taken)(const struct dirent64 *),
              int (*compare)(const struct dirent64 **, const struct dirent64 **)) {
    typedef int (*scandir_function)(const char *, struct dirent64 ***,
                                    int (*)(const struct dirent64 *),
                                    int (*)(const struct dirent64 **, const struct dirent64 **));
    REAL(scandir_function, "scandir64")
    return is_hit(FOLDER, path) ? -1 : real(path, entries, is_taken, compare);
}

int memfd_create(const char *name, unsigned flags) {
    typedef int (*memfd_function)(const char *, unsigned);
    REAL(memfd_function, "memfd_create")
    return is_hit(MEMFD, NULL) ? -1 : real(name, flags);
}

void *mmap64(void *at, size_t bytes, int protection, int flags, int fd, off64_t from) {
    typedef void *(*mmap_function)(void *, size_t, int, int, int, off64_t);
    REAL(mmap_function, "mmap64")
    return is_hit(MAP, NULL) ? MAP_FAILED : real(at, bytes, protection, flags, fd, from);
}

int open(const char *path, int flags, ...) {
    REAL(open_function, "open")
    va_list more;
    va_start(more, flags);
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(more, mode_t) : 0;
    va_end(more);
    return is_hit(OPEN, path) ? -1 : real(path, flags, mode);
}

int open64(const char *path, int flags, ...) {
    REAL(open_function, "open64")
    va_list more;
    va_start(more, flags);
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(more, mode_t) : 0;
    va_end(more);
    return is_hit(OPEN, path) ? -1 : real(path, flags, mode);
}

int close(int fd) {
    REAL(fd_function, "close")
    int failed = is_hit_fd(CLOSE, fd) ? errno : 0;
    int r = real(fd); /* a close that fails has closed all the same */
    if (failed == 0)
        return r;
    errno = failed;
    return -1;
}

int rename(const char *from, const char *to) {
    typedef int (*rename_function)(const char *, const char *);
    REAL(rename_function, "rename")
    return is_hit(RENAME, to) ? -1 : real(from, to);
}

int unlink(const char *path) {
    REAL(path_function, "unlink")
    return is_hit(UNLINK, path) ? -1 : real(path);
}

int mkdir(const char *path, mode_t mode) {
    typedef int (*mkdir_function)(const char *, mode_t);
    REAL(mkdir_function, "mkdir")
    return is_hit(MKDIR, path) ? -1 : real(path, mode);
}

int fsync(int fd) {
    REAL(fd_function, "fsync")
    return is_hit_fd(FSYNC, fd) ? -1 : real(fd);
}

int syncfs(int fd) {
    REAL(fd_function, "syncfs")
    return is_hit_fd(SYNCFS, fd) ? -1 : real(fd);
}

pid_t fork(void) {
    typedef pid_t (*fork_function)(void);
    REAL(fork_function, "fork")
    return is_hit(FORK, NULL) ? -1 : real();
}

int pidfd_open(pid_t pid, unsigned flags) {
    typedef int (*pidfd_function)(pid_t, unsigned);
    REAL(pidfd_function, "pidfd_open")
    return is_hit(PIDFD, NULL) ? -1 : real(pid, flags);
}

int close_range(unsigned first, unsigned last, int flags) {
    typedef int (*range_function)(unsigned, unsigned, int);
    REAL(range_function, "close_range")
    return is_hit(RANGE, NULL) ? -1 : real(first, last, flags);
}

/* ---- Memory: dlsym asks for some itself ---- */

void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes_each);
void *__libc_realloc(void *old, size_t bytes);

void *malloc(size_t bytes) {
    return is_hit(MALLOC, NULL) ? NULL : __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes_each) {
    return is_hit(MALLOC, NULL) ? NULL : __libc_calloc(count, bytes_each);
}

void *realloc(void *old, size_t bytes) {
    return is_hit(MALLOC, NULL) ? NULL : __libc_realloc(old, bytes);
}
