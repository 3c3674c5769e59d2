/* A run again, from what it was made of, to see what its policy saw of one job. */
#ifndef EASIM_INSIGHT_STORY_REPETITION_H
#define EASIM_INSIGHT_STORY_REPETITION_H

#include "insight/recorded_run.h"
#include "insight/story/moment.h"
#include "study/study.h"

/* Runs the recorded replication of the study in a process of its own (decision 0025). ERROR_RUN: it
   fails now, or the job does not do what it did. */
int repetition_run(struct study *study, const struct recorded_run *run, uint32_t job,
                   struct moments *moments, struct error *reterr) MUST_CHECK;

#endif
