/* The words by getopt_long; values, refusals and defaults by the table. */
#include "cli/internal.h"

#include "cli/cli.h"
#include "io/leftovers.h"

#include <ctype.h>
#include <getopt.h>
#include <math.h>
#include <stdlib.h>

/* --- option_help: help and man pages from the table --- */

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

void option_help_wrap(struct str *out, size_t column, const char *text) {
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
    option_help_wrap(out, COLUMN, help.text);
    str_finish(&value);
    str_finish(&help);
}

static const char *replacing(enum command command) {
    const struct option_row *row = option_rows;
    while (row->name && !(strcmp(row->name, "force") == 0 && option_belongs(row, command)))
        row++;
    return row->name ? "A file that a command writes replaces one of the same name whole. A folder "
                       "of results that is not empty needs --force; that of a sweep needs it only "
                       "to start again.\n"
                     : "A file that a command writes replaces one of the same name whole.\n";
}

/* What --help prints; who: "easim run". */
static void option_help_write(enum command command, const char *who, struct str *out) {
    const struct command_facts *c = &commands[command];
    str_addf(out, "Usage: %s [OPTION...] %s\n", who, c->operands);
    option_help_wrap(out, 0, c->about);
    str_add_char(out, '\n');
    for (const struct option_row *row = option_rows; row->name; row++)
        if (option_belongs(row, command))
            add_option(row, out);
    option_help_wrap(out, 0, "  -?, --help                 print this");
    str_add_char(out, '\n');
    option_help_wrap(out, 0, replacing(command));
    if (c->add_formats)
        c->add_formats(out);
    if (c->more)
        option_help_wrap(out, 0, c->more);
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
    add_plain(out, replacing(command));
    str_add_char(out, '\n');
}

/* --- option_parse --- */

enum { FOUND_HELP = 4096, FOUND_ROW }; /* of getopt's return values: above all characters */

/* Defaults that are not in the table: no number says them. */
static void set_defaults(struct options *options) {
    options->changes = trace_changes_none;
    options->goal.column = SUMMARY_COUNT;
    options->profile.power_limit_w = options->max_error = options->m0 = options->phi = NAN;
    options->tolerance = NAN;
    options->metered.base_w = options->metered.idle_w = options->metered.train_to_s = NAN;
}

static void *member_of(struct options *options, const struct option_row *row) {
    return (char *)options + row->offset;
}

static void set_usual_values(struct options *options) {
    struct error error = {0};
    for (const struct option_row *row = option_rows; row->name; row++)
        if (row->usual && option_belongs(row, options->command) &&
            option_value_read(row, row->usual, member_of(options, row), &options->arena, &error) <
                0)
            abort(); /* a mistake in the table */
}

static _Noreturn void end_with_hint(const struct options *options) {
    cli_say("Try `%s --help' for more information.\n", options->who);
    exit(EXIT_BAD_INPUT);
}

void options_refuse(const struct options *options, const char *format, ...) {
    va_list arguments;
    struct str text = {0};
    va_start(arguments, format);
    str_addv(&text, format, arguments);
    va_end(arguments);
    cli_say("%s: %s\n", options->who, text.text);
    str_finish(&text);
    end_with_hint(options);
}

/* ---- Words ---- */

static void note_word(struct options *options, const struct option_row *row, const char *value) {
    if (row->recorded)
        array_push(&options->words,
                   row->kind == OPTION_FLAG
                       ? arena_printf(&options->arena, "--%s", row->name)
                       : arena_printf(&options->arena, "--%s=%s", row->name, value));
}

/* A long option that the command does not have, and what could be meant by it. */
static void add_unknown(const struct options *options, const char *word, struct str *out) {
    struct arena arena = {0};
    const char *names[OPTION_ROWS_MOST + 1] = {"--help"};
    size_t count = 1, length = strcspn(word, "=");
    struct str alike = {0};
    for (const struct option_row *row = option_rows; row->name; row++) {
        if (!option_belongs(row, options->command))
            continue;
        names[count] = arena_printf(&arena, "--%s", row->name);
        if (strncmp(names[count], word, length) == 0)
            str_addf(&alike, " '%s'", names[count]);
        count++;
    }
    word = arena_strndup(&arena, word, length);
    if (alike.length > 0)
        str_addf(out, "option '%s' is ambiguous; possibilities:%s", word, alike.text);
    else
        str_addf(out, "unrecognized option '%s'%s", word,
                 str_suggestion(&arena, word, names, count));
    str_finish(&alike);
    arena_finish(&arena);
}

/* getopt has found something that is wrong: optopt says in which option, 0 that there is none. */
static _Noreturn void refuse_word(const struct options *options, bool lacks_value,
                                  const char *word) {
    struct str text = {0};
    if (lacks_value && optopt < FOUND_HELP)
        str_addf(&text, "option '-%c' requires an argument", optopt);
    else if (lacks_value)
        str_addf(&text, "option '%s' requires an argument", word);
    else if (optopt >= FOUND_HELP)
        str_addf(&text, "option '%.*s' takes no argument", (int)strcspn(word, "="), word);
    else if (optopt > 0)
        str_addf(&text, "unrecognized option '-%c'", optopt);
    else
        add_unknown(options, word, &text);
    options_refuse(options, "%s", text.text);
}

static void read_option(struct options *options, const struct option_row *row, const char *value,
                        struct problems *problems) {
    struct error error = {0};
    options->given[row - option_rows] = value ? value : "";
    if (option_value_read(row, value, member_of(options, row), &options->arena, &error) < 0)
        problems_say(problems, "%s: --%s: %s", options->who, row->name, error.text);
    note_word(options, row, value);
}

/* What getopt takes: ends with zeros; letters with ':' behind those with a value, and before all,
   so that a value that is missing is told from an unknown option. */
static void list_options(const struct options *options, struct option *longs, char *letters) {
    size_t count = 0;
    *letters++ = ':';
    for (const struct option_row *row = option_rows; row->name; row++) {
        int takes = row->kind == OPTION_FLAG ? no_argument : required_argument;
        if (!option_belongs(row, options->command))
            continue;
        longs[count++] =
            (struct option){row->name, takes, NULL, FOUND_ROW + (int)(row - option_rows)};
        if (row->letter)
            *letters++ = row->letter;
        if (row->letter && takes)
            *letters++ = ':';
    }
    longs[count++] = (struct option){"help", no_argument, NULL, FOUND_HELP};
    longs[count] = (struct option){0};
    *letters = '\0';
}

static const struct option_row *row_found(const struct options *options, int found) {
    if (found >= FOUND_ROW)
        return &option_rows[found - FOUND_ROW];
    const struct option_row *row = option_rows;
    while (!option_belongs(row, options->command) || row->letter != found)
        row++;
    return row;
}

static _Noreturn void print_help(const struct options *options) {
    struct str text = {0};
    struct error error = {0};
    option_help_write(options->command, options->who, &text);
    exit(cli_print(&text, &error) < 0 ? cli_report_error(&error) : EXIT_DONE);
}

static void read_words(struct options *options, int argc, char **argv, struct problems *problems) {
    struct option longs[OPTION_ROWS_MOST + 2];
    char letters[2 * OPTION_ROWS_MOST + 2];
    int found;
    list_options(options, longs, letters);
    optind = 0;
    opterr = 0;
    while ((found = getopt_long(argc, argv, letters, longs, NULL)) != -1) {
        if (found == FOUND_HELP || (found == '?' && optopt == '?')) /* the latter is -? */
            print_help(options);
        if (found == '?' || found == ':')
            refuse_word(options, found == ':', argv[optind - 1]);
        read_option(options, row_found(options, found), optarg, problems);
    }
    options->operands = argv + optind;
    options->operand_count = (size_t)(argc - optind);
    for (size_t i = 1; i < options->operand_count; i++)
        array_push(&options->words, options->operands[i]);
    (void)array_add(&options->words);
}

/* ---- What does not go together ---- */

static void check_operands(const struct options *options, struct problems *problems) {
    const struct command_facts *c = &commands[options->command];
    size_t most = c->most_operands > 0 ? c->most_operands : SIZE_MAX;
    int optional = c->operands[0] == '[', length = (int)strlen(c->operands) - 2 * optional;
    if (options->operand_count < c->least_operands)
        problems_say(problems, "%s: expected %s", options->who, c->operands);
    else if (options->operand_count > most)
        problems_say(problems, "%s: expected %s%.*s, got another: %s", options->who,
                     most == 1 ? "one " : "", length, c->operands + optional,
                     options->operands[most]);
}

/* "engine=slurm": whether that was given. */
static bool is_given(const struct options *options, const char *wanted, size_t length) {
    struct arena arena = {0};
    const char *value, *name = option_name(arena_strndup(&arena, wanted, length), &arena, &value);
    const char *given = option_given(options, name);
    bool good = given && (!value || strcmp(given, value) == 0);
    arena_finish(&arena);
    return good;
}

/* "--engine parallel or --engine slurm" */
static void add_option_names(const char *list, struct str *out) {
    const char *before = "";
    while (*list) {
        size_t length = strcspn(list, " "), name = strcspn(list, " =");
        str_addf(out, "%s--%.*s%s%.*s", before, (int)name, list, name < length ? " " : "",
                 (int)(length - name - (name < length)), list + name + (name < length));
        list += length + strspn(list + length, " ");
        before = strchr(list, ' ') ? ", " : " or ";
    }
}

static bool any_given(const struct options *options, const char *list) {
    bool any = false;
    while (*list) {
        size_t length = strcspn(list, " ");
        any = any || is_given(options, list, length);
        list += length + strspn(list + length, " ");
    }
    return any;
}

static void check_company(const struct options *options, const struct option_row *row,
                          struct problems *problems) {
    struct str names = {0};
    bool lonely = row->needs && !any_given(options, row->needs);
    bool crowded = row->excludes && any_given(options, row->excludes);
    if (lonely || crowded) {
        add_option_names(lonely ? row->needs : row->excludes, &names);
        problems_say(problems, "%s: --%s: %s with %s", options->who, row->name,
                     lonely ? "only" : "not", names.text);
    }
    str_finish(&names);
}

static void check_options(const struct options *options, struct problems *problems) {
    for (const struct option_row *row = option_rows; row->name; row++) {
        if (!option_belongs(row, options->command))
            continue;
        if (row->required && !option_given(options, row->name))
            problems_say(problems, "%s: expected --%s", options->who, row->name);
        if (option_given(options, row->name))
            check_company(options, row, problems);
    }
}

void options_parse(struct options *options, enum command command, int argc, char **argv) {
    *options = (struct options){.command = command, .who = argv[0], .problems = CLI_PROBLEMS};
    set_defaults(options);
    set_usual_values(options);
    read_words(options, argc, argv, &options->problems);
    if (options->problems.count == 0)
        check_operands(options, &options->problems);
    if (options->problems.count == 0 && commands[command].reads_yaml &&
        results_refuse(options, &options->problems) < 0)
        exit(cli_report_problems(&options->problems));
    if (options->problems.count == 0)
        check_options(options, &options->problems);
    if (options->problems.count > 0) {
        (void)cli_report_problems(&options->problems);
        end_with_hint(options);
    }
}

void options_finish(struct options *options) {
    problems_finish(&options->problems);
    free(options->words.at);
    free(options->sets.at);
    free(options->policy_sets.at);
    free(options->constraints.at);
    free(options->work.at);
    free(options->of_models.at);
    free(options->of_policies.at);
    free(options->where.at);
    free(options->rules.at);
    free(options->of_gpus.at);
    free(options->at_k.at);
    free(options->at_batches.at);
    free(options->tdp.at);
    free(options->memory.at);
    free(options->node_gpus.at);
    free(options->node_counts.at);
    free(options->traced.before.at);
    folder_lock_release(options->folder);
    str_finish(&options->stdin_text);
    arena_finish(&options->arena);
}
