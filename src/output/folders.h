/* Folders of results, each file written whole: text_files, and what each command puts into its
   folder. */
#ifndef EASIM_OUTPUT_FOLDERS_H
#define EASIM_OUTPUT_FOLDERS_H

#include "base/error.h"
#include "base/str.h"
#include "experiment/worlds/run.h"
#include "model/survey.h"
#include "output/ablate.h"
#include "output/assumptions.h"
#include "output/bound.h"
#include "output/compare/compare_tables.h"
#include "output/manifest.h"
#include "output/notes.h"
#include "output/regret/regret_tables.h"
#include "output/run/run_tables.h"
#include "output/tune.h"
#include "output/validate.h"

struct text_file {
    const char *name;
    struct str text; /* empty: no file, and one of earlier results is removed */
};

/* Writes each whole, the last one last, into a folder that is made with its parents. Frees the
 * texts in any case.
 */
int text_files_write(const char *folder, struct text_file *files, size_t count,
                     struct error *reterr) MUST_CHECK;
/* The same, and then the manifest that lists them; the folder is there. Frees root, too. */
int results_write(cJSON *root, const struct manifest_origin *origin, const char *folder,
                  struct text_file *files, size_t count, struct error *reterr) MUST_CHECK;

/* --- ablate_dir --- */

/* ablate.csv, cells.csv, runs.csv, scenario.yaml and manifest.json. */
int ablate_dir_write(const char *folder, const struct ablate_output *output,
                     struct error *reterr) MUST_CHECK;

/* --- bound_dir: `bound`: bounds.csv and manifest.json --- */

int bound_dir_write(const char *folder, const struct bound_output *output,
                    const struct manifest_origin *origin, struct error *reterr) MUST_CHECK;

/* --- compare_dir: a comparison, in one folder with those of the policies --- */

struct compare_dir_state {
    bool partial;
    const char *const *failed;  /* policies, NULL-terminated */
    const char *const *missing; /* policies that were not compared because of an interruption */
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

/* --- models_dir: models.csv, measured.csv if there are points, scenario.yaml, manifest.json --- */

struct models_output {
    const struct survey *survey;
    const struct study *study; /* of a model file: with models and the document alone */
    const struct manifest_origin *origin;
};

int models_dir_write(const char *folder, const struct models_output *output,
                     struct error *reterr) MUST_CHECK;

/* --- tune_dir --- */

/* trials.csv, tuned.yaml, check.csv, constraints.csv, runs.csv, scenario.yaml and manifest.json. */
int tune_dir_write(const char *folder, const struct tune_output *output,
                   struct error *reterr) MUST_CHECK;

/* --- regret_dir: `regret`: regret.csv, of hindsight hindsight.csv, and manifest.json --- */

/* partial: the command was interrupted. */
int regret_dir_write(const char *folder, const struct regret_output *output,
                     const struct manifest_origin *origin, bool partial,
                     struct error *reterr) MUST_CHECK;

/* --- validate_dir --- */
/* validation.csv, validation_jobs.csv, manifest.json, and the folders of runs. */

struct validate_dir_state {
    const struct manifest_origin *origin; /* without a scenario */
    const char *const *files;             /* of the validations; NULL-terminated */
    const char *const *folders;           /* of runs that have results; NULL-terminated */
    const char *data_folder;              /* $EASIM_DATA, or NULL */
    bool partial;
};

int validate_dir_write(const char *folder, const struct validate_output *output,
                       const struct validate_dir_state *state, struct error *reterr) MUST_CHECK;

#endif
