/* Loading of validations: from a file (validate_load), or one of easim's own (validate_find). */
#ifndef EASIM_EXPERIMENT_VALIDATE_LOAD_H
#define EASIM_EXPERIMENT_VALIDATE_LOAD_H

#include "base/arena.h"
#include "base/error.h"
#include "experiment/validate/case.h"

/* Reads the file, finds its data and reads them: negative after adding problems. Data are not read
   if one of the files is missing. validate_case_finish in any case. */
int validate_case_load(struct validate_case *validation, const char *path,
                       struct problems *problems) MUST_CHECK;
/* For a log of own jobs: each figure that it allows, to within the tolerance (NAN: no verdict). */
int validate_case_of_log(struct validate_case *validation, const char *log, const char *scenario,
                         double tolerance, struct problems *problems) MUST_CHECK;

/* --- validate_find --- */

/* The files *.yaml of the first folder that exists of: $EASIM_VALIDATION, `validation` next to the
   program and above it, the place of an installation. In alphabetical order, NULL-terminated, in
   the arena. ERROR_INPUT: there are none. */
int validate_find(struct arena *arena, const char *const **ret_files,
                  struct error *reterr) MUST_CHECK;

extern const struct field validate_fields[]; /* of a file */
#endif
