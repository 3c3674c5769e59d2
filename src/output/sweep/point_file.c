/* Whole texts of points: see point_file.h. */
#include "output/sweep/point_file.h"

#include "base/hash.h"
#include "output/run/summary_csv.h"

#include <stdlib.h>
#include <string.h>

#define END_START "end,"

const char point_file_failed[] = "inputs,error";

void point_file_header(struct str *out) {
    str_add(out, "inputs,");
    summary_csv_header(0, out);
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

/* The line that belongs behind a text. */
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

bool point_file_check(struct slice *text, struct slice notes) {
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

static enum sweep_state state_of_header(struct slice header) {
    struct str expected = {0};
    point_file_header(&expected);
    expected.text[--expected.length] = '\0'; /* the line end */
    bool done = slice_is(header, expected.text);
    str_finish(&expected);
    return done ? SWEEP_DONE : slice_is(header, point_file_failed) ? SWEEP_FAILED : SWEEP_MISSING;
}

enum sweep_state point_file_state(struct slice text, uint64_t *ret_inputs) {
    struct slice line;
    enum sweep_state state = point_file_line(&text, &line) ? state_of_header(line) : SWEEP_MISSING;
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
