/* Lines of plain, gzip and zstd files. The same text must give the same lines however it is packed.
 */
#include "../support/temp_dir.h"
#include "base/mem.h"
#include "io/lines.h"

#include <criterion/criterion.h>
#include <zlib.h>
#include <zstd.h>

static void write_gzip(const char *name, const char *bytes, size_t length, const char *mode) {
    gzFile file = gzopen(name, mode);
    cr_assert(file && (length == 0 || gzwrite(file, bytes, (unsigned)length) == (int)length));
    cr_assert_eq(gzclose(file), Z_OK);
}

static void write_zstd(const char *name, const char *bytes, size_t length) {
    size_t bound = ZSTD_compressBound(length);
    char *packed = mem_alloc(2 * bound);
    size_t half = length / 2; /* two frames, the second with the rest */
    size_t first = ZSTD_compress(packed, bound, bytes, half, 3);
    size_t second = ZSTD_compress(packed + first, bound, bytes + half, length - half, 3);
    cr_assert_not(ZSTD_isError(first) || ZSTD_isError(second));
    temp_file_write(name, packed, first + second);
    free(packed);
}

/* Reads all of it; lines joined by '|'. Returns the final status. */
static int read_joined(const char *name, struct str *joined, bool *partial, struct error *error) {
    struct lines *lines = NULL;
    int status = lines_open(name, &lines, error);
    if (status < 0)
        return status;
    struct slice line;
    uint32_t number = 0;
    while ((status = lines_next(lines, &line, error)) == 1) {
        cr_assert(line.at[line.length] == '\n' || line.at[line.length] == '\r');
        str_add_bytes(joined, line.at, line.length);
        str_add_char(joined, '|');
        cr_assert_eq(lines_number(lines), ++number);
    }
    *partial = lines_ended_partial(lines);
    if (status == ERROR_IO) /* an error stays one */
        cr_assert_eq(lines_next(lines, &line, NULL), ERROR_IO);
    if (status == 0)
        cr_assert_eq(lines_next(lines, &line, NULL), 0);
    lines_close(lines);
    return status;
}

static void check_file(const char *name, const char *expected, bool partial) {
    struct str joined = {0};
    struct error error = {0};
    bool was_partial;
    str_add(&joined, "");
    cr_assert_eq(read_joined(name, &joined, &was_partial, &error), 0, "%s: %s", name, error.text);
    cr_assert_str_eq(joined.text, expected);
    cr_assert_eq(was_partial, partial, "%s", expected);
    str_finish(&joined);
}

Test(lines, small_texts, .init = temp_dir_enter, .fini = temp_dir_leave) {
    static const struct {
        const char *text, *lines;
        bool partial;
    } cases[] = {
        {"", "", false},
        {"\n", "|", false},
        {"a", "a|", true},
        {"a\n", "a|", false},
        {"a\nb", "a|b|", true},
        {"a\r\nb\r\n", "a|b|", false},
        {"a\rb\n\n\nc\r", "a\rb|||c\r|", true}, /* only CR LF is a line end */
        {"\xef\xbb\xbf"
         "a,b\n\xef\xbb\xbf"
         "c\n",
         "a,b|\xef\xbb\xbf"
         "c|",
         false}, /* BOM: only at the start */
        {"\xef\xbb\xbf", "", false},
        {"\xef\xbb\n", "\xef\xbb|", false},
        {"\x1f", "\x1f|", true}, /* too short for any magic bytes */
        {"(\xb5/\n", "(\xb5/|", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *text = cases[i].text;
        temp_file_write_text("plain", text);
        write_gzip("gz", text, strlen(text), "wb");
        write_zstd("zst", text, strlen(text));
        check_file("plain", cases[i].lines, cases[i].partial);
        check_file("gz", cases[i].lines, cases[i].partial);
        check_file("zst", cases[i].lines, cases[i].partial);
    }
}

/* 3 MB: numbered lines of all lengths up to 1000, one of 700,001 bytes and one as long as allowed
   are longer than the buffers. Expected lines come from the same formula, not from the reader. */
#define MANY 3000
static size_t line_length(size_t i) {
    return i == 1700 ? 700001 : i == 2900 ? LINES_MAX_BYTES : i * 7919 % 1000;
}

static void check_many(const char *name) {
    struct lines *lines;
    struct slice line;
    struct error error = {0};
    cr_assert_eq(lines_open(name, &lines, &error), 0, "%s", error.text);
    for (size_t i = 0; i < MANY; i++) {
        cr_assert_eq(lines_next(lines, &line, &error), 1, "%s", error.text);
        cr_assert_eq(line.length, line_length(i), "%s: line %zu", name, i + 1);
        for (size_t j = 0; j < line.length; j += 97)
            if (line.at[j] != (char)('a' + (i + j) % 26))
                cr_assert_fail("%s: line %zu byte %zu", name, i + 1, j);
    }
    cr_assert_eq(lines_next(lines, &line, &error), 0);
    lines_close(lines);
}

Test(lines, long_lines_and_parts, .init = temp_dir_enter, .fini = temp_dir_leave) {
    struct str text = {0};
    for (size_t i = 0; i < MANY; i++) {
        size_t length = line_length(i);
        char *to = str_reserve(&text, length + 1);
        for (size_t j = 0; j < length; j++)
            to[j] = (char)('a' + (i + j) % 26);
        to[length] = '\n';
        text.length += length + 1;
    }
    temp_file_write("plain", text.text, text.length);
    write_zstd("zst", text.text, text.length);
    size_t half = text.length / 2; /* two gzip members, cut within a line */
    write_gzip("gz", text.text, half, "wb1");
    write_gzip("gz", text.text + half, text.length - half, "ab1");
    str_finish(&text);
    check_many("plain");
    check_many("gz");
    check_many("zst");
}

static void check_error(const char *name, int code, const char *expected) {
    struct str joined = {0};
    struct error error = {0};
    bool partial;
    cr_assert_eq(read_joined(name, &joined, &partial, &error), code, "%s: %s", name, error.text);
    cr_assert_str_eq(error.text, expected);
    str_finish(&joined);
}

static void copy_part(const char *from, const char *to, size_t cut_at_end, int spoil_at) {
    char bytes[4096];
    FILE *file = fopen(from, "rb");
    size_t length = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    if (spoil_at >= 0)
        bytes[spoil_at] = (char)(bytes[spoil_at] ^ 0x55);
    temp_file_write(to, bytes, length - cut_at_end);
}

Test(lines, errors, .init = temp_dir_enter, .fini = temp_dir_leave) {
    struct str text = {0};
    for (int i = 0; i < 200; i++)
        str_addf(&text, "job%d,%d\n", i, i * i % 7);
    write_gzip("a.gz", text.text, text.length, "wb");
    write_zstd("a.zst", text.text, text.length);
    str_finish(&text);
    copy_part("a.gz", "cut.gz", 1, -1); /* only the last byte of the check sum is missing */
    copy_part("a.zst", "cut.zst", 1, -1);
    copy_part("a.gz", "head.gz", 0, 2); /* unknown compression method */
    copy_part("a.zst", "head.zst", 0, 4);
    temp_file_write("magic.gz", "\x1f\x8b", 2);
    temp_file_write("nul", "a,b\nc\0d\ne\n", 10);

    check_error("missing", ERROR_IO, "missing: cannot open: No such file or directory");
    check_error("nowhere/a", ERROR_IO, "nowhere/a: cannot open: No such file or directory");
    check_error(".", ERROR_IO, ".: cannot read: Is a directory");
    check_error("cut.gz", ERROR_IO, "cut.gz: truncated gzip data after line 200");
    check_error("magic.gz", ERROR_IO, "magic.gz: truncated gzip data after line 0");
    check_error("head.gz", ERROR_IO,
                "head.gz: damaged gzip data after line 0: unknown compression method");
    check_error("nul", ERROR_INPUT, "nul:2:2: NUL byte (is this a text file in UTF-8?)");

    struct str joined = {0};
    struct error error = {0};
    bool partial;
    cr_assert_eq(read_joined("cut.zst", &joined, &partial, &error), ERROR_IO);
    cr_assert_eq(strncmp(error.text, "cut.zst: truncated zstd data after line ", 40), 0, "%s",
                 error.text);
    cr_assert_eq(read_joined("head.zst", &joined, &partial, &error), ERROR_IO);
    cr_assert_eq(strncmp(error.text, "head.zst: ", 10), 0, "%s", error.text);
    str_finish(&joined);
    lines_close(NULL);
}

Test(lines, too_long, .init = temp_dir_enter, .fini = temp_dir_leave) {
    size_t length = LINES_MAX_BYTES + 2;
    char *bytes = mem_alloc(length);
    memset(bytes, 'x', length);
    bytes[length - 1] = '\n';
    temp_file_write("long", bytes, length);
    temp_file_write("endless", bytes, length - 1); /* no line end at all */
    free(bytes);
    check_error("long", ERROR_IO, "long:1:1: line longer than 16777216 bytes");
    check_error("endless", ERROR_IO, "endless:1:1: line longer than 16777216 bytes");
}

/* After a line with a NUL byte reading may go on. */
Test(lines, nul_spoils_one_line, .init = temp_dir_enter, .fini = temp_dir_leave) {
    temp_file_write("nul", "a\0\nb\n\0", 6);
    struct lines *lines;
    struct slice line;
    cr_assert_eq(lines_open("nul", &lines, NULL), 0);
    cr_assert_eq(lines_next(lines, &line, NULL), ERROR_INPUT);
    cr_assert_eq(lines_next(lines, &line, NULL), 1);
    cr_assert(slice_is(line, "b"));
    cr_assert_eq(lines_number(lines), 2);
    cr_assert_eq(lines_next(lines, &line, NULL), ERROR_INPUT);
    cr_assert_eq(lines_next(lines, &line, NULL), 0);
    lines_close(lines);
}

/* A pipe gives what has been written so far: magic bytes may come one at a time. */
Test(lines, standard_input_in_pieces, .init = temp_dir_enter, .fini = temp_dir_leave) {
    int ends[2];
    cr_assert_eq(pipe(ends), 0);
    cr_assert_eq(dup2(ends[0], STDIN_FILENO), STDIN_FILENO);
    cr_assert_eq(write(ends[1], "a", 1), 1);
    pid_t child = fork();
    if (child == 0) {
        for (const char *at = "b\nc\nd"; *at; at++) {
            usleep(1000);
            if (write(ends[1], at, 1) != 1)
                _exit(1);
        }
        _exit(0);
    }
    close(ends[1]);
    check_file("-", "ab|c|d|", true);
}
