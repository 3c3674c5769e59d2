/* The folder of one run: files are written as replications finish, and appear when complete. */
#ifndef EASIM_OUTPUT_RUN_RUN_DIR_H
#define EASIM_OUTPUT_RUN_RUN_DIR_H

#include "output/bound.h"
#include "output/run/run_tables.h"
#include "study/replicate.h"

struct run_dir; /* opaque */

struct run_dir_options {
    const char *path;
    bool force;               /* a folder that is not empty is used all the same */
    bool summary_only;        /* no jobs, users, types, power */
    bool decisions;           /* decisions.csv too */
    bool record;              /* segments, gpus, workload, recorded and series too: needs `record`
                                 of the replications */
    bool meter;               /* meter.csv too: needs meter_step_ns of the replications */
    const char *trace;        /* a name in the folder for traces (run_trace.h); NULL: none */
    const char *const *words; /* of the command, for the manifest; NULL-terminated */
    const char *within;       /* the folder of the comparison that it is a part of; NULL: of none */
    struct record_files *record_into; /* NULL: what is recorded goes into the folder itself */
};

/* Whether a run writes a file of that name of its own. */
bool run_dir_names(const char *name);
/* 1 if the folder is empty or does not exist, 0 if it has files, negative on errors. Leftovers of
   killed processes, and folders with nothing else, do not count. */
int run_dir_is_empty(const char *path, struct error *reterr) MUST_CHECK;
/* Removes these from such a folder, locked because another command might just have made them. */
void run_dir_clear(const char *path);
/* The folder exists and is locked by the command (io/leftovers.h), or it is a part of another and
   is made and locked here. ERROR_INPUT if it is not empty and force is not given. */
int run_dir_open(const struct run_dir_options *options, const struct study *study,
                 struct run_dir **ret_dir, struct error *reterr) MUST_CHECK;
/* The functions for replicate_run; rows go to the files. */
struct replicate_sink run_dir_sink(struct run_dir *dir);
/* bounds.csv is to be written, too; borrowed until the commit. */
void run_dir_add_bounds(struct run_dir *dir, const struct bound_output *bounds);
/* Writes aggregate.csv, scenario.yaml and manifest.json and puts all files in place. Frees dir in
 * any case. */
int run_dir_commit(struct run_dir *dir, const struct replicate_result *result, bool partial,
                   struct error *reterr) MUST_CHECK;
/* Removes all except folders that were there. Accepts NULL. */
void run_dir_abort(struct run_dir *dir);

#endif
