/* A command in a child process. */
#ifndef EASIM_CLI_REPEAT_CHILD_H
#define EASIM_CLI_REPEAT_CHILD_H

#include "cli/commands.h"

#include <signal.h>

struct repeat_child {
    enum command command;
    int (*run)(enum command command, const char *results, int argc, char **argv);
    char **argv;                /* ends with NULL */
    const char *results;        /* of struct options; NULL: its author is trusted */
    const char *data_folder;    /* becomes EASIM_DATA; NULL: as it is */
    const char *working_folder; /* NULL: this one */
    const char *policy_path;    /* for EASIM_POLICY_PATH; NULL: as it is */
};

/* The signals that the caller blocks around repeat_child_run: it passes them on. */
void repeat_child_signals(sigset_t *ret_signals);
/* Runs it to its end, its standard output thrown away. Returns an exit code. */
int repeat_child_run(const struct repeat_child *repetition);

#endif
