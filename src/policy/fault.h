/* Signals of policies that crash: which it was, and whether the policy's own code raised it. */
#ifndef EASIM_POLICY_FAULT_H
#define EASIM_POLICY_FAULT_H

#include "policy/module.h"

#define FAULT_NAME_BYTES 600
#define FAULT_BYTES      800

/* "policy NAME (PATH)", cut where there is no room. */
void fault_name(const struct policy_module *module, char name[static FAULT_NAME_BYTES]);

/* From now on a SIGSEGV, SIGBUS, SIGFPE or SIGILL puts a sentence into `words`, which must live as long as the
   process, calls `tell` (unless NULL) within the signal handler and then takes its usual course. own: an
   instruction of the module raised it. A second call replaces the first; not in sanitizer builds, whose own handler
   tells more. */
void fault_watch(const struct policy_module *module, char words[static FAULT_BYTES], void (*tell)(bool own));

#endif
