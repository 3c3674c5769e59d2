/* Policies that a scenario gives parameters without running them. */
#ifndef EASIM_POLICY_NAMES_H
#define EASIM_POLICY_NAMES_H

#include "policy/module.h"

/* Opens the policy of that name: one of those that a command loads (names or paths, as module_open
   takes them), or one that is found where policies are sought. apart: as module_open_apart. Others
   are opened on the way only if no file has the name. Where a file has it, but does not load, or
   its policy has another name, the module is left zeroed. If there is neither: an error that
   suggests another name. Release with module_close. */
int policy_name_open(const char *name, bool apart, const char *const *loaded, size_t loaded_count,
                     struct policy_module *module, struct error *reterr) MUST_CHECK;

/* All policies that module_open finds by a bare name and that load, sorted by it: what each is,
   declares (capabilities, reads, keeps) and takes. `policy` lives until visit returns. */
void policy_names_each(void (*visit)(const char *name, const struct easim_policy *policy,
                                     void *context),
                       void *context);

#endif
