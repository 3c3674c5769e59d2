/* easim completion: a script for a shell, made of the tables of commands and options. */
#include "cli/cli.h"
#include "cli/completion_scripts.h"
#include "cli/option_parse.h"
#include "cli/option_table.h"

#include <string.h>

/* What the shell completes: `word` of a command line whose second word is the command. */
static const char before[] =
    "# Completion of easim for bash, made by `easim completion bash`.\n"
    "_easim() {\n"
    "    local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} words=\n"
    "    [[ $word == = ]] && word=\n"
    "    [[ $previous == = ]] && previous=${COMP_WORDS[COMP_CWORD - 2]}\n"
    "    case \"${COMP_WORDS[1]} $previous\" in\n";
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
    str_add(out, "--help --version' ;;\n");
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
