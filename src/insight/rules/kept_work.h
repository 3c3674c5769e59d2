/* The computing of a run that was kept, piece by piece: what rules about configurations look at.
   Rigid jobs have no choice of a configuration, and no pieces. */
#ifndef EASIM_INSIGHT_RULES_KEPT_WORK_H
#define EASIM_INSIGHT_RULES_KEPT_WORK_H

#include "insight/rules/rule_run.h"
#include "model/model.h"

/* The part of a segment within the measured time. */
struct kept_piece {
    const struct recorded_segment *segment;
    const struct job_spec *spec;
    const struct easim_config *config;
    uint32_t job, set; /* of the table: that of the segment's phase */
    double work;       /* reference samples */
    double s, gpu_s, energy_j;
};

/* That of a segment; false: it has none. */
bool kept_work_at(const struct rule_run *rule_run, size_t at, struct kept_piece *piece);
/* From segment *at on; false: there is none. Start with *at = 0. */
bool kept_work_next(const struct rule_run *rule_run, size_t *at, struct kept_piece *piece);

/* A place among all configurations that a set allows. */
struct kept_configs {
    const struct easim_config *at;
    uint32_t count;
};
struct kept_configs kept_work_configs(const struct rule_run *rule_run, uint32_t set);

/* The span in which configurations are compared: that of the empty cluster; the one that it got, if
   it is not known there. */
uint32_t kept_work_span(const struct kept_piece *piece);
/* Of one unit of work, by the model: energy of the GPUs, J, and GPU-seconds. Needs a goodput. */
double kept_work_unit_j(const struct easim_config *config, uint32_t span);
double kept_work_unit_gpu_s(const struct easim_config *config, uint32_t span);

#endif
