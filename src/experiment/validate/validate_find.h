/* The validations that come with easim. */
#ifndef EASIM_EXPERIMENT_VALIDATE_VALIDATE_FIND_H
#define EASIM_EXPERIMENT_VALIDATE_VALIDATE_FIND_H

#include "base/arena.h"
#include "base/error.h"

/* The files *.yaml of the first folder that exists of: $EASIM_VALIDATION, `validation` beside the
   program and above it, where they are installed. In alphabetical order, NULL-terminated, in the
   arena. ERROR_INPUT: there are none. */
int validate_find(struct arena *arena, const char *const **ret_files,
                  struct error *reterr) MUST_CHECK;

#endif
