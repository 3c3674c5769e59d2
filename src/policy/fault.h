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

#endif
