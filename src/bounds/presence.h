/* How many jobs are in the system at least, instant by instant (semantics 27.3, e): each for as
   long as it takes alone; of those that could be done by then, as many as one machine cannot have
   done. */
#ifndef EASIM_BOUNDS_PRESENCE_H
#define EASIM_BOUNDS_PRESENCE_H

#include "bounds/one_machine.h"

/* The sum over the jobs of min(completion, end_s) - release is at least this. alone_s, by job: the
   least that each takes, up to end_s. Jobs are in order of release, all before end_s. */
double presence_s(const struct machine_job *jobs, const double *alone_s, size_t count,
                  double end_s);

#endif
