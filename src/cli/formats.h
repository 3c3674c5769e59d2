/* The formats of a command that reads several, and the options that only some have a use for. */
#ifndef EASIM_CLI_FORMATS_H
#define EASIM_CLI_FORMATS_H

#include "cli/options.h"

struct format_use {
    const char *name;
    unsigned uses; /* bits as in option_row.use */
};

/* The place of the format that the first operand names; `count` after adding problems: there is no
   such format, or it has no use for an option that is given. */
size_t formats_choose(const struct options *options, const struct format_use *formats, size_t count,
                      struct problems *problems);

#endif
