/* Sweeps beyond one machine: the work is cut into tasks, each of which runs one shard of the
 * points. */
#ifndef EASIM_CLI_SWEEP_ENGINES_H
#define EASIM_CLI_SWEEP_ENGINES_H

#include "base/error.h"

#include <stdbool.h>

struct sweep_tasks {
    const char *file, *folder; /* of the sweep, as given; of the results */
    unsigned count;            /* tasks 1..count */
    const bool *wanted;        /* by number - 1: tasks with something to do */
    const char *sbatch;        /* more options for sbatch, or NULL */
    const char *run_timeout;   /* passed on; or NULL */
    bool retry_failed;         /* likewise */
};

/* Prints one line of shell that runs the tasks with GNU parallel and then joins. */
int sweep_engine_parallel(const struct sweep_tasks *tasks, struct error *reterr) MUST_CHECK;
/* Writes FOLDER/slurm/array.sh and merge.sh, and submits them; the numbers of the jobs go to
 * standard output. */
int sweep_engine_slurm(const struct sweep_tasks *tasks, struct error *reterr) MUST_CHECK;

#endif
