/* The results of a sweep's points, in few files: runs/HOST-N.points, to each of which one process
   at a time appends (flock). Files only grow. They consist of blocks:

       run,ID,INPUTS,TURN,COLUMNS,NOTES,ROWS,HASH
       the notes of the point, NOTES bytes, and its rows, ROWS bytes

       columns,COLUMNS
       the names of columns

   HASH is that of the rest of the block, and COLUMNS that of the names of its columns: of a
   failure, of what every scenario has, or else of a block with names, in any of the files. A block
   that a killed process has left half, or that was changed, does not count, and the next one is
   found by its first line. If two blocks have one point and one input, the later one counts, but a
   finished one counts before a failed one. Turns grow with every process that has seen the earlier
   ones. */
#ifndef EASIM_OUTPUT_SWEEP_RUN_STORE_H
#define EASIM_OUTPUT_SWEEP_RUN_STORE_H

#include "base/array.h"
#include "base/error.h"
#include "base/str.h"
#include "experiment/sweep/sweep.h"

struct run_record {
    uint64_t id, inputs, turn;
    uint64_t names;         /* the hash of those of its columns */
    size_t at, notes, rows; /* where the notes begin; bytes of both */
    uint32_t file, columns;
    enum sweep_state state; /* never missing */
};

/* What rows have. */
struct run_columns {
    uint64_t hash;
    struct str names; /* with commas between them, without a line end */
    enum sweep_state state;
    bool further; /* it has columns that not every scenario has */
};

struct run_file {
    char *path;
    int fd;
    struct file_stamp stamp; /* before it was read */
};

/* Zero-initialise; release with run_store_finish. */
struct run_store {
    ARRAY_OF(struct run_record) records; /* by id, and then as they count */
    ARRAY_OF(struct run_file) files;
    ARRAY_OF(struct run_columns) columns;
    uint64_t turn; /* the last */
};

/* Finds what is in the folder runs/ (none: nothing) now; files that nobody has touched since the
   last look are not read again. */
int run_store_read(struct run_store *store, const char *folder, struct error *reterr) MUST_CHECK;
/* The valid record of a point: for those inputs, or (NULL) for any; NULL: there is none. */
const struct run_record *run_store_find(const struct run_store *store, uint64_t id,
                                        const uint64_t *inputs);
/* Its notes and its rows, in the block; ERROR_IO if they are gone. */
int run_store_load(const struct run_store *store, const struct run_record *record,
                   struct str *block, struct slice *ret_notes, struct slice *ret_rows,
                   struct error *reterr) MUST_CHECK;
void run_store_finish(struct run_store *store);

/* The file that this process appends to: made, or taken over from one that has ended, with the
   first result. Zero-initialise except for folder and turn; release with run_writer_finish. */
struct run_writer {
    const char *folder; /* runs/ */
    uint64_t turn;      /* over that of all results that were there */
    char *path;         /* NULL: none yet */
    int fd;
    bool torn;                  /* the file ends within a line */
    ARRAY_OF(uint64_t) written; /* hashes of names of columns that need no block any more */
};

/* names: of the columns of its rows, without a line end. The notes are the beginning of the body.
 */
int run_writer_append(struct run_writer *writer, const struct sweep_point *point,
                      struct slice names, struct slice body, size_t notes,
                      struct error *reterr) MUST_CHECK;
void run_writer_finish(struct run_writer *writer);

extern const char run_store_failed[]; /* names of the columns of a failure */

#endif
