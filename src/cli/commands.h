/* What easim can do: a row of facts for each command. */
#ifndef EASIM_CLI_COMMANDS_H
#define EASIM_CLI_COMMANDS_H

#include "base/array.h"
#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>

/* In the order of easim --help. */
#define COMMANDS(X) \
    X(COMMAND_INIT, cli_init), X(COMMAND_CHECK, cli_check), X(COMMAND_RUN, cli_run), \
        X(COMMAND_COMPARE, cli_compare), X(COMMAND_REPORT, cli_report), \
        X(COMMAND_IMPORT, cli_import), X(COMMAND_PROFILE, cli_profile), \
        X(COMMAND_TRACE, cli_trace), X(COMMAND_CALIBRATE, cli_calibrate), X(COMMAND_GEN, cli_gen), \
        X(COMMAND_SWEEP, cli_sweep), X(COMMAND_TUNE, cli_tune), X(COMMAND_ABLATE, cli_ablate), \
        X(COMMAND_VALIDATE, cli_validate), X(COMMAND_BOUND, cli_bound), \
        X(COMMAND_REGRET, cli_regret), X(COMMAND_ANALYZE, cli_analyze), \
        X(COMMAND_EXPLAIN, cli_explain), X(COMMAND_ATTRIBUTE, cli_attribute), \
        X(COMMAND_TIMELINE, cli_timeline), X(COMMAND_PLOT, cli_plot), \
        X(COMMAND_MODELS, cli_models), X(COMMAND_POLICIES, cli_policies), \
        X(COMMAND_SCHEMA, cli_schema), X(COMMAND_NEW, cli_new), \
        X(COMMAND_COMPLETION, cli_completion)

enum command {
    COMMANDS(ENUM_OF),
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
