/* Jobs as evidence: those of most weight, each with its time and what there is to see. */
#ifndef EASIM_INSIGHT_RULES_JOB_EVIDENCE_H
#define EASIM_INSIGHT_RULES_JOB_EVIDENCE_H

#include "insight/rules/rule_run.h"
#include "insight/rules/top_list.h"

/* One of them: entry->index is that of a job, and its time is the entry's. The note is made as by
   printf. */
void job_evidence_add(const struct rule_run *rule_run, const struct top_entry *entry,
                      struct insights *insights, struct insight *insight, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

#endif
