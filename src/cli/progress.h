/* A progress line on a terminal, for runs of over a second; silent when stderr is not a terminal. */
#ifndef EASIM_CLI_PROGRESS_H
#define EASIM_CLI_PROGRESS_H

#include <stdatomic.h>
#include <stdint.h>

struct progress;

/* NULL if there is nobody to see it; every function accepts NULL. */
struct progress *progress_start(uint32_t count, const char *what); /* "replications", "runs" */
void progress_expect(struct progress *progress, uint32_t count);   /* how many there will be after all */
atomic_uint *progress_done(struct progress *progress);             /* how many of them are finished */
atomic_ulong *progress_events(struct progress *progress);          /* simulated so far */
void progress_stop(struct progress *progress);                     /* erases the line and frees */

#endif
