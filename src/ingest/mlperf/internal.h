/* Declarations shared by the files of src/ingest/mlperf, for this folder alone. */
#ifndef EASIM_INGEST_MLPERF_INTERNAL_H
#define EASIM_INGEST_MLPERF_INTERNAL_H

#include "base/arena.h"
#include "base/array.h"
#include "ingest/mlperf/mlperf_runs.h"
#include "ingest/profile.h"
#include "io/lines.h"

#include <stdbool.h>

/* --- mlperf_power: the power meters of an MLPerf run: a folder with a file for each node --- */

/* Request to the meters and their answer. */
struct mlperf_power {
    double start_ms, stop_ms; /* of the run */
    uint32_t nodes;           /* of the run; 0: not known */
    double mean_w;  /* of a node, over the time from the first reading in the run to the last, mean
                       over  the files; NAN: nothing metered */
    double floor_w; /* lowest reading of any node after the run; NAN: none */
};

/* Reads folder/node_*.txt. Files of switches, repeated ones and those without a reading during the
   run are noted. Bad readings, and more files than nodes, are problems. */
void mlperf_power_read(const char *folder, const struct profile_options *options,
                       struct mlperf_power *power, struct profile *profile,
                       struct problems *problems);

/* --- mlperf_files: the files of a folder, by name --- */

struct mlperf_file {
    const char *path, *name;
    bool is_folder;
};

struct mlperf_files {
    struct mlperf_file *at; /* the caller frees it; the texts are in the arena */
    size_t count, capacity;
};

bool mlperf_is_folder(const char *path);
/* All except hidden ones; none if there is no such folder. */
void mlperf_files_list(const char *folder, struct arena *arena, struct mlperf_files *files);

/* --- mlperf_log: result files of MLPerf runs: what one run logged --- */

/* A run that was read, and between which times. */
struct mlperf_log {
    struct mlperf_run run; /* without power */
    double start_ms, stop_ms;
    bool is_left_out; /* the run did not end well, which was noted */
};

/* Reads the file at path. GPUs of options go before the file's. Negative with every problem. */
int mlperf_log_read(const char *path, const struct profile_options *options, struct mlperf_log *log,
                    struct profile *profile, struct problems *problems) MUST_CHECK;

/* --- mlperf_lines: lines with ":::MLLOG {json}", whatever text is before it --- */

struct mlperf_lines {
    struct lines *lines;
    const char *path; /* borrowed */
    uint64_t records, broken;
    uint32_t first_broken; /* its line */
};

struct mlperf_record {
    struct slice line;
    struct location where; /* of the line */
    bool is_system; /* ":::SYSJSON": `metadata` describes the machine; else all of it is set */
    struct slice key, value, metadata;
    double time_ms; /* since 1970; NAN: none */
};

int mlperf_lines_open(struct mlperf_lines *lines, const char *path,
                      struct error *reterr) MUST_CHECK;
/* 1: the next record, valid until the next call, 0: end, negative: the file cannot be read on.
   Records that are no JSON are counted and skipped. */
int mlperf_lines_next(struct mlperf_lines *lines, struct mlperf_record *record,
                      struct error *reterr) MUST_CHECK;
/* Says what was passed over or cut off (error: of mlperf_lines_next, or none): a remark on a
   damaged input, or a problem under strict. Closes. */
void mlperf_lines_close(struct mlperf_lines *lines, const struct error *error,
                        const struct profile_options *options, struct profile *profile,
                        struct problems *problems);

/* A number in (0, most] as value of the record, or NAN with a problem. */
double mlperf_number(const struct mlperf_record *record, struct slice value, const char *name,
                     double most, struct problems *problems);

/* --- mlperf_table: tables of MLPerf results, one row a system and benchmark --- */

/* Adds the rows of the CSV at path, whose texts go to the profile's arena. Negative with every
   problem, by line and column. */
int mlperf_table_read(const char *path, struct profile *profile, struct mlperf_runs *runs,
                      struct problems *problems) MUST_CHECK;

#endif
