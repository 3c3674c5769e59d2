/* Rows of the ML.ENERGY Benchmark, and which of them become rows of a profile. */
#ifndef EASIM_INGEST_RECORDS_MLENERGY_ROWS_H
#define EASIM_INGEST_RECORDS_MLENERGY_ROWS_H

#include "ingest/records/records.h"

/* One measurement; texts live as long as the profile. */
struct mlenergy_row {
    const char *model, *task, *precision, *gpu; /* precision may be NULL */
    const char *layout; /* how the GPUs share the work, in words; "": one way */
    const char *path;
    uint32_t line, gpus;
    bool is_serving;
    double batch;   /* generation: outputs at once; serving: most requests at once */
    double running; /* serving: mean of the requests at once */
    double per_s, power_w;
    double itl_ms[PROFILE_QUANTILES]; /* serving */
};

struct mlenergy_rows {
    struct mlenergy_row *at;
    size_t count;
};

/* Names the models, drops layouts that are not the fastest (with a note of how many) and adds the
   others to the profile, ordered by name, GPU type, GPUs and batch. Sorts rows. */
void mlenergy_rows_add(struct records_job *job, struct mlenergy_rows rows);

#endif
