/* The recorded rows of the policies of a comparison: each policy makes files of its own, which are
   put together, by policy, in the folder of the comparison. */
#ifndef EASIM_OUTPUT_RUN_RECORD_FILES_H
#define EASIM_OUTPUT_RUN_RECORD_FILES_H

#include "base/array.h"
#include "base/error.h"

#define RECORD_FILES 4
extern const char *const record_file_names[]; /* RECORD_FILES of them */

/* Of one policy, as far as they are written; not in place. */
struct record_part {
    struct atomic_file *files[RECORD_FILES];
    uint32_t replications;
};

/* Zero-initialise; release with record_files_finish. */
struct record_files {
    ARRAY_OF(struct record_part) parts;
    int64_t end_ns; /* the longest run */
};

/* The files are owned here from then on. */
void record_files_take(struct record_files *record, const struct record_part *part, int64_t end_ns);
/* Puts all of them together into the folder; without parts removes what stands there. The jobs of
   all replications, which all policies share, are those of the first that had most. */
int record_files_write(struct record_files *record, const char *folder,
                       struct error *reterr) MUST_CHECK;
void record_files_finish(struct record_files *record); /* accepts NULL */

#endif
