/* The worlds of a comparison: drawn before anything is run, run after the central physics. */
#ifndef EASIM_CLI_COMPARE_WORLDS_H
#define EASIM_CLI_COMPARE_WORLDS_H

#include "cli/compare_args.h"
#include "experiment/worlds/run.h"
#include "experiment/worlds/variance_shares.h"
#include "output/notes.h"

/* Zero-initialise; release with compare_worlds_finish. */
struct compare_worlds {
    struct worlds worlds; /* count 0: the scenario has none that differ */
    struct world_results results;
    struct world_outcome outcome;
    struct doubt doubt;
    bool run; /* results and doubt are there */
    const char **names, **policies;
};

/* Draws those of the scenario, if it has any. Negative after adding problems. */
int compare_worlds_draw(struct compare_worlds *w, const struct compare_args *args,
                        const struct contenders *clean, struct problems *problems) MUST_CHECK;
/* Runs the policies of a finished comparison in all of them. Returns an exit code, after saying
   what went wrong. places: of the policies among those of the args. */
int compare_worlds_run(struct compare_worlds *w, const struct compare_args *args,
                       const struct comparison *comparison, const size_t *places);
/* What is to be known of the draws and runs. */
void compare_worlds_add_notes(const struct compare_worlds *w, const struct study *study,
                              struct notes *notes);
void compare_worlds_finish(struct compare_worlds *w);

#endif
