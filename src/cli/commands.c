/* The table of commands. */
#include "cli/commands.h"

#include "ingest/logs/log_readers.h"
#include "ingest/profile_readers.h"

#include <string.h>

#define REPEATED(input) \
    "A manifest.json instead of " input " repeats what it records and compares every file.\n"
#define RUN_AGAIN(input) \
    REPEATED(input) \
    "--trust also repeats what runs a program, or loads a module, that its author has named.\n"

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
const struct command_facts commands[COMMAND_COUNT + 1] = {
    [COMMAND_ABLATE] =
        {.name = "ablate",
         .summary = "split the difference between two policies into components",
         .operands = "CONFIG.yaml A B",
         .least_operands = 3,
         .most_operands = 3,
         .about = "Splits the difference A - B between two list policies into components.",
         .more = RUN_AGAIN("CONFIG.yaml") "A and B: NAME, a path, or either with parameters, NAME:PARAM=VALUE:... Runs every mixture of the two on the same workloads; the Shapley shares of the components add up to the difference. Exit codes are those of easim run.\n",
         .repeats = true,
         .reads_yaml = true},
    [COMMAND_ANALYZE] =
        {.name = "analyze",
         .summary = "find waste in a recorded run, and say what to try",
         .operands = "DIR",
         .least_operands = 1,
         .most_operands = 1,
         .about = "Looks for waste in a recorded run and says what to try instead.",
         .more =
             "DIR is a folder that easim run or compare wrote with --record. Proposals are simulated, and recommended if they gain. Writes insights.md, insights.json, waste.csv and, with --invest, invest.csv into it. Exit codes: 0 done; 1 a file cannot be written; 2 bad usage, or a folder that cannot be read; 130 interrupted, nothing is written.\n"},
    [COMMAND_ATTRIBUTE] =
        {.name = "attribute",
         .summary = "divide energy, cost and time of a recorded run",
         .operands = "DIR",
         .least_operands = 1,
         .most_operands = 1,
         .about = "Divides GPU-hours, energy, CO2 and cost of a recorded run by labels of its jobs, and says where their time went.",
         .more =
             "DIR is a folder that easim run or compare wrote with --record. Writes attribution.csv, blame.csv, critical_path.csv and node_blame.csv into it. Exit codes: 0 done; 1 a file cannot be written; 2 bad usage, or a folder that cannot be read.\n"},
    [COMMAND_BOUND] =
        {.name = "bound",
         .summary = "numbers that no schedule of the jobs is below",
         .operands = "CONFIG.yaml",
         .least_operands = 1,
         .most_operands = 1,
         .about =
             "Computes energy and mean completion time that no schedule of each replication's jobs on this cluster is below.",
         .more = RUN_AGAIN("CONFIG.yaml") "Of any schedule: with every power limit of the models and shared GPUs, whatever the policy of the scenario uses; what cannot be bounded is refused by metric, with the reason. Exit codes are those of easim run.\n",
         .repeats = true,
         .reads_yaml = true},
    [COMMAND_CALIBRATE] =
        {.name = "calibrate",
         .summary = "fit models to a measured profile, or check them against one",
         .operands = "PROFILE.csv | failures OUTAGES.csv | power LOG.csv METER.csv | plans ROWS.csv MODELS.yaml | collectives TIMES.csv",
         .least_operands = 1,
         .most_operands = 3,
         .about =
             "Fits the models of speed and power to a measured profile and says how well they fit, or checks models against one.",
         .more =
             "Columns: model, gpu, k, batch_per_gpu, throughput_samples_s, and where there are any, precision, nodes, power_limit_w, power_w_per_gpu, evidence, source, global_batch, grad_accum, samples_to_target, node_power_w, node_floor_w, power_scope, round, run_s, runs, those of inference (docs/calibration.md), label.*\nfailures: laws of the times to failure and repair, with intervals, from outages (node, start_s, end_s)\npower: idle power and power of jobs from a workload CSV and the power (time_s, power_w) that was metered while it ran\nplans: constants of transformers' plans from measured iterations\ncollectives: latency and bandwidth inside nodes from measured collectives\n"},
    [COMMAND_CHECK] =
        {.name = "check",
         .summary = "load a scenario and report every problem in it",
         .operands = "CONFIG.yaml",
         .least_operands = 1,
         .most_operands = 1,
         .about = "Loads a scenario and everything it refers to, and reports every problem.",
         .reads_yaml = true},
    [COMMAND_COMPARE] =
        {.name = "compare",
         .summary = "run several policies on the same workloads and compare them",
         .operands = "CONFIG.yaml",
         .least_operands = 1,
         .most_operands = 1,
         .about =
             "Runs several policies on the same workloads and compares them; with uncertainty in the scenario, in many draws of its physics, too.",
         .more = RUN_AGAIN("CONFIG.yaml") "Exit codes are those of easim run; a policy that fails or crashes is left out, the others are kept.\n",
         .repeats = true,
         .reads_yaml = true},
    [COMMAND_COMPLETION] =
        {.name = "completion",
         .summary = "print what completes the words of easim in a shell",
         .operands = "bash|zsh|fish",
         .least_operands = 1,
         .most_operands = 1,
         .about = "Prints a script that completes commands, options and their values in a shell.",
         .more = "To have it in this shell: source <(easim completion bash), with zsh in place of bash if it is that; in fish: easim completion fish | source\n"},
    [COMMAND_EXPLAIN] =
        {.name = "explain",
         .summary = "tell the story of one job of a recorded run",
         .operands = "DIR JOB",
         .least_operands = 2,
         .most_operands = 2,
         .about =
             "Tells the story of one job: what its policy saw and chose, what else it could have chosen, who started before it, what would have met its deadline.",
         .more =
             "DIR is a folder that was recorded (easim run --record, easim compare --record), JOB a job_id. What the policy saw comes from repeating the run; where that cannot be, the story says why. Exit codes: 0 done; 1 the story cannot be written; 2 bad usage, a folder that is damaged or was not recorded, or no such job.\n"},
    [COMMAND_GEN] =
        {.name = "gen",
         .summary = "write the jobs of one replication as a workload CSV",
         .operands = "CONFIG.yaml",
         .least_operands = 1,
         .most_operands = 1,
         .about =
             "Writes the jobs of one replication as a workload CSV, which runs as a trace with the same results.",
         .more = "CONFIG.yaml may be - for standard input.\n",
         .reads_yaml = true},
    [COMMAND_IMPORT] =
        {.name = "import",
         .summary = "turn a recorded job log into a workload CSV",
         .operands = "FORMAT FILE...",
         .least_operands = 2,
         .about = "Reads a recorded job log (plain, gz or zst) and writes it as a workload CSV.",
         .add_formats = add_log_formats},
    [COMMAND_MODELS] =
        {.name = "models",
         .summary = "print what models say of speed, power and energy",
         .operands = "MODELS.yaml|CONFIG.yaml",
         .least_operands = 1,
         .most_operands = 1,
         .about =
             "Prints what models say of each configuration: time, rate, power, energy, evidence.",
         .more = RUN_AGAIN(
             "MODELS.yaml") "MODELS.yaml is a model file; of a scenario, CONFIG.yaml, models and GPUs are looked at as a run would have them. Either may be - for standard input.\n",
         .repeats = true,
         .reads_yaml = true},
    [COMMAND_PLOT] =
        {.name = "plot",
         .summary = "draw figures of results with gnuplot",
         .operands = "DIR...",
         .least_operands = 1,
         .about = "Draws figures of results with gnuplot.",
         .more =
             "DIR is the folder of easim run, compare, sweep, models, validate or calibrate power; or several folders of runs. Figures: pareto, jct, power, occupancy, queue, bars, of many worlds also worlds; of a sweep lines, heatmap; of models speedup, energy_k, energy_b; of power beside a meter meter. Each is kept with its script and data. Exit codes: 0 done; 1 gnuplot is missing or failed; 2 bad usage, results that cannot be read, or a figure that they do not allow.\n"},
    [COMMAND_POLICIES] =
        {.name = "policies",
         .summary = "list the policies, or document one",
         .operands = "[NAME|FILE.so]",
         .most_operands = 1,
         .about = "Lists the policies that can be found, or documents or tests one.",
         .more =
             "Exit codes: 0 done, all checks passed; 1 a check failed; 2 bad usage, no such policy, or a module that cannot be loaded.\n"},
    [COMMAND_PROFILE] =
        {.name = "profile",
         .summary = "turn measurements of a real job into a profile CSV",
         .operands = "FORMAT FILE...",
         .least_operands = 2,
         .about =
             "Reads measurements of a real job (plain, gz or zst) and writes them as a profile CSV.",
         .more =
             "Exit status: 0 done, 1 no output, 2 bad input, 3 done with what damaged files hold.\n",
         .add_formats = add_profile_formats},
    [COMMAND_REGRET] =
        {.name = "regret",
         .summary = "try at a policy's decisions what else it could have done",
         .operands = "CONFIG.yaml",
         .least_operands = 1,
         .most_operands = 1,
         .about =
             "Copies the simulation where the policy starts a job, lets each copy start it in another way or not yet, and runs all of them to the end: what the policy loses by its decisions.",
         .more = RUN_AGAIN("CONFIG.yaml") "Each copy goes on with the same policy and random numbers. A policy that runs processes of its own is refused. Exit codes are those of easim run.\n",
         .repeats = true,
         .reads_yaml = true},
    [COMMAND_REPORT] =
        {.name = "report",
         .summary = "write one page about a run or a comparison, to be read in a browser",
         .operands = "DIR",
         .least_operands = 1,
         .most_operands = 1,
         .about = "Writes report.html: figures, charts and findings of a run or a comparison, in one page that needs no network.",
         .more =
             "DIR is the folder of easim run or compare; with --record it also shows what every GPU did, waste and insights. The charts are drawn by D3, of Debian's package node-d3. Exit codes: 0 done; 1 D3 is missing, or the page cannot be written; 2 bad usage, or results that cannot be read; 130 interrupted.\n"},
    [COMMAND_RUN] =
        {.name = "run",
         .summary = "run a scenario and write its results",
         .operands = "CONFIG.yaml",
         .least_operands = 1,
         .most_operands = 1,
         .about = "Runs a scenario and writes its results as CSV files.",
         .more = RUN_AGAIN("CONFIG.yaml") "Exit codes: 0 done; 1 a run failed; 2 bad usage or bad input; 130 interrupted, what was finished is kept and marked partial in manifest.json. CONFIG.yaml may be - for standard input.\n",
         .repeats = true,
         .reads_yaml = true},
    [COMMAND_SWEEP] =
        {.name = "sweep",
         .summary = "run a scenario at many points and join the results",
         .operands = "SWEEP.yaml",
         .least_operands =
             1,
         .most_operands = 1,
         .about = "Runs a scenario at many points and joins the summaries in one CSV file.",
         .more = RUN_AGAIN(
             "SWEEP.yaml") "Points that are done are not run again. Exit codes: 0 done; 1 a run failed or is missing; 2 bad usage or bad input; 130 interrupted, what was finished is kept.\n",
         .repeats = true,
         .reads_yaml = true},
    [COMMAND_TIMELINE] =
        {.name = "timeline",
         .summary = "write a recorded run as a trace that Perfetto opens",
         .operands = "DIR",
         .least_operands = 1,
         .most_operands = 1,
         .about =
             "Writes a recorded run as a Chrome trace that Perfetto opens: a track for each GPU, the queue, power and prices over time, decisions.",
         .more =
             "DIR is a folder that was recorded (easim run --record, easim compare --record). Exit codes: 0 done; 1 the file cannot be written; 2 bad usage, or a folder that is damaged or was not recorded; 130 interrupted, nothing is written.\n"},
    [COMMAND_TUNE] =
        {.name = "tune",
         .summary = "search the parameters of a policy that are best for a metric",
         .operands = "CONFIG.yaml",
         .least_operands = 1,
         .most_operands =
             1,
         .about = "Searches the parameters of a policy that are best for a metric.",
         .more = RUN_AGAIN("CONFIG.yaml") "The search runs on a training seed; the parameters found are then compared with the scenario's own, pair by pair, on the scenario's seed. Exit codes are those of easim run.\n",
         .repeats = true,
         .reads_yaml = true},
    [COMMAND_VALIDATE] = {.name = "validate",
                          .summary = "compare predictions with what was measured",
                          .operands = "[FILE.yaml...]",
                          .about =
                              "Compares what easim predicts with what was measured, figure by figure.",
                          .more = REPEATED(
                              "[FILE.yaml...]") "FILE.yaml is a validation (docs/validation.md); without one, all that come with easim. Exit codes: 0 every verdict is as expected; 1 one is not, or a run failed; 2 bad usage or bad input; 130 interrupted, what was finished is kept.\n",
                          .repeats = true},
    [COMMAND_REPEAT] =
        {.name = "COMMAND",
         .operands = "DIR/manifest.json",
         .least_operands = 1,
         .most_operands = 1,
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
