/* easim COMMAND DIR/manifest.json: the command again, and whether it gives the same files. */
#ifndef EASIM_CLI_REPEAT_H
#define EASIM_CLI_REPEAT_H

#include "cli/commands.h"

struct repeated {
    enum command command;
    int (*run)(enum command command, const char *results, int argc, char **argv);
    const char *manifest;
};

/* The first word of the command line that names a manifest, or NULL: then the command is not to be
 * repeated. */
const char *repeat_manifest(int argc, char **argv);
/* Returns an exit code: 0, the same files; 1, others, or none. */
int repeat(const struct repeated *command, int argc, char **argv);

#endif
