/* Explanations of jobs and replicas (docs/howto/why-late.md), as text and as JSON, and their
   words. */
#ifndef EASIM_OUTPUT_EXPLANATION_EXPLANATION_H
#define EASIM_OUTPUT_EXPLANATION_EXPLANATION_H

#include "base/str.h"
#include "insight/explanation/explanation.h"
#include "insight/explanation/replica_explanation.h"
#include "output/json.h"

/* Plain sentences and tables. Names are made visible, each on its line. */
void explanation_text(const struct explanation *explanation, struct str *out);

/* --- explanation_json --- */

/* One object; docs/reference/json.csv has its members. Undefined members are null. */
void explanation_json(const struct explanation *explanation, struct str *out);

/* --- prose: sentences about a run; the words of them are texts in its arena --- */

/* Release words with arena_finish. */
struct prose {
    struct str *out;
    const struct recorded_run *run;
    struct arena words;
};

void tell(struct prose *prose, const char *format, ...) __attribute__((format(printf, 2, 3)));
const char *prose_name(struct prose *prose, const char *name); /* made visible, on its line */
const char *prose_job(struct prose *prose, uint32_t job);      /* its id, in the same way */
const char *prose_type(struct prose *prose, uint32_t gpu_type);
const char *prose_count(struct prose *prose, uint64_t count, const char *noun); /* "2 jobs" */
const char *prose_number(struct prose *prose, double value);
const char *prose_length(struct prose *prose, int64_t time_ns);
/* A point in time: since the start of the run, or a date if the scenario has start_time. */
const char *prose_time(struct prose *prose, int64_t time_ns);

/* --- waits_text: why it waited --- */

void waits_text(struct prose *prose, const struct waits *waits);
void waits_json(const struct explanation *explanation, cJSON *root);
/* The reason of a policy, with times as all others have them; nothing if it gives none. */
void prose_reason(struct prose *prose, const struct waits *waits, size_t text, size_t length);
/* The same as it is, as the member policy_reason; null: nothing. */
void explanation_json_reason(const struct explanation *explanation, size_t text, size_t length,
                             cJSON *object);

/* --- replica_text: a replica of a service --- */

void replica_text(const struct replica_explanation *explanation, struct str *out);
void replica_json(const struct replica_explanation *explanation, struct str *out);
/* Effects of replicas on a job, as a part of its explanation; nothing if there are none. */
void displacements_text(struct prose *prose, const struct displacements *d);
void displacements_json(const struct displacements *d, const struct recorded_run *run,
                        cJSON *object);

/* The last line: of which run the explanation is. */
void explanation_add_source(struct str *out, const struct recorded_run *run, const char *name);

#endif
