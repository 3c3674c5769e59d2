/* Files of points: see run_store.h. */
#include "output/sweep/run_store.h"

#include "base/hash.h"
#include "io/files.h"
#include "output/run/run_tables.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

/* --- point_file --- */

#define END_START "end,"

const char point_file_failed[] = "inputs,error";

void point_file_header(const struct metric_set *metrics, struct str *out) {
    str_add(out, "inputs,policy");
    summary_csv_run_header(metrics, out);
}

bool point_file_line(struct slice *text, struct slice *ret_line) {
    const char *end = text->length > 0 ? memchr(text->at, '\n', text->length) : NULL;
    if (!end)
        return false;
    *ret_line = (struct slice){text->at, (size_t)(end - text->at)};
    text->length -= ret_line->length + 1;
    text->at = end + 1;
    return true;
}

/* The line that belongs after a text. */
static void add_end(struct slice text, struct slice notes, struct str *out) {
    struct slice rest = text, line;
    uint64_t hash = HASH_START;
    size_t lines = 0;
    while (point_file_line(&rest, &line)) {
        size_t skipped = line.length < SWEEP_INPUTS_BYTES ? line.length : SWEEP_INPUTS_BYTES;
        hash = hash_bytes(hash, line.at + skipped, line.length - skipped + 1);
        lines++;
    }
    str_addf(out, END_START "%zu,%zu,%016llx,%016llx\n", lines > 0 ? lines - 1 : 0, text.length,
             (unsigned long long)hash,
             (unsigned long long)hash_bytes(HASH_START, notes.at, notes.length));
}

void point_file_end(struct str *text, struct slice notes) {
    struct str end = {0};
    add_end((struct slice){text->text, text->length}, notes, &end);
    str_add_bytes(text, end.text, end.length);
    str_finish(&end);
}

/* Where the last line begins; text.length if there is no whole one. */
static size_t find_last_line(struct slice text) {
    if (text.length == 0 || text.at[text.length - 1] != '\n')
        return text.length;
    const char *before = memrchr(text.at, '\n', text.length - 1);
    return before ? (size_t)(before + 1 - text.at) : 0;
}

/* False: not whole, or not with these notes. Otherwise takes the last line away. */
static bool point_file_check(struct slice *text, struct slice notes) {
    struct slice above = {text->at, find_last_line(*text)};
    struct slice last = {text->at + above.length, text->length - above.length};
    struct str end = {0};
    add_end(above, notes, &end);
    bool whole = last.length == end.length && memcmp(last.at, end.text, end.length) == 0;
    str_finish(&end);
    if (whole)
        *text = above;
    return whole;
}

static enum sweep_state state_of_header(struct slice header, bool *ret_further) {
    struct str expected = {0};
    str_add(&expected, "inputs,");
    summary_csv_header(0, &expected);
    *ret_further = header.length > expected.length;
    if (*ret_further && header.at[expected.length - 1] == ',')
        header.length = expected.length - 1;
    expected.text[--expected.length] = '\0'; /* the line end */
    bool done = slice_is(header, expected.text);
    str_finish(&expected);
    return done ? SWEEP_DONE : slice_is(header, point_file_failed) ? SWEEP_FAILED : SWEEP_MISSING;
}

/* The state of a text without its last line: by its header, and the inputs that all its rows begin
   with; missing if these differ from easim's. */
static enum sweep_state point_file_state(struct slice text, uint64_t *ret_inputs,
                                         bool *ret_further) {
    struct slice line;
    enum sweep_state state =
        point_file_line(&text, &line) ? state_of_header(line, ret_further) : SWEEP_MISSING;
    const char *inputs = text.at;
    if (text.length < SWEEP_INPUTS_BYTES || inputs[SWEEP_INPUTS_BYTES - 1] != ',')
        return SWEEP_MISSING;
    *ret_inputs = strtoull(inputs, NULL, 16);
    while (state != SWEEP_MISSING && point_file_line(&text, &line))
        if (line.length < SWEEP_INPUTS_BYTES || memcmp(line.at, inputs, SWEEP_INPUTS_BYTES) != 0)
            state = SWEEP_MISSING;
    return state;
}

void point_file_rows(struct slice text, const char *prefix, struct str *rows) {
    struct slice line;
    (void)point_file_line(&text, &line); /* the header */
    while (point_file_line(&text, &line)) {
        str_add(rows, prefix);
        str_add_bytes(rows, line.at + SWEEP_INPUTS_BYTES, line.length + 1 - SWEEP_INPUTS_BYTES);
    }
}

/* --- run_store --- */

#define SUFFIX     ".points"
#define HEAD_BYTES 128 /* a first line is shorter */
#define HOST_BYTES 64

/* ---- Reading ---- */

static void write_head(const struct run_record *record, struct str *out) {
    size_t start = out->length;
    str_addf(out, "run,%016llx,%llu,%zu,%zu,", (unsigned long long)record->id,
             (unsigned long long)record->turn, record->notes, record->text);
    uint64_t hash = hash_bytes(HASH_START, out->text + start, out->length - start);
    str_addf(out, "%016llx\n", (unsigned long long)hash);
}

/* The first line of a block; false if it is none. */
static bool read_head(struct slice line, struct run_record *record) {
    unsigned long long id, turn;
    char text[HEAD_BYTES];
    struct str again = {0};
    if (line.length >= HEAD_BYTES || !slice_begins(line, "run,"))
        return false;
    memcpy(text, line.at, line.length);
    text[line.length] = '\0';
    if (sscanf(text, "run,%16llx,%20llu,%19zu,%19zu,", &id, &turn, &record->notes, &record->text) !=
        4)
        return false;
    record->id = id;
    record->turn = turn;
    write_head(record, &again);
    bool same = again.length == line.length + 1 && memcmp(again.text, text, line.length) == 0;
    str_finish(&again);
    return same;
}

/* A whole block at the beginning of the text: its bytes; 0: there is none. */
static size_t read_block(struct slice all, struct run_record *record) {
    struct slice rest = all, line;
    if (!point_file_line(&rest, &line) || !read_head(line, record) || record->notes > rest.length ||
        record->text > rest.length - record->notes)
        return 0;
    const struct slice notes = {rest.at, record->notes};
    struct slice text = {rest.at + record->notes, record->text};
    record->at = line.length + 1;
    if (!point_file_check(&text, notes))
        return 0;
    size_t bytes = record->at + record->notes + record->text;
    record->text = text.length;
    record->state = point_file_state(text, &record->inputs, &record->further);
    return record->state == SWEEP_MISSING ? 0 : bytes;
}

static void read_blocks(struct run_store *store, uint32_t file, struct slice all) {
    struct slice rest = all, skipped;
    while (rest.length > 0) {
        struct run_record record = {.file = file};
        size_t bytes = read_block(rest, &record);
        if (bytes > 0) {
            record.at += (size_t)(rest.at - all.at);
            store->turn = record.turn > store->turn ? record.turn : store->turn;
            array_push(&store->records, record);
            rest = (struct slice){rest.at + bytes, rest.length - bytes};
        } else if (!point_file_line(&rest, &skipped)) {
            return;
        }
    }
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
    int fd = files_open(path, O_NONBLOCK);
    if (fd < 0)
        return error_set(reterr, ERROR_IO, "%s: cannot open: %s", path, strerror(errno));
    array_push(&store->files, ((struct run_file){mem_strdup(path), fd}));
    int r = files_read_open(fd, path, SIZE_MAX, &text, reterr);
    if (r == 0)
        read_blocks(store, (uint32_t)store->files.count - 1,
                    (struct slice){text.text, text.length});
    str_finish(&text);
    return r;
}

int run_store_read(struct run_store *store, const char *folder, struct error *reterr) {
    struct dirent **entries = NULL;
    int r = 0;
    run_store_finish(store);
    int count = scandir(folder, &entries, is_store, alphasort);
    if (count < 0 && errno == ENOMEM)
        mem_exhausted(0);
    if (count < 0 && errno != ENOENT)
        r = error_set(reterr, ERROR_IO, "%s: cannot open folder: %s", folder, strerror(errno));
    for (int i = 0; i < count; i++) {
        struct arena arena = {0};
        if (r == 0)
            r = read_file(store, arena_printf(&arena, "%s/%s", folder, entries[i]->d_name), reterr);
        free(entries[i]);
        arena_finish(&arena);
    }
    free(entries);
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

static int load_bytes(const struct run_file *file, size_t at, size_t length, struct str *out,
                      struct error *reterr) {
    char *to = str_reserve(out, length + 1);
    size_t done = 0;
    while (done < length) {
        ssize_t count =
            TEMP_FAILURE_RETRY(pread(file->fd, to + done, length - done, (off_t)(at + done)));
        if (count <= 0)
            return error_set(reterr, ERROR_IO, "%s: cannot read: %s", file->path,
                             count < 0 ? strerror(errno) : "it was cut");
        done += (size_t)count;
    }
    out->length += length;
    out->text[out->length] = '\0';
    return 0;
}

int run_store_load(const struct run_store *store, const struct run_record *record,
                   struct str *notes, struct str *text, struct error *reterr) {
    const struct run_file *file = &store->files.at[record->file];
    int r = load_bytes(file, record->at, record->notes, notes, reterr);
    return r < 0 ? r : load_bytes(file, record->at + record->notes, record->text, text, reterr);
}

void run_store_finish(struct run_store *store) {
    for (size_t i = 0; i < store->files.count; i++) {
        close(store->files.at[i].fd);
        free(store->files.at[i].path);
    }
    free(store->files.at);
    free(store->records.at);
    *store = (struct run_store){.turn = 0};
}

/* ---- Writing ---- */

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

int run_writer_append(struct run_writer *writer, uint64_t id, struct slice notes, struct slice text,
                      struct error *reterr) {
    if (!writer->path) {
        int r = take_file(writer, reterr);
        if (r < 0)
            return r;
    }
    struct str block = {0};
    str_add(&block, writer->torn ? "\n" : "");
    write_head(
        &(struct run_record){
            .id = id, .turn = writer->turn, .notes = notes.length, .text = text.length},
        &block);
    str_add_bytes(&block, notes.at, notes.length);
    str_add_bytes(&block, text.at, text.length);
    int r = write_block(writer, &block, reterr);
    str_finish(&block);
    return r;
}

void run_writer_finish(struct run_writer *writer) {
    if (writer->path)
        leave_file(writer);
}
