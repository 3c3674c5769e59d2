/* A text file line by line. Invariant: buffer[begin..end) are decoded bytes not yet handed out, and
   buffer[begin..scanned) holds no line end. */
#include "io/lines.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#define RAW_BYTES    ((size_t)128 << 10) /* compressed bytes read at once */
#define BUFFER_BYTES ((size_t)256 << 10) /* decoded bytes; doubled for longer lines */

enum compression { COMPRESSION_NONE, COMPRESSION_GZIP, COMPRESSION_ZSTD };

struct lines {
    char *name; /* for messages */
    int fd;
    enum compression compression;
    z_stream gzip;
    ZSTD_DStream *zstd;
    unsigned char *raw; /* compressed bytes not yet decoded: raw[raw_begin..raw_end) */
    size_t raw_begin, raw_end;
    bool raw_ended;     /* the file has no more bytes */
    bool between_parts; /* no gzip member or zstd frame is open: the file may end here */

    char *buffer;
    size_t begin, scanned, end, capacity;
    bool ended;   /* nothing more to decode */
    bool has_nul; /* some byte decoded so far was NUL: look for it in every line */
    bool partial; /* the last line had no line end */
    uint32_t number;
    struct error failure; /* code 0 until reading fails for good */
};

/* ---- Bytes ---- */

/* At most `room` bytes of the file as it is; 0 at its end. */
static ssize_t read_bytes(struct lines *lines, void *to, size_t room, struct error *reterr) {
    ssize_t count;
    do
        count = read(lines->fd, to, room);
    while (count < 0 && errno == EINTR);
    if (count < 0)
        return error_set(reterr, ERROR_IO, "%s: cannot read: %s", lines->name, strerror(errno));
    if (count == 0)
        lines->raw_ended = true;
    return count;
}

/* Makes compressed bytes available, unless the file has ended. */
static int refill_raw(struct lines *lines, struct error *reterr) {
    if (lines->raw_begin < lines->raw_end || lines->raw_ended)
        return 0;
    ssize_t count = read_bytes(lines, lines->raw, RAW_BYTES, reterr);
    if (count < 0)
        return (int)count;
    lines->raw_begin = 0;
    lines->raw_end = (size_t)count;
    return 0;
}

static int truncated(const struct lines *lines, const char *kind, struct error *reterr) {
    return error_set(reterr, ERROR_IO, "%s: truncated %s data after line %u", lines->name, kind,
                     (unsigned)lines->number);
}

static int damaged(const struct lines *lines, const char *kind, const char *reason, struct error *reterr) {
    return error_set(reterr, ERROR_IO, "%s: damaged %s data after line %u: %s", lines->name, kind,
                     (unsigned)lines->number, reason);
}

/* One inflate call. Members may follow each other (gzip files may be concatenated). */
static ssize_t inflate_some(struct lines *lines, char *to, size_t room, struct error *reterr) {
    z_stream *gzip = &lines->gzip;
    lines->between_parts = false;
    gzip->next_in = lines->raw + lines->raw_begin;
    gzip->avail_in = (uInt)(lines->raw_end - lines->raw_begin);
    gzip->next_out = (Bytef *)to;
    gzip->avail_out = (uInt)room;
    int status = inflate(gzip, Z_NO_FLUSH);
    lines->raw_begin = lines->raw_end - gzip->avail_in;
    size_t count = room - gzip->avail_out;
    if (status == Z_STREAM_END) {
        lines->between_parts = true;
        inflateReset(gzip);
    } else if (status != Z_OK && status != Z_BUF_ERROR) {
        return damaged(lines, "gzip", gzip->msg ? gzip->msg : zError(status), reterr);
    } else if (count == 0 && lines->raw_ended) {
        return truncated(lines, "gzip", reterr);
    }
    return (ssize_t)count;
}

/* One ZSTD_decompressStream call; it starts the next frame by itself. */
static ssize_t unzstd_some(struct lines *lines, char *to, size_t room, struct error *reterr) {
    ZSTD_inBuffer in = {lines->raw + lines->raw_begin, lines->raw_end - lines->raw_begin, 0};
    ZSTD_outBuffer out = {to, room, 0};
    size_t status = ZSTD_decompressStream(lines->zstd, &out, &in);
    lines->raw_begin += in.pos;
    if (ZSTD_isError(status))
        return damaged(lines, "zstd", ZSTD_getErrorName(status), reterr);
    lines->between_parts = status == 0;
    if (status != 0 && out.pos == 0 && lines->raw_ended)
        return truncated(lines, "zstd", reterr);
    return (ssize_t)out.pos;
}

/* At most `room` decoded bytes, at least one unless at the end. */
static ssize_t decode(struct lines *lines, char *to, size_t room, struct error *reterr) {
    if (lines->compression == COMPRESSION_NONE)
        return lines->raw_ended ? 0 : read_bytes(lines, to, room, reterr);
    for (;;) {
        int status = refill_raw(lines, reterr);
        if (status < 0)
            return status;
        if (lines->between_parts && lines->raw_begin == lines->raw_end)
            return 0;
        ssize_t count = lines->compression == COMPRESSION_GZIP ? inflate_some(lines, to, room, reterr)
                                                               : unzstd_some(lines, to, room, reterr);
        if (count != 0)
            return count;
    }
}

/* ---- Opening ---- */

static int start_decoder(struct lines *lines, struct error *reterr) {
    static const unsigned char gzip_magic[] = {0x1f, 0x8b};
    static const unsigned char zstd_magic[] = {0x28, 0xb5, 0x2f, 0xfd};
    if (lines->raw_end >= 2 && memcmp(lines->raw, gzip_magic, 2) == 0) {
        /* 15 + 32: largest window, format by its header */
        if (inflateInit2(&lines->gzip, 15 + 32) != Z_OK)
            return error_set(reterr, ERROR_IO, "%s: cannot start zlib", lines->name);
        lines->compression = COMPRESSION_GZIP;
    } else if (lines->raw_end >= 4 && memcmp(lines->raw, zstd_magic, 4) == 0) {
        lines->zstd = ZSTD_createDStream();
        if (!lines->zstd)
            return error_set(reterr, ERROR_IO, "%s: cannot start libzstd", lines->name);
        lines->compression = COMPRESSION_ZSTD;
    } else { /* the bytes read to find out are text already */
        memcpy(lines->buffer, lines->raw, lines->raw_end);
        lines->end = lines->raw_end;
        lines->has_nul = memchr(lines->buffer, '\0', lines->end) != NULL;
        free(lines->raw);
        lines->raw = NULL;
    }
    return 0;
}

static int open_and_sniff(struct lines *lines, const char *path, struct error *reterr) {
    if (strcmp(path, "-") != 0) {
        lines->fd = open(path, O_RDONLY | O_CLOEXEC);
        if (lines->fd < 0)
            return error_set(reterr, ERROR_IO, "%s: cannot open: %s", path, strerror(errno));
    }
    while (lines->raw_end < 4 && !lines->raw_ended) { /* a pipe may give a byte at a time */
        ssize_t count = read_bytes(lines, lines->raw + lines->raw_end, RAW_BYTES - lines->raw_end, reterr);
        if (count < 0)
            return (int)count;
        lines->raw_end += (size_t)count;
    }
    return start_decoder(lines, reterr);
}

int lines_open(const char *path, struct lines **ret_lines, struct error *reterr) {
    struct lines *lines = mem_zalloc(1, sizeof *lines);
    lines->name = mem_strdup(strcmp(path, "-") == 0 ? "standard input" : path);
    lines->fd = STDIN_FILENO;
    lines->between_parts = true;
    lines->raw = mem_alloc(RAW_BYTES);
    lines->capacity = BUFFER_BYTES;
    lines->buffer = mem_alloc(lines->capacity);
    int status = open_and_sniff(lines, path, reterr);
    if (status < 0) {
        lines_close(lines);
        return status;
    }
    *ret_lines = lines;
    return 0;
}

void lines_close(struct lines *lines) {
    if (!lines)
        return;
    if (lines->compression == COMPRESSION_GZIP)
        inflateEnd(&lines->gzip);
    ZSTD_freeDStream(lines->zstd);
    if (lines->fd > STDIN_FILENO)
        close(lines->fd);
    free(lines->raw);
    free(lines->buffer);
    free(lines->name);
    free(lines);
}

/* ---- Lines ---- */

/* Decodes more bytes behind those that are there, making room first. */
static int decode_more(struct lines *lines, struct error *reterr) {
    if (lines->begin > 0) {
        memmove(lines->buffer, lines->buffer + lines->begin, lines->end - lines->begin);
        lines->end -= lines->begin;
        lines->scanned -= lines->begin;
        lines->begin = 0;
    }
    if (lines->end == lines->capacity) {
        lines->capacity *= 2;
        lines->buffer = mem_realloc(lines->buffer, lines->capacity, 1);
    }
    ssize_t count = decode(lines, lines->buffer + lines->end, lines->capacity - lines->end, reterr);
    if (count < 0)
        return (int)count;
    lines->ended = count == 0;
    if (!lines->has_nul)
        lines->has_nul = memchr(lines->buffer + lines->end, '\0', (size_t)count) != NULL;
    lines->end += (size_t)count;
    return 0;
}

static struct slice without_bom(struct slice line) {
    if (line.length >= 3 && memcmp(line.at, "\xef\xbb\xbf", 3) == 0)
        return (struct slice){line.at + 3, line.length - 3};
    return line;
}

/* A NUL byte spoils only its line: the caller may read on. */
static int check_nul(const struct lines *lines, struct slice line, struct error *reterr) {
    const char *nul = line.length > 0 ? memchr(line.at, '\0', line.length) : NULL;
    if (!nul)
        return 0;
    return error_set(reterr, ERROR_INPUT, "%s:%u:%zu: NUL byte (is this a text file in UTF-8?)", lines->name,
                     (unsigned)lines->number, (size_t)(nul - line.at) + 1);
}

/* Hands out buffer[begin..line_end). has_end: a LF stands there. */
static int take_line(struct lines *lines, size_t line_end, bool has_end, struct slice *ret_line,
                     struct error *reterr) {
    struct slice line = {lines->buffer + lines->begin, line_end - lines->begin};
    lines->begin = lines->scanned = line_end + has_end;
    if (has_end && line.length > 0 && line.at[line.length - 1] == '\r')
        line.length--;
    if (lines->number == 0)
        line = without_bom(line);
    if (!has_end && line.length == 0)
        return 0; /* a file of nothing but a byte order mark */
    lines->number++;
    lines->partial = !has_end;
    int status = lines->has_nul ? check_nul(lines, line, reterr) : 0;
    if (status < 0)
        return status;
    *ret_line = line;
    return 1;
}

static int next_line(struct lines *lines, struct slice *line, struct error *reterr) {
    for (;;) {
        const char *end = memchr(lines->buffer + lines->scanned, '\n', lines->end - lines->scanned);
        size_t line_end = end ? (size_t)(end - lines->buffer) : lines->end;
        if (line_end - lines->begin > LINES_MAX_BYTES)
            return error_set(reterr, ERROR_IO, "%s:%u:1: line longer than %u bytes", lines->name,
                             (unsigned)lines->number + 1, LINES_MAX_BYTES);
        if (end)
            return take_line(lines, line_end, true, line, reterr);
        lines->scanned = lines->end;
        if (lines->ended)
            return lines->begin == lines->end ? 0 : take_line(lines, line_end, false, line, reterr);
        int status = decode_more(lines, reterr);
        if (status < 0)
            return status;
    }
}

int lines_next(struct lines *lines, struct slice *line, struct error *reterr) {
    if (lines->failure.code != 0)
        return error_set(reterr, lines->failure.code, "%s", lines->failure.text);
    struct error failure; /* only filled and read on failure */
    int status = next_line(lines, line, &failure);
    if (status >= 0)
        return status;
    if (status == ERROR_IO)
        lines->failure = failure; /* for good: reading on would only garble */
    return error_set(reterr, status, "%s", failure.text);
}

uint32_t lines_number(const struct lines *lines) {
    return lines->number;
}

bool lines_ended_partial(const struct lines *lines) {
    return lines->partial;
}
