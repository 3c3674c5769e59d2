/* easim completion: a script for a shell, made of the tables of commands and options. */
#include "cli/cli.h"
#include "cli/internal.h"
#include "completion_texts.h"

#include <ctype.h>

/* --- completion_scripts --- */

/* A command that prints the names of the policies there are now, one a line. */
#define COMPLETION_POLICIES "easim policies 2>/dev/null | tail -n +2 | cut -d \" \" -f 3"

static inline bool completion_is_policy(const struct option_row *row) {
    return strcmp(row->name, "policy") == 0;
}

/* --- completion_fish: for fish: a line for each command and each of its options --- */

static const char fish_before[] = TEXT_FISH;

static void fish_add_quoted(struct str *out, const char *text) {
    str_add_char(out, '\'');
    for (; *text; text++) {
        if (*text == '\'' || *text == '\\')
            str_add_char(out, '\\');
        str_add_char(out, *text == '\n' ? ' ' : *text);
    }
    str_add_char(out, '\'');
}

/* Behind an option without known words stand files. */
static void fish_add_option(enum command command, const struct option_row *row, struct str *out) {
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
    fish_add_quoted(out, row->help);
    str_add_char(out, '\n');
}

static void completion_add_fish(struct str *out) {
    str_add(out, fish_before);
    str_add(out, "complete -c easim -f -n '__easim_command help' -a '");
    help_add_words(out);
    str_add(out, "'\n");
    for (enum command c = 0; c < COMMAND_COUNT; c++) {
        str_addf(out, "complete -c easim -f -n __easim_no_command -a %s -d ", commands[c].name);
        fish_add_quoted(out, commands[c].summary);
        str_addf(out,
                 "\ncomplete -c easim -n '__easim_command %s' -l help -d 'print the options'\n",
                 commands[c].name);
        for (const struct option_row *row = option_rows; row->name; row++)
            if (option_belongs(row, c))
                fish_add_option(c, row, out);
    }
}

/* --- completion_zsh --- */
/* For zsh: a function that hands the options of the command to _arguments. */

static const char zsh_before[] = "#compdef easim\n"
                                 "# Completion of easim for zsh, made by `easim completion zsh`.\n"
                                 "_easim() {\n"
                                 "    if (( CURRENT == 2 )); then\n"
                                 "        local -a easim_commands\n"
                                 "        easim_commands=(\n";
static const char zsh_between[] = "        )\n"
                                  "        _describe command easim_commands\n"
                                  "        return\n"
                                  "    fi\n"
                                  "    local easim_command=$words[2]\n"
                                  "    shift words\n"
                                  "    (( CURRENT-- ))\n"
                                  "    case $easim_command in\n";
/* As a file of fpath it is called when it is loaded, in a shell that reads it, it is registered. */
static const char zsh_after[] = "    esac\n"
                                "}\n"
                                "if [[ $funcstack[1] == _easim ]]; then\n"
                                "    _easim \"$@\"\n"
                                "else\n"
                                "    compdef _easim easim\n"
                                "fi\n";

/* Text between single quotes, with backslashes before what ends it to _arguments or _describe. */
static void zsh_add_quoted(struct str *out, const char *text, const char *special) {
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
    zsh_add_quoted(out, row->value ? row->value : row->name, ":\\");
    str_add_char(out, ':');
    if (completion_is_policy(row))
        str_add(out, "($(" COMPLETION_POLICIES "))");
    else if (!row->choices)
        str_add(out, "_files");
    for (size_t i = 0; row->choices && row->choices[i]; i++)
        str_addf(out, "%s%s%s", i > 0 ? " " : "(", row->choices[i], row->choices[i + 1] ? "" : ")");
}

static void zsh_add_option(const struct option_row *row, struct str *out) {
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
    zsh_add_quoted(out, row->help, "[]\\");
    str_add_char(out, ']');
    if (takes)
        add_value(row, out);
    str_add(out, "'");
}

static void completion_add_zsh(struct str *out) {
    str_add(out, zsh_before);
    for (enum command c = 0; c < COMMAND_COUNT; c++) {
        str_addf(out, "            '%s:", commands[c].name);
        zsh_add_quoted(out, commands[c].summary, ":\\");
        str_add(out, "'\n");
    }
    str_add(out, "            'help:explain a command, a column or a term'\n"
                 "            '--help:print the commands'\n"
                 "            '--version:print the version'\n");
    str_add(out, zsh_between);
    str_add(out, "    help) (( CURRENT == 2 )) && compadd -- ");
    help_add_words(out);
    str_add(out, " ;;\n");
    for (enum command c = 0; c < COMMAND_COUNT; c++) {
        str_addf(out, "    %s) _arguments -S '--help[print the options]'", commands[c].name);
        for (const struct option_row *row = option_rows; row->name; row++)
            if (option_belongs(row, c)) {
                str_add(out, " \\\n        ");
                zsh_add_option(row, out);
            }
        str_add(out, " \\\n        '*:file:_files' ;;\n");
    }
    str_add(out, zsh_after);
}

/* --- completion --- */

/* What the shell completes: `word` of a command line whose second word is the command. */
static const char before[] = TEXT_BASH;
static const char between[] = "    *)\n"
                              "        case ${COMP_WORDS[1]} in\n";
static const char after[] = "        esac\n"
                            "        [[ $word == -* || $COMP_CWORD == 1 ]] || words=\n"
                            "        ;;\n"
                            "    esac\n"
                            "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n"
                            "}\n"
                            "complete -o default -F _easim easim\n";

static void add_choices(const struct option_row *row, struct str *out) {
    if (completion_is_policy(row))
        str_add(out, "$(" COMPLETION_POLICIES ")");
    for (size_t i = 0; row->choices && row->choices[i]; i++)
        str_addf(out, "%s%s", i > 0 ? " " : "", row->choices[i]);
}

/* One case for each option whose values are known; behind others stand files. */
static void add_completed_values(struct str *out) {
    str_add(out, "    \"help help\") words='");
    help_add_words(out);
    str_add(out, "' ;;\n");
    for (const struct option_row *row = option_rows; row->name; row++)
        for (enum command c = 0; c < COMMAND_COUNT; c++) {
            if (!option_belongs(row, c) || !(row->choices || completion_is_policy(row)))
                continue;
            str_addf(out, "    \"%s --%s\"", commands[c].name, row->name);
            if (row->letter)
                str_addf(out, " | \"%s -%c\"", commands[c].name, row->letter);
            str_add(out, ") words='");
            add_choices(row, out);
            str_add(out, "' ;;\n");
        }
}

static void add_completed_names(struct str *out) {
    for (enum command c = 0; c < COMMAND_COUNT; c++) {
        str_addf(out, "        %s) words='--help", commands[c].name);
        for (const struct option_row *row = option_rows; row->name; row++)
            if (option_belongs(row, c))
                str_addf(out, " --%s", row->name);
        str_add(out, "' ;;\n");
    }
    str_add(out, "        *) words='");
    for (enum command c = 0; c < COMMAND_COUNT; c++)
        str_addf(out, "%s ", commands[c].name);
    str_add(out, "help --help --version' ;;\n");
}

static void add_bash(struct str *out) {
    str_add(out, before);
    add_completed_values(out);
    str_add(out, between);
    add_completed_names(out);
    str_add(out, after);
}

static const struct {
    const char *shell;
    void (*add)(struct str *out);
} scripts[] = {{"bash", add_bash}, {"zsh", completion_add_zsh}, {"fish", completion_add_fish}};

int cli_completion(struct options *options) {
    struct str text = {0};
    struct error error = {0};
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++)
        if (strcmp(options->operands[0], scripts[i].shell) == 0)
            scripts[i].add(&text);
    if (text.length == 0)
        options_refuse(options, "expected bash, zsh or fish, got \"%s\"", options->operands[0]);
    int code = cli_print(&text, &error) < 0 ? cli_report_error(&error) : EXIT_DONE;
    str_finish(&text);
    return code;
}

/* --- shell_words --- */

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
