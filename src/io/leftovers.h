/* What a killed process has left: files and folders named NAME.tmp-XXXXXX, in which results are
   made. Their maker holds a lock (flock) until they have their names; the lock goes with the
   process, so what nobody locks is a leftover. On a file system without locks nothing counts as
   one. */
#ifndef EASIM_IO_LEFTOVERS_H
#define EASIM_IO_LEFTOVERS_H

#include "base/error.h"

/* Locks a file that was just made. False: somebody has taken it for a leftover already. */
bool leftovers_claim(int fd) MUST_CHECK;
/* Makes a folder of a name that ends in .tmp-XXXXXX, and locks it until *ret_fd is closed. */
int leftovers_make_folder(char *pattern, int *ret_fd, struct error *reterr) MUST_CHECK;

/* Removes a folder with the files in it: such folders hold no others. */
void leftovers_remove_folder(const char *path);
/* Removes what is left of files and folders of those names (NULL: any name); NULL-terminated. */
void leftovers_remove(const char *folder, const char *const *names);

/* 1: nothing but leftovers is in the folder, and folders with nothing else, so many deep; or it
   does not exist. 0: there is something. Negative: it cannot be opened. */
int leftovers_only(const char *folder, int depth, struct error *reterr) MUST_CHECK;
/* Removes all that is in such a folder. */
void leftovers_clear(const char *folder, int depth);

/* --- folder_lock --- */
/* A folder that one command at a time writes results into, by the same kind of lock; children that
   keep no descriptors have no part in it. On a file system without locks there is none. */

struct folder_lock; /* opaque */

/* Makes the folder and its parents, and locks it. ERROR_IO: it cannot be made, or another command
   has it, also after so many seconds. */
int folder_lock_take(const char *path, unsigned wait_s, struct folder_lock **ret_lock,
                     struct error *reterr) MUST_CHECK;
/* Gives it back; of what was made, folders with nothing in them go. Accepts NULL. */
void folder_lock_release(struct folder_lock *lock);

#endif
