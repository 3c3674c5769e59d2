/* The files of a folder of results that are made as a whole at the end. */
#ifndef EASIM_OUTPUT_TEXT_FILES_H
#define EASIM_OUTPUT_TEXT_FILES_H

#include "base/error.h"
#include "base/str.h"

struct text_file {
    const char *name;
    struct str text; /* empty: no file, and one of earlier results is removed */
};

/* Writes each whole, the last one last, into a folder that is made with its parents. Frees the
 * texts in any case.
 */
int text_files_write(const char *folder, struct text_file *files, size_t count,
                     struct error *reterr) MUST_CHECK;

#endif
