/* What the commands of easim share. Only this layer prints. */
#ifndef EASIM_CLI_CLI_H
#define EASIM_CLI_CLI_H

#include "base/error.h"
#include "base/str.h"
#include "cli/options.h"
#include "output/report_text.h"

struct options;

/* Problems of what the command line says, in whose names the user knows it. */
#define CLI_PROBLEMS \
    { .dashes = "--" }

/* Exit codes: promises to shell scripts (docs/reference/messages.md). */
enum exit_code {
    EXIT_DONE = 0,
    EXIT_RUN_FAILED = 1,
    EXIT_BAD_INPUT = 2,
    EXIT_RECOVERED = 3,
    EXIT_INTERRUPTED = 130
};

/* The commands, one file each; they return an exit code. */
typedef int cli_command(struct options *options);
#define COMMAND_FUNCTION(constant, function) function
cli_command COMMANDS(COMMAND_FUNCTION);

/* Text for people on stderr and stdout. Newlines at both ends of the format stand; any other
   control character, and what is no UTF-8, is shown as \xHH: names, paths and messages are what
   others wrote. */
void cli_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
void cli_show(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Several lines, likewise but for their newlines. */
void cli_say_lines(const struct str *text);
void cli_show_lines(const struct str *text);

/* Prints every problem on stderr, one a line; returns EXIT_BAD_INPUT. */
int cli_report_problems(struct problems *problems);
/* Prints one error on stderr; returns the exit code for its code. */
int cli_report_error(const struct error *error);
/* Standard output for data that a script reads, as it is (but on a terminal made visible): what
   cannot be written is an error. */
int cli_print(const struct str *text, struct error *reterr) MUST_CHECK;
/* The same of lines for people, always made visible. */
int cli_print_lines(const struct str *text, struct error *reterr) MUST_CHECK;
/* A report in its format (enum report_format), made visible. */
int cli_print_report(const struct report *report, int format, struct error *reterr) MUST_CHECK;
/* Data into a file, unless path is NULL. */
int cli_write(const char *path, const struct str *text, struct error *reterr) MUST_CHECK;
/* The same of a text that comes in pieces of whole lines. */
int cli_write_pieces(const char *path, const struct text_source *source,
                     struct error *reterr) MUST_CHECK;
/* The exit code of a command that ended with code: unwritten standard output is a failure. */
int cli_conclude(int code);

/* --- surroundings: what a process needs before its first command, whoever has started it --- */

/* Standard streams that are closed are opened on /dev/null, or the next file would take their
   place; what is then printed on standard output is still an error. A file that becomes too large
   is an error of write and no signal. cJSON and GSL end without memory as mem.h does, which must
   come before either is used. */
void surroundings_prepare(void);

/* --- results: results of a command where its input is expected --- */

/* Adds one problem if the first operand is a manifest of results or a folder with one: it says
   which file of the folder is meant. */
int results_refuse(const struct options *options, struct problems *problems) MUST_CHECK;

#endif
