/* What easim can do: a row of facts for each command. dispatch.c knows the functions. */
#ifndef EASIM_CLI_COMMANDS_H
#define EASIM_CLI_COMMANDS_H

#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>

enum command {
    COMMAND_ABLATE,
    COMMAND_ANALYZE,
    COMMAND_ATTRIBUTE,
    COMMAND_BOUND,
    COMMAND_CALIBRATE,
    COMMAND_CHECK,
    COMMAND_COMPARE,
    COMMAND_COMPLETION,
    COMMAND_EXPLAIN,
    COMMAND_GEN,
    COMMAND_IMPORT,
    COMMAND_INIT,
    COMMAND_MODELS,
    COMMAND_NEW,
    COMMAND_PLOT,
    COMMAND_POLICIES,
    COMMAND_PROFILE,
    COMMAND_REGRET,
    COMMAND_REPORT,
    COMMAND_RUN,
    COMMAND_SCHEMA,
    COMMAND_SWEEP,
    COMMAND_TIMELINE,
    COMMAND_TUNE,
    COMMAND_VALIDATE,
    COMMAND_COUNT,
    COMMAND_REPEAT = COMMAND_COUNT /* a command with a manifest in place of its input */
};

struct command_facts {
    const char *name;
    const char *summary;                  /* in the list of commands */
    const char *operands;                 /* as the usage line has them */
    size_t least_operands, most_operands; /* most 0: any number */
    const char *about;                    /* above and below the options in --help */
    const char *more;
    void (*add_formats)(struct str *out); /* before `more`; or NULL */
    bool repeats;                         /* what a manifest records of it */
    bool reads_yaml; /* its first operand: a scenario, or a sweep of one; no results */
};

/* By enum command; behind the last one COMMAND_REPEAT, which is none of the list. */
extern const struct command_facts commands[COMMAND_COUNT + 1];

/* COMMAND_COUNT: no command is named so. */
enum command command_find(const char *name);

#endif
