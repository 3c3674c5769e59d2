/* From a command line to struct options, by the table. */
#ifndef EASIM_CLI_OPTION_PARSE_H
#define EASIM_CLI_OPTION_PARSE_H

#include "cli/options.h"

/* Prints help and ends the process if that is asked for; ends it with exit status 2 after all that
   is wrong: unknown options, bad values, options that belong or do not belong together, operands.
   argv[0] is "easim NAME". */
void options_parse(struct options *ret_options, enum command command, int argc, char **argv);
/* Ends the process: bad usage, which only the command itself can tell. */
_Noreturn void options_refuse(const struct options *options, const char *format, ...)
    PRINTF_LIKE(2, 3);
void options_finish(struct options *options);

#endif
