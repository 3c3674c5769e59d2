/* Words as a shell (bash) reads them. */
#ifndef EASIM_CLI_SHELL_WORDS_H
#define EASIM_CLI_SHELL_WORDS_H

#include "base/str.h"

/* Text between single quotes. "{" ends and begins them, so that GNU parallel finds none of its "{}"
   in names. */
void shell_add_quoted(struct str *out, const char *text);
/* A word, whatever is in it. */
void shell_add_word(struct str *out, const char *word);

#endif
