/* The choice of the command: see dispatch.h. */
#include "cli/dispatch.h"

#include "cli/cli.h"
#include "cli/internal.h"
#include "easim_version.h"
#include "policy/fault.h"

#include <stdio.h>

#define WHO_BYTES 64

static cli_command *const functions[] = {COMMANDS(COMMAND_FUNCTION)}; /* by enum command */

static void add_usage(struct str *out) {
    str_add(out, "Usage: easim COMMAND [ARGUMENTS]\n"
                 "A simulator of energy-aware scheduling on heterogeneous GPU clusters.\n");
    for (enum command c = 0; c < COMMAND_COUNT; c++) {
        if (commands[c].topic)
            str_addf(out, "\n%s:\n", commands[c].topic);
        str_addf(out, "  %-10s %s\n", commands[c].name, commands[c].summary);
    }
    str_add(
        out,
        "\neasim help COMMAND and easim COMMAND --help explain a command.\neasim help NAME explains a column of results, such as energy_kwh, or a term of\nthe glossary. easim --version prints the version.\n");
}

static void print_usage(void (*print)(const struct str *)) {
    struct str text = {0};
    add_usage(&text);
    print(&text);
    str_finish(&text);
}

static int refuse_command(const char *name) {
    const char *names[COMMAND_COUNT];
    for (enum command c = 0; c < COMMAND_COUNT; c++)
        names[c] = commands[c].name;
    struct arena arena = {0};
    cli_say("easim: no command is named \"%s\"%s\n", name,
            str_suggestion(&arena, name, names, COMMAND_COUNT));
    arena_finish(&arena);
    return EXIT_BAD_INPUT;
}

static void name_command(enum command command, char who[static WHO_BYTES]) {
    snprintf(who, WHO_BYTES, "easim %s", commands[command].name);
}

static int run_command(enum command command, bool repeats, const char *results, int argc,
                       char **argv) {
    struct options options;
    options_parse(&options, command, argc, argv);
    options.repeats = repeats;
    options.results = results;
    fault_set_limit(options.decision_timeout_s);
    int code = functions[command](&options);
    options_finish(&options);
    return code;
}

/* `easim help COMMAND` is `easim COMMAND --help`. */
static int explain_word(const char *name) {
    enum command command = command_find(name);
    if (command == COMMAND_COUNT)
        return help_explain(name);
    char who[WHO_BYTES], option[] = "--help";
    name_command(command, who);
    return run_command(command, false, NULL, 2, (char *[]){who, option, NULL});
}

/* Words that are no commands; -1: it is another. */
static int answer_word(int argc, char **argv) {
    const char *word = argv[1];
    bool help = strcmp(word, "help") == 0, version = strcmp(word, "--version") == 0;
    if (!help && !version && strcmp(word, "--help") != 0 && strcmp(word, "-h") != 0)
        return -1;
    if (argc > (help ? 3 : 2)) {
        cli_say("easim %s: expected %s, got an extra word: %s\n", word,
                help ? "one word, or several in quotes" : "no other word", argv[help ? 3 : 2]);
        return EXIT_BAD_INPUT;
    }
    if (argc > 2)
        return explain_word(argv[2]);
    if (version)
        cli_show("easim %s (%s)\n", EASIM_VERSION, EASIM_COMMIT);
    else
        print_usage(cli_show_lines);
    return EXIT_DONE;
}

static int answer_words(int argc, char **argv) {
    if (argc < 2) {
        print_usage(cli_say_lines);
        return EXIT_BAD_INPUT;
    }
    int answer = answer_word(argc, argv);
    if (answer >= 0)
        return answer;
    enum command command = command_find(argv[1]);
    if (command == COMMAND_COUNT)
        return refuse_command(argv[1]);
    char name[WHO_BYTES];
    name_command(command, name);
    argv[1] = name;
    const char *manifest = commands[command].repeats ? repeat_manifest(argc - 1, argv + 1) : NULL;
    const struct repeated again = {command, run_command, manifest};
    return manifest ? repeat(&again, argc - 1, argv + 1)
                    : run_command(command, false, NULL, argc - 1, argv + 1);
}

int cli_main(int argc, char **argv) {
    surroundings_prepare();
    return cli_conclude(answer_words(argc, argv));
}
