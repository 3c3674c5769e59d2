/* A progress line on a terminal, for runs of over a second; silent when stderr is not a terminal.
 */
#ifndef EASIM_CLI_PROGRESS_LINE_H
#define EASIM_CLI_PROGRESS_LINE_H

#include "study/replicate.h"

struct progress_line;

/* Announces work that will not end soon on standard error, and counts what runs with `how` finish
   and simulate. study: what is run, or something with the same jobs; NULL if that differs. NULL if
   there is nobody to see it; every function accepts NULL.
 */
struct progress_line *progress_line_start(uint32_t count,
                                          const char *what, /* "replications", "runs" */
                                          const struct study *study, struct replicate_options *how);
/* That first half alone; `of` stands before it. */
void progress_line_announce(const struct study *study, const char *of);
void progress_line_expect(struct progress_line *progress,
                          uint32_t count);               /* how many there will be after all */
void progress_line_stop(struct progress_line *progress); /* erases the line and frees */

#endif
