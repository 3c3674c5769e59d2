/* Files of points: see run_store.h. */
#include "output/sweep/run_store.h"

#include "base/hash.h"
#include "io/files.h"
#include "output/run/run_tables.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#define SUFFIX     ".points"
#define HASH_CHARS 16
#define HOST_BYTES 64
#define PART_BYTES ((size_t)256 << 10)

const char run_store_failed[] = "error";

/* --- Columns --- */

static uint64_t hash_names(struct slice names) {
    return hash_bytes(HASH_START, names.at, names.length);
}

/* Of the columns that the rows of every scenario have. */
static void add_own_names(struct str *out) {
    summary_csv_header(0, out);
    out->text[--out->length] = '\0'; /* the line end */
}

/* The place of those columns, or the number of all. */
static size_t find_columns(const struct run_store *store, uint64_t hash) {
    size_t at = 0;
    while (at < store->columns.count && store->columns.at[at].hash != hash)
        at++;
    return at;
}

/* Columns of another version of easim are passed over. */
static void add_columns(struct run_store *store, struct slice names) {
    struct str own = {0};
    add_own_names(&own);
    bool failed = slice_is(names, run_store_failed), done = slice_begins(names, own.text),
         further = done && names.length > own.length;
    done = done && (!further || names.at[own.length] == ',');
    str_finish(&own);
    if ((done || failed) && find_columns(store, hash_names(names)) == store->columns.count) {
        struct run_columns *columns = array_add(&store->columns);
        columns->hash = hash_names(names);
        columns->state = done ? SWEEP_DONE : SWEEP_FAILED;
        columns->further = further;
        str_add_bytes(&columns->names, names.at, names.length);
    }
}

/* Columns that need no block. */
static void add_known_columns(struct run_store *store) {
    struct str own = {0};
    add_own_names(&own);
    add_columns(store, (struct slice){own.text, own.length});
    add_columns(store, (struct slice){run_store_failed, strlen(run_store_failed)});
    str_finish(&own);
}

/* --- Reading --- */

static unsigned digit_of(char c) {
    return c >= '0' && c <= '9'   ? (unsigned)(c - '0')
           : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10
                                  : UINT_MAX;
}

/* A number with a comma behind it, from *at on. */
static bool take_number(const char **at, const char *end, unsigned base, uint64_t *ret_number) {
    uint64_t number = 0;
    for (; *at < end && **at != ','; ++*at) {
        unsigned digit = digit_of(**at);
        if (digit >= base)
            return false;
        number = number * base + digit;
    }
    *ret_number = number;
    return *at < end && (*at)++;
}

static uint64_t hash_block(const char *head, size_t length, struct slice body) {
    return hash_words(hash_words(HASH_START, head, length), body.at, body.length);
}

static bool is_hash(struct slice text, uint64_t hash) {
    bool same = text.length == HASH_CHARS;
    for (int i = 0; i < HASH_CHARS && same; i++)
        same = digit_of(text.at[i]) == (hash >> (4 * (HASH_CHARS - 1 - i)) & 15);
    return same;
}

/* The bytes of a whole block with the results of a point; 0: there is none. */
static size_t read_run(struct slice line, struct slice rest, struct run_record *record) {
    const char *at = line.at + strlen("run,"), *end = line.at + line.length;
    uint64_t notes, rows;
    if (!slice_begins(line, "run,") || !take_number(&at, end, 16, &record->id) ||
        !take_number(&at, end, 16, &record->inputs) || !take_number(&at, end, 10, &record->turn) ||
        !take_number(&at, end, 16, &record->names) || !take_number(&at, end, 10, &notes) ||
        !take_number(&at, end, 10, &rows) || notes > rest.length || rows > rest.length - notes)
        return 0;
    const struct slice body = {rest.at, notes + rows}, hash = {at, (size_t)(end - at)};
    record->at = line.length + 1;
    record->notes = notes;
    record->rows = rows;
    bool whole = rows > 0 && is_hash(hash, hash_block(line.at, (size_t)(at - line.at), body));
    return whole ? record->at + body.length : 0;
}

/* The bytes of a whole block with names of columns; 0: there is none. */
static size_t read_columns(struct run_store *store, struct slice line, struct slice rest) {
    struct slice names, hash = {line.at + strlen("columns,"), line.length - strlen("columns,")};
    if (!slice_begins(line, "columns,") || !slice_line(&rest, &names) ||
        !is_hash(hash, hash_names(names)))
        return 0;
    add_columns(store, names);
    return line.length + names.length + 2;
}

/* Reads the blocks of a part of the last file, whose bytes are from `begin` on. Returns where it
   stopped: before its end if what follows may go on behind it. */
static size_t read_blocks(struct run_store *store, size_t begin, struct slice part, bool ends) {
    struct slice rest = part, line;
    while (slice_line(&rest, &line)) {
        struct run_record record = {.file = (uint32_t)store->files.count - 1};
        size_t at = (size_t)(line.at - part.at), bytes = read_run(line, rest, &record);
        if (bytes > 0) {
            record.at += begin + at;
            store->turn = record.turn > store->turn ? record.turn : store->turn;
            array_push(&store->records, record);
        } else {
            bytes = read_columns(store, line, rest);
        }
        if (bytes > 0)
            rest = (struct slice){line.at + bytes, part.length - at - bytes};
        else if (!ends)
            return at;
    }
    return part.length - rest.length;
}

/* A block may stand before that of its columns; without any it does not count. */
static void find_columns_of_all(struct run_store *store) {
    size_t kept = 0;
    for (size_t i = 0; i < store->records.count; i++) {
        struct run_record record = store->records.at[i];
        size_t at = find_columns(store, record.names);
        if (at == store->columns.count)
            continue;
        record.columns = (uint32_t)at;
        record.state = store->columns.at[at].state;
        store->records.at[kept++] = record;
    }
    store->records.count = kept;
}

ORDER_BY(compare_records, struct run_record,
         ASC(id) THEN((b->state == SWEEP_FAILED) - (a->state == SWEEP_FAILED)) ASC(turn) ASC(file)
             ASC(at))

static int is_store(const struct dirent *entry) {
    size_t length = strlen(entry->d_name), suffix = strlen(SUFFIX);
    return length > suffix && strcmp(entry->d_name + length - suffix, SUFFIX) == 0;
}

static int read_file(struct run_store *store, const char *path, struct error *reterr) {
    struct str text = {0};
    struct file_stamp stamp;
    file_stamp_take(path, &stamp);
    int fd = files_open(path, O_NONBLOCK);
    if (fd < 0)
        return error_set(reterr, ERROR_IO, "%s: cannot open: %s", path, strerror(errno));
    array_push(&store->files, ((struct run_file){mem_strdup(path), fd, stamp}));
    int r = 0;
    bool ends = false;
    for (size_t begin = 0, most = PART_BYTES; r == 0 && !ends;) {
        r = files_read_open(fd, path, most, &text, reterr);
        ends = text.length < most;
        size_t done =
            r < 0 ? 0 : read_blocks(store, begin, (struct slice){text.text, text.length}, ends);
        text.length -= done;
        if (done > 0)
            memmove(text.text, text.text + done, text.length);
        most = done > 0 ? text.length + PART_BYTES : 2 * most;
        begin += done;
    }
    str_finish(&text);
    return r;
}

/* Whether those are the files that were read, untouched since. */
static bool has_read(const struct run_store *store, struct dirent **entries, int count) {
    bool same = count > 0 && store->files.count == (size_t)count;
    for (int i = 0; i < count && same; i++) {
        const struct run_file *file = &store->files.at[i];
        struct file_stamp now;
        file_stamp_take(file->path, &now);
        same = strcmp(files_name(file->path), entries[i]->d_name) == 0 && file->stamp.settled &&
               file_stamp_same(&now, &file->stamp);
    }
    return same;
}

int run_store_read(struct run_store *store, const char *folder, struct error *reterr) {
    struct dirent **entries = NULL;
    int r = 0, count = scandir(folder, &entries, is_store, alphasort);
    bool anew = !has_read(store, entries, count);
    if (count < 0 && errno == ENOMEM)
        mem_exhausted(0);
    if (count < 0 && errno != ENOENT)
        r = error_set(reterr, ERROR_IO, "%s: cannot open folder: %s", folder, strerror(errno));
    if (anew) {
        run_store_finish(store);
        add_known_columns(store);
    }
    for (int i = 0; i < count; i++) {
        struct arena arena = {0};
        if (r == 0 && anew)
            r = read_file(store, arena_printf(&arena, "%s/%s", folder, entries[i]->d_name), reterr);
        free(entries[i]);
        arena_finish(&arena);
    }
    free(entries);
    find_columns_of_all(store);
    if (anew)
        sort_array(store->records.at, store->records.count, compare_records);
    return r;
}

const struct run_record *run_store_find(const struct run_store *store, uint64_t id,
                                        const uint64_t *inputs) {
    size_t low = 0; /* the first record of a larger id */
    SEARCH(low, store->records.count, store->records.at[at].id <= id)
    while (low > 0 && store->records.at[low - 1].id == id) {
        const struct run_record *record = &store->records.at[--low];
        if (!inputs || record->inputs == *inputs)
            return record;
    }
    return NULL;
}

int run_store_load(const struct run_store *store, const struct run_record *record,
                   struct str *block, struct slice *ret_notes, struct slice *ret_rows,
                   struct error *reterr) {
    const struct run_file *file = &store->files.at[record->file];
    const size_t length = record->notes + record->rows;
    block->length = 0;
    char *to = str_reserve(block, length);
    for (size_t done = 0; done < length;) {
        ssize_t count = TEMP_FAILURE_RETRY(
            pread(file->fd, to + done, length - done, (off_t)(record->at + done)));
        if (count <= 0)
            return error_set(reterr, ERROR_IO, "%s: cannot read: %s", file->path,
                             count < 0 ? strerror(errno) : "it was cut");
        done += (size_t)count;
    }
    *ret_notes = (struct slice){to, record->notes};
    *ret_rows = (struct slice){to + record->notes, record->rows};
    return 0;
}

void run_store_finish(struct run_store *store) {
    for (size_t i = 0; i < store->files.count; i++) {
        close(store->files.at[i].fd);
        free(store->files.at[i].path);
    }
    for (size_t i = 0; i < store->columns.count; i++)
        str_finish(&store->columns.at[i].names);
    free(store->files.at);
    free(store->columns.at);
    free(store->records.at);
    *store = (struct run_store){.turn = 0};
}

/* --- Writing --- */

/* This machine, as part of the name of a file: where locks do not reach others, names part them. */
static void host_name(char name[static HOST_BYTES]) {
    if (gethostname(name, HOST_BYTES) < 0 || name[0] == '\0')
        strcpy(name, "host");
    name[HOST_BYTES - 1] = '\0';
    for (char *at = name; *at; at++)
        if (!isalnum((unsigned char)*at) && *at != '-' && *at != '_')
            *at = '_';
}

static bool try_file(struct run_writer *writer, const char *path) {
    writer->fd = (int)TEMP_FAILURE_RETRY(open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
    if (writer->fd >= 0)
        writer->path = mem_strdup(path);
    return writer->fd >= 0;
}

static void leave_file(struct run_writer *writer) {
    close(writer->fd);
    free(writer->path);
    writer->path = NULL;
}

/* Takes the first free file of this machine. If a file system has no locks, one of the process's
   own. */
static int take_file(struct run_writer *writer, struct error *reterr) {
    struct arena arena = {0};
    char host[HOST_BYTES], last = '\n';
    bool mine = false, more = true;
    host_name(host);
    for (unsigned number = 1; more && !mine; number++) {
        const char *path = arena_printf(&arena, "%s/%s-%u" SUFFIX, writer->folder, host, number);
        more = try_file(writer, path);
        mine = more && TEMP_FAILURE_RETRY(flock(writer->fd, LOCK_EX | LOCK_NB)) == 0;
        bool taken = more && !mine && errno == EWOULDBLOCK;
        if (more && !mine)
            leave_file(writer);
        if (more && !mine && !taken) {
            path = arena_printf(&arena, "%s/%s-p%lld" SUFFIX, writer->folder, host,
                                (long long)getpid());
            mine = more = try_file(writer, path);
        }
        if (!more)
            error_set(reterr, ERROR_IO, "%s: cannot create: %s", path, strerror(errno));
    }
    if (mine) {
        off_t end = lseek(writer->fd, 0, SEEK_END);
        writer->torn = end > 0 && TEMP_FAILURE_RETRY(pread(writer->fd, &last, 1, end - 1)) == 1 &&
                       last != '\n';
    }
    arena_finish(&arena);
    return mine ? 0 : ERROR_IO;
}

/* None but those of columns that need no block. */
static void forget_columns(struct run_writer *writer) {
    struct run_store known = {.turn = writer->turn};
    add_known_columns(&known);
    writer->written.count = 0;
    for (size_t i = 0; i < known.columns.count; i++)
        array_push(&writer->written, known.columns.at[i].hash);
    run_store_finish(&known);
}

static int write_block(struct run_writer *writer, const struct str *block, struct error *reterr) {
    for (size_t at = 0; at < block->length;) {
        ssize_t count = TEMP_FAILURE_RETRY(write(writer->fd, block->text + at, block->length - at));
        if (count < 0) {
            writer->torn = true;
            return error_set(reterr, ERROR_IO, "%s: cannot write: %s", writer->path,
                             strerror(errno));
        }
        at += (size_t)count;
    }
    writer->torn = false;
    return 0;
}

/* The block with the names of the columns, before the first one that has them. */
static void add_columns_block(struct run_writer *writer, struct slice names, struct str *out) {
    const uint64_t hash = hash_names(names);
    for (size_t i = 0; i < writer->written.count; i++)
        if (writer->written.at[i] == hash)
            return;
    str_addf(out, "columns,%0*llx\n", HASH_CHARS, (unsigned long long)hash);
    str_add_bytes(out, names.at, names.length);
    str_add_char(out, '\n');
    array_push(&writer->written, hash);
}

static void add_run_block(const struct run_writer *writer, const struct sweep_point *point,
                          uint64_t names, struct slice body, size_t notes, struct str *out) {
    size_t begin = out->length;
    str_addf(out, "run,%0*llx,%0*llx,%llu,%0*llx,%zu,%zu,", HASH_CHARS,
             (unsigned long long)point->id, HASH_CHARS, (unsigned long long)point->inputs,
             (unsigned long long)writer->turn, HASH_CHARS, (unsigned long long)names, notes,
             body.length - notes);
    uint64_t hash = hash_block(out->text + begin, out->length - begin, body);
    str_addf(out, "%0*llx\n", HASH_CHARS, (unsigned long long)hash);
    str_add_bytes(out, body.at, body.length);
}

int run_writer_append(struct run_writer *writer, const struct sweep_point *point,
                      struct slice names, struct slice body, size_t notes, struct error *reterr) {
    if (!writer->path) {
        int r = take_file(writer, reterr);
        if (r < 0)
            return r;
        forget_columns(writer);
    }
    struct str block = {0};
    str_add(&block, writer->torn ? "\n" : "");
    add_columns_block(writer, names, &block);
    add_run_block(writer, point, hash_names(names), body, notes, &block);
    int r = write_block(writer, &block, reterr);
    if (r < 0)
        forget_columns(writer); /* those of the block may be lost */
    str_finish(&block);
    return r;
}

void run_writer_finish(struct run_writer *writer) {
    if (writer->path)
        leave_file(writer);
    free(writer->written.at);
}
