/* The files of a comparison, beside the folders of the policies. */
#ifndef EASIM_OUTPUT_COMPARE_COMPARE_DIR_H
#define EASIM_OUTPUT_COMPARE_COMPARE_DIR_H

#include "experiment/worlds/run.h"
#include "output/assumptions.h"
#include "output/compare/compare_tables.h"
#include "output/manifest.h"
#include "output/notes.h"
#include "output/run/record_files.h"

struct compare_dir_state {
    bool partial;
    const char *const *failed;  /* policies, NULL-terminated */
    const char *const *missing; /* likewise: those not compared since an interruption came first */
    const struct compare_goal *goal; /* NULL: a fixed number of replications */
    const char *const *folders; /* of the policies that have results, with manifests of their own */
    const struct manifest_origin *origin;
    const struct notes *notes; /* whose warnings go to the manifest */
    const struct assumptions *assumptions;
    const struct world_outcome *outcome; /* of the worlds of the output */
    struct record_files *record;         /* of all policies; without parts: not recorded */
};

/* compare.csv, pareto.csv, stationarity.csv, perturb.csv if something was perturbed,
 * worlds.csv, what was recorded, differences.csv and budget.csv of many worlds, scenario.yaml and
 * manifest.json. */
int compare_dir_write(const char *folder, const struct compare_output *output,
                      const struct compare_dir_state *state, struct error *reterr) MUST_CHECK;

#endif
