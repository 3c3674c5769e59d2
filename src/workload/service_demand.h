/* What a service is asked for: tokens, or outputs, a second over time, piecewise constant
   (semantics 33.1): a number, a diurnal law as means of bins, a CSV series, or the bins of a
   request log. */
#ifndef EASIM_WORKLOAD_SERVICE_DEMAND_H
#define EASIM_WORKLOAD_SERVICE_DEMAND_H

#include "base/array.h"
#include "base/error.h"
#include "base/tally.h"
#include "config/series.h"
#include "model/serving.h"

enum demand_format { DEMAND_SERIES, DEMAND_AZURE_LLM };

/* Keys first, then what follows from them. NAN: not given. */
struct service_demand {
    struct location where;
    double tokens_per_s, outputs_per_s; /* constant, or the mean of the diurnal law */
    double amplitude, peak_s;           /* diurnal law if amplitude is given */
    int32_t format;                     /* enum demand_format */
    double bin_s, scale;
    double prompt_ratio; /* prompt tokens of an output token; of a log, what it holds */
    /* Keys: those of a series, of which the diurnal law has the period. Values are tokens or
       outputs a second, with output_equivalents those that cost as much. From t = 0 on, walked by
       series_start and series_pass; 0 past the end, which is a step. */
    struct series series;

    double output_share;   /* of the tokens of `series` those that are put out; 1 unless prompts
                              are counted as outputs */
    int64_t end_ns;        /* from where on nothing is asked for; TIME_NONE_NS: never */
    uint64_t requests;     /* of a log */
    double prompt, output; /* tokens of a log, not scaled */
    struct row_tally empty, out_of_order; /* rows of a log: see request_log */
};

extern const struct field service_demand_fields[];

/* Checks the keys and makes the series, reading files. unit: of the model; prompts: what they cost
   there; start_ns: of t = 0 since 1970, or TIME_NONE_NS. Memory is the binding's arena. Negative
   after adding problems. */
struct demand_ask {
    const char *path; /* of the demand in the scenario */
    enum work_unit unit;
    struct prompt_cost prompt;
    int64_t start_ns;
};
int service_demand_load(struct service_demand *demand, const struct demand_ask *ask,
                        const struct binding *binding) MUST_CHECK;

/* Over which demand of a log is constant. */
double service_demand_bin_s(const struct service_demand *demand);
/* Whether it is 0 throughout. */
bool service_demand_is_none(const struct service_demand *demand);
/* The most by which a backlog falls, however long it goes on, where per_s are served. INFINITY: it
   falls for ever, or again and again by more; so if demand ends. */
double service_demand_most_fall(const struct service_demand *demand, double per_s);

/* --- request_log --- */
/* Logs of requests to a language model: when each came, tokens of its prompt and of its answer.
   Format azure-llm: TIMESTAMP (a date-time), ContextTokens, GeneratedTokens (whole numbers); other
   columns are ignored (Azure Public Dataset, LLM inference traces of 2023 and 2024). */

struct request {
    int64_t time_ns;       /* since the first of the log */
    double prompt, output; /* tokens, whole */
};

#endif
