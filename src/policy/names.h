/* Names of policies that a scenario gives parameters without running them. */
#ifndef EASIM_POLICY_NAMES_H
#define EASIM_POLICY_NAMES_H

#include "base/error.h"

#include <stddef.h>

/* Whether a policy of that name is among those that a command loads (names or paths, as module_open takes them) or
   is found where policies are sought. Modules are opened only if no file has the name. If not: an error that
   suggests another. */
int policy_name_check(const char *name, const char *const *loaded, size_t loaded_count,
                      struct error *reterr) MUST_CHECK;

#endif
