/* The table of commands. */
#include "cli/commands.h"

#include "cli_texts.h"
#include "ingest/formats.h"

#include <string.h>

#define REPEATED(input) \
    "A manifest.json instead of " input " repeats what it records and compares every file.\n"
#define RUN_AGAIN(input) \
    REPEATED(input) \
    "--trust also repeats runs with a program or module that the author of the manifest has named.\n"

static void add_log_formats(struct str *out) {
    str_add(out, "Formats:\n");
    for (size_t i = 0; ingest_readers[i]; i++)
        str_addf(out, "  %-17s %s\n", ingest_readers[i]->name, ingest_readers[i]->help);
    str_add(out, "  workload          easim's own CSV (checks and sorts it)\n");
}

static void add_profile_formats(struct str *out) {
    str_add(out, "Formats:\n");
    for (size_t i = 0; profile_readers[i]; i++)
        str_addf(out, "  %-18s %s\n", profile_readers[i]->name, profile_readers[i]->summary);
    str_add_char(out, '\n');
}

/* Laid out by hand: the formatter goes ever further to the right. */
/* clang-format off */
#define OPERANDS(what, least, most) \
    .operands = what, .least_operands = least, .most_operands = most
const struct command_facts commands[COMMAND_COUNT + 1] = {
    [COMMAND_ABLATE] = {"ablate", OPERANDS("CONFIG.yaml A B", 3, 3), .repeats = true,
        .reads_yaml = true,
        .summary = "split the difference between two policies into components",
        .about = "Splits the difference A - B between two list policies into components.",
        .more = RUN_AGAIN("CONFIG.yaml") TEXT_ABLATE_MORE "\n"},
    [COMMAND_ANALYZE] = {"analyze", .topic = "Understand", OPERANDS("DIR", 1, 1),
        .summary = "find waste in a recorded run and propose changes",
        .about = "Finds waste in a recorded run and proposes changes.",
        .more = TEXT_ANALYZE_MORE "\n"},
    [COMMAND_ATTRIBUTE] = {"attribute", OPERANDS("DIR", 1, 1),
        .summary = "divide energy, cost and time of a recorded run",
        .about = "Divides GPU-hours, energy, CO2 and cost of a recorded run by labels of its jobs, and the time of each job by cause.",
        .more = TEXT_ATTRIBUTE_MORE "\n"},
    [COMMAND_BOUND] = {"bound", OPERANDS("CONFIG.yaml", 1, 1), .repeats = true, .reads_yaml = true,
        .summary = "compute lower bounds of energy and mean completion time",
        .about = "Computes lower bounds of energy and mean completion time of each replication: every schedule of its jobs on this cluster reaches or exceeds them.",
        .more = RUN_AGAIN("CONFIG.yaml") TEXT_BOUND_MORE "\n"},
    [COMMAND_CALIBRATE] = {"calibrate",
        OPERANDS("PROFILE.csv | failures OUTAGES.csv | power LOG.csv METER.csv | plans ROWS.csv MODELS.yaml | collectives TIMES.csv | limits FILE...", 1, 0),
        .summary = "fit models to a measured profile, or check them against one",
        .about = "Fits models of speed and power to a measured profile and prints how well they fit, or checks models against a profile.",
        .more = TEXT_CALIBRATE_MORE "\n"},
    [COMMAND_CHECK] = {"check", OPERANDS("CONFIG.yaml", 1, 1), .reads_yaml = true,
        .summary = "load a scenario and report every problem in it",
        .about = "Loads a scenario and everything it refers to, and reports every problem."},
    [COMMAND_COMPARE] = {"compare", OPERANDS("CONFIG.yaml", 1, 1), .repeats = true,
        .reads_yaml = true,
        .summary = "run several policies on the same workloads and compare them",
        .about = "Runs several policies on the same workloads and compares them, also in many draws of the physics if the scenario has uncertainty.",
        .more = RUN_AGAIN("CONFIG.yaml") "Exit codes are those of easim run; a policy that fails or crashes is left out, the others are kept.\n"},
    [COMMAND_COMPLETION] = {"completion", OPERANDS("bash|zsh|fish", 1, 1),
        .summary = "print a script that completes commands and options in a shell",
        .about = "Prints a script that completes commands, options and their values in a shell.",
        .more = "To use it in this shell: source <(easim completion bash), or with zsh instead of bash; in fish: easim completion fish | source\n"},
    [COMMAND_EXPLAIN] = {"explain", OPERANDS("DIR [JOB]", 1, 2),
        .summary = "explain why one job of a recorded run waited and ran as it did",
        .about = "Explains one job: why it waited, what its policy saw, chose and could have chosen, which jobs started before it, and what would have met its deadline.",
        .more = TEXT_EXPLAIN_MORE "\n"},
    [COMMAND_GEN] = {"gen", OPERANDS("CONFIG.yaml", 1, 1), .reads_yaml = true,
        .summary = "write the jobs of one replication as a workload CSV",
        .about = "Writes the jobs of one replication as a workload CSV, which runs as a trace with the same results.",
        .more = "CONFIG.yaml may be - for standard input.\n"},
    [COMMAND_IMPORT] = {"import", .topic = "Data", OPERANDS("FORMAT FILE...", 2, 0), .add_formats = add_log_formats,
        .summary = "turn a recorded job log into a workload CSV",
        .about = "Reads a recorded job log (plain, gz or zst) and writes it as a workload CSV."},
    [COMMAND_INIT] = {"init", .topic = "Start", OPERANDS("[DIR]", 0, 1),
        .summary = "make a folder with a small study that runs",
        .about = "Writes a small study into DIR (default: easim-study): a profile, the models that it gives, a job log, a scenario and a README; checks it and prints four commands.",
        .more = "Exit codes: 0 done; 1 a file cannot be written; 2 bad usage, bad input, or a folder that is not empty.\n"},
    [COMMAND_MODELS] = {"models", .topic = "Reference", OPERANDS("MODELS.yaml|CONFIG.yaml", 1, 1),
        .repeats = true, .reads_yaml = true,
        .summary = "print speed, power and energy of models",
        .about = "Prints time, rate, power, energy and evidence of each configuration of models.",
        .more = RUN_AGAIN( "MODELS.yaml") "MODELS.yaml is a model file. CONFIG.yaml is a scenario, whose models and GPUs are those of a run. Either may be - for standard input.\n"},
    [COMMAND_NEW] = {"new", OPERANDS("policy NAME [DIR]", 2, 3),
        .summary = "make a folder with a policy of your own that compiles and runs",
        .about = "Writes a policy NAME into DIR (default: NAME): its source, a test of it alone, a Makefile and a scenario.",
        .more = "Exit codes: 0 done; 1 a file cannot be written, or the headers are not installed; 2 bad usage, a wrong name, or a folder that is not empty.\n"},
    [COMMAND_PLOT] = {"plot", OPERANDS("DIR...", 1, 0),
        .summary = "draw figures of results with gnuplot",
        .about = "Draws figures of results with gnuplot.",
        .more = TEXT_PLOT_MORE "\n"},
    [COMMAND_POLICIES] = {"policies", OPERANDS("[NAME|FILE.so]", 0, 1),
        .summary = "list the policies, or document one",
        .about = "Lists the policies that can be found, or documents or tests one.",
        .more = "Exit codes: 0 done, all checks passed; 1 a check failed; 2 bad usage, no such policy, or a module that cannot be loaded.\n"},
    [COMMAND_PROFILE] = {"profile", OPERANDS("FORMAT FILE...", 2, 0),
        .add_formats = add_profile_formats,
        .summary = "turn measurements of a real job into a profile CSV",
        .about = "Reads measurements of a real job (plain, gz or zst) and writes them as a profile CSV.",
        .more = "Exit status: 0 done, 1 no output, 2 bad input, 3 done with the readable part of damaged files.\n"},
    [COMMAND_REGRET] = {"regret", OPERANDS("CONFIG.yaml", 1, 1), .repeats = true,
        .reads_yaml = true,
        .summary = "measure what a policy loses by its decisions",
        .about = "Measures what a policy loses by its decisions. It copies the simulation when the policy starts a job, lets each copy start it differently or later, and runs all copies to the end.",
        .more = RUN_AGAIN("CONFIG.yaml") "Each copy goes on with the same policy and random numbers. easim refuses a policy that runs processes of its own. Exit codes are those of easim run.\n"},
    [COMMAND_REPORT] = {"report", OPERANDS("DIR...", 1, 0),
        .summary = "write a page about runs, a comparison or a sweep for a browser",
        .about = "Writes report.html: figures, charts and findings of a run, several runs, a comparison or a sweep, in one page that needs no network.",
        .more = TEXT_REPORT_MORE "\n"},
    [COMMAND_RUN] = {"run", OPERANDS("CONFIG.yaml", 1, 1), .repeats = true, .reads_yaml = true,
        .summary = "run a scenario and write its results",
        .about = "Runs a scenario and writes its results as CSV files.",
        .more = RUN_AGAIN("CONFIG.yaml") "Exit codes: 0 done; 1 a run failed; 2 bad usage or bad input; 130 interrupted, what was finished is kept and marked partial in manifest.json. CONFIG.yaml may be - for standard input.\n"},
    [COMMAND_SCHEMA] = {"schema", OPERANDS("scenario|models|sweep|validation", 1, 1),
        .summary = "print the JSON Schema of a kind of configuration file",
        .about = "Prints the JSON Schema (2020-12) of a kind of configuration file, for editors that complete and check YAML.",
        .more = "Begin a file with this line, so that the editor knows its keys: # yaml-language-server: $schema=FILE.json\n"},
    [COMMAND_SWEEP] = {"sweep", .topic = "Study", OPERANDS("SWEEP.yaml", 1, 1), .repeats = true, .reads_yaml = true,
        .summary = "run a scenario at many points and join the results",
        .about = "Runs a scenario at many points and joins the summaries in one CSV file.",
        .more = RUN_AGAIN( "SWEEP.yaml") "Points that are done are not run again. Exit codes: 0 done; 1 a run failed or is missing; 2 bad usage or bad input; 130 interrupted, what was finished is kept.\n"},
    [COMMAND_TIMELINE] = {"timeline", OPERANDS("DIR", 1, 1),
        .summary = "write a recorded run as a trace that Perfetto opens",
        .about = "Writes a recorded run as a Chrome trace that Perfetto opens: a track for each GPU, the queue, power and prices over time, decisions.",
        .more = TEXT_TIMELINE_MORE "\n"},
    [COMMAND_TRACE] = {"trace",
        OPERANDS("FILE...|DIR | cut FILE | filter FILE | merge FILE... | stragglers OPERATIONS.csv", 1, 0),
        .summary = "show what bounds a training step; cut, filter and merge traces",
        .about = "Shows what bounds a training step: reads PyTorch-profiler traces (plain, gz or zst), a file for each rank of one job, a merged file, or a folder of them.",
        .more = TEXT_TRACE_MORE "\n"},
    [COMMAND_TUNE] = {"tune", OPERANDS("CONFIG.yaml", 1, 1), .repeats = true, .reads_yaml = true,
        .summary = "search for the best parameters of a policy for a metric",
        .about = "Searches for the best parameters of a policy for a metric.",
        .more = RUN_AGAIN("CONFIG.yaml") "The search runs on a training seed; the parameters found are then compared with the scenario's own, pair by pair, on the scenario's seed. Exit codes are those of easim run.\n"},
    [COMMAND_VALIDATE] = {"validate", OPERANDS("[FILE.yaml...]", 0, 0), .repeats = true,
        .summary = "compare predictions with measurements",
        .about = "Compares predictions of easim with measurements, figure by figure.",
        .more = REPEATED( "[FILE.yaml...]") TEXT_VALIDATE_MORE "\n"},
    [COMMAND_REPEAT] = {"COMMAND", OPERANDS("DIR/manifest.json", 1, 1),
        .about = "Repeats what the manifest records and compares every file of it.",
        .more = "Exit codes: 0 equal; 1 files differ; 2 bad usage, or an input is missing.\n"},
};
/* clang-format on */

enum command command_find(const char *name) {
    enum command c = 0;
    while (c < COMMAND_COUNT && strcmp(commands[c].name, name) != 0)
        c++;
    return c;
}
