/* Loading of a whole scenario, with all that it refers to, from its file. */
#ifndef EASIM_STUDY_STUDY_LOAD_H
#define EASIM_STUDY_STUDY_LOAD_H

#include "study/study.h"

/* Loads path with overrides; readers are the foreign trace formats. All problems of all parts are
   added; negative if there were any. study_finish in any case. */
int study_load(struct study *study, const char *path, const struct scenario_overrides *overrides,
               const struct trace_reader *const *readers, struct problems *problems) MUST_CHECK;
/* Likewise in a process that may be lost: module_open_apart. */
int study_load_apart(struct study *study, const char *path,
                     const struct scenario_overrides *overrides,
                     const struct trace_reader *const *readers,
                     struct problems *problems) MUST_CHECK;
/* Only the scenario, its policy and its parameters: whether `foreign` is set. Readings that fail
   are problems. study_finish in any case. */
int study_load_policy(struct study *study, bool apart, const char *path,
                      const struct scenario_overrides *overrides,
                      struct problems *problems) MUST_CHECK;
/* Only as far as it takes to know which files the scenario names: no policy is opened and no log is
   read. The study cannot be run; study_finish in any case. Problems keep files from being found, no
   more. */
void study_load_files(struct study *study, const char *path,
                      const struct scenario_overrides *overrides, struct problems *problems);

#endif
