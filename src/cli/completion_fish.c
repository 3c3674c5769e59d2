/* Completion for fish: a line for each command and each of its options. */
#include "cli/completion_scripts.h"
#include "cli/option_table.h"

static const char before[] =
    "# Completion of easim for fish, made by `easim completion fish`.\n"
    "function __easim_command\n"
    "    set -l easim_words (commandline -opc)\n"
    "    test (count $easim_words) -gt 1; and test $easim_words[2] = $argv[1]\n"
    "end\n"
    "function __easim_no_command\n"
    "    test (count (commandline -opc)) -eq 1\n"
    "end\n"
    "complete -c easim -f -n __easim_no_command -l help -d 'print the commands'\n"
    "complete -c easim -f -n __easim_no_command -l version -d 'print the version'\n";

static void add_quoted(struct str *out, const char *text) {
    str_add_char(out, '\'');
    for (; *text; text++) {
        if (*text == '\'' || *text == '\\')
            str_add_char(out, '\\');
        str_add_char(out, *text == '\n' ? ' ' : *text);
    }
    str_add_char(out, '\'');
}

/* Behind an option without known words stand files. */
static void add_option(enum command command, const struct option_row *row, struct str *out) {
    str_addf(out, "complete -c easim -n '__easim_command %s' -l %s", commands[command].name,
             row->name);
    if (row->letter)
        str_addf(out, " -s %c", row->letter);
    if (completion_is_policy(row)) {
        str_add(out, " -x -a '(" COMPLETION_POLICIES ")'");
    } else if (row->choices) {
        str_add(out, " -x -a '");
        for (size_t i = 0; row->choices[i]; i++)
            str_addf(out, "%s%s", i > 0 ? " " : "", row->choices[i]);
        str_add_char(out, '\'');
    } else if (row->kind != OPTION_FLAG) {
        str_add(out, " -r -F");
    }
    str_add(out, " -d ");
    add_quoted(out, row->help);
    str_add_char(out, '\n');
}

void completion_add_fish(struct str *out) {
    str_add(out, before);
    for (enum command c = 0; c < COMMAND_COUNT; c++) {
        str_addf(out, "complete -c easim -f -n __easim_no_command -a %s -d ", commands[c].name);
        add_quoted(out, commands[c].summary);
        str_addf(out,
                 "\ncomplete -c easim -n '__easim_command %s' -l help -d 'print the options'\n",
                 commands[c].name);
        for (const struct option_row *row = option_rows; row->name; row++)
            if (option_belongs(row, c))
                add_option(c, row, out);
    }
}
