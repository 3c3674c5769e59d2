/* What the command line says: one struct for all commands, which the rows of option_table.c fill
   in. A member that an option of the command does not set is 0, NULL or its usual value. */
#ifndef EASIM_CLI_OPTIONS_H
#define EASIM_CLI_OPTIONS_H

#include "base/arena.h"
#include "base/array.h"
#include "base/str.h"
#include "cli/commands.h"
#include "experiment/compare.h"
#include "experiment/regret/base_run.h"
#include "experiment/sweep/sweep.h"
#include "experiment/tune/tune.h"
#include "ingest/profile.h"
#include "insight/attribution/attribution.h"
#include "metrics/summary.h"
#include "output/plot/figure.h"
#include "workload/trace.h"
#include "workload/trace_change.h"

#define OPTION_ROWS_MOST 224

struct folder_lock;

struct texts {
    const char **at;
    size_t count, capacity;
};

#define METRIC_OF_SERVICES ((unsigned)-1) /* a column that the scenario is to tell */

/* Columns of the summary, none twice. */
struct option_metrics {
    unsigned columns[SUMMARY_ALL];
    size_t count;
};

/* What to print: in the order of their words in the table, which begins with enum report_format. */
enum print_format { FORMAT_TABLE, FORMAT_MARKDOWN, FORMAT_LATEX, FORMAT_CSV, FORMAT_JSON };
/* Which proposals of insights are simulated. */
enum verify_choice { VERIFY_BUDGET, VERIFY_ALL, VERIFY_NONE };
enum interval_choice { INTERVAL_T, INTERVAL_BOOTSTRAP };
enum explanation_format { EXPLAIN_TEXT, EXPLAIN_JSON };
/* The job to explain, in place of its id: the one with the most of this. */
enum explained { EXPLAIN_WAIT, EXPLAIN_ENERGY, EXPLAIN_LATENESS, EXPLAIN_PREEMPTIONS, EXPLAINED };
enum span_choice { SPAN_BOTH, SPAN_ONE_NODE, SPAN_ACROSS_NODES };
enum isolation { ISOLATE_FOREIGN, ISOLATE_ALWAYS };
enum sweep_engine { ENGINE_LOCAL, ENGINE_PARALLEL, ENGINE_SLURM };

struct picture_size {
    int width, height; /* pixels; 0: as each figure needs */
};

struct tune_constraints {
    struct tune_constraint *at;
    size_t count, capacity;
};

struct trace_works {
    struct trace_work *at;
    size_t count, capacity;
};

struct numbers {
    double *at;
    size_t count, capacity;
};

/* A value for a GPU type, or for all of them. */
struct type_value {
    const char *type; /* NULL: all */
    double value;
};

struct type_values {
    struct type_value *at;
    size_t count, capacity;
};

/* Of calibrate power; NAN and 0: not given. */
struct power_options {
    const char *by, *utilization;
    double base_w, idle_w;
    double train_from_s, train_to_s; /* on the clock of the log; to NAN: the first half */
    double window_s, offset_s, gap_s;
};

struct options {
    enum command command;
    const char *who; /* "easim run": for messages */
    char **operands; /* ends with NULL */
    size_t operand_count;
    const char *given[OPTION_ROWS_MOST]; /* by row: the last value, "" of a flag; NULL: not given */
    struct texts words; /* for the manifest: recorded options as "--name=value", then all operands
                           but the first; ends with NULL */
    struct arena arena;
    struct problems problems;   /* of the command line and of what it names */
    struct folder_lock *folder; /* of the results, while the command runs; NULL: none yet */
    struct str stdin_text;      /* of standard input, if it has been read */

    /* scenario */
    const char *policy;
    struct texts sets; /* "path=value" */

    /* runs */
    unsigned threads; /* 0: one per core */
    enum isolation isolate;
    const char *out, *trace;
    bool force, summary_only, check, strict, quiet, decisions, record, timing, bound;
    enum print_format format;
    bool trust;                /* the author of a folder of results, or of a module */
    bool repeats;              /* a recorded command, once more */
    const char *results;       /* "easim: DIR", of a manifest that is repeated without; else NULL */
    double meter_step_s;       /* of meter.csv; 0: none */
    double run_timeout_s;      /* of runs in processes of their own; 0: none */
    double decision_timeout_s; /* processor time of a callback */
    struct option_metrics metrics, pareto;

    /* compare */
    const char *policies, *baseline, *perturb;
    enum interval_choice interval;
    struct compare_goal goal; /* relative 0: none; column SUMMARY_COUNT: not named */

    /* tune */
    const char *params;
    unsigned objective;
    struct tune_constraints constraints;
    int64_t training_seed, training_replications;
    uint32_t most_trials;

    /* regret */
    uint64_t sample;
    enum regret_metric regret_by;
    const char *of_job;
    bool hindsight;

    /* sweep */
    struct sweep_shard shard;
    bool merge, list, retry_failed;
    enum sweep_engine engine;
    unsigned tasks;
    const char *sbatch;

    /* validate */
    const char *measured, *scenario;
    double tolerance; /* NAN: not given */

    /* plot */
    unsigned figures;         /* bits by kind; 0: all */
    unsigned picture_formats; /* bits of svg, pdf, png */
    struct picture_size size;
    const char *x, *y, *by;
    struct texts where;       /* "AXIS=VALUE" */
    struct texts of_policies; /* labels, or lists of them */
    enum plot_scale scale;

    /* analyze */
    struct texts rules; /* "RULE.THRESHOLD=VALUE" */
    enum verify_choice verify;
    bool invest;

    /* report */
    const char *d3; /* a file; NULL: that of the system */

    /* attribute */
    struct attribution_path path;
    enum idle_rule idle;
    double bucket_s; /* 0: not given */

    /* models */
    struct texts of_models, of_gpus; /* names */
    struct numbers at_k, at_batches;
    enum span_choice span;
    bool power_limits, parameters, plans;
    struct type_values tdp, memory, node_gpus; /* W, GiB, GPUs of a node */
    const char *profile_csv;

    /* policies */
    bool new_list, new_free, new_python; /* of easim new; all false: a list policy */
    bool test;
    struct texts policy_sets; /* "policy.params.NAME=VALUE" */
    unsigned limit_s;

    /* recorded runs */
    bool gzip;
    double resolution_s;
    uint64_t most_events;
    enum explanation_format explanation_format;
    const char *what_if;
    bool explained_by[EXPLAINED];

    /* init */
    const char *from, *jobs;

    /* files made of files */
    const char *output;
    int64_t replication;

    /* import */
    struct trace_changes changes;
    bool models;
    const char *time_zone, *assign, *nodes, *cluster_out;
    struct trace_works work;

    /* profile */
    struct profile_options profile;
    enum profile_format { PROFILE_TABLE, PROFILE_CSV, PROFILE_JSON } profile_format;

    /* trace, which shares some with profile */
    struct traced_options {
        const char *what_if, *loading_pattern, *profile, *telemetry;
        struct texts before;
        const char *svg, *category; /* of its subcommands */
    } traced;

    /* calibrate */
    const char *points, *check_models, *only;
    double message_bytes;                      /* of an all-reduce; 0: not given */
    double max_error, max_form_error, m0, phi; /* NAN: not given */
    const char *hold, *reference;              /* NULL: not given */
    struct type_values node_counts;            /* of failures one, without a type */
    double record_s;                           /* 0: not given */
    struct power_options metered;
};

/* Something for people to read, not data. */
static inline bool options_want_report(const struct options *options) {
    return options->format <= FORMAT_LATEX;
}

#endif
