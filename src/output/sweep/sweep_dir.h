/* The folder of a sweep: results of points in runs/ (run_store.h), and what is joined of them. */
#ifndef EASIM_OUTPUT_SWEEP_SWEEP_DIR_H
#define EASIM_OUTPUT_SWEEP_SWEEP_DIR_H

#include "experiment/sweep/findings.h"
#include "experiment/sweep/run.h"
#include "experiment/sweep/sweep.h"
#include "output/manifest.h"
#include "output/notes.h"
#include "output/sweep/run_store.h"

struct sweep_dir {
    const char *path, *runs; /* runs: PATH/runs */
    const struct sweep *sweep;
    const struct claims *claims;
    struct run_store store; /* as of the last look */
    struct run_writer writer;
};

/* Makes the folder and its runs/. ERROR_INPUT if it holds other files than those of a sweep. */
int sweep_dir_open(const struct sweep_dir *dir, struct error *reterr) MUST_CHECK;
/* Removes what is kept of points in runs/, of other sweeps too. ERROR_IO if it cannot. */
int sweep_dir_clear(const struct sweep_dir *dir, struct error *reterr) MUST_CHECK;
/* Reads which results there are; before state, list and merge are asked. */
int sweep_dir_look(struct sweep_dir *dir, struct error *reterr) MUST_CHECK;
/* Gives the memory back, before processes are forked that would have it too; what is written from
   now on comes after what was seen. */
void sweep_dir_forget(struct sweep_dir *dir);
void sweep_dir_finish(struct sweep_dir *dir);
/* Results of another content of the scenario's files, or of another version of easim, are missing
 * ones. */
enum sweep_state sweep_dir_state(const struct sweep_dir *dir, size_t point);
/* The functions for sweep_run. */
struct sweep_sink sweep_dir_sink(struct sweep_dir *dir);
/* A CSV row per point: run_id, the axes, state. With the header. */
void sweep_dir_list(const struct sweep_dir *dir, const size_t *points, size_t count,
                    struct str *out);

struct sweep_counts {
    size_t done, failed, missing; /* points */
};

/* Writes sweep.csv and failures.csv (if there are any). Finished points go to the figures, too, and
   their notes to the notes. The list of warnings gets an object for each point that has some. */
int sweep_dir_merge(const struct sweep_dir *dir, struct figures *figures,
                    struct sweep_counts *ret_counts, struct notes *notes, cJSON *warnings,
                    struct error *reterr) MUST_CHECK;
/* Numbers of points by state, with the findings and those warnings, as one JSON object. */
void sweep_dir_json(const struct sweep_dir *dir, const struct sweep_counts *counts,
                    const struct findings *findings, const cJSON *warnings, struct str *out);
/* Writes claims.csv, claim-readings.csv, targets.csv and target-readings.csv, as far as there are
   claims and targets; removes those of which there are none any more. */
int sweep_dir_write_findings(const struct sweep_dir *dir, const struct findings *findings,
                             struct error *reterr) MUST_CHECK;
/* Last of all: scenario.yaml and manifest.json, with the warnings of the notes. */
int sweep_dir_write_manifest(const struct sweep_dir *dir, const struct manifest_origin *origin,
                             const struct sweep_counts *counts, const struct notes *notes,
                             struct error *reterr) MUST_CHECK;

#endif
