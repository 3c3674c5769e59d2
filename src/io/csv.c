/* CSV rows as slices of the line. Invariant: after a successful csv_next every header column has a
 * field. */
#include "io/csv.h"
#include "base/arena.h"
#include "base/array.h"
#include "base/mem.h"
#include "base/numfmt.h"
#include "base/units.h"
#include "base/word.h"
#include "io/lines.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct csv_cell {
    struct slice text;
    uint32_t column; /* where it starts in the line, from 1, in bytes */
};

struct csv {
    struct lines *lines;
    char *file; /* for messages */
    char separator;
    char **names;
    size_t name_count;
    size_t field_capacity;
    struct slice line;
    bool tight;              /* the current row is its line: no quotes, no blanks around fields */
    const char **begins;     /* of such a row: where its fields begin, and one behind its end */
    struct csv_cell *fields; /* of another one */
    char *unquoted;          /* those that had doubled quotes */
    size_t unquoted_used, unquoted_capacity;
    csv_scan *scan; /* or NULL */
    void *scan_context;
};

static bool is_csv_blank(char c) {
    return c == ' ' || c == '\t';
}

static struct slice trimmed_csv_field(const char *begin, const char *end) {
    while (begin < end && is_csv_blank(*begin))
        begin++;
    while (end > begin && is_csv_blank(end[-1]))
        end--;
    return (struct slice){begin, (size_t)(end - begin)};
}

/* A field of a row that is its line. */
static struct slice tight_field(const struct csv *csv, size_t index) {
    const char *begin = csv->begins[index];
    return (struct slice){begin, (size_t)(csv->begins[index + 1] - begin) - 1};
}

/* Whether a blank may stand at an end of the field: so do few others that are as small. */
static bool may_need_trimming(const char *begin, const char *end) {
    return begin < end && ((unsigned char)*begin <= ' ' || (unsigned char)end[-1] <= ' ');
}

/* The current line, if the row is it. Fields past the capacity are counted but not kept. */
static bool split_tight(struct csv *csv, size_t *ret_count) {
    const char *begin = csv->line.at, *end = begin + csv->line.length;
    const char **begins = csv->begins;
    size_t count = 0, most = csv->field_capacity;
    csv->tight = false;
    if (memchr(begin, '"', csv->line.length))
        return false;
    begins[0] = begin;
    for (const char *word = begin; word < end; word += sizeof(uint64_t))
        for (uint64_t found = word_find(word_load(word, (size_t)(end - word)), csv->separator);
             found; found &= found - 1) {
            const char *at = word + __builtin_ctzll(found) / 8;
            if (may_need_trimming(begin, at))
                return false;
            begin = at + 1;
            begins[++count < most ? count : most] = begin;
        }
    begins[++count < most ? count : most] = end + 1;
    *ret_count = count;
    return csv->tight = !may_need_trimming(begin, end);
}

static int bad_quote(const struct csv *csv, size_t offset, const char *what, struct error *reterr) {
    return error_set(reterr, ERROR_INPUT, "%s:%u:%zu: %s", csv->file,
                     (unsigned)lines_number(csv->lines), offset + 1, what);
}

/* The text of a quoted field from behind its opening quote up to the closing one; doubled quotes
   become single ones in the row's own buffer, with room for the line. NULL: not closed. */
static const char *unquote_cell(struct csv *csv, const char *at, const char *end,
                                struct slice *text) {
    const char *quote = memchr(at, '"', (size_t)(end - at));
    if (quote && (quote + 1 == end || quote[1] != '"')) {
        *text = (struct slice){at, (size_t)(quote - at)};
        return quote + 1;
    }
    char *copy = csv->unquoted + csv->unquoted_used;
    size_t length = 0;
    while (quote) {
        memcpy(copy + length, at, (size_t)(quote - at));
        length += (size_t)(quote - at);
        if (quote + 1 == end || quote[1] != '"') {
            *text = (struct slice){copy, length};
            csv->unquoted_used += length;
            return quote + 1;
        }
        copy[length++] = '"';
        at = quote + 2;
        quote = memchr(at, '"', (size_t)(end - at));
    }
    return NULL;
}

/* One field from *at on, which moves to the separator behind it or to the end. */
static int split_field(struct csv *csv, struct slice line, const char **at, struct csv_cell *field,
                       struct error *reterr) {
    const char *end = line.at + line.length;
    const char *begin = *at;
    while (begin < end && is_csv_blank(*begin) && *begin != csv->separator)
        begin++;
    field->column = (uint32_t)(begin - line.at) + 1;
    if (begin == end || *begin != '"') {
        const char *stop = memchr(begin, csv->separator, (size_t)(end - begin));
        *at = stop ? stop : end;
        field->text = trimmed_csv_field(begin, *at);
        const char *quote = memchr(begin, '"', (size_t)(*at - begin));
        return quote ? bad_quote(csv, (size_t)(quote - line.at),
                                 "quote inside a field that does not begin with one", reterr)
                     : 0;
    }
    const char *behind = unquote_cell(csv, begin + 1, end, &field->text);
    if (!behind)
        return bad_quote(csv, (size_t)(begin - line.at), "quote not closed on this line", reterr);
    while (behind < end && is_csv_blank(*behind) && *behind != csv->separator)
        behind++;
    if (behind < end && *behind != csv->separator)
        return bad_quote(csv, (size_t)(behind - line.at), "text after a closing quote", reterr);
    *at = behind;
    return 0;
}

/* Any line, field by field. */
static int split_fields(struct csv *csv, struct slice line, size_t *count, struct error *reterr) {
    if (csv->unquoted_capacity < line.length) {
        csv->unquoted_capacity = 2 * line.length;
        csv->unquoted = mem_realloc(csv->unquoted, csv->unquoted_capacity, 1);
    }
    csv->unquoted_used = 0;
    const char *at = line.at;
    for (*count = 0;; at++) {
        struct csv_cell field = {0};
        int status = split_field(csv, line, &at, &field, reterr);
        if (status < 0)
            return status;
        if (*count < csv->field_capacity)
            csv->fields[*count] = field;
        ++*count;
        if (at == line.at + line.length)
            return 0;
    }
}

/* A line of separators that are blanks (tabs) is a row of empty fields. */
static bool is_blank_line(const struct csv *csv, struct slice line) {
    return line.length == 0 || ((unsigned char)*line.at <= ' ' &&
                                trimmed_csv_field(line.at, line.at + line.length).length == 0 &&
                                !memchr(line.at, csv->separator, line.length));
}

static int split_row(struct csv *csv, struct slice line, size_t *count, struct error *reterr) {
    csv->line = line;
    return split_tight(csv, count) ? 0 : split_fields(csv, line, count, reterr);
}

/* The next line that is not blank: 1, 0 at the end, or negative. */
static int next_line(struct csv *csv, struct error *reterr) {
    int status;
    do
        status = lines_next(csv->lines, &csv->line, reterr);
    while (status > 0 && is_blank_line(csv, csv->line));
    return status;
}

/* ---- Header ---- */

static int add_column_name(struct csv *csv, int column, struct error *reterr) {
    struct slice text = csv_field(csv, column);
    struct location where = csv_where(csv, column);
    if (text.length == 0)
        return error_set(reterr, ERROR_INPUT, "%s:%u:%u: empty column name", csv->file,
                         (unsigned)where.line, (unsigned)where.column);
    for (size_t i = 0; i < csv->name_count; i++)
        if (slice_is(text, csv->names[i]))
            return error_set(reterr, ERROR_INPUT, "%s:%u:%u: duplicate column \"%s\"", csv->file,
                             (unsigned)where.line, (unsigned)where.column, csv->names[i]);
    char *name = mem_alloc(text.length + 1);
    memcpy(name, text.at, text.length);
    name[text.length] = '\0';
    csv->names[csv->name_count++] = name;
    return 0;
}

static int read_csv_header(struct csv *csv, struct error *reterr) {
    size_t count;
    int status = next_line(csv, reterr);
    if (status < 0)
        return status;
    if (status == 0)
        return error_set(reterr, ERROR_INPUT, "%s: empty file, expected a header line", csv->file);
    status = split_row(csv, csv->line, &count, reterr);
    if (status < 0)
        return status;
    if (count > CSV_MAX_COLUMNS)
        return error_set(reterr, ERROR_INPUT, "%s:%u:1: expected at most %d columns, found %zu",
                         csv->file, (unsigned)lines_number(csv->lines), CSV_MAX_COLUMNS, count);
    csv->names = mem_zalloc(count, sizeof *csv->names);
    for (size_t i = 0; i < count; i++) {
        status = add_column_name(csv, (int)i, reterr);
        if (status < 0)
            return status;
    }
    return 0;
}

/* Takes the lines over. */
static int begin_csv(struct lines *lines, const char *name, char separator, struct csv **ret_csv,
                     struct error *reterr) {
    struct csv *csv = mem_zalloc(1, sizeof *csv);
    csv->lines = lines;
    csv->file = mem_strdup(name);
    csv->separator = separator;
    csv->field_capacity = CSV_MAX_COLUMNS;
    csv->fields = mem_zalloc(csv->field_capacity, sizeof *csv->fields);
    csv->begins = mem_alloc((csv->field_capacity + 1) * sizeof *csv->begins);
    int status = read_csv_header(csv, reterr);
    if (status < 0) {
        csv_close(csv);
        return status;
    }
    csv->field_capacity = csv->name_count;
    csv->tight = false;
    memset(csv->fields, 0, csv->field_capacity * sizeof *csv->fields); /* no row yet */
    *ret_csv = csv;
    return 0;
}

int csv_open(const char *path, char separator, struct csv **ret_csv, struct error *reterr) {
    const char *name = strcmp(path, "-") == 0 ? "standard input" : path;
    struct lines *lines;
    int r = lines_open(path, &lines, reterr);
    return r < 0 ? r : begin_csv(lines, name, separator, ret_csv, reterr);
}

int csv_of_text(struct slice text, const char *name, struct csv **ret_csv, struct error *reterr) {
    return begin_csv(lines_of_text(text, name), name, ',', ret_csv, reterr);
}

void csv_close(struct csv *csv) {
    if (!csv)
        return;
    lines_close(csv->lines);
    for (size_t i = 0; i < csv->name_count; i++)
        free(csv->names[i]);
    free(csv->names);
    free(csv->begins);
    free(csv->fields);
    free(csv->unquoted);
    free(csv->file);
    free(csv);
}

int csv_column(const struct csv *csv, const char *name) {
    for (size_t i = 0; i < csv->name_count; i++)
        if (strcmp(csv->names[i], name) == 0)
            return (int)i;
    return -1;
}

size_t csv_column_count(const struct csv *csv) {
    return csv->name_count;
}

const char *csv_column_name(const struct csv *csv, size_t column) {
    return csv->names[column];
}

const char *csv_list_text(const char *const *names, size_t count, struct arena *arena) {
    struct str list = {0};
    for (size_t i = 0; i < count; i++)
        str_addf(&list, "%s%s", i > 0 ? ", " : "", names[i]);
    const char *text = arena_printf(arena, " (columns: %s)", list.text ? list.text : "none");
    str_finish(&list);
    return text;
}

int csv_missing_column(const struct csv *csv, const char *name, const char *advice,
                       struct problems *problems) {
    struct arena arena = {0};
    const char *hint =
        str_suggestion(&arena, name, (const char *const *)csv->names, csv->name_count);
    problems_add(problems, (struct location){csv->file, 1, 0}, NULL,
                 "column \"%.80s\" is missing%s%s", name, hint[0] ? hint : advice,
                 csv_list_text((const char *const *)csv->names, csv->name_count, &arena));
    arena_finish(&arena);
    return -1;
}

int csv_needed_column(const struct csv *csv, const char *name, struct problems *problems) {
    int column = csv_column(csv, name);
    return column < 0 ? csv_missing_column(csv, name, "", problems) : column;
}

/* ---- Rows ---- */

static int check_count(const struct csv *csv, size_t count, struct error *reterr) {
    return count == csv->name_count
               ? 0
               : error_set(reterr, ERROR_INPUT,
                           "%s:%u:1: expected %zu fields as in the header, found %zu", csv->file,
                           (unsigned)lines_number(csv->lines), csv->name_count, count);
}

int csv_next(struct csv *csv, struct error *reterr) {
    int status = next_line(csv, reterr);
    if (status <= 0)
        return status;
    if (csv->scan && csv->scan(csv->scan_context, csv->line, csv->begins)) {
        csv->tight = true;
        return 1;
    }
    status = csv_take_line(csv, csv->line, reterr);
    return status < 0 ? status : 1;
}

void csv_scan_rows(struct csv *csv, csv_scan *scan, void *context) {
    csv->scan = scan;
    csv->scan_context = context;
}

int csv_take_line(struct csv *csv, struct slice line, struct error *reterr) {
    size_t count;
    int status = split_row(csv, line, &count, reterr);
    return status < 0 ? status : check_count(csv, count, reterr);
}

void csv_each_row(struct csv *csv, struct problems *problems, void (*read_row)(void *context),
                  void *context) {
    struct error error = {0};
    for (int got; (got = csv_next(csv, &error)) != 0;) {
        if (got > 0) {
            read_row(context);
            continue;
        }
        problems_add_text(problems, csv->file, error.text);
        if (got != ERROR_INPUT)
            break;
    }
}

struct slice csv_field(const struct csv *csv, int column) {
    return column < 0   ? (struct slice){0}
           : csv->tight ? tight_field(csv, (size_t)column)
                        : csv->fields[column].text;
}

/* Fields of a row that is its line hold no separator. Where no field holds one, it tells them
   apart; else a line end does, which no field holds. */
struct slice csv_row(const struct csv *csv, struct str *text) {
    if (csv->tight)
        return csv->line;
    char between = csv->separator;
    for (size_t i = 0; i < csv->name_count && between != '\n'; i++)
        if (memchr(csv->fields[i].text.at, between, csv->fields[i].text.length))
            between = '\n';
    text->length = 0;
    for (size_t i = 0; i < csv->name_count; i++) {
        if (i > 0)
            str_add_char(text, between);
        str_add_bytes(text, csv->fields[i].text.at, csv->fields[i].text.length);
    }
    return (struct slice){text->text, text->length};
}

struct location csv_where(const struct csv *csv, int column) {
    uint32_t at = column < 0   ? 0
                  : csv->tight ? (uint32_t)(csv->begins[column] - csv->line.at) + 1
                               : csv->fields[column].column;
    return (struct location){csv->file, lines_number(csv->lines), at};
}

void csv_refuse(const struct csv *csv, int column, const char *name, const char *expected,
                struct problems *problems) {
    struct slice field = csv_field(csv, column);
    problems_add(problems, csv_where(csv, column), name, "expected %s, got \"%.*s\"", expected,
                 (int)(field.length < 80 ? field.length : 80), field.at);
}

/* A blank at an end would be trimmed; so would a line end, which becomes one. */
static bool is_trimmed(char c) {
    return is_csv_blank(c) || c == '\n' || c == '\r';
}

enum { NEEDS_QUOTES = 1, LINE_END = 2, TEXT_END = 4, BLANK = 8 };

const unsigned char csv_special_bytes[256] = {
    [','] = NEEDS_QUOTES, ['"'] = NEEDS_QUOTES, ['\r'] = LINE_END, ['\n'] = LINE_END,
    ['\0'] = TEXT_END,    [' '] = BLANK,        ['\t'] = BLANK};

static void end_at(struct str *out, char *end) {
    *end = '\0';
    out->length = (size_t)(end - out->text);
}

void csv_add_text(struct str *out, const char *text) {
    unsigned found = 0;
    size_t length = 0;
    char *end = text ? csv_put_plain(str_reserve(out, CSV_PLAIN_BYTES), text) : NULL;
    if (end)
        end_at(out, end);
    if (!text || end)
        return;
    for (; text[length]; length++)
        found |= csv_special_bytes[(unsigned char)text[length]];
    bool quoted = (found & NEEDS_QUOTES) ||
                  (length > 0 && (is_trimmed(text[0]) || is_trimmed(text[length - 1])));
    if (!quoted && !(found & LINE_END)) {
        str_add_bytes(out, text, length);
        return;
    }
    if (quoted)
        str_add_char(out, '"');
    while (*text) {
        size_t plain = strcspn(text, "\"\r\n");
        str_add_bytes(out, text, plain);
        if (text[plain])
            str_add(out, text[plain] == '"' ? "\"\"" : " "); /* a field ends on its own line */
        text += plain + (text[plain] != '\0');
    }
    if (quoted)
        str_add_char(out, '"');
}

void csv_comma_text(struct str *out, const char *text) {
    str_add_char(out, ',');
    csv_add_text(out, text);
}

char *csv_put_real(char to[static CSV_NUMBER_BYTES], double value) {
    size_t length = numfmt_real(to, value);
    /* Only whole numbers are without a point or an exponent. */
    bool adds = fabs(value) < 0x1p53 ? (double)(int64_t)value == value : !memchr(to, 'e', length);
    memcpy(to + length, ".0", 3);
    return to + length + (adds ? 2 : 0);
}

char *csv_put_ns(char to[static CSV_NUMBER_BYTES], int64_t time_ns) {
    size_t length = numfmt_ns(to, time_ns);
    memcpy(to + length, ".0", 3);
    return to + length + (time_ns % NS_PER_S == 0 ? 2 : 0);
}

void csv_add_real(struct str *out, double value) {
    if (isfinite(value))
        end_at(out, csv_put_real(str_reserve(out, CSV_NUMBER_BYTES), value));
}

void csv_add_ns(struct str *out, int64_t time_ns) {
    end_at(out, csv_put_ns(str_reserve(out, CSV_NUMBER_BYTES), time_ns));
}

void csv_comma_real(struct str *out, double value) {
    str_add_char(out, ',');
    csv_add_real(out, value);
}

void csv_comma_int(struct str *out, int64_t value) {
    char *to = str_reserve(out, 1 + NUMFMT_BYTES);
    *to++ = ',';
    out->length += 1 + numfmt_int(to, value);
}

void csv_comma_positive(struct str *out, double value) {
    csv_comma_real(out, value > 0 ? value : NAN);
}

void csv_comma_count(struct str *out, uint32_t value) {
    str_add_char(out, ',');
    if (value > 0)
        str_add_int(out, value);
}
