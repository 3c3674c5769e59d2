/* Words for the shell: see shell_words.h. */
#include "cli/shell_words.h"

#include "base/str.h"

#include <ctype.h>
#include <string.h>

void shell_add_quoted(struct str *out, const char *text) {
    for (; *text; text++) {
        if (*text == '\'')
            str_add(out, "'\\''");
        else
            str_add_char(out, *text);
        str_add(out, *text == '{' ? "''" : "");
    }
}

/* Control characters, which would reach the terminal, and what is no text. */
static void add_octal(struct str *out, const char *word) {
    str_add(out, "$'");
    for (; *word; word++)
        if (isalnum((unsigned char)*word) || *word == '/' || *word == '.')
            str_add_char(out, *word);
        else
            str_addf(out, "\\%03o", (unsigned char)*word);
    str_add_char(out, '\'');
}

void shell_add_word(struct str *out, const char *word) {
    static const char bare[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-./:,+@%";
    if (word[0] && !word[strspn(word, bare)]) {
        str_add(out, word);
    } else if (utf8_is_printable(word, false)) {
        str_add_char(out, '\'');
        shell_add_quoted(out, word);
        str_add_char(out, '\'');
    } else {
        add_octal(out, word);
    }
}
