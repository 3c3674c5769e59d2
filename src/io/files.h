/* Files and folders as such, whatever is in them. */
#ifndef EASIM_IO_FILES_H
#define EASIM_IO_FILES_H

#include "base/arena.h"
#include "base/error.h"
#include "base/str.h"

#include <dirent.h>

/* The part behind the last slash; without one, all of it. */
const char *files_name(const char *path);
/* How path is called from inside of folder ("../../configs/tiny.yaml"), whatever links lead to the
   two; both exist, or else path comes back as it is. In the arena. */
const char *files_relative(const char *path, const char *folder, struct arena *arena);
/* Appends what is in a regular file, at most so many bytes of it. ERROR_INPUT: it is none, or
   cannot be read. */
int files_read(const char *path, size_t most, struct str *out, struct error *reterr) MUST_CHECK;
/* Likewise of one that is open, from where it stands; path: for messages. */
int files_read_open(int fd, const char *path, size_t most, struct str *out,
                    struct error *reterr) MUST_CHECK;
/* Removes a file; that there is none is fine. */
int files_remove(const char *path, struct error *reterr) MUST_CHECK;
/* Waits until these files and folders, and nothing else, are on the disk. */
int files_sync(const char *const *paths, size_t count, struct error *reterr) MUST_CHECK;
/* opendir, which never fails for want of memory. */
DIR *files_open_folder(const char *path);
/* Makes a folder and its parents; one that exists is fine. */
int files_make_folders(const char *path, struct error *reterr) MUST_CHECK;
/* Bytes of the longest beginning of the path that exists: what is there before folders are made. */
size_t files_existing(const char *path);
/* Takes back what files_make_folders has made: the folder and its parents down to those bytes, as
   long as they are empty. */
void files_remove_empty(const char *path, size_t existing);

#endif
