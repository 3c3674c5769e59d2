/* What all commands share. */
#include "cli/cli.h"

#include "base/own_state.h"
#include "io/atomic_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <string.h>
#include <unistd.h>

/* ---- Text for people ---- */

/* Newlines at both ends of the format are the layout; one inside came with a name. */
static void print_visible(FILE *file, const char *format, va_list arguments) {
    struct str raw = {0}, shown = {0};
    str_addv(&raw, format, arguments);
    size_t end = strlen(format), begin = strspn(format, "\n"), tail = 0;
    while (end > begin && format[end - 1 - tail] == '\n')
        tail++;
    str_add_bytes(&shown, raw.text, begin);
    raw.text[raw.length - tail] = '\0';
    str_add_visible(&shown, raw.text + begin);
    for (; tail > 0; tail--)
        str_add_char(&shown, '\n');
    fputs(shown.text, file);
    str_finish(&raw);
    str_finish(&shown);
}

void cli_say(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    print_visible(stderr, format, arguments);
    va_end(arguments);
}

void cli_show(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    print_visible(stdout, format, arguments);
    va_end(arguments);
}

/* Each line visible. */
static void add_visible_lines(struct str *out, struct slice text) {
    for (size_t begin = 0, length; begin < text.length; begin += length + 1) {
        const char *at = text.at + begin, *newline = memchr(at, '\n', text.length - begin);
        length = newline ? (size_t)(newline - at) : text.length - begin;
        struct str line = {0};
        str_add_bytes(&line, at, length);
        str_add_visible(out, line.text);
        str_add(out, newline ? "\n" : "");
        str_finish(&line);
    }
}

/* An empty text may have no bytes to point at. */
static bool write_text(FILE *file, struct slice text) {
    return text.length == 0 || fwrite(text.at, 1, text.length, file) == text.length;
}

static struct slice whole_of(const struct str *text) {
    return (struct slice){text->text, text->length};
}

static bool print_lines(FILE *file, struct slice text) {
    struct str shown = {0};
    add_visible_lines(&shown, text);
    bool whole = write_text(file, whole_of(&shown));
    str_finish(&shown);
    return whole;
}

void cli_say_lines(const struct str *text) {
    (void)print_lines(stderr, whole_of(text));
}

void cli_show_lines(const struct str *text) {
    (void)print_lines(stdout, whole_of(text));
}

/* ---- Outcomes ---- */

int cli_report_problems(struct problems *problems) {
    problems_end(problems);
    for (size_t i = 0; i < problems->kept; i++)
        cli_say("%s\n", problems->texts[i]);
    return EXIT_BAD_INPUT;
}

int cli_report_error(const struct error *error) {
    cli_say("easim: %s\n", error->text);
    if (error->code == ERROR_CANCELLED)
        return EXIT_INTERRUPTED;
    return error->code == ERROR_INPUT ? EXIT_BAD_INPUT : EXIT_RUN_FAILED;
}

/* code: of a write before that has failed, or 0. What could not be written is dropped, so that it
   is told once. */
static int flush_output(int code, struct error *reterr) {
    if (fflush(stdout) != 0)
        code = errno;
    else if (!ferror(stdout))
        return 0;
    code = code ? code : own_state_lost_output();
    clearerr(stdout);
    __fpurge(stdout);
    return error_set(reterr, ERROR_IO, "standard output: cannot write%s%s", code ? ": " : "",
                     code ? strerror(code) : "");
}

static int print_data(struct slice text, struct error *reterr) {
    bool whole = isatty(STDOUT_FILENO) ? print_lines(stdout, text) : write_text(stdout, text);
    return flush_output(whole ? 0 : errno, reterr);
}

int cli_print(const struct str *text, struct error *reterr) {
    return print_data(whole_of(text), reterr);
}

int cli_print_lines(const struct str *text, struct error *reterr) {
    bool whole = print_lines(stdout, whole_of(text));
    return flush_output(whole ? 0 : errno, reterr);
}

int cli_conclude(int code) {
    struct error error = {0};
    if (flush_output(0, &error) < 0 && (code == EXIT_DONE || code == EXIT_RECOVERED))
        code = cli_report_error(&error);
    return code;
}

int cli_write(const char *path, const struct str *text, struct error *reterr) {
    return path ? atomic_file_write_alone(path, text->text, text->length, reterr)
                : cli_print(text, reterr);
}

/* As cli_print of each piece, up to one that cannot be written. */
static int print_pieces(const struct text_source *source, struct error *reterr) {
    int r = 0;
    for (struct slice piece; r == 0 && (piece = source->next(source->context)).length > 0;)
        r = print_data(piece, reterr);
    return r;
}

int cli_write_pieces(const char *path, const struct text_source *source, struct error *reterr) {
    return path ? atomic_file_write_pieces(path, source, reterr) : print_pieces(source, reterr);
}
