/* Comparison of runs of LLM serving: see points_runs.h. Invariant: runs of one curve, equal but for
   the number of requests, stand together, and so do, in another order, those equal but for the
   prompts. */
#include "ingest/records/points_runs.h"

#include "model/serving_table.h"

#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A request's first token, and its others one after the other. */
static double request_s(const struct points_run *run) {
    return run->first_s + (run->output - 1) * run->next_s;
}

/* By Little's law. */
double points_rate(const struct points_run *run) {
    return run->concurrency * run->output / request_s(run);
}

/* ---- Order ---- */

static int compare_texts(const char *a, const char *b) {
    return strcmp(a ? a : "", b ? b : "");
}

/* 0: all is equal but for prompts and requests at once. */
static int compare_served(const struct points_run *a, const struct points_run *b) {
    int order = strcmp(a->model, b->model);
    order = order ? order : strcmp(a->gpu, b->gpu);
    order = order ? order : compare_texts(a->precision, b->precision);
    order = order ? order : COMPARE(a->gpus, b->gpus);
    order = order ? order : strcmp(a->setup, b->setup);
    return order ? order : COMPARE(a->output, b->output);
}

static int compare_places(const struct points_run *a, const struct points_run *b) {
    int order = strcmp(a->path, b->path);
    return order ? order : COMPARE(a->line, b->line);
}

static int compare_by_prompt(const void *left, const void *right) {
    const struct points_run *a = left, *b = right;
    int order = compare_served(a, b);
    order = order ? order : COMPARE(a->concurrency, b->concurrency);
    order = order ? order : COMPARE(a->prompt, b->prompt);
    return order ? order : compare_places(a, b);
}

static int compare_by_concurrency(const void *left, const void *right) {
    const struct points_run *a = left, *b = right;
    int order = compare_served(a, b);
    order = order ? order : COMPARE(a->prompt, b->prompt);
    order = order ? order : COMPARE(a->concurrency, b->concurrency);
    return order ? order : compare_places(a, b);
}

/* ---- Prompts ---- */

struct comparison {
    double concurrency, equivalents;
};

struct comparisons {
    ARRAY_OF(struct comparison) at;
    size_t negative; /* a long prompt took less time */
};

/* Mean time of a request over those with so many prompt tokens; NAN: none. */
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

void points_compare_prompts(struct records_job *job, struct points_runs runs) {
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
        problems_add(&job->profile->notes, (struct location){0}, NULL,
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

void points_check_throughput(struct records_job *job, struct points_runs runs) {
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
