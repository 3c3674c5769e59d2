/* Files and folders as such, whatever is in them. */
#ifndef EASIM_IO_FILES_H
#define EASIM_IO_FILES_H

#include "base/arena.h"
#include "base/error.h"
#include "base/str.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

/* The part behind the last slash; without one, all of it. */
const char *files_name(const char *path);
/* stat: false if there is nothing at path. A fault of the machine ends the process (machine.h): it
   must not look like a file that is missing. */
bool files_stat(const char *path, struct stat *ret_status);
bool files_exist(const char *path);
/* The whole path, without links, in the arena; NULL if there is nothing there. If that cannot be
   told, the process ends. */
const char *files_real(const char *path, struct arena *arena);
/* How path is called from inside of folder ("../../configs/tiny.yaml"), whatever links lead to the
   two; both exist, or else path comes back as it is. In the arena. */
const char *files_relative(const char *path, const char *folder, struct arena *arena);
/* open for reading, with more flags: negative if errno tells of the file, for a fault of the
   machine ends the process. */
int files_open(const char *path, int flags) MUST_CHECK;
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
/* opendir, which never fails by the machine. */
DIR *files_open_folder(const char *path);
/* Makes a folder and its parents; one that exists is fine. */
int files_make_folders(const char *path, struct error *reterr) MUST_CHECK;
/* Bytes of the longest beginning of the path that exists: what is there before folders are made. */
size_t files_existing(const char *path);
/* Takes back what files_make_folders has made: the folder and its parents down to those bytes, as
   long as they are empty. */
void files_remove_empty(const char *path, size_t existing);

/* --- file_stamp --- */
/* Where a file is, its length and its last change tell that it was not touched. */

struct file_stamp {
    uint64_t device, inode, bytes;
    int64_t modified_ns, changed_ns;
    bool is_file; /* a regular one; else the rest is 0 */
    bool settled; /* it was last changed so long before the look that another change would show:
                     clocks of file systems tick every few milliseconds, and may be others' */
};

void file_stamp_take(const char *path, struct file_stamp *ret_stamp);
/* Whether it is the same file, unchanged; whether the stamps are settled does not count. */
bool file_stamp_same(const struct file_stamp *one, const struct file_stamp *other);

/* --- own_folders --- */
/* Parts of easim that are files: beside the program where it was built or installed. */

struct own_folders {
    const char *name;      /* of a build: beside the program, then in the folder above */
    const char *relative;  /* of an installation or its copy: from the folder of the program */
    const char *installed; /* as configured, for a program that was copied alone */
};

/* Gives the folders, which need not exist, to visit until it returns true; whether it did. */
bool own_folders_each(const struct own_folders *folders,
                      bool (*visit)(const char *folder, void *context), void *context);

#endif
