/* The table of commands, and the choice among them. */
#include "cli/commands.h"

#include "cli/cli.h"
#include "cli/repeat.h"
#include "easim_version.h"

#include <gsl/gsl_errno.h>
#include <stdio.h>
#include <string.h>

const struct command cli_commands[] = {
    {"ablate", "split the difference between two policies into components", cli_ablate, true},
    {"calibrate", "fit models to a measured profile, or check them against one", cli_calibrate,
     false},
    {"check", "load a scenario and report every problem in it", cli_check, false},
    {"compare", "run several policies on the same workloads and compare them", cli_compare, true},
    {"gen", "write the jobs of one replication as a workload CSV", cli_gen, false},
    {"import", "turn a recorded job log into a workload CSV", cli_import, false},
    {"plot", "draw figures of results with gnuplot", cli_plot, false},
    {"policies", "list the policies, or document one", cli_policies, false},
    {"profile", "turn measurements of a real job into a profile CSV", cli_profile, false},
    {"run", "run a scenario and write its results", cli_run, true},
    {"sweep", "run a scenario at many points and join the results", cli_sweep, true},
    {"tune", "search the parameters of a policy that are best for a metric", cli_tune, true},
    {NULL, NULL, NULL, false},
};

static void print_usage(FILE *file) {
    fprintf(file, "Usage: easim COMMAND [ARGUMENTS]\n"
                  "A simulator of energy-aware scheduling on heterogeneous GPU clusters.\n"
                  "\n"
                  "Commands:\n");
    for (const struct command *c = cli_commands; c->name; c++)
        fprintf(file, "  %-10s %s\n", c->name, c->summary);
    fprintf(file,
            "\neasim COMMAND --help explains a command; easim --version names the version.\n");
}

static int unknown_command(const char *name) {
    const char *names[16];
    size_t count = 0;
    for (const struct command *c = cli_commands; c->name; c++)
        names[count++] = c->name;
    struct arena arena = {0};
    fprintf(stderr, "easim: no command is named \"%s\"%s\n", name,
            str_suggestion(&arena, name, names, count));
    arena_finish(&arena);
    return EXIT_BAD_INPUT;
}

int cli_main(int argc, char **argv) {
    gsl_set_error_handler_off();
    if (argc < 2) {
        print_usage(stderr);
        return EXIT_BAD_INPUT;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
        strcmp(argv[1], "help") == 0) {
        print_usage(stdout);
        return EXIT_DONE;
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("easim %s (%s)\n", EASIM_VERSION, EASIM_COMMIT);
        return EXIT_DONE;
    }
    for (const struct command *c = cli_commands; c->name; c++)
        if (strcmp(c->name, argv[1]) == 0) {
            char name[64];
            snprintf(name, sizeof name, "easim %s", c->name);
            argv[1] = name;
            const char *manifest = c->repeats ? repeat_manifest(argc - 1, argv + 1) : NULL;
            const struct repeated again = {c->name, c->run, manifest};
            return manifest ? repeat(&again, argc - 1, argv + 1) : c->run(argc - 1, argv + 1);
        }
    return unknown_command(argv[1]);
}
