/* The text of runs/ID.csv: a header, rows, and a last line by which a whole file is told from one
   that was cut off or overwritten:

       end,ROWS,BYTES,HASH,NOTES

   rows below the header, bytes above this line, the 64-bit hash of what stands in the lines behind
   the inputs, and that of notes/ID.csv (of no bytes, where there is none). */
#ifndef EASIM_OUTPUT_SWEEP_POINT_FILE_H
#define EASIM_OUTPUT_SWEEP_POINT_FILE_H

#include "base/str.h"

#define SWEEP_INPUTS_BYTES 17 /* in a row before its columns: 16 digits, a comma */

/* Adds the last line to a header and rows. notes: the text of the other file. */
void point_file_end(struct str *text, struct slice notes);
/* False: not whole, or not with these notes. Otherwise takes the last line away. */
bool point_file_check(struct slice *text, struct slice notes);
/* Takes the next line, without its end; false: there is none. */
bool point_file_line(struct slice *text, struct slice *ret_line);

#endif
