/* What of the services of a study has no effect, or does not last. */
#ifndef EASIM_STUDY_SERVICE_WARNINGS_H
#define EASIM_STUDY_SERVICE_WARNINGS_H

#include "study/study.h"

/* Adds to the study's warnings. */
void service_warnings_find(struct study *study);

#endif
