/* Explanations of jobs and replicas (docs/explain.md), as text and as JSON, and their words. */
#ifndef EASIM_OUTPUT_EXPLANATION_EXPLANATION_H
#define EASIM_OUTPUT_EXPLANATION_EXPLANATION_H

#include "base/str.h"
#include "insight/explanation/explanation.h"
#include "insight/explanation/replica_explanation.h"
#include "output/json.h"

/* Plain sentences and tables. Names are made visible, each on its line. */
void explanation_text(const struct explanation *explanation, struct str *out);

/* --- explanation_json --- */

/* One object; docs/explain.md has its members. What is not defined is null. */
void explanation_json(const struct explanation *explanation, struct str *out);

/* --- waits_text: why it waited --- */

void waits_text(const struct explanation *explanation, struct str *out);
void waits_json(const struct explanation *explanation, cJSON *root);
/* What a policy says, its times as all others; nothing if it says nothing. */
void explanation_add_reason(const struct explanation *explanation, size_t text, size_t length,
                            struct str *out);
/* The same as it is, as the member policy_reason; null: nothing. */
void explanation_json_reason(const struct explanation *explanation, size_t text, size_t length,
                             cJSON *object);

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
void explanation_add_length(struct str *out, int64_t time_ns);
/* A point in time: since the start of the run, or a date if the scenario has start_time. */
void explanation_add_time(struct str *out, const struct recorded_run *run, int64_t time_ns);
/* The last line: of which run the explanation is. */
void explanation_add_source(struct str *out, const struct recorded_run *run, const char *name);

#endif
