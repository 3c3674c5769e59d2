/* An output file in one pass. Invariant: from opening to the end signals that end a command are
   held back; between two writes it is looked whether one has come. */
#include "io/packed_file.h"

#include "base/child.h"
#include "base/mem.h"
#include "io/atomic_file.h"
#include "io/files.h"
#include "io/leftovers.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <zlib.h>

#define PACKED_BYTES ((size_t)64 << 10)
#define GZIP_WINDOW  (15 + 16) /* the largest, with a gzip header */
#define GZIP_MEMORY  8         /* zlib's own default */

struct packed_file {
    struct atomic_file *file;
    sigset_t before;
    bool gzip;
    z_stream stream;
    unsigned char packed[PACKED_BYTES];
};

static void release_packed(struct packed_file *file) {
    if (file->gzip)
        deflateEnd(&file->stream);
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

int packed_file_open(const char *path, bool gzip, struct packed_file **ret_file,
                     struct error *reterr) {
    struct packed_file *file = mem_zalloc(1, sizeof *file);
    remove_left(path);
    signals_hold(&file->before);
    int r = atomic_file_open(path, &file->file, reterr);
    if (r == 0 && gzip &&
        deflateInit2(&file->stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_WINDOW, GZIP_MEMORY,
                     Z_DEFAULT_STRATEGY) != Z_OK) {
        atomic_file_abort(file->file);
        r = error_set(reterr, ERROR_MACHINE, "%s: cannot start zlib", path);
    }
    if (r < 0) {
        release_packed(file);
        return r;
    }
    file->gzip = gzip;
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

int packed_file_write(struct packed_file *file, const char *bytes, size_t length,
                      struct error *reterr) {
    int r = check_signals(reterr);
    if (!file->gzip)
        return r < 0 ? r : atomic_file_write(file->file, bytes, length, reterr);
    while (r == 0 && length > 0) {
        size_t part = length < PACKED_BYTES ? length : PACKED_BYTES;
        r = deflate_bytes(file, bytes, part, Z_NO_FLUSH, reterr);
        bytes += part;
        length -= part;
    }
    return r;
}

int packed_file_commit(struct packed_file *file, struct error *reterr) {
    int r = check_signals(reterr);
    if (r == 0 && file->gzip)
        r = deflate_bytes(file, NULL, 0, Z_FINISH, reterr);
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
