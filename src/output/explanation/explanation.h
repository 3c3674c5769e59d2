/* Explanations of jobs and replicas (docs/explain.md), as text and as JSON, and their words. */
#ifndef EASIM_OUTPUT_EXPLANATION_EXPLANATION_H
#define EASIM_OUTPUT_EXPLANATION_EXPLANATION_H

#include "base/str.h"
#include "insight/explanation/explanation.h"
#include "insight/explanation/replica_explanation.h"
#include "output/json.h"

/* Plain sentences and tables, times in seconds since the start of the run. Names are made visible,
   each on its line. */
void explanation_text(const struct explanation *explanation, struct str *out);

/* --- explanation_json --- */

/* One object; docs/explain.md has its members. What is not defined is null. */
void explanation_json(const struct explanation *explanation, struct str *out);

/* --- replica_text: a replica of a service --- */

void replica_text(const struct replica_explanation *explanation, struct str *out);
void replica_json(const struct replica_explanation *explanation, struct str *out);
/* What replicas did to a job, as a part of its explanation; nothing if they did nothing. */
void displacements_text(const struct displacements *d, const struct recorded_run *run,
                        struct str *out);
void displacements_json(const struct displacements *d, const struct recorded_run *run,
                        cJSON *object);

/* --- explanation_words: how explanations write names, counts, numbers and times --- */

void explanation_add_name(struct str *out, const char *name); /* made visible, on its line */
void explanation_add_count(struct str *out, uint64_t count, const char *noun);
void explanation_add_number(struct str *out, double value);
void explanation_add_seconds(struct str *out, int64_t time_ns); /* a point in time or a length */

#endif
