/* What all commands share. */
#include "cli/cli.h"

#include "base/mem.h"
#include "base/own_state.h"
#include "io/atomic_file.h"
#include "study/recorded.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <fcntl.h>
#include <gsl/gsl_errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

int cli_print_report(const struct report *report, int format, struct error *reterr) {
    struct str text = {0};
    report_write(report, (enum report_format)format, &text);
    int r = cli_print_lines(&text, reterr);
    str_finish(&text);
    return r;
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

/* --- surroundings --- */

/* Each for the other direction than it is used in: input that is not there, and output that is
   lost, are errors and not empty. Messages may be lost. */
static void open_standard_streams(void) {
    static const int modes[] = {O_WRONLY, O_RDONLY, O_RDWR};
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", modes[fd]) != fd)
            _exit(EXIT_FAILURE); /* nobody could be told */
}

/* Other errors of GSL are returned as codes, which are checked. */
static void on_gsl_error(const char *reason, const char *file, int line, int code) {
    (void)reason, (void)file, (void)line;
    if (code == GSL_ENOMEM)
        mem_exhausted(0);
}

void surroundings_prepare(void) {
    cJSON_Hooks hooks = {mem_alloc, free};
    open_standard_streams();
    signal(SIGXFSZ, SIG_IGN);
    gsl_set_error_handler(on_gsl_error);
    cJSON_InitHooks(&hooks);
}

/* --- results --- */

int results_refuse(const struct options *options, struct problems *problems) {
    const char *path = options->operands[0], *slash = strrchr(path, '/');
    const char *operands = commands[options->command].operands;
    struct arena arena = {0};
    struct stat status;
    size_t length = strlen(path), before = problems->count;
    while (length > 1 && path[length - 1] == '/')
        length--;
    const char *within = arena_printf(&arena, "%.*s/" MANIFEST_NAME, (int)length, path);
    if (recorded_is_manifest(path))
        problems_say(problems,
                     "%s: %s is the manifest of results, the scenario is %.*s" SCENARIO_NAME,
                     options->who, path, slash ? (int)(slash + 1 - path) : 0, path);
    else if (recorded_is_manifest(within))
        problems_say(problems,
                     "%s: %s is a folder of results: %s repeats it, %.*s/" SCENARIO_NAME
                     " is the scenario",
                     options->who, path, within, (int)length, path);
    else if (stat(path, &status) == 0 && S_ISDIR(status.st_mode))
        problems_say(problems, "%s: expected %.*s, got a folder: %s", options->who,
                     (int)strcspn(operands, " "), operands, path);
    arena_finish(&arena);
    return problems->count > before ? ERROR_INPUT : 0;
}
