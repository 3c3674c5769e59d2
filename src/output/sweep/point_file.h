/* The text of a point: a header, rows, and a last line by which a whole file is told from one
   that was cut off or overwritten:

       end,ROWS,BYTES,HASH,NOTES

   rows below the header, bytes above this line, the 64-bit hash of what stands in the lines behind
   the inputs, and that of the notes beside it (of no bytes, where there are none). */
#ifndef EASIM_OUTPUT_SWEEP_POINT_FILE_H
#define EASIM_OUTPUT_SWEEP_POINT_FILE_H

#include "base/str.h"
#include "experiment/sweep/sweep.h"

#define SWEEP_INPUTS_BYTES 17 /* in a row before its columns: 16 digits, a comma */

extern const char point_file_failed[]; /* the header of a failure */
/* The header of rows of a summary. */
void point_file_header(struct str *out);
/* Adds the last line to a header and rows. notes: what the point has to say besides. */
void point_file_end(struct str *text, struct slice notes);
/* False: not whole, or not with these notes. Otherwise takes the last line away. */
bool point_file_check(struct slice *text, struct slice notes);
/* Of a text without its last line: by its header, and the inputs that all its rows begin with;
   missing if these are not what easim writes. */
enum sweep_state point_file_state(struct slice text, uint64_t *ret_inputs);
/* Appends what each row holds behind the inputs, every row behind `prefix`. */
void point_file_rows(struct slice text, const char *prefix, struct str *rows);
/* Takes the next line, without its end; false: there is none. */
bool point_file_line(struct slice *text, struct slice *ret_line);

#endif
