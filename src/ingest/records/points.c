/* Latencies of LLM serving. Rows are kept apart by how they were served, in the column `source`. */
#include "base/numfmt.h"
#include "ingest/foreign.h"
#include "ingest/profile_formats.h"
#include "ingest/readers.h"
#include "model/serving_table.h"

#include <ctype.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- points_runs --- */
/* Compares runs: the cost of a prompt token, and how well throughput at one number of requests
   follows from others (semantics 33.1, 3.6). Invariant: runs of one curve, which differ only in the
   number of requests, are together. In another order, runs that differ only in the prompts are. */

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

/* A request's first token, and its others one after the other. */
static double request_s(const struct points_run *run) {
    return run->first_s + (run->output - 1) * run->next_s;
}

/* Tokens a second of all requests. By Little's law. */
static double points_rate(const struct points_run *run) {
    return run->concurrency * run->output / request_s(run);
}

/* ---- Order ---- */

/* 0: all is equal except prompts and requests at once. */
ORDER_BY(compare_served, struct points_run,
         TEXT_ASC(model) TEXT_ASC(gpu) TEXT_ASC(precision) ASC(gpus) TEXT_ASC(setup) ASC(output))

ORDER_BY(compare_by_prompt, struct points_run,
         THEN(compare_served(a, b)) ASC(concurrency) ASC(prompt) TEXT_ASC(path) ASC(line))

ORDER_BY(compare_by_concurrency, struct points_run,
         THEN(compare_served(a, b)) ASC(prompt) ASC(concurrency) TEXT_ASC(path) ASC(line))

/* ---- Prompts ---- */

struct comparison {
    double concurrency, equivalents;
};

struct comparisons {
    ARRAY_OF(struct comparison) at;
    size_t negative; /* a long prompt took less time */
};

/* Mean time of a request over those with this number of prompt tokens; NAN: none. */
static double mean_request_s(struct points_runs runs, double prompt) {
    double sum = 0;
    size_t count = 0;
    for (size_t i = 0; i < runs.count; i++)
        if (runs.at[i].prompt == prompt) {
            sum += request_s(&runs.at[i]);
            count++;
        }
    return count > 0 ? sum / (double)count : NAN;
}

/* With times as output + q x prompt tokens, at one number of requests: two equations. */
static void compare_group(struct points_runs runs, struct comparisons *found) {
    double short_s = mean_request_s(runs, POINTS_SHORT), long_s = mean_request_s(runs, POINTS_LONG);
    double prompt_s = (long_s - short_s) / (POINTS_LONG - POINTS_SHORT);
    double output_s = (short_s - POINTS_SHORT * prompt_s) / runs.at[0].output;
    if (isnan(prompt_s))
        return;
    double equivalents = output_s > 0 ? prompt_s / output_s : INFINITY;
    array_push(&found->at, ((struct comparison){runs.at[0].concurrency, equivalents}));
    found->negative += equivalents < 0;
    for (size_t i = 0; i < runs.count && equivalents >= 0 && isfinite(equivalents); i++)
        runs.at[i].equivalents = equivalents;
}

ORDER_BY(compare_comparisons, struct comparison, ASC(concurrency) ASC(equivalents))

/* By number of requests. */
static void list_comparisons(struct records_job *job, const struct comparisons *found) {
    const struct comparison *at = found->at.at;
    struct figure *list = figures_list(job->profile->figures, "prompts");
    for (size_t i = 0, end; i < found->at.count; i = end) {
        for (end = i; end < found->at.count && at[end].concurrency == at[i].concurrency; end++)
            continue;
        struct figure *group = figures_group(list, NULL);
        const double *values = &at[i].equivalents;
        const size_t stride = sizeof *at / sizeof *values;
        figures_real(group, "running_batch", at[i].concurrency);
        figures_int(group, "comparisons", (int64_t)(end - i));
        figures_real(group, "output_equivalents_median",
                     gsl_stats_quantile_from_sorted_data(values, stride, end - i, 0.5));
        figures_real(group, "p10",
                     gsl_stats_quantile_from_sorted_data(values, stride, end - i, 0.1));
        figures_real(group, "p90",
                     gsl_stats_quantile_from_sorted_data(values, stride, end - i, 0.9));
    }
}

/* Sorts runs, sets the equivalents of runs that differ only in short and long prompts, and adds the
   results to the figures. */
static void points_compare_prompts(struct records_job *job, struct points_runs runs) {
    struct comparisons found = {.at = {0}};
    sort_array(runs.at, runs.count, compare_by_prompt);
    for (size_t i = 0, end; i < runs.count; i = end) {
        for (end = i + 1; end < runs.count && compare_served(&runs.at[i], &runs.at[end]) == 0 &&
                          runs.at[i].concurrency == runs.at[end].concurrency;
             end++)
            continue;
        compare_group((struct points_runs){runs.at + i, end - i}, &found);
    }
    sort_array(found.at.at, found.at.count, compare_comparisons);
    list_comparisons(job, &found);
    if (found.negative > 0)
        problems_say(&job->profile->notes,
                     "%zu of %zu comparisons have long prompts that take less time: their runs get "
                     "no output_equivalents",
                     found.negative, found.at.count);
    free(found.at.at);
}

/* ---- Throughput ---- */

struct left_out {
    ARRAY_OF(double) errors;
    double worst;
    const struct points_run *worst_run; /* NULL: none */
};

/* Points of one curve; several runs of one number of requests are one, of their mean. */
static size_t fill_points(struct points_runs runs, struct serving_point *points) {
    size_t count = 0;
    for (size_t i = 0, end; i < runs.count; i = end) {
        double sum = 0;
        for (end = i; end < runs.count && runs.at[end].concurrency == runs.at[i].concurrency; end++)
            sum += points_rate(&runs.at[end]);
        points[count++] =
            (struct serving_point){.n = runs.at[i].concurrency, .per_s = sum / (double)(end - i)};
    }
    return count;
}

static const struct points_run *run_at(struct points_runs runs, double concurrency) {
    const struct points_run *run = runs.at;
    while (run->concurrency != concurrency)
        run++;
    return run;
}

static void check_curve(struct points_runs runs, struct left_out *found) {
    struct serving_point *points = mem_zalloc(runs.count, sizeof *points);
    struct serving_point *others = mem_zalloc(runs.count, sizeof *others);
    size_t count = fill_points(runs, points);
    for (size_t out = 1; out + 1 < count; out++) {
        memcpy(others, points, out * sizeof *points);
        memcpy(others + out, points + out + 1, (count - out - 1) * sizeof *points);
        struct serving_table table = {others, count - 1};
        serving_table_pool(&table);
        double error = fabs(serving_table_rate(&table, points[out].n) / points[out].per_s - 1);
        array_push(&found->errors, error);
        if (!found->worst_run || error > found->worst) {
            found->worst = error;
            found->worst_run = run_at(runs, points[out].n);
        }
    }
    free(points);
    free(others);
}

static void add_left_out(struct records_job *job, struct left_out *found) {
    struct figure *group = figures_group(job->profile->figures, "throughput_left_out");
    const struct points_run *run = found->worst_run;
    double *errors = found->errors.at;
    size_t count = found->errors.count;
    figures_int(group, "points", (int64_t)count);
    if (count == 0)
        return;
    gsl_sort(errors, 1, count);
    figures_real(group, "median_percent",
                 100 * gsl_stats_quantile_from_sorted_data(errors, 1, count, 0.5));
    figures_real(group, "p90_percent",
                 100 * gsl_stats_quantile_from_sorted_data(errors, 1, count, 0.9));
    figures_real(group, "worst_percent", 100 * errors[count - 1]);
    figures_text(group, "worst",
                 arena_printf(&job->profile->arena, "%s on %s, k %u, %.9g at once (line %u)",
                              run->model, run->gpu, run->gpus, run->concurrency, run->line));
}

/* Predicts the throughput of each run from those at fewer and at more requests at once, and adds
   the errors to the figures. Runs as points_compare_prompts has sorted them. */
static void points_check_throughput(struct records_job *job, struct points_runs runs) {
    struct left_out found = {.errors = {0}};
    sort_array(runs.at, runs.count, compare_by_concurrency);
    for (size_t i = 0, end; i < runs.count; i = end) {
        for (end = i + 1; end < runs.count && compare_served(&runs.at[i], &runs.at[end]) == 0 &&
                          runs.at[i].prompt == runs.at[end].prompt;
             end++)
            continue;
        check_curve((struct points_runs){runs.at + i, end - i}, &found);
    }
    add_left_out(job, &found);
    free(found.errors.at);
}

/* --- points --- */

#define MOST_TOKENS 1e9

#define POINTS_COLUMNS(X) \
    X(MODEL, "model_id"), X(GPU, "gpu"), X(PROMPT, "prompt_tokens"), X(OUTPUT, "output_tokens"), \
        X(CONCURRENCY, "concurrency"), X(FIRST, "ttft_ms"), X(NEXT, "tpot_ms"), \
        X(TENSOR, "tensor_parallel"), X(DATA, "data_parallel"), X(EXPERT, "expert_parallel"), \
        X(PRECISION, "precision"), X(BACKEND, "backend"), X(VERSION, "backend_version")
enum column { POINTS_COLUMNS(ENUM_OF), COLUMNS, NEEDED = TENSOR };

static const char *const column_names[COLUMNS] = {POINTS_COLUMNS(NAME_OF)};

struct reader {
    int columns[COLUMNS];
    ARRAY_OF(struct points_run) runs;
};

static bool begin_points(struct records_job *job, struct records *records) {
    struct reader *r = job->context;
    const struct profile_options *o = job->options;
    size_t before = job->problems->count;
    records_refuse_own(job, records, "model", o->model != NULL);
    records_refuse_own(job, records, "gpu", o->gpu != NULL);
    records_refuse_own(job, records, "gpus", o->gpus > 0);
    records_refuse_own(job, records, "batch", o->batch > 0);
    for (int c = 0; c < COLUMNS; c++)
        r->columns[c] = c < NEEDED ? records_require(job, records, column_names[c])
                                   : records_column(records, column_names[c]);
    return job->problems->count == before;
}

/* An empty cell, or a missing column, is 1. */
static bool degree_cell(const struct records *records, int column, int64_t *degree) {
    struct slice cell = records_cell(records, column);
    *degree = 1;
    return cell.length == 0 ||
           (slice_parse_whole(cell, degree) && *degree >= 1 && *degree <= PROFILE_MOST_GPUS);
}

static bool whole_cell(const struct records *records, int column, double least, double *value) {
    int64_t whole;
    if (!slice_parse_whole(records_cell(records, column), &whole))
        return false;
    *value = (double)whole;
    return *value >= least && *value <= MOST_TOKENS;
}

static bool ms_cell(const struct records *records, int column, double *seconds) {
    struct slice cell = records_cell(records, column);
    if (cell.length == 0 || !numfmt_parse_scaled(cell.at, cell.length, 1, -3, seconds))
        return false;
    return *seconds > 0 && *seconds < 1e9;
}

static const char *setup_of(struct records_job *job, const struct records *records,
                            const struct reader *r, const int64_t degrees[3]) {
    static const char *const names[] = {"tensor", "data", "expert"};
    struct slice backend = records_cell(records, r->columns[BACKEND]),
                 version = records_cell(records, r->columns[VERSION]);
    struct str text = {0};
    str_add_bytes(&text, backend.at, backend.length);
    if (version.length > 0)
        str_addf(&text, "%s%.*s", text.length > 0 ? " " : "", (int)version.length, version.at);
    for (int i = 0; i < 3; i++)
        if (degrees[i] > 1)
            str_addf(&text, "%s%s %lld", text.length > 0 ? ", " : "", names[i],
                     (long long)degrees[i]);
    const char *setup =
        arena_strndup(&job->profile->arena, text.text ? text.text : "", text.length);
    str_finish(&text);
    return setup;
}

static const char *small_letters(const char *text, struct arena *arena) {
    char *name = arena_strdup(arena, text);
    for (char *at = name; *at; at++)
        *at = *at == ' ' ? '-' : (char)tolower((unsigned char)*at);
    return name;
}

static bool read_points_row(struct records_job *job, struct records *records) {
    struct reader *r = job->context;
    struct points_run run = {
        .path = records->path, .line = records_line(records), .equivalents = NAN};
    int64_t degrees[3];
    bool good = records_fits(records);
    for (int i = 0; i < 3; i++)
        good = degree_cell(records, r->columns[TENSOR + i], &degrees[i]) && good;
    if (!good || degrees[0] * degrees[1] > PROFILE_MOST_GPUS ||
        !whole_cell(records, r->columns[PROMPT], 0, &run.prompt) ||
        !whole_cell(records, r->columns[OUTPUT], 1, &run.output) ||
        !whole_cell(records, r->columns[CONCURRENCY], 1, &run.concurrency) ||
        !ms_cell(records, r->columns[FIRST], &run.first_s) ||
        !ms_cell(records, r->columns[NEXT], &run.next_s))
        return false;
    const char *model = records_text(job, records, r->columns[MODEL]),
               *gpu = records_text(job, records, r->columns[GPU]);
    if (!model || !gpu)
        return false;
    run.model = model;
    run.gpu = small_letters(gpu, &job->profile->arena);
    run.precision = records_text(job, records, r->columns[PRECISION]);
    run.gpus = (uint32_t)(degrees[0] * degrees[1]);
    run.setup = setup_of(job, records, r, degrees);
    array_push(&r->runs, run);
    return true;
}

static void add_run(struct records_job *job, const struct points_run *run) {
    struct profile_row *row = profile_add_row(job->profile, job->options);
    struct arena *arena = &job->profile->arena;
    char number[NUMFMT_BYTES];
    row->model = run->model;
    row->precision = row->precision ? row->precision : run->precision;
    row->gpu = run->gpu;
    row->gpus = run->gpus;
    row->batch = run->concurrency / run->gpus;
    row->throughput_samples_s = points_rate(run);
    row->serving.unit = "token";
    row->serving.running_batch = run->concurrency;
    if (run->equivalents >= 0) {
        numfmt_real(number, run->equivalents);
        row->serving.prompt = arena_strdup(arena, number);
    }
    row->source = arena_printf(arena, "points %s line %u: %s%s%.9g tokens in, %.9g out", run->path,
                               (unsigned)run->line, run->setup, run->setup[0] ? ", " : "",
                               run->prompt, run->output);
    struct figure *group = records_add_figures(job);
    figures_text(group, "model", run->model);
    figures_text(group, "gpu", run->gpu);
    figures_int(group, "k", run->gpus);
    figures_real(group, "prompt_tokens", run->prompt);
    figures_real(group, "running_batch", run->concurrency);
    figures_real(group, "tokens_per_s", row->throughput_samples_s);
    figures_real(group, "output_equivalents", run->equivalents);
    figures_text(group, "setup", run->setup[0] ? run->setup : NULL);
}

static void conclude_points(struct records_job *job) {
    const struct reader *r = job->context;
    struct points_runs runs = {r->runs.at, r->runs.count};
    points_compare_prompts(job, runs);
    for (size_t i = 0; i < runs.count; i++)
        add_run(job, &runs.at[i]);
    points_check_throughput(job, runs);
    if (runs.count > 0)
        problems_say(&job->profile->notes,
                     "no power and no latency quantiles: there is no serving table without them");
}

static void finish_points(void *context) {
    struct reader *r = context;
    free(r->runs.at);
}

const struct profile_reader points_reader = {
    "points", "latencies of LLM serving at numbers of requests, without power", NULL, 0,
    &(const struct records_format){sizeof(struct reader), true, begin_points, read_points_row, NULL,
                                   conclude_points, finish_points}};
