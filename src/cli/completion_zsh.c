/* Completion for zsh: a function that hands the options of the command to _arguments. */
#include "cli/completion_scripts.h"
#include "cli/option_table.h"

static const char before[] = "#compdef easim\n"
                             "# Completion of easim for zsh, made by `easim completion zsh`.\n"
                             "_easim() {\n"
                             "    if (( CURRENT == 2 )); then\n"
                             "        local -a easim_commands\n"
                             "        easim_commands=(\n";
static const char between[] = "        )\n"
                              "        _describe command easim_commands\n"
                              "        return\n"
                              "    fi\n"
                              "    local easim_command=$words[2]\n"
                              "    shift words\n"
                              "    (( CURRENT-- ))\n"
                              "    case $easim_command in\n";
/* As a file of fpath it is called when it is loaded, in a shell that reads it, it is registered. */
static const char after[] = "    esac\n"
                            "}\n"
                            "if [[ $funcstack[1] == _easim ]]; then\n"
                            "    _easim \"$@\"\n"
                            "else\n"
                            "    compdef _easim easim\n"
                            "fi\n";

/* Text between single quotes, with backslashes before what ends it to _arguments or _describe. */
static void add_quoted(struct str *out, const char *text, const char *special) {
    for (; *text; text++) {
        if (*text == '\'')
            str_add(out, "'\\'");
        else if (strchr(special, *text))
            str_add_char(out, '\\');
        str_add_char(out, *text == '\n' ? ' ' : *text);
    }
}

/* What stands behind an option: ":NAME:ACTION". */
static void add_value(const struct option_row *row, struct str *out) {
    str_add_char(out, ':');
    add_quoted(out, row->value ? row->value : row->name, ":\\");
    str_add_char(out, ':');
    if (completion_is_policy(row))
        str_add(out, "($(" COMPLETION_POLICIES "))");
    else if (!row->choices)
        str_add(out, "_files");
    for (size_t i = 0; row->choices && row->choices[i]; i++)
        str_addf(out, "%s%s%s", i > 0 ? " " : "(", row->choices[i], row->choices[i + 1] ? "" : ")");
}

static void add_option(const struct option_row *row, struct str *out) {
    bool takes = row->kind != OPTION_FLAG;
    const char *many = row->kind == OPTION_TEXTS ? "*" : "";
    if (row->letter && !*many)
        str_addf(out, "'(-%c --%s)'", row->letter, row->name);
    if (row->letter)
        str_addf(out, "{'%s-%c%s','%s--%s%s'}", many, row->letter, takes ? "+" : "", many,
                 row->name, takes ? "=" : "");
    else
        str_addf(out, "'%s--%s%s'", many, row->name, takes ? "=" : "");
    str_add(out, "'[");
    add_quoted(out, row->help, "[]\\");
    str_add_char(out, ']');
    if (takes)
        add_value(row, out);
    str_add(out, "'");
}

void completion_add_zsh(struct str *out) {
    str_add(out, before);
    for (enum command c = 0; c < COMMAND_COUNT; c++) {
        str_addf(out, "            '%s:", commands[c].name);
        add_quoted(out, commands[c].summary, ":\\");
        str_add(out, "'\n");
    }
    str_add(out, "            '--help:print the commands'\n"
                 "            '--version:print the version'\n");
    str_add(out, between);
    for (enum command c = 0; c < COMMAND_COUNT; c++) {
        str_addf(out, "    %s) _arguments -S '--help[print the options]'", commands[c].name);
        for (const struct option_row *row = option_rows; row->name; row++)
            if (option_belongs(row, c)) {
                str_add(out, " \\\n        ");
                add_option(row, out);
            }
        str_add(out, " \\\n        '*:file:_files' ;;\n");
    }
    str_add(out, after);
}
