/* Files that appear when they are complete. Invariant: until the commit the name holds what it held
   before. */
#include "io/atomic_file.h"

#include "base/child.h"
#include "base/mem.h"
#include "io/files.h"
#include "io/leftovers.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#define BUFFER_BYTES ((size_t)16 << 10)  /* small texts; larger ones are written as they come */
#define COPIED_BYTES ((size_t)256 << 10) /* at once */
#define ATTEMPTS     100                 /* to find a free temporary name */

struct atomic_file {
    char *name;      /* as the caller wrote it, for messages */
    char *target;    /* what the rename replaces: symbolic links resolved */
    char *temporary; /* NULL: a device or pipe, written directly */
    int fd;
    bool failed;      /* some bytes are missing: never commit */
    uint64_t written; /* bytes, by write; what is in the buffer comes behind them */
    char *buffer;
    size_t used;
};

/* Like mkstemp, but with the usual mode: mkstemp's 0600 could be widened only by asking for the
   umask, which means changing it for all threads. */
static int create_temporary(struct atomic_file *file) {
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        uint32_t random = (uint32_t)getpid() + (uint32_t)attempt;
        if (getrandom(&random, sizeof random, GRND_NONBLOCK) < 0)
            random *= 0x9e3779b9u; /* too early after boot: the process id must do */
        struct str path = {0};
        str_addf(&path, "%s.tmp-%06x", file->target, (unsigned)(random & 0xffffff));
        file->fd =
            (int)TEMP_FAILURE_RETRY(open(path.text, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
        if (file->fd >= 0 && leftovers_claim(file->fd)) {
            file->temporary = path.text;
            return 0;
        }
        int code = errno;
        str_finish(&path);
        if (file->fd >= 0)
            close(file->fd); /* somebody has removed it */
        else if (code != EEXIST)
            return -code;
        file->fd = -1;
    }
    return -EEXIST;
}

/* Devices and pipes (/dev/null, /dev/stdout) are written directly: a rename would replace them. */
static int open_target(struct atomic_file *file) {
    struct stat status;
    char resolved[PATH_MAX];
    if (file->name[0] == '\0')
        return -ENOENT;
    if (lstat(file->name, &status) == 0 && S_ISLNK(status.st_mode) &&
        realpath(file->name, resolved))
        file->target = mem_strdup(resolved);
    else
        file->target = mem_strdup(file->name);
    if (stat(file->name, &status) < 0 || S_ISREG(status.st_mode))
        return create_temporary(file);
    /* a directory: EISDIR */
    file->fd = (int)TEMP_FAILURE_RETRY(open(file->name, O_WRONLY | O_CLOEXEC));
    return file->fd < 0 ? -errno : 0;
}

static void release_file(struct atomic_file *file) {
    if (file->fd >= 0)
        close(file->fd);
    free(file->buffer);
    free(file->temporary);
    free(file->target);
    free(file->name);
    free(file);
}

int atomic_file_open(const char *path, struct atomic_file **ret_file, struct error *reterr) {
    struct atomic_file *file = mem_zalloc(1, sizeof *file);
    file->name = mem_strdup(path);
    file->fd = -1;
    int status = open_target(file);
    if (status < 0) {
        release_file(file);
        return error_set(reterr, ERROR_IO, "%s: cannot create: %s", path, strerror(-status));
    }
    file->buffer = mem_alloc(BUFFER_BYTES);
    *ret_file = file;
    return 0;
}

static int write_out(struct atomic_file *file, const char *bytes, size_t length,
                     struct error *reterr) {
    while (length > 0) {
        ssize_t count = write(file->fd, bytes, length);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0) {
            file->failed = true;
            return error_set(reterr, ERROR_IO, "%s: cannot write: %s", file->name, strerror(errno));
        }
        bytes += count;
        length -= (size_t)count;
        file->written += (uint64_t)count;
    }
    return 0;
}

static int flush_buffer(struct atomic_file *file, struct error *reterr) {
    size_t length = file->used;
    file->used = 0;
    return write_out(file, file->buffer, length, reterr);
}

int atomic_file_write(struct atomic_file *file, const char *bytes, size_t length,
                      struct error *reterr) {
    if (length > BUFFER_BYTES - file->used) {
        int status = flush_buffer(file, reterr);
        if (status < 0)
            return status;
    }
    if (length >= BUFFER_BYTES)
        return write_out(file, bytes, length, reterr);
    if (length > 0)
        memcpy(file->buffer + file->used, bytes, length);
    file->used += length;
    return 0;
}

uint64_t atomic_file_size(const struct atomic_file *file) {
    return file->written + file->used;
}

int atomic_file_shorten(struct atomic_file *file, uint64_t size, struct error *reterr) {
    if (size >= file->written) {
        file->used = (size_t)(size - file->written);
        return 0;
    }
    file->used = 0;
    if (!file->temporary || ftruncate(file->fd, (off_t)size) < 0 ||
        lseek(file->fd, (off_t)size, SEEK_SET) < 0) {
        file->failed = true;
        return error_set(reterr, ERROR_IO, "%s: what was written cannot be taken back: %s",
                         file->name, file->temporary ? strerror(errno) : "it is a device");
    }
    file->written = size;
    return 0;
}

int atomic_file_append(struct atomic_file *file, struct atomic_file *from, bool skip_line,
                       struct error *reterr) {
    char *bytes = mem_alloc(COPIED_BYTES);
    off_t at = 0;
    ssize_t count = 1;
    bool skips = skip_line;
    int r = flush_buffer(from, reterr);
    while (r == 0 && count > 0) {
        count = TEMP_FAILURE_RETRY(pread(from->fd, bytes, COPIED_BYTES, at));
        const char *line = skips && count > 0 ? memchr(bytes, '\n', (size_t)count) : NULL;
        size_t skipped = !skips ? 0
                         : line ? (size_t)(line + 1 - bytes)
                                : (size_t)(count > 0 ? count : 0);
        if (count < 0)
            r = error_set(reterr, ERROR_IO, "%s: cannot read: %s", from->name, strerror(errno));
        else
            r = atomic_file_write(file, bytes + skipped, (size_t)count - skipped, reterr);
        skips = skips && !line;
        at += count;
    }
    free(bytes);
    return r;
}

int atomic_files_flush(struct atomic_file *const *files, size_t count, struct error *reterr) {
    int r = 0;
    for (size_t i = 0; i < count && r == 0; i++)
        if (files[i])
            r = flush_buffer(files[i], reterr);
    return r;
}

/* Network file systems report a full disk only when a file is closed; the lock on it has to stay
   until it has its name, so that another descriptor of it is closed. */
static int close_copy(int fd) {
    int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    return copy < 0 || (close(copy) < 0 && errno != EINTR) ? -1 : 0;
}

static int close_and_rename(struct atomic_file *file, struct error *reterr) {
    if (file->failed) /* the caller went on after a failed write */
        return error_set(reterr, ERROR_IO, "%s: not written completely", file->name);
    int status = flush_buffer(file, reterr);
    if (status < 0)
        return status;
    if (close_copy(file->fd) < 0)
        return error_set(reterr, ERROR_IO, "%s: cannot write: %s", file->name, strerror(errno));
    if (file->temporary && TEMP_FAILURE_RETRY(rename(file->temporary, file->target)) < 0)
        return error_set(reterr, ERROR_IO, "%s: cannot rename: %s", file->name, strerror(errno));
    return 0;
}

int atomic_file_commit(struct atomic_file *file, struct error *reterr) {
    int status = close_and_rename(file, reterr);
    if (status < 0 && file->temporary)
        unlink(file->temporary);
    release_file(file);
    return status;
}

void atomic_file_abort(struct atomic_file *file) {
    if (!file)
        return;
    if (file->temporary)
        unlink(file->temporary);
    release_file(file);
}

static int write_pieces(struct atomic_file *file, const struct text_source *source,
                        struct error *reterr) {
    int r = 0;
    for (struct slice piece; r == 0 && (piece = source->next(source->context)).length > 0;)
        r = atomic_file_write(file, piece.at, piece.length, reterr);
    return r;
}

static int write_file(const char *path, const struct text_source *source, struct error *reterr) {
    struct atomic_file *file = NULL;
    sigset_t before;
    signals_hold(&before);
    int r = atomic_file_open(path, &file, reterr);
    if (r == 0 && !file->temporary)
        signals_let_through(); /* whoever is to read it may not */
    if (r == 0)
        r = write_pieces(file, source, reterr);
    if (file && r == 0)
        r = atomic_file_commit(file, reterr);
    else
        atomic_file_abort(file);
    signals_release(&before);
    return r;
}

/* The one piece of a text that is at hand. */
static struct slice take_whole(void *text) {
    struct slice *rest = text, piece = *rest;
    rest->length = 0;
    return piece;
}

int atomic_file_write_whole(const char *path, const char *bytes, size_t length,
                            struct error *reterr) {
    struct slice text = {bytes, length};
    const struct text_source source = {take_whole, &text};
    return write_file(path, &source, reterr);
}

int atomic_file_write_pieces(const char *path, const struct text_source *source,
                             struct error *reterr) {
    struct arena arena = {0};
    const char *const names[] = {files_name(path), NULL};
    size_t folder = (size_t)(names[0] - path);
    leftovers_remove(folder > 0 ? arena_strndup(&arena, path, folder) : ".", names);
    arena_finish(&arena);
    return write_file(path, source, reterr);
}

int atomic_file_write_alone(const char *path, const char *bytes, size_t length,
                            struct error *reterr) {
    struct slice text = {bytes, length};
    const struct text_source source = {take_whole, &text};
    return atomic_file_write_pieces(path, &source, reterr);
}

/* --- packed_file --- */
/* Invariant: from opening to the end signals that end a command are held back; between two writes
   easim checks whether one has come. */

#define PACKED_BYTES ((size_t)64 << 10)
#define GZIP_WINDOW  (15 + 16) /* the largest, with a gzip header */
#define GZIP_MEMORY  8         /* zlib's own default */

struct packed_file {
    struct atomic_file *file;
    sigset_t before;
    enum packing packing;
    z_stream stream;
    ZSTD_CStream *zstd;
    unsigned char packed[PACKED_BYTES];
};

static void release_packed(struct packed_file *file) {
    if (file->packing == PACKING_GZIP)
        deflateEnd(&file->stream);
    ZSTD_freeCStream(file->zstd);
    signals_release(&file->before);
    free(file);
}

static void remove_left(const char *path) {
    struct arena arena = {0};
    const char *const names[] = {files_name(path), NULL};
    size_t folder = (size_t)(names[0] - path);
    leftovers_remove(folder > 0 ? arena_strndup(&arena, path, folder) : ".", names);
    arena_finish(&arena);
}

/* A device or a pipe, whose reader may keep the command waiting. */
static bool is_device(const char *path) {
    struct stat status;
    return stat(path, &status) == 0 && !S_ISREG(status.st_mode);
}

enum packing packing_of(const char *path) {
    size_t length = strlen(path);
    if (length > 3 && strcmp(path + length - 3, ".gz") == 0)
        return PACKING_GZIP;
    return length > 4 && strcmp(path + length - 4, ".zst") == 0 ? PACKING_ZSTD : PACKING_NONE;
}

int packed_file_open(const char *path, enum packing packing, struct packed_file **ret_file,
                     struct error *reterr) {
    struct packed_file *file = mem_zalloc(1, sizeof *file);
    remove_left(path);
    signals_hold(&file->before);
    int r = atomic_file_open(path, &file->file, reterr);
    if (r == 0 && packing == PACKING_ZSTD && !(file->zstd = ZSTD_createCStream()))
        mem_exhausted(0);
    if (r == 0 && packing == PACKING_GZIP &&
        deflateInit2(&file->stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_WINDOW, GZIP_MEMORY,
                     Z_DEFAULT_STRATEGY) != Z_OK) {
        atomic_file_abort(file->file);
        r = error_set(reterr, ERROR_MACHINE, "%s: cannot start zlib", path);
    }
    if (r < 0) {
        release_packed(file);
        return r;
    }
    file->packing = packing;
    if (is_device(path))
        signals_let_through();
    *ret_file = file;
    return 0;
}

static int check_signals(struct error *reterr) {
    sigset_t pending;
    sigpending(&pending);
    if (sigismember(&pending, SIGINT) || sigismember(&pending, SIGTERM) ||
        sigismember(&pending, SIGHUP))
        return error_set(reterr, ERROR_CANCELLED, "interrupted");
    return 0;
}

static int deflate_bytes(struct packed_file *file, const char *bytes, size_t length, int flush,
                         struct error *reterr) {
    int r = 0;
    file->stream.next_in = (Bytef *)bytes;
    file->stream.avail_in = (uInt)length;
    do {
        file->stream.next_out = file->packed;
        file->stream.avail_out = PACKED_BYTES;
        (void)deflate(&file->stream, flush); /* fails only for a stream that is none */
        r = atomic_file_write(file->file, (const char *)file->packed,
                              PACKED_BYTES - file->stream.avail_out, reterr);
    } while (r == 0 && file->stream.avail_out == 0);
    return r;
}

static int zstd_bytes(struct packed_file *file, const char *bytes, size_t length, bool ends,
                      struct error *reterr) {
    ZSTD_inBuffer in = {bytes, length, 0};
    size_t left = 0;
    int r = 0;
    do {
        ZSTD_outBuffer out = {file->packed, PACKED_BYTES, 0};
        left = ZSTD_compressStream2(file->zstd, &out, &in, ends ? ZSTD_e_end : ZSTD_e_continue);
        if (ZSTD_isError(left))
            mem_exhausted(0); /* the only way to fail */
        r = atomic_file_write(file->file, (const char *)file->packed, out.pos, reterr);
    } while (r == 0 && (ends ? left > 0 : in.pos < in.size));
    return r;
}

static int pack_bytes(struct packed_file *file, const char *bytes, size_t length, bool ends,
                      struct error *reterr) {
    return file->packing == PACKING_GZIP
               ? deflate_bytes(file, bytes, length, ends ? Z_FINISH : Z_NO_FLUSH, reterr)
               : zstd_bytes(file, bytes, length, ends, reterr);
}

int packed_file_write(struct packed_file *file, const char *bytes, size_t length,
                      struct error *reterr) {
    int r = check_signals(reterr);
    if (file->packing == PACKING_NONE)
        return r < 0 ? r : atomic_file_write(file->file, bytes, length, reterr);
    while (r == 0 && length > 0) {
        size_t part = length < PACKED_BYTES ? length : PACKED_BYTES;
        r = pack_bytes(file, bytes, part, false, reterr);
        bytes += part;
        length -= part;
    }
    return r;
}

int packed_file_commit(struct packed_file *file, struct error *reterr) {
    int r = check_signals(reterr);
    if (r == 0 && file->packing != PACKING_NONE)
        r = pack_bytes(file, NULL, 0, true, reterr);
    if (r == 0)
        r = atomic_file_commit(file->file, reterr);
    else
        atomic_file_abort(file->file);
    release_packed(file);
    return r;
}

void packed_file_abort(struct packed_file *file) {
    if (!file)
        return;
    atomic_file_abort(file->file);
    release_packed(file);
}
