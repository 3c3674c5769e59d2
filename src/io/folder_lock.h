/* A folder that one command at a time writes results into. The lock (flock) goes with the process;
   children that keep no descriptors have no part in it. Where a file system has no locks there is
   none. */
#ifndef EASIM_IO_FOLDER_LOCK_H
#define EASIM_IO_FOLDER_LOCK_H

#include "base/error.h"

struct folder_lock; /* opaque */

/* Makes the folder and its parents, and locks it. ERROR_IO: it cannot be made, or another command
   has it, also after so many seconds. */
int folder_lock_take(const char *path, unsigned wait_s, struct folder_lock **ret_lock,
                     struct error *reterr) MUST_CHECK;
/* Gives it back; of what was made, folders with nothing in them go. Accepts NULL. */
void folder_lock_release(struct folder_lock *lock);

#endif
