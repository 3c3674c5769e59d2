/* Rows of recorded CSV files: see recorded_table.h. */
#include "insight/recorded_table.h"

#include "base/machine.h"
#include "base/numfmt.h"
#include "base/units.h"
#include "base/word.h"
#include "io/files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#define HEAD_MOST ((size_t)1 << 20) /* bytes of a header: labels may be long */
#define WINDOW    ((size_t)1 << 18) /* bytes of rows at a time: what caches hold */

/* --- the file --- */

/* Appends what is there of the next bytes. */
static int read_more(struct recorded_table *table, size_t bytes, struct error *reterr) {
    size_t length = table->text.length + bytes;
    ssize_t count = table->is_open ? 1 : -1;
    str_reserve(&table->text, bytes + 1);
    while (count > 0 && table->text.length < length) {
        count = TEMP_FAILURE_RETRY(pread(table->fd, table->text.text + table->text.length,
                                         length - table->text.length, (off_t)table->next));
        table->text.length += count > 0 ? (size_t)count : 0;
        table->next += count > 0 ? (uint64_t)count : 0;
    }
    int code = errno;
    str_add(&table->text, "");
    table->at = table->text.text;
    if (count < 0)
        machine_check(code, table->file, "read");
    return count < 0
               ? error_set(reterr, ERROR_INPUT, "%s: cannot read: %s", table->file, strerror(code))
               : 0;
}

/* The fields of the line that begins at table->at; false if quotes do not end on it. */
static bool split_line(struct recorded_table *table, const char *end) {
    const char *from = table->at;
    bool quoted = false;
    table->fields.count = 0;
    for (const char *c = from; c < end; c += sizeof(uint64_t)) {
        uint64_t word = word_load(c, (size_t)(end - c));
        for (uint64_t marks = word_find(word, ',') | word_find(word, '"'); marks;
             marks &= marks - 1) {
            const char *at = c + __builtin_ctzll(marks) / 8;
            if (*at == '"') {
                quoted = !quoted;
            } else if (!quoted) {
                array_push(&table->fields, ((struct slice){from, (size_t)(at - from)}));
                from = at + 1;
            }
        }
    }
    array_push(&table->fields, ((struct slice){from, (size_t)(end - from)}));
    return !quoted;
}

static int find_columns(struct recorded_table *table, struct error *reterr) {
    table->places = mem_alloc((size_t)table->count * sizeof *table->places);
    for (int i = 0; i < table->count; i++) {
        size_t place = 0;
        while (place < table->fields.count && !slice_is(table->fields.at[place], table->names[i]))
            place++;
        if (place == table->fields.count)
            return error_set(reterr, ERROR_INPUT, "%s:1: column %s is missing", table->file,
                             table->names[i]);
        table->places[i] = (int)place;
    }
    return 0;
}

int recorded_table_open(struct recorded_table *table, const char *file, const char *const *names,
                        struct error *reterr) {
    *table = (struct recorded_table){.file = file, .names = names};
    while (names[table->count])
        table->count++;
    table->fd = files_open(table->file, O_NONBLOCK);
    table->is_open = table->fd >= 0;
    if (read_more(table, HEAD_MOST, reterr) < 0)
        return reterr->code;
    const char *end = memchr(table->text.text, '\n', table->text.length);
    if (!end || !split_line(table, end))
        return error_set(reterr, ERROR_INPUT, "%s:1: expected a line of column names", file);
    table->head_bytes = (size_t)(end + 1 - table->text.text);
    return find_columns(table, reterr);
}

static int refuse_end(const struct recorded_table *table, struct error *reterr) {
    return error_set(reterr, ERROR_INPUT, "%s: it ends before the rows that it should have",
                     table->file);
}

int recorded_table_read(struct recorded_table *table, uint64_t from, uint64_t bytes, uint32_t line,
                        struct error *reterr) {
    table->line = line - 1;
    table->error = reterr;
    table->end = table->head_bytes + from + bytes;
    table->next = table->end - (bytes > 0);
    table->text.length = 0;
    if (read_more(table, bytes > 0, reterr) < 0)
        return reterr->code;
    if (bytes > 0 && table->text.text[0] != '\n')
        return refuse_end(table, reterr);
    table->next = table->head_bytes + from;
    table->text.length = 0;
    return 0;
}

int recorded_table_read_all(struct recorded_table *table, struct error *reterr) {
    struct stat status;
    if (!files_stat(table->file, &status) || (uint64_t)status.st_size < table->head_bytes)
        return error_set(reterr, ERROR_INPUT, "%s: cannot be read", table->file);
    return recorded_table_read(table, 0, (uint64_t)status.st_size - table->head_bytes, 2, reterr);
}

/* Of the next row, in the text; NULL: there is none, or it cannot be read. */
static const char *find_end(struct recorded_table *table) {
    size_t left = (size_t)(table->text.text + table->text.length - table->at);
    const char *end = memchr(table->at, '\n', left);
    while (!end && table->next < table->end) {
        uint64_t more = table->end - table->next;
        memmove(table->text.text, table->at, left);
        table->text.length = left;
        if (read_more(table, more < WINDOW ? more : WINDOW, table->error) < 0)
            return NULL;
        if (table->text.length == left)
            break;
        end = memchr(table->at + left, '\n', table->text.length - left);
        left = table->text.length;
    }
    if (!end && (left > 0 || table->next < table->end))
        refuse_end(table, table->error);
    return end;
}

bool recorded_table_next(struct recorded_table *table) {
    const char *end = table->error->code < 0 ? NULL : find_end(table);
    if (!end)
        return false;
    table->line++;
    bool whole = split_line(table, end);
    table->at = end + 1;
    for (int i = 0; i < table->count && whole; i++)
        whole = (size_t)table->places[i] < table->fields.count;
    if (!whole)
        error_set(table->error, ERROR_INPUT, "%s:%u: expected as many fields as column names",
                  table->file, table->line);
    return whole;
}

void recorded_table_finish(struct recorded_table *table) {
    str_finish(&table->text);
    str_finish(&table->unquoted);
    if (table->is_open)
        close(table->fd);
    free(table->places);
    free(table->fields.at);
    *table = (struct recorded_table){0};
}

/* --- fields --- */

struct slice recorded_table_raw(const struct recorded_table *table, int column) {
    return table->fields.at[table->places[column]];
}

bool recorded_table_is_empty(const struct recorded_table *table, int column) {
    return recorded_table_raw(table, column).length == 0;
}

struct slice recorded_table_at(struct recorded_table *table, int place) {
    struct slice raw =
        (size_t)place < table->fields.count ? table->fields.at[place] : (struct slice){NULL, 0};
    if (raw.length < 2 || raw.at[0] != '"')
        return raw;
    table->unquoted.length = 0;
    for (size_t i = 1; i + 1 < raw.length; i++) {
        str_add_char(&table->unquoted, raw.at[i]);
        i += raw.at[i] == '"';
    }
    return (struct slice){table->unquoted.text, table->unquoted.length};
}

struct slice recorded_table_text(struct recorded_table *table, int column) {
    return recorded_table_at(table, table->places[column]);
}

static struct slice behind_quote(struct slice raw) {
    return raw.length > 0 && raw.at[0] == '"' ? (struct slice){raw.at + 1, raw.length - 1}
                                              : (struct slice){NULL, 0};
}

int recorded_table_find(const struct recorded_table *table, const char *begins, int from) {
    for (int i = from; (size_t)i < table->fields.count; i++)
        if (slice_begins(table->fields.at[i], begins) ||
            slice_begins(behind_quote(table->fields.at[i]), begins))
            return i;
    return -1;
}

#define SHOWN_MOST 40

void recorded_table_refuse(struct recorded_table *table, int column, const char *expected) {
    struct slice got = recorded_table_raw(table, column);
    struct str shown = {0};
    struct arena arena = {0};
    bool cut = got.length > SHOWN_MOST;
    str_add_visible(&shown, arena_strndup(&arena, got.at, cut ? SHOWN_MOST : got.length));
    if (table->error->code == 0)
        error_set(table->error, ERROR_INPUT, "%s:%u: %s: expected %s, got \"%s%s\"", table->file,
                  table->line, table->names[column], expected, shown.text ? shown.text : "",
                  cut ? "..." : "");
    str_finish(&shown);
    arena_finish(&arena);
}

int64_t recorded_table_int(struct recorded_table *table, int column, int64_t least, int64_t most) {
    struct slice raw = recorded_table_raw(table, column);
    int64_t value;
    if (numfmt_parse_int(raw.at, raw.length, &value) && value >= least && value <= most)
        return value;
    recorded_table_refuse(table, column, "an integer in its range");
    return least;
}

double recorded_table_real(struct recorded_table *table, int column, double absent) {
    struct slice raw = recorded_table_raw(table, column);
    double value;
    if (raw.length == 0)
        return absent;
    if (numfmt_parse_real(raw.at, raw.length, &value))
        return value;
    recorded_table_refuse(table, column, "a number");
    return absent;
}

double recorded_table_amount(struct recorded_table *table, int column, double most, double absent) {
    double value = recorded_table_real(table, column, absent);
    if (recorded_table_is_empty(table, column) || (value >= 0 && value <= most))
        return value;
    recorded_table_refuse(table, column, "a number in its range");
    return absent;
}

/* A decimal times 10^digits, exactly; false if it is none, has more digits or is too large. */
static bool parse_decimal(struct slice text, int digits, int128 most, int128 *ret_value) {
    int128 value = 0;
    uint64_t piece = 0; /* up to 18 digits at a time need no 128 bits */
    int left = -1;      /* digits still to come after the point; -1: before it */
    size_t i = 0, seen = 0;
    for (; i < text.length && left != 0; i++) {
        unsigned digit = (unsigned char)text.at[i] - (unsigned)'0';
        if (text.at[i] == '.' && left < 0 && i > 0) {
            value = piece;
            left = digits;
            piece = 0;
            seen = 0;
            continue;
        }
        if (digit > 9 || ++seen > 18)
            return false;
        piece = piece * 10 + digit;
        left -= left > 0;
    }
    if (i < text.length || seen == 0)
        return false;
    if (left < 0) {
        value = piece;
        piece = 0;
        left = digits;
    }
    for (; left > 0; left--)
        piece *= 10;
    *ret_value = value * (digits == 9 ? NS_PER_S : NS_PER_S * NS_PER_S) + piece;
    return *ret_value <= most;
}

int64_t recorded_table_ns(struct recorded_table *table, int column) {
    int128 value;
    if (parse_decimal(recorded_table_raw(table, column), 9, (int128)TIME_MAX_S * NS_PER_S * 2,
                      &value))
        return (int64_t)value;
    recorded_table_refuse(table, column, "a time in s");
    return 0;
}

int128 recorded_table_energy(struct recorded_table *table, int column) {
    int128 value, most = (int128)INT64_MAX << 60;
    if (parse_decimal(recorded_table_raw(table, column), 18, most, &value))
        return value;
    recorded_table_refuse(table, column, "an energy in J");
    return 0;
}

int recorded_table_word(struct recorded_table *table, int column, const char *const *words,
                        int count) {
    struct slice raw = recorded_table_raw(table, column);
    for (int i = 0; i < count; i++)
        if (slice_is(raw, words[i]))
            return i;
    recorded_table_refuse(table, column, "one of the words that docs/reference/outputs.md lists");
    return 0;
}
