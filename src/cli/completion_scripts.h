/* Scripts that complete the words of easim, made of the tables of commands and options. */
#ifndef EASIM_CLI_COMPLETION_SCRIPTS_H
#define EASIM_CLI_COMPLETION_SCRIPTS_H

#include "base/str.h"
#include "cli/option_row.h"

#include <string.h>

/* A command that prints the names of the policies there are now, one a line. */
#define COMPLETION_POLICIES "easim policies 2>/dev/null | cut -d \" \" -f 1"

static inline bool completion_is_policy(const struct option_row *row) {
    return strcmp(row->name, "policy") == 0;
}

void completion_add_zsh(struct str *out);
void completion_add_fish(struct str *out);

#endif
