/* Help and man pages from the table. */
#include "cli/option_help.h"

#include "cli/option_table.h"

#include <ctype.h>
#include <string.h>

#define WIDTH  79
#define COLUMN 29 /* of the texts of options */

/* "NAME", or the choices: "table|csv|json"; nothing of a flag. */
static void add_value(const struct option_row *row, struct str *out) {
    if (row->value)
        str_add(out, row->value);
    for (size_t i = 0; row->choices && row->choices[i]; i++)
        str_addf(out, "%s%s", i > 0 ? "|" : "", row->choices[i]);
}

/* The help with the default that is in the table. */
static void add_help(const struct option_row *row, struct str *out) {
    str_add(out, row->help);
    if (row->usual)
        str_addf(out, " (default: %s)", row->usual);
}

static size_t width_of(const struct str *out) {
    size_t width = 0;
    while (width < out->length && out->text[out->length - 1 - width] != '\n')
        width++;
    return width;
}

static void pad(struct str *out, size_t column) {
    for (size_t width = width_of(out); width < column; width++)
        str_add_char(out, ' ');
}

/* Words from the column on, lines of at most WIDTH, an end of line behind. */
static void add_wrapped(struct str *out, size_t column, const char *text) {
    pad(out, column);
    bool first = true;
    while (*text) {
        size_t length = strcspn(text, " \n");
        if (!first && width_of(out) + 1 + length > WIDTH) {
            str_add_char(out, '\n');
            pad(out, column);
        } else if (!first) {
            str_add_char(out, ' ');
        }
        str_add_bytes(out, text, length);
        first = text[length] == '\n';
        if (first && text[length + 1]) {
            str_add_char(out, '\n');
            pad(out, column);
        }
        text += length + (text[length] != '\0');
    }
    str_add_char(out, '\n');
}

static void add_option(const struct option_row *row, struct str *out) {
    struct str value = {0}, help = {0};
    add_value(row, &value);
    add_help(row, &help);
    str_add(out, row->letter ? "  -" : "      ");
    if (row->letter)
        str_addf(out, "%c, ", row->letter);
    str_addf(out, "--%s%s%s", row->name, value.length > 0 ? "=" : "",
             value.length > 0 ? value.text : "");
    if (width_of(out) + 1 >= COLUMN)
        str_add_char(out, '\n');
    add_wrapped(out, COLUMN, help.text);
    str_finish(&value);
    str_finish(&help);
}

static const char replacing[] =
    "A file that a command writes replaces one of the same name whole. A folder of results that is "
    "not empty needs --force, that of a sweep only to start anew.\n";

void option_help_write(enum command command, const char *who, struct str *out) {
    const struct command_facts *c = &commands[command];
    str_addf(out, "Usage: %s [OPTION...] %s\n", who, c->operands);
    add_wrapped(out, 0, c->about);
    str_add_char(out, '\n');
    for (const struct option_row *row = option_rows; row->name; row++)
        if (option_belongs(row, command))
            add_option(row, out);
    add_wrapped(out, 0, "  -?, --help                 print this");
    str_add_char(out, '\n');
    add_wrapped(out, 0, replacing);
    if (c->add_formats)
        c->add_formats(out);
    if (c->more)
        add_wrapped(out, 0, c->more);
}

/* Text that scdoc takes as it is. */
static void add_plain(struct str *out, const char *text) {
    for (; *text; text++) {
        if (strchr("\\_*", *text))
            str_add_char(out, '\\');
        str_add_char(out, *text);
    }
}

void option_help_write_man(enum command command, struct str *out) {
    str_add(out, "*-?*, *--help*\n\tPrint the options.\n\n");
    for (const struct option_row *row = option_rows; row->name; row++) {
        struct str value = {0}, help = {0};
        if (!option_belongs(row, command))
            continue;
        if (row->letter)
            str_addf(out, "*-%c*, ", row->letter);
        str_addf(out, "*--%s*", row->name);
        add_value(row, &value);
        if (value.length > 0) {
            str_add(out, "=_");
            add_plain(out, value.text);
            str_add_char(out, '_');
        }
        add_help(row, &help);
        help.text[0] = (char)toupper((unsigned char)help.text[0]);
        str_add(out, "\n\t");
        add_plain(out, help.text);
        str_add(out, ".\n\n");
        str_finish(&value);
        str_finish(&help);
    }
    add_plain(out, replacing);
    str_add_char(out, '\n');
}
