/* What the work of a finished replication costs at least: the bound of its energy under a horizon,
   where a schedule of less work takes less (semantics 27.1). */
#ifndef EASIM_STUDY_WORK_BOUND_H
#define EASIM_STUDY_WORK_BOUND_H

#include "bounds/bound.h"
#include "study/study.h"

/* kWh. sim: at its horizon. extras: the configurations that the schedules may use which it is
   compared with; those of this study's policy are among them. */
struct bound work_bound_find(const struct study *study, const struct config_extras *extras,
                             const struct sim *sim);

#endif
