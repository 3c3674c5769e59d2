/* Timelines that easim itself has written (easim timeline): busy time and energy of each GPU. */
#ifndef EASIM_INGEST_KINETO_KINETO_SIMULATED_H
#define EASIM_INGEST_KINETO_KINETO_SIMULATED_H

#include "ingest/figures.h"
#include "ingest/kineto/kineto_trace.h"

/* Of a trace that was just read: the busy time of its GPUs, each the union of its slices. The
   events lose the numbers of their GPUs, and are in any order. */
void kineto_simulated_close(struct kineto_trace *trace);
/* Totals and a list of GPUs; nothing of a trace that easim has not written. */
void kineto_simulated_add_figures(struct figure *root, const struct kineto_trace *trace);

#endif
