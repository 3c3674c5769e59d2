/* Files and folders as such, whatever is in them. */
#ifndef EASIM_IO_FILES_H
#define EASIM_IO_FILES_H

#include "base/error.h"

/* Hash of the bytes of a regular file; 0 if there is none at path or it cannot be read. */
uint64_t files_hash(const char *path);
/* Makes a folder and its parents; one that exists is fine. */
int files_make_folders(const char *path, struct error *reterr) MUST_CHECK;

#endif
