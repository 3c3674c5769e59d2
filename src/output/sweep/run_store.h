/* The results of a sweep's points, in few files: runs/HOST-N.points, to each of which one process
   at a time appends (flock). Files only grow. They consist of blocks:

       run,ID,TURN,NOTES,TEXT,HASH
       the notes of the point, NOTES bytes, and its text (point_file), TEXT bytes

   HASH is that of the line before it. A block that a killed process has left half, or that was
   changed, does not count, and the next one is found by its first line. If two blocks have one
   point and one input, the later one counts, but a finished one counts before a failed one. Turns
   grow with every process that has seen the earlier ones. */
#ifndef EASIM_OUTPUT_SWEEP_RUN_STORE_H
#define EASIM_OUTPUT_SWEEP_RUN_STORE_H

#include "base/array.h"
#include "base/error.h"
#include "base/str.h"
#include "experiment/sweep/sweep.h"

struct run_record {
    uint64_t id, inputs, turn;
    size_t at, notes, text; /* where the notes begin; bytes of both */
    uint32_t file;
    enum sweep_state state; /* never missing */
    bool further;           /* it has columns that not every scenario has */
};

struct run_file {
    char *path;
    int fd;
};

/* Zero-initialise; release with run_store_finish. */
struct run_store {
    ARRAY_OF(struct run_record) records; /* by id, and then as they count */
    ARRAY_OF(struct run_file) files;
    uint64_t turn; /* the last */
};

/* Finds what is in the folder runs/ (none: nothing) now; what was known before is forgotten. */
int run_store_read(struct run_store *store, const char *folder, struct error *reterr) MUST_CHECK;
/* The valid record of a point: for those inputs, or (NULL) for any; NULL: there is none. */
const struct run_record *run_store_find(const struct run_store *store, uint64_t id,
                                        const uint64_t *inputs);
/* Appends its notes and its text, without the last line; ERROR_IO if they are gone. */
int run_store_load(const struct run_store *store, const struct run_record *record,
                   struct str *notes, struct str *text, struct error *reterr) MUST_CHECK;
void run_store_finish(struct run_store *store);

/* The file that this process appends to: made, or taken over from one that has ended, with the
   first result. Zero-initialise except for folder and turn; release with run_writer_finish. */
struct run_writer {
    const char *folder; /* runs/ */
    uint64_t turn;      /* over that of all results that were there */
    char *path;         /* NULL: none yet */
    int fd;
    bool torn; /* the file ends within a line */
};

/* text: with its last line. */
int run_writer_append(struct run_writer *writer, uint64_t id, struct slice notes, struct slice text,
                      struct error *reterr) MUST_CHECK;
void run_writer_finish(struct run_writer *writer);

/* --- point_file --- */
/* The text of a point: a header, rows, and a last line by which a whole file is told from one
   that was cut off or overwritten:

       end,ROWS,BYTES,HASH,NOTES

   rows below the header, bytes above this line, the 64-bit hash of the lines without the inputs,
   and that of the notes (of no bytes, if there are none). */

#define SWEEP_INPUTS_BYTES 17 /* in a row before its columns: 16 digits, a comma */

extern const char point_file_failed[]; /* the header of a failure */
/* The header of rows of a summary, with these metrics. */
void point_file_header(const struct metric_set *metrics, struct str *out);
/* Adds the last line to a header and rows. notes: the notes of the point. */
void point_file_end(struct str *text, struct slice notes);
/* Appends the part of each row after the inputs, after `prefix`. */
void point_file_rows(struct slice text, const char *prefix, struct str *rows);
/* Takes the next line, without its end; false: there is none. */
bool point_file_line(struct slice *text, struct slice *ret_line);

#endif
