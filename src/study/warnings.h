/* What of a scenario has no effect, or one that nobody can want: it runs, but probably not as
   meant. And what only models, cluster and parameters of the policy together show to be impossible.
 */
#ifndef EASIM_STUDY_WARNINGS_H
#define EASIM_STUDY_WARNINGS_H

#include "study/study.h"

/* Fills in study->warnings of one that is loaded otherwise. Adds problems of models and cluster
   together, which a run would meet. */
void warnings_find(struct study *study, struct problems *problems);

#endif
