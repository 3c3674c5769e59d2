/* The commands of easim, by name. */
#ifndef EASIM_CLI_COMMANDS_H
#define EASIM_CLI_COMMANDS_H

#include <stdbool.h>

struct command {
    const char *name;
    const char *summary;
    int (*run)(int argc, char **argv); /* argv[0] is "easim NAME" */
    bool repeats;                      /* what a manifest records of it */
};

extern const struct command cli_commands[]; /* ends with a NULL name */

/* Runs the command that the arguments of the program name; the exit code. */
int cli_main(int argc, char **argv);

#endif
