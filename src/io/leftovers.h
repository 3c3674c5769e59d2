/* What a killed process has left: files and folders named NAME.tmp-XXXXXX, in which results are
   made before they get their names. Whoever makes one holds a lock on it (flock) until it has its
   name; the lock goes with the process, so what nobody holds is a leftover. Where a file system has
   no locks nothing counts as one. */
#ifndef EASIM_IO_LEFTOVERS_H
#define EASIM_IO_LEFTOVERS_H

#include "base/error.h"

/* Locks a file that was just made. False: somebody has taken it for a leftover already. */
bool leftovers_claim(int fd) MUST_CHECK;
/* Makes a folder of a name that ends in .tmp-XXXXXX, and locks it until *ret_fd is closed. */
int leftovers_make_folder(char *pattern, int *ret_fd, struct error *reterr) MUST_CHECK;

/* Removes what is left of files and folders of those names (NULL: any name); NULL-terminated. */
void leftovers_remove(const char *folder, const char *const *names);

/* 1: nothing but leftovers is in the folder, and folders with nothing else, so many deep; or it
   does not exist. 0: there is something. Negative: it cannot be opened. */
int leftovers_only(const char *folder, int depth, struct error *reterr) MUST_CHECK;
/* Removes all that is in such a folder. */
void leftovers_clear(const char *folder, int depth);

#endif
