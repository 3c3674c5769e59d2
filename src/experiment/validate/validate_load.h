/* Reading of validation files, and of logs that are validated without one. */
#ifndef EASIM_EXPERIMENT_VALIDATE_VALIDATE_LOAD_H
#define EASIM_EXPERIMENT_VALIDATE_VALIDATE_LOAD_H

#include "experiment/validate/validate_case.h"

/* Reads the file, looks for its data and reads those: negative after adding problems. What data
   would tell is not read where one of the files is missing. validate_case_finish in any case. */
int validate_case_load(struct validate_case *validation, const char *path,
                       struct problems *problems) MUST_CHECK;
/* That of a log of somebody's own jobs: each figure that it allows, to within the tolerance (NAN:
   no verdict). */
int validate_case_of_log(struct validate_case *validation, const char *log, const char *scenario,
                         double tolerance, struct problems *problems) MUST_CHECK;

#endif
