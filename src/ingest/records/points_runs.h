/* Runs of LLM serving against each other: what a prompt token costs, and how well throughput at one
   number of requests follows from others (semantics 33.1, 3.6). */
#ifndef EASIM_INGEST_RECORDS_POINTS_RUNS_H
#define EASIM_INGEST_RECORDS_POINTS_RUNS_H

#include "ingest/records/records.h"

#define POINTS_SHORT 1024.0 /* prompts of runs that are compared, tokens */
#define POINTS_LONG  8192.0

/* One measurement; texts live as long as the profile. */
struct points_run {
    const char *model, *gpu, *precision;
    const char *setup; /* backend, version, layout: "vllm 0.19.0, tensor 4" */
    const char *path;
    uint32_t line, gpus;
    double prompt, output;  /* tokens of a request */
    double concurrency;     /* requests at once */
    double first_s, next_s; /* to the first token, and from each to the next */
    double equivalents;     /* output tokens that a prompt token equals; NAN: not known */
};

struct points_runs {
    struct points_run *at;
    size_t count;
};

/* Tokens a second of all requests. */
double points_rate(const struct points_run *run);

/* Sorts runs, sets the equivalents of those that were made with short and with long prompts and
   nothing else different, and adds what was found to the figures. */
void points_compare_prompts(struct records_job *job, struct points_runs runs);
/* Predicts the throughput of each run from those at fewer and at more requests at once, and adds
   the errors to the figures. Runs as points_compare_prompts has sorted them. */
void points_check_throughput(struct records_job *job, struct points_runs runs);

#endif
