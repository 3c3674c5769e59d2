/* Jobs as evidence: see job_evidence.h. */
#include "insight/rules/job_evidence.h"

#include "base/units.h"

#include <stdarg.h>

void job_evidence_add(const struct rule_run *rule_run, const struct top_entry *entry,
                      struct insights *insights, struct insight *insight, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const char *note = arena_vprintf(&insights->arena, format, arguments);
    va_end(arguments);
    insight_evidence(
        insights, insight,
        &(struct insight_evidence){.kind = EVIDENCE_JOB,
                                   .name = rule_run->run->workload.jobs.at[entry->index].id,
                                   .from_s = units_s(entry->from_ns),
                                   .to_s = units_s(entry->to_ns),
                                   .note = note});
}
