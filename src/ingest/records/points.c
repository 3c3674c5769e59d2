/* Reading of latencies of LLM serving. Rows are kept apart by how they were served,
   which stands in `source`. */
#include "ingest/profile_formats.h"

#include "base/numfmt.h"
#include "ingest/foreign.h"
#include "ingest/records/points_runs.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_TOKENS 1e9

enum column {
    MODEL,
    GPU,
    PROMPT,
    OUTPUT,
    CONCURRENCY,
    FIRST,
    NEXT,
    NEEDED,
    TENSOR = NEEDED,
    DATA,
    EXPERT,
    PRECISION,
    BACKEND,
    VERSION,
    COLUMNS
};

static const char *const column_names[COLUMNS] = {
    "model_id",  "gpu",     "prompt_tokens",   "output_tokens", "concurrency",
    "ttft_ms",   "tpot_ms", "tensor_parallel", "data_parallel", "expert_parallel",
    "precision", "backend", "backend_version"};

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
           (foreign_parse_whole(cell, degree) && *degree >= 1 && *degree <= PROFILE_MOST_GPUS);
}

static bool whole_cell(const struct records *records, int column, double least, double *value) {
    int64_t whole;
    if (!foreign_parse_whole(records_cell(records, column), &whole))
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
        problems_add(&job->profile->notes, (struct location){0}, NULL,
                     "no power and no latency quantiles: there is no serving table without them");
}

static int points_read(char *const *paths, size_t count, const struct profile_options *options,
                       struct profile *profile, struct problems *problems) {
    struct reader *r = mem_zalloc(1, sizeof *r);
    struct records_job job = {.format = "points",
                              .is_whole = true,
                              .options = options,
                              .profile = profile,
                              .problems = problems,
                              .context = r,
                              .begin = begin_points,
                              .row = read_points_row,
                              .conclude = conclude_points};
    int status = records_read_all(&job, paths, count);
    free(r->runs.at);
    free(r);
    return status;
}

const struct profile_reader points_reader = {
    "points", "latencies of LLM serving at numbers of requests, without power", points_read, 0};
