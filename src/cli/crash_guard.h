/* A policy that crashes ends easim with a message and exit status 1, not with a bare signal. */
#ifndef EASIM_CLI_CRASH_GUARD_H
#define EASIM_CLI_CRASH_GUARD_H

#include "policy/module.h"

/* From now on a signal raised by an instruction of the module is reported as the policy's and ends the process with
   EXIT_RUN_FAILED. One raised elsewhere is reported as such and then takes its usual course: see fault_watch. */
void crash_guard_install(const struct policy_module *module);

#endif
