/* manifest.json: the origin of a folder of results, enough to make it again. With it go
   scenario.yaml, the request, and models.yaml, its models after model_overrides. It has no time,
   host or absolute path, and files are named from the folder itself, so equal runs have equal
   manifests. */
#ifndef EASIM_OUTPUT_MANIFEST_H
#define EASIM_OUTPUT_MANIFEST_H

#include "output/json.h"
#include "study/inputs.h"
#include "study/recorded.h"

/* The origin of a result: the command, and its inputs. */
struct manifest_origin {
    const char *command; /* "run" */
    /* its words, except those that scenario.yaml holds or that change no file; NULL-terminated */
    const char *const *options;
    const struct scenario *scenario; /* goes into scenario.yaml; NULL: there are several, which runs
                                        in folders of their own have */
    const struct model_tree *models; /* into models.yaml, if it has any; NULL: they differ */
    const struct inputs *inputs;     /* hashed before it ran */
    const char *policy;              /* the only one that runs; NULL: there are others */
};

/* A list of files, as they are called from inside of the folder; paths is NULL-terminated. */
void manifest_add_paths(cJSON *root, const char *key, const char *const *paths, const char *folder);
/* The head of every manifest; folder: of the results, which exists. */
cJSON *manifest_begin(const struct manifest_origin *origin, const char *name, const char *folder);
/* Adds the hash of the scenario, which a policy and its parameters change, a policy with its
   parameters or one of them, and the inputs: models, logs, series, warnings. */
void manifest_add_hash(cJSON *object, const struct study *study);
cJSON *manifest_add_policy(cJSON *object, const char *key, const struct study *study);
void manifest_add_param(cJSON *object, const struct policy_params *params, size_t index);
void manifest_add_inputs(cJSON *root, const struct study *study, const char *folder);

/* Takes away the manifest of an earlier command, before the first of the files that it lists is
   replaced. Until there is a new one, no command takes the folder for whole. */
int manifest_retire(const char *folder, struct error *reterr) MUST_CHECK;

/* Removes leftovers of killed processes: files of these names (NULL-terminated), the manifest and
   the files that go with it. */
void manifest_remove_leftovers(const char *folder, const char *const *names);

/* The end of every manifest. Writes scenario.yaml and models.yaml, adds the inputs and the files of
   the folder (NULL-terminated names; missing ones are left out) with their hashes, waits until all
   is on the disk, and writes manifest.json. Frees root. */
int manifest_write(cJSON *root, const struct manifest_origin *origin, const char *folder,
                   const char *const *files, struct error *reterr) MUST_CHECK;
/* The same of a part of other results, whose own manifest comes later and waits for the disk. */
int manifest_write_part(cJSON *root, const struct manifest_origin *origin, const char *folder,
                        const char *const *files, struct error *reterr) MUST_CHECK;

#endif
