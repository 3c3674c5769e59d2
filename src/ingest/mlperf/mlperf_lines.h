/* The records of MLPerf files: lines with ":::MLLOG {json}", whatever text stands before it. */
#ifndef EASIM_INGEST_MLPERF_MLPERF_LINES_H
#define EASIM_INGEST_MLPERF_MLPERF_LINES_H

#include "ingest/profile.h"
#include "io/lines.h"

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
/* 1: the next record, valid until the next call; 0: end; negative: the file cannot be read on.
   Records that are no JSON are counted and passed over. */
int mlperf_lines_next(struct mlperf_lines *lines, struct mlperf_record *record,
                      struct error *reterr) MUST_CHECK;
/* Says what was passed over or cut off (error: of mlperf_lines_next, or none): a remark on a
   damaged input, or a problem under strict. Closes. */
void mlperf_lines_close(struct mlperf_lines *lines, const struct error *error,
                        const struct profile_options *options, struct profile *profile,
                        struct problems *problems);

/* Where a part of the record's line stands. */
struct location mlperf_place(const struct mlperf_record *record, struct slice part);
/* A number in (0, most] as value of the record, or NAN with a problem. */
double mlperf_number(const struct mlperf_record *record, struct slice value, const char *name,
                     double most, struct problems *problems);

#endif
