/* Signals of policies that crash: which it was, and whether the policy's own code raised it. */
#ifndef EASIM_POLICY_FAULT_H
#define EASIM_POLICY_FAULT_H

#include "policy/module.h"

#include <limits.h>

#define FAULT_NAME_BYTES (2 * (PATH_MAX + 512)) /* two paths, and names of any sensible length */
#define FAULT_BYTES      (FAULT_NAME_BYTES + 256)

/* "policy NAME (PATH)", of a mixture both; where there is no room it ends in "...". */
void fault_name(const struct policy_module *module, char name[static FAULT_NAME_BYTES]);

/* From now on a SIGSEGV, SIGBUS, SIGFPE or SIGILL puts a sentence into `words`, which must live as
   long as the process, and then takes its usual course. A second call replaces the first; not in
   sanitizer builds, whose own handler tells more. */
void fault_watch(const struct policy_module *module, char words[static FAULT_BYTES]);

/* --- names: policies that a scenario gives parameters without running them --- */

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
