/* Decoded bytes. Invariant: raw[raw_begin..raw_end) are bytes of the file not yet decoded or,
   without compression, not yet handed out. */
#include "io/bytes.h"

#include "base/machine.h"
#include "base/mem.h"
#include "io/files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#define RAW_BYTES ((size_t)128 << 10) /* bytes of the file read at once */

enum compression { COMPRESSION_NONE, COMPRESSION_GZIP, COMPRESSION_ZSTD };

struct bytes {
    char *name; /* for messages */
    int fd;
    enum compression compression;
    z_stream gzip;
    ZSTD_DStream *zstd;
    unsigned char *raw; /* bytes of the file not yet decoded: raw[raw_begin..raw_end) */
    size_t raw_begin, raw_end;
    bool raw_ended;     /* the file has no more bytes */
    bool between_parts; /* no gzip member or zstd frame is open: the file may end here */
    bool damaged;
    const char *after; /* of the bytes_read at work */
};

/* At most `room` bytes of the file as it is; 0 at its end. */
static ssize_t read_bytes(struct bytes *bytes, void *to, size_t room, struct error *reterr) {
    ssize_t count;
    do
        count = read(bytes->fd, to, room);
    while (count < 0 && errno == EINTR);
    if (count < 0) {
        machine_check(errno, bytes->name, "read");
        return error_set(reterr, ERROR_IO, "%s: cannot read: %s", bytes->name, strerror(errno));
    }
    if (count == 0)
        bytes->raw_ended = true;
    return count;
}

/* Makes compressed bytes available, unless the file has ended. */
static int refill_raw(struct bytes *bytes, struct error *reterr) {
    if (bytes->raw_begin < bytes->raw_end || bytes->raw_ended)
        return 0;
    ssize_t count = read_bytes(bytes, bytes->raw, RAW_BYTES, reterr);
    if (count < 0)
        return (int)count;
    bytes->raw_begin = 0;
    bytes->raw_end = (size_t)count;
    return 0;
}

static int report_truncated(struct bytes *bytes, const char *kind, struct error *reterr) {
    bytes->damaged = true;
    return error_set(reterr, ERROR_IO, "%s: truncated %s data%s", bytes->name, kind, bytes->after);
}

static int report_damage(struct bytes *bytes, const char *kind, const char *reason,
                         struct error *reterr) {
    bytes->damaged = true;
    return error_set(reterr, ERROR_IO, "%s: damaged %s data%s: %s", bytes->name, kind, bytes->after,
                     reason);
}

/* One inflate call. Members may follow each other (gzip files may be concatenated). */
static ssize_t inflate_some(struct bytes *bytes, char *to, size_t room, struct error *reterr) {
    z_stream *gzip = &bytes->gzip;
    bytes->between_parts = false;
    gzip->next_in = bytes->raw + bytes->raw_begin;
    gzip->avail_in = (uInt)(bytes->raw_end - bytes->raw_begin);
    gzip->next_out = (Bytef *)to;
    gzip->avail_out = (uInt)room;
    int status = inflate(gzip, Z_NO_FLUSH);
    if (status == Z_MEM_ERROR)
        mem_exhausted(0);
    bytes->raw_begin = bytes->raw_end - gzip->avail_in;
    size_t count = room - gzip->avail_out;
    if (status == Z_STREAM_END) {
        bytes->between_parts = true;
        inflateReset(gzip);
    } else if (status != Z_OK && status != Z_BUF_ERROR) {
        return report_damage(bytes, "gzip", gzip->msg ? gzip->msg : zError(status), reterr);
    } else if (count == 0 && bytes->raw_ended) {
        return report_truncated(bytes, "gzip", reterr);
    }
    return (ssize_t)count;
}

/* One ZSTD_decompressStream call; it starts the next frame by itself. */
static ssize_t unzstd_some(struct bytes *bytes, char *to, size_t room, struct error *reterr) {
    ZSTD_inBuffer in = {bytes->raw + bytes->raw_begin, bytes->raw_end - bytes->raw_begin, 0};
    ZSTD_outBuffer out = {to, room, 0};
    size_t status = ZSTD_decompressStream(bytes->zstd, &out, &in);
    bytes->raw_begin += in.pos;
    if (ZSTD_isError(status) && ZSTD_getErrorCode(status) == ZSTD_error_memory_allocation)
        mem_exhausted(0);
    if (ZSTD_isError(status))
        return report_damage(bytes, "zstd", ZSTD_getErrorName(status), reterr);
    bytes->between_parts = status == 0;
    if (status != 0 && out.pos == 0 && bytes->raw_ended)
        return report_truncated(bytes, "zstd", reterr);
    return (ssize_t)out.pos;
}

/* Without compression: first the bytes read to find that out. */
static ssize_t plain_some(struct bytes *bytes, char *to, size_t room, struct error *reterr) {
    size_t count = bytes->raw_end - bytes->raw_begin;
    if (count == 0)
        return bytes->raw_ended ? 0 : read_bytes(bytes, to, room, reterr);
    count = count < room ? count : room;
    memcpy(to, bytes->raw + bytes->raw_begin, count);
    bytes->raw_begin += count;
    return (ssize_t)count;
}

ssize_t bytes_read(struct bytes *bytes, char *to, size_t room, const char *after,
                   struct error *reterr) {
    bytes->after = after;
    if (bytes->compression == COMPRESSION_NONE)
        return plain_some(bytes, to, room, reterr);
    for (;;) {
        int status = refill_raw(bytes, reterr);
        if (status < 0)
            return status;
        if (bytes->between_parts && bytes->raw_begin == bytes->raw_end)
            return 0;
        ssize_t count = bytes->compression == COMPRESSION_GZIP
                            ? inflate_some(bytes, to, room, reterr)
                            : unzstd_some(bytes, to, room, reterr);
        if (count != 0)
            return count;
    }
}

/* ---- Opening ---- */

static int start_decoder(struct bytes *bytes, struct error *reterr) {
    static const unsigned char gzip_magic[] = {0x1f, 0x8b};
    static const unsigned char zstd_magic[] = {0x28, 0xb5, 0x2f, 0xfd};
    if (bytes->raw_end >= 2 && memcmp(bytes->raw, gzip_magic, 2) == 0) {
        /* 15 + 32: largest window, format by its header */
        int status = inflateInit2(&bytes->gzip, 15 + 32);
        if (status == Z_MEM_ERROR)
            mem_exhausted(0);
        if (status != Z_OK)
            return error_set(reterr, ERROR_IO, "%s: cannot start zlib", bytes->name);
        bytes->compression = COMPRESSION_GZIP;
    } else if (bytes->raw_end >= 4 && memcmp(bytes->raw, zstd_magic, 4) == 0) {
        bytes->zstd = ZSTD_createDStream();
        if (!bytes->zstd)
            mem_exhausted(0);
        bytes->compression = COMPRESSION_ZSTD;
    }
    return 0;
}

static int open_and_sniff(struct bytes *bytes, const char *path, struct error *reterr) {
    if (strcmp(path, "-") != 0) {
        bytes->fd = files_open(path, 0);
        if (bytes->fd < 0)
            return error_set(reterr, ERROR_IO, "%s: cannot open: %s", path, strerror(errno));
    }
    while (bytes->raw_end < 4 && !bytes->raw_ended) { /* a pipe may give a byte at a time */
        ssize_t count =
            read_bytes(bytes, bytes->raw + bytes->raw_end, RAW_BYTES - bytes->raw_end, reterr);
        if (count < 0)
            return (int)count;
        bytes->raw_end += (size_t)count;
    }
    return start_decoder(bytes, reterr);
}

int bytes_open(const char *path, struct bytes **ret_bytes, struct error *reterr) {
    struct bytes *bytes = mem_zalloc(1, sizeof *bytes);
    bytes->name = mem_strdup(strcmp(path, "-") == 0 ? "standard input" : path);
    bytes->fd = STDIN_FILENO;
    bytes->between_parts = true;
    bytes->raw = mem_alloc(RAW_BYTES);
    int status = open_and_sniff(bytes, path, reterr);
    if (status < 0) {
        bytes_close(bytes);
        return status;
    }
    *ret_bytes = bytes;
    return 0;
}

struct bytes *bytes_of_text(struct slice text, const char *name) {
    struct bytes *bytes = mem_zalloc(1, sizeof *bytes);
    bytes->name = mem_strdup(name);
    bytes->fd = -1;
    bytes->raw = mem_alloc(text.length);
    if (text.length > 0)
        memcpy(bytes->raw, text.at, text.length);
    bytes->raw_end = text.length;
    bytes->raw_ended = true;
    return bytes;
}

bool bytes_is_damaged(const struct bytes *bytes) {
    return bytes->damaged;
}

const char *bytes_name(const struct bytes *bytes) {
    return bytes->name;
}

void bytes_close(struct bytes *bytes) {
    if (!bytes)
        return;
    if (bytes->compression == COMPRESSION_GZIP)
        inflateEnd(&bytes->gzip);
    ZSTD_freeDStream(bytes->zstd);
    if (bytes->fd > STDIN_FILENO)
        close(bytes->fd);
    free(bytes->raw);
    free(bytes->name);
    free(bytes);
}
