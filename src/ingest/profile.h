/* Input and output of profile readers: rows of a profile CSV, and figures for people. */
#ifndef EASIM_INGEST_PROFILE_H
#define EASIM_INGEST_PROFILE_H

#include "base/array.h"
#include "base/error.h"
#include "base/str.h"
#include "ingest/figures.h"

/* --- profile_serving --- */
/* Data other than of training: the kind of the rows' samples, and for points of serving tables the
   running batch and the latencies. Columns that are only written if a row has one. */

#define PROFILE_QUANTILES 4 /* p50, p90, p95, p99 */

/* NULL and 0: not given. A row with a running batch is a point of a serving table: its throughput
   and power are those of a replica of k GPUs. */
struct profile_serving {
    const char *unit;                 /* of throughput: "token", "output"; NULL: samples */
    const char *prompt;               /* "included" or the outputs that a prompt token equals */
    double batch_limit;               /* most requests at once */
    double running_batch;             /* mean of the requests at once */
    double itl_ms[PROFILE_QUANTILES]; /* time between two tokens of a request */
    double latency_ms;                /* of one output */
};

/* --- profile --- */

#define PROFILE_MOST_GPUS 1000000 /* of a row of the profile CSV */

/* Options that not every format has a use for: bits. */
enum profile_use {
    PROFILE_STEPS = 1 << 0,
    PROFILE_ITERATION = 1 << 1,
    PROFILE_COMMUNICATION = 1 << 2,
    PROFILE_KERNEL_DELAY = 1 << 3,
    PROFILE_SAMPLES = 1 << 4,
    PROFILE_INTERVAL = 1 << 5,
    PROFILE_COLUMNS = 1 << 6,
    PROFILE_TRIM_IDLE = 1 << 7,
    PROFILE_DATASET = 1 << 8,
    PROFILE_ENERGY_UNIT = 1 << 9,
    PROFILE_RAM = 1 << 10,
    PROFILE_RESCALE = 1 << 11,
    PROFILE_POWER_SCOPE = 1 << 12,
    PROFILE_GPUS_PER_NODE = 1 << 13,
    PROFILE_PIPES = 1 << 14,
    PROFILE_TELEMETRY = PROFILE_SAMPLES | PROFILE_TRIM_IDLE, /* power over time */
    PROFILE_DCGM = PROFILE_TELEMETRY | PROFILE_PIPES         /* and activity of pipes */
};

struct telemetry;

/* It gets the samples of telemetry, of each device by time, in place of a report about power. */
struct telemetry_watch {
    void (*see)(void *watcher, const struct telemetry *telemetry);
    void *watcher;
};

/* Options of the user; NULL, 0 or NAN if not given. Texts are borrowed. */
struct profile_options {
    const char *model, *precision, *gpu;
    uint32_t gpus;        /* k */
    double batch;         /* samples per GPU and iteration; 0: unknown */
    double power_limit_w; /* NAN: none */
    bool strict;          /* damaged input is an error */
    bool has_steps;
    int64_t first_step, last_step; /* both included */
    const char *iteration_pattern; /* regular expressions; NULL: the format's own */
    const char *communication_pattern;
    double kernel_delay_us;      /* kineto: longer gaps of a stream are no kernel_wait */
    double interval_s;           /* between rows where a file has no times */
    double samples;              /* trained in the recorded time; 0: not said */
    const char *columns;         /* names, with commas, of a file without a header */
    const char *dataset;         /* only rows of this one */
    const char *energy_unit;     /* "J", "Wh" or "kWh" */
    uint32_t ram_slots, ram_gib; /* memory modules of the node and the size of one; 0: not said */
    bool ram_is_ddr3;
    double ram_use_percent;
    double rescale_s; /* ea2p: measured seconds between its readings; 0: energies as in the file */
    uint32_t gpus_per_node;  /* 0: not said */
    const char *power_scope; /* "node", "node_ac" or "node_dc" */
    bool trim_idle;          /* leave out both ends where utilization is 0 */
    double
        tensor_threshold; /* tensor cores compute in FP16 if FP16 activity is above this x FP32 */
    const struct gpu_peaks *peaks;       /* instead of those of the GPU type; NULL: not said */
    unsigned given;                      /* of enum profile_use */
    const struct telemetry_watch *watch; /* NULL: none */
};

/* Data of a training run: columns written only if a row has one. NULL, 0, NAN: unknown. */
struct profile_run {
    uint32_t nodes, grad_accum, runs; /* runs: repetitions that the row is the median of */
    double global_batch;              /* samples per optimizer step over all GPUs */
    double samples_to_target;         /* trained until the quality target was met */
    double run_s;                     /* from start to stop, evaluation included */
    double node_power_w;              /* mean of a whole node while training */
    double node_floor_w;              /* lowest reading of a node after the run */
    const char *power_scope;          /* of node_power_w: "node", "node_ac" or "node_dc" */
    const char *round;
};

/* A row of the profile CSV (docs/reference/profiles.md). Texts in its arena or NULL; NAN:
   unknown. */
struct profile_row {
    const char *model, *precision, *gpu;
    uint32_t gpus; /* 0: unknown */
    double batch;  /* the same */
    double power_limit_w, throughput_samples_s, power_w_per_gpu;
    bool is_derived; /* its evidence is "derived", else "measured", as far as it has figures */
    const char *source;
    struct profile_run run;
    struct profile_serving serving;
};

/* Zero-initialise; release with profile_finish. */
struct profile {
    struct arena arena;
    struct figure *figures; /* NULL until a reader has made some; in the arena */
    ARRAY_OF(struct profile_row) rows;
    struct problems notes; /* for the user, not errors */
    bool damaged;          /* some input ended early or had unreadable stretches: the rest counts */
};

struct profile_reader {
    const char *name, *summary;
    /* All files of one command. 0, or negative with every problem listed. NULL: as of `records`. */
    int (*read)(char *const *paths, size_t count, const struct profile_options *options,
                struct profile *profile, struct problems *problems);
    unsigned uses; /* of enum profile_use: any other option given is refused */
    const struct records_format
        *records; /* of a CSV file of results (records/records.h), or NULL */
};

/* Adds a row that has what the options say. */
struct profile_row *profile_add_row(struct profile *profile, const struct profile_options *options);
/* Checks columns of the CSV: without GPU type a problem, other empty ones are notes. */
int profile_check_columns(struct profile *profile, struct problems *problems) MUST_CHECK;
void profile_write_csv(const struct profile *profile, struct str *out);
void profile_finish(struct profile *profile);

#endif
