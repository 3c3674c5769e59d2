/* What the table says of a command's options, as text. */
#ifndef EASIM_CLI_OPTION_HELP_H
#define EASIM_CLI_OPTION_HELP_H

#include "cli/commands.h"

/* What --help prints; who: "easim run". */
void option_help_write(enum command command, const char *who, struct str *out);
/* The options as the section of a man page: scdoc, without its title. */
void option_help_write_man(enum command command, struct str *out);

#endif
