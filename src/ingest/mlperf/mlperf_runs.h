/* Results of MLPerf Training, from a table or from logs, and what of them goes into a profile. */
#ifndef EASIM_INGEST_MLPERF_MLPERF_RUNS_H
#define EASIM_INGEST_MLPERF_MLPERF_RUNS_H

#include "ingest/profile.h"

/* One result: of a run, or the medians of its repetitions. Texts are in the profile's arena, or
 * NULL; NAN and 0: not known. */
struct mlperf_run {
    const char *benchmark, *gpu, *round, *system;
    uint32_t gpus, nodes, grad_accum, runs;
    double global_batch;
    double throughput; /* samples/s as logged */
    double run_s;
    double samples_to_target; /* as logged: of some benchmarks in epochs */
    double node_power_w;      /* mean of a node between start and stop */
    double node_floor_w;      /* lowest reading of a node after the stop */
    const char *power_scope;
    struct location where;
};

/* Zero-initialise; release with mlperf_runs_finish. */
struct mlperf_runs {
    ARRAY_OF(struct mlperf_run) at;
};

/* Whether the benchmark's samples_to_target counts epochs, which do not give samples. */
bool mlperf_is_in_epochs(const char *benchmark);

/* Profile rows of the runs, notes on all that is left out, changed or repeated, and figures.
   docs/reference/profiles.md has the rules: the throughput and samples that count, refusals, and
   repetitions. */
void mlperf_runs_report(const struct mlperf_runs *runs, const struct profile_options *options,
                        struct profile *profile);
void mlperf_runs_finish(struct mlperf_runs *runs);

#endif
