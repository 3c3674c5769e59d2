/* The plans of k GPUs of a transformer with their times: what `easim models --plans` shows. */
#ifndef EASIM_OUTPUT_MODELS_MODELS_H
#define EASIM_OUTPUT_MODELS_MODELS_H

#include "base/array.h"
#include "model/survey.h"

struct timed_plan {
    struct plan plan;
    struct plan_parts parts;
    double time_s, memory_gib;
    size_t place; /* in the order of ties */
};

/* The plans of a row's k, in the span of the row. */
struct timed_plans {
    const struct survey_row *row;
    struct plan_hardware hardware;
    ARRAY_OF(struct timed_plan) list;
};

/* Whether the row is of a transformer, in its span on the empty cluster: one row a k. */
bool timed_plans_stand_for(const struct survey_row *row);
/* By ascending time, those that do not fit the memory included, and the one that the model states;
   release with timed_plans_finish. */
struct timed_plans timed_plans_of(const struct survey_row *row);
bool timed_plans_fits(const struct timed_plans *plans, size_t i);
/* Whether jobs take it: as the fastest that fits, or because the model states it. */
bool timed_plans_is_chosen(const struct timed_plans *plans, size_t i);
void timed_plans_finish(struct timed_plans *plans);

#endif
