/* What easim can do: a row of facts for each command. dispatch.c knows the functions. */
#ifndef EASIM_CLI_COMMANDS_H
#define EASIM_CLI_COMMANDS_H

#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>

/* In the order of easim --help. */
enum command {
    COMMAND_INIT,
    COMMAND_CHECK,
    COMMAND_RUN,
    COMMAND_COMPARE,
    COMMAND_REPORT,
    COMMAND_IMPORT,
    COMMAND_PROFILE,
    COMMAND_TRACE,
    COMMAND_CALIBRATE,
    COMMAND_GEN,
    COMMAND_SWEEP,
    COMMAND_TUNE,
    COMMAND_ABLATE,
    COMMAND_VALIDATE,
    COMMAND_BOUND,
    COMMAND_REGRET,
    COMMAND_ANALYZE,
    COMMAND_EXPLAIN,
    COMMAND_ATTRIBUTE,
    COMMAND_TIMELINE,
    COMMAND_PLOT,
    COMMAND_MODELS,
    COMMAND_POLICIES,
    COMMAND_SCHEMA,
    COMMAND_NEW,
    COMMAND_COMPLETION,
    COMMAND_COUNT,
    COMMAND_REPEAT = COMMAND_COUNT /* a command with a manifest in place of its input */
};

struct command_facts {
    const char *name;
    const char *topic;                    /* heading of a group that begins here, or NULL */
    const char *summary;                  /* in the list of commands */
    const char *operands;                 /* as the usage line has them */
    size_t least_operands, most_operands; /* most 0: any number */
    const char *about;                    /* above and below the options in --help */
    const char *more;
    void (*add_formats)(struct str *out); /* before `more`; or NULL */
    bool repeats;                         /* what a manifest records of it */
    bool reads_yaml; /* its first operand: a scenario, or a sweep of one; no results */
};

/* By enum command; the last one is COMMAND_REPEAT, which easim --help does not list. */
extern const struct command_facts commands[COMMAND_COUNT + 1];

/* COMMAND_COUNT: there is no command of this name. */
enum command command_find(const char *name);

#endif
