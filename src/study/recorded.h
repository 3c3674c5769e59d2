/* A manifest.json read back: what it takes to repeat the command that wrote it. */
#ifndef EASIM_STUDY_RECORDED_H
#define EASIM_STUDY_RECORDED_H

#include "base/arena.h"
#include "base/error.h"

#define MANIFEST_NAME "manifest.json"
#define SCENARIO_NAME "scenario.yaml"
#define MODELS_NAME   "models.yaml"

/* A file that was read, or that was written. */
struct recorded_file {
    const char *name;   /* as the manifest has it: from its folder */
    const char *path;   /* from here */
    const char *sha256; /* NULL: none was taken */
    const char *key;    /* of an input: what in the scenario names it */
    const char *policy; /* the name by which a policy was sought; else NULL */
    bool in_scenario;   /* scenario.yaml holds what is in it */
};

/* Zero-initialise; release with recorded_finish. Lists end with an entry whose name is NULL, or
 * with NULL. */
struct recorded {
    const char *folder; /* of the manifest, absolute */
    const char *command, *version, *commit;
    const char *const *operands; /* the first of them, or the files that it stands for: a sweep,
                                    validations, scenario.yaml */
    const char *working_folder;  /* to be in; NULL: any */
    const char *data_folder;     /* EASIM_DATA as it was; NULL: none, or of no use */
    bool partial;
    const char *const *options,
        *const *folders;           /* words of the command; folders with manifests of their own */
    struct recorded_file scenario; /* scenario.yaml itself; name NULL: the command reads none */
    struct recorded_file *inputs, *files;
    struct arena arena;
};

/* Whether the file looks like a manifest, whole or damaged: a JSON object called manifest.json, or
   one that names a version of easim. */
bool recorded_is_manifest(const char *path);
/* Negative if it is damaged, or no manifest that keeps its inputs. */
int recorded_load(struct recorded *recorded, const char *path, struct error *reterr) MUST_CHECK;
void recorded_finish(struct recorded *recorded);

/* --- recorded_check --- */
/* Whether a folder of results is whole and of one run: its manifest is written last, and names the
   size and the SHA-256 of every file. */

/* Whether the policy of a name that was an input is the one that its name finds here. */
bool recorded_policy_is_here(const struct recorded_file *policy);
/* ERROR_INPUT, which names the file, unless the folder and those that its manifest lists have
   manifests, and exactly the files that these list. */
int recorded_check(const char *folder, struct error *reterr) MUST_CHECK;

#endif
