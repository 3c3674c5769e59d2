/* One failure (struct error), or every problem of an input at once (struct problems). */
#ifndef EASIM_BASE_ERROR_H
#define EASIM_BASE_ERROR_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MUST_CHECK               __attribute__((warn_unused_result))
#define PRINTF_LIKE(text, first) __attribute__((format(printf, text, first)))

/* Negative return values of fallible functions; 0 is success. */
enum error_code {
    ERROR_INPUT = -1, /* bad usage or bad input: exit 2 */
    ERROR_IO = -2, /* a file cannot be opened, read or written: exit 2 for inputs, 1 for outputs */
    ERROR_RUN =
        -3, /* a simulation failed (policy at fault, stuck queue, broken invariant): exit 1 */
    ERROR_CANCELLED = -4, /* interrupted by the user: exit 130 */
    ERROR_MACHINE =
        -5, /* no memory or no process, an input that changed in use: exit 1, try again */
};

/* One failure. Zero-initialise before use; text is empty until error_set. A longer text loses its
   middle, in whose place " ... " stands: what it begins with and the reason at its end stay. */
struct error {
    int code;
    char text[1024];
};

/* Fills *reterr (which may be NULL) and returns code, as in `return error_set(...)`. */
int error_set(struct error *reterr, int code, const char *format, ...) PRINTF_LIKE(3, 4);

/* A place in an input file; line and column count from 1, 0 = unknown. file is borrowed. */
struct location {
    const char *file;
    uint32_t line;
    uint32_t column;
};

#define PROBLEMS_SHOWN 20 /* of one file; the others are counted */

struct problem_file {
    char *name;
    size_t kept, hidden; /* problems */
};

/* All problems of an input, in the order found. Zero-initialise all but dashes and every; release
   with problems_finish. */
struct problems {
    char **texts; /* "file:line:column: path: what was expected, what was found" */
    size_t kept;  /* texts */
    size_t count; /* problems: also those without a text */
    size_t capacity;
    struct problem_file *files; /* that have problems */
    size_t file_count, file_capacity;
    const char
        *dashes; /* before names of settings: "--" where a command line gives them, or NULL */
    bool every;  /* keep the texts of all, as of notes */
};

/* Adds one problem, as do those below; returns ERROR_INPUT. path is the dotted path of the value
   ("cluster.nodes[2].gpus") or NULL. */
int problems_add(struct problems *problems, struct location where, const char *path,
                 const char *format, ...) PRINTF_LIKE(4, 5);
/* The same of something that whoever asked for the work has set, or could: "gpu". */
int problems_add_setting(struct problems *problems, struct location where, const char *name,
                         const char *format, ...) PRINTF_LIKE(4, 5);
/* One that is of no place in a file, and of no value. */
int problems_say(struct problems *problems, const char *format, ...) PRINTF_LIKE(2, 3);
/* "FILE: 3 damaged events"; nothing if the count is 0. */
void problems_say_count(struct problems *problems, const char *file, uint64_t count,
                        const char *what);
/* One that names its place itself; file is the one that it counts for. */
void problems_add_text(struct problems *problems, const char *file, const char *text);
/* Ends the list: adds a text for each file with problems that have none. */
void problems_end(struct problems *problems);
void problems_finish(struct problems *problems);

#endif
