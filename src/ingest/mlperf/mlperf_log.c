/* A result file is read record by record; only intervals of throughput are kept. Invariant: except
   for the description of the run, what is found comes after run_start. */
#include "ingest/mlperf/internal.h"

#include "base/numfmt.h"
#include "io/json_text.h"

#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- mlperf_lines --- */
/* Several processes may write into a log at once: a broken record costs itself alone. */

#define RECORD ":::MLLOG"
#define SYSTEM ":::SYSJSON"

int mlperf_lines_open(struct mlperf_lines *lines, const char *path, struct error *reterr) {
    *lines = (struct mlperf_lines){.path = path};
    return lines_open(path, &lines->lines, reterr);
}

/* The object after the marker, up to the last brace of the line; empty without a marker. */
static struct slice object_behind(struct slice line, const char *marker) {
    const char *at = slice_find(line, marker), *end = line.at + line.length;
    if (!at)
        return (struct slice){0};
    for (at += strlen(marker); at < end && (*at == ' ' || *at == '\t');)
        at++;
    while (end > at && end[-1] != '}')
        end--;
    return (struct slice){at, (size_t)(end - at)};
}

/* Whether the line holds a record that can be read. */
static bool read_record(struct mlperf_lines *lines, struct slice line,
                        struct mlperf_record *record) {
    struct slice object = object_behind(line, SYSTEM);
    *record = (struct mlperf_record){
        .line = line, .where = {lines->path, lines_number(lines->lines), 0}, .time_ms = NAN};
    record->is_system = object.at;
    if (!object.at)
        object = object_behind(line, RECORD);
    if (!object.at)
        return false;
    if (!json_is_valid(object) || object.at[0] != '{') {
        lines->first_broken = lines->broken++ ? lines->first_broken : record->where.line;
        return false;
    }
    lines->records++;
    record->metadata = record->is_system ? object : json_find(object, "metadata");
    record->key = json_string(json_find(object, "key"));
    record->value = json_find(object, "value");
    (void)!json_real(json_find(object, "time_ms"), &record->time_ms);
    return true;
}

int mlperf_lines_next(struct mlperf_lines *lines, struct mlperf_record *record,
                      struct error *reterr) {
    struct slice line;
    int got;
    do
        got = lines_next(lines->lines, &line, reterr);
    while (got > 0 && !read_record(lines, line, record));
    return got;
}

void mlperf_lines_close(struct mlperf_lines *lines, const struct error *error,
                        const struct profile_options *options, struct profile *profile,
                        struct problems *problems) {
    bool is_cut = error->code < 0 && lines->lines && lines_is_damaged(lines->lines);
    struct problems *where_to = options->strict ? problems : &profile->notes;
    if (error->code < 0 && !is_cut)
        problems_say(problems, "%s", error->text);
    else if (is_cut)
        problems_say(where_to, "%s, the lines before count", error->text);
    if (lines->broken > 0)
        problems_add(where_to, (struct location){lines->path, lines->first_broken, 0}, NULL,
                     "%llu records that are no JSON left out, this is the first",
                     (unsigned long long)lines->broken);
    profile->damaged |= is_cut || lines->broken > 0;
    lines_close(lines->lines);
    lines->lines = NULL;
}

/* The location of a part of the record's line. */
static struct location mlperf_place(const struct mlperf_record *record, struct slice part) {
    struct location where = record->where;
    if (part.length > 0)
        where.column = (uint32_t)(part.at - record->line.at) + 1;
    return where;
}

double mlperf_number(const struct mlperf_record *record, struct slice value, const char *name,
                     double most, struct problems *problems) {
    double number = NAN;
    if (json_real(value, &number) && number > 0 && number <= most)
        return number;
    problems_add(problems, mlperf_place(record, value), name,
                 "expected number > 0 and <= %g, got %.*s", most,
                 (int)(value.length < 80 ? value.length : 80), value.length > 0 ? value.at : "");
    return NAN;
}

/* --- mlperf_log --- */

#define GPT3_TOKENS 2048 /* of a sample; gpt3 logs tokens/s */

/* The name that gives samples_to_target: samples_count, or else epoch_num, which counts... */
enum epoch_unit { EPOCH_UNKNOWN, EPOCH_IS_SAMPLE, EPOCH_IS_DATASET };

struct reader {
    const char *path;
    const struct profile_options *options;
    struct profile *profile;
    struct problems *problems;
    struct mlperf_log *log;
    const char *status; /* of run_stop; NULL: none yet */
    uint32_t start_line, stop_line;
    double train_samples, samples_count, epochs;
    double nodes, gpus_per_node;
    const char *platform, *gpu_model;
    ARRAY_OF(double) throughputs;
};

static const char *kept_text(struct reader *reader, struct slice value) {
    struct slice text = json_string(value);
    return text.length == 0 ? NULL : arena_strndup(&reader->profile->arena, text.at, text.length);
}

/* A figure of the run that may be repeated, but not with another value. */
static double read_setting(struct reader *reader, const struct mlperf_record *record,
                           const char *name, double most, double known) {
    double value = mlperf_number(record, record->value, name, most, reader->problems);
    if (!isnan(known) && !isnan(value) && value != known)
        problems_add(reader->problems, mlperf_place(record, record->value), name,
                     "expected %g as before, got %g", known, value);
    return value;
}

static bool read_boundary(struct reader *reader, const struct mlperf_record *record,
                          const char *name, uint32_t *line, double *time_ms) {
    if (*line > 0)
        problems_add(reader->problems, record->where, name,
                     "expected one run in a file, found a second %s after that of line %u", name,
                     (unsigned)*line);
    else if (isnan(record->time_ms))
        problems_add(reader->problems, record->where, name, "expected time_ms");
    if (*line > 0)
        return false;
    *line = record->where.line;
    *time_ms = record->time_ms;
    return true;
}

static void read_accuracy(struct reader *reader, const struct mlperf_record *record) {
    double value = NAN;
    if (json_real(json_find(record->metadata, "samples_count"), &value))
        reader->samples_count = value;
    if (json_real(json_find(record->metadata, "epoch_num"), &value))
        reader->epochs = value;
}

/* Some logs give the throughput of the whole run after run_stop: it is one more interval. */
static void read_since_start(struct reader *reader, const struct mlperf_record *record) {
    double value = NAN;
    if (slice_is(record->key, "eval_accuracy") && reader->stop_line == 0)
        read_accuracy(reader, record);
    else if (slice_is(record->key, "tracked_stats") &&
             json_find(record->value, "throughput").length > 0) {
        value = mlperf_number(record, json_find(record->value, "throughput"), "throughput", 1e12,
                              reader->problems);
        array_push(&reader->throughputs, value);
    }
}

static void read_log_record(struct reader *reader, const struct mlperf_record *record) {
    struct mlperf_run *run = &reader->log->run;
    if (slice_is(record->key, "submission_benchmark"))
        run->benchmark = kept_text(reader, record->value);
    else if (slice_is(record->key, "submission_platform"))
        reader->platform = kept_text(reader, record->value);
    else if (slice_is(record->key, "global_batch_size"))
        run->global_batch =
            read_setting(reader, record, "global_batch_size", 1e12, run->global_batch);
    else if (slice_is(record->key, "gradient_accumulation_steps"))
        run->grad_accum =
            (uint32_t)fmax(0, read_setting(reader, record, "gradient_accumulation_steps", 1e6,
                                           run->grad_accum > 0 ? run->grad_accum : NAN));
    else if (slice_is(record->key, "train_samples"))
        (void)!json_real(record->value, &reader->train_samples);
    else if (slice_is(record->key, "run_start"))
        (void)read_boundary(reader, record, "run_start", &reader->start_line,
                            &reader->log->start_ms);
    else if (slice_is(record->key, "run_stop") &&
             read_boundary(reader, record, "run_stop", &reader->stop_line, &reader->log->stop_ms)) {
        reader->status = kept_text(reader, json_find(record->metadata, "status"));
        reader->status = reader->status ? reader->status : "not stated";
    } else if (reader->start_line > 0)
        read_since_start(reader, record);
}

/* ---- The machine ---- */

static bool is_in(const char *text, const char *word) {
    return strcasestr(text, word);
}

/* "NVIDIA H100-SXM5-80GB" as H100, "NVIDIA A100 PCIe" as A100-PCIE: the names of the tables. */
static const char *gpu_name(struct reader *reader, const char *model) {
    static const char *const makers[] = {"NVIDIA ", "AMD ", "Instinct ", "Tesla "};
    const char *name = model;
    for (size_t i = 0; i < sizeof makers / sizeof *makers; i++)
        if (strncmp(name, makers[i], strlen(makers[i])) == 0)
            name += strlen(makers[i]);
    size_t length = strcspn(name, " -");
    if (length == 0)
        return model;
    return arena_printf(&reader->profile->arena, "%.*s%s%s", (int)length, name,
                        is_in(name, "PCIe") ? "-PCIE" : "",
                        is_in(name, "NVL") && !is_in(name, "NVLink") ? "-NVL" : "");
}

static void read_system(struct reader *reader, struct slice system) {
    (void)!json_real(json_find(system, "number_of_nodes"), &reader->nodes);
    (void)!json_real(json_find(system, "accelerators_per_node"), &reader->gpus_per_node);
    reader->gpu_model = kept_text(reader, json_find(system, "accelerator_model_name"));
}

/* Said once for all logs of a machine. */
static void note_gpu_type(struct reader *reader, const char *gpu) {
    struct problems *notes = &reader->profile->notes;
    const char *text =
        arena_printf(&reader->profile->arena, "GPU type %s: accelerator_model_name \"%s\"", gpu,
                     reader->gpu_model);
    bool was_said = strcmp(gpu, reader->gpu_model) == 0;
    for (size_t i = 0; i < notes->count; i++)
        was_said |= strcmp(notes->texts[i], text) == 0;
    if (!was_said)
        problems_say(notes, "%s", text);
}

/* From the options, or from the machine's description. */
static void find_gpu_type(struct reader *reader) {
    struct mlperf_run *run = &reader->log->run;
    run->gpu = reader->options->gpu;
    if (!run->gpu && reader->gpu_model) {
        run->gpu = gpu_name(reader, reader->gpu_model);
        note_gpu_type(reader, run->gpu);
    }
    if (!run->gpu)
        problems_add_setting(reader->problems, (struct location){.file = reader->path}, "gpu",
                             "expected the GPU type: the log does not name it");
}

static uint32_t whole_or_0(double value, double most) {
    return value >= 1 && value <= most && value == floor(value) ? (uint32_t)value : 0;
}

/* Nodes and GPUs: of the options, the description of the machine, "8xSYSTEM". */
static void find_machine_size(struct reader *reader) {
    struct mlperf_run *run = &reader->log->run;
    uint32_t per_node = whole_or_0(reader->gpus_per_node, 1024);
    int64_t nodes = whole_or_0(reader->nodes, 1e6);
    const char *x = reader->platform ? strchr(reader->platform, 'x') : NULL;
    if (nodes == 0 && x &&
        (!numfmt_parse_int(reader->platform, (size_t)(x - reader->platform), &nodes) || nodes < 1 ||
         nodes > 1000000))
        nodes = 0;
    run->nodes = (uint32_t)nodes;
    run->gpus = reader->options->gpus > 0 ? reader->options->gpus : run->nodes * per_node;
    if (run->gpus == 0)
        problems_add_setting(reader->problems, (struct location){.file = reader->path}, "gpus",
                             "expected the number of GPUs: the log does not say it");
    else if (run->nodes > run->gpus)
        problems_add_setting(reader->problems, (struct location){.file = reader->path}, "gpus",
                             "expected at least as many GPUs as nodes, %u, got %u", run->nodes,
                             run->gpus);
}

/* ---- What the run reached ---- */

/* The median of the intervals, the first of which starts up; NAN: no other. */
static double median_throughput(struct reader *reader) {
    size_t count = reader->throughputs.count;
    if (count < 2)
        return NAN;
    gsl_sort(reader->throughputs.at + 1, 1, count - 1);
    return gsl_stats_median_from_sorted_data(reader->throughputs.at + 1, 1, count - 1);
}

static enum epoch_unit epoch_unit_of(const char *benchmark) {
    static const char *const datasets[] = {"resnet", "retinanet", "maskrcnn", "unet3d"};
    for (size_t i = 0; i < sizeof datasets / sizeof *datasets; i++)
        if (strcmp(benchmark, datasets[i]) == 0)
            return EPOCH_IS_DATASET;
    return strcmp(benchmark, "bert") == 0 || mlperf_is_in_epochs(benchmark) ? EPOCH_IS_SAMPLE
                                                                            : EPOCH_UNKNOWN;
}

static double samples_reached(const struct reader *reader) {
    enum epoch_unit unit = epoch_unit_of(reader->log->run.benchmark);
    if (!isnan(reader->samples_count))
        return reader->samples_count;
    return unit == EPOCH_IS_SAMPLE    ? reader->epochs
           : unit == EPOCH_IS_DATASET ? reader->epochs * reader->train_samples
                                      : NAN;
}

static void conclude_run(struct reader *reader) {
    struct mlperf_run *run = &reader->log->run;
    if (strcmp(run->benchmark, "ssd") == 0)
        run->benchmark = "retinanet"; /* as it was logged up to round v3 */
    run->throughput = median_throughput(reader);
    if (strcmp(run->benchmark, "gpt3") == 0)
        run->throughput /= GPT3_TOKENS;
    run->run_s = (reader->log->stop_ms - reader->log->start_ms) / 1000;
    run->samples_to_target = samples_reached(reader);
    run->samples_to_target = run->samples_to_target > 0 ? run->samples_to_target : NAN;
    run->system = reader->platform;
    run->runs = 1;
    if (!(run->run_s > 0))
        problems_add(reader->problems, (struct location){reader->path, reader->stop_line, 0},
                     "run_stop", "expected a time after that of run_start, got %g s before it",
                     -run->run_s);
}

/* Whether the run ended and reached its target; otherwise adds a note or problem. */
static bool ended_well(struct reader *reader, uint64_t records) {
    if (records > 0 && (reader->start_line == 0 || reader->stop_line == 0)) {
        struct problems *to = reader->options->strict ? reader->problems : &reader->profile->notes;
        problems_add(to, (struct location){.file = reader->path}, NULL, "left out: no %s",
                     reader->start_line == 0 ? "run_start" : "run_stop");
        reader->profile->damaged = true;
    } else if (records > 0 && strcmp(reader->status, "success") != 0)
        problems_add(&reader->profile->notes, (struct location){reader->path, reader->stop_line, 0},
                     NULL, "left out: run_stop with status %s", reader->status);
    else
        return true;
    return false;
}

static void check_log(struct reader *reader, uint64_t records) {
    const struct mlperf_run *run = &reader->log->run;
    struct location where = {.file = reader->path};
    if (records == 0)
        problems_add(reader->problems, where, NULL,
                     "expected lines with :::MLLOG, or a table with a column \"benchmark\"");
    else if (!run->benchmark)
        problems_add(reader->problems, where, NULL, "expected submission_benchmark, found none");
    if (records > 0 && isnan(run->global_batch))
        problems_add(reader->problems, where, NULL, "expected global_batch_size, found none");
}

int mlperf_log_read(const char *path, const struct profile_options *options, struct mlperf_log *log,
                    struct profile *profile, struct problems *problems) {
    struct reader r = {.path = path,
                       .options = options,
                       .profile = profile,
                       .problems = problems,
                       .log = log,
                       .train_samples = NAN,
                       .samples_count = NAN,
                       .epochs = NAN};
    struct mlperf_lines lines;
    struct mlperf_record record;
    struct error error = {0};
    size_t before = problems->count;
    *log = (struct mlperf_log){.run = {.global_batch = NAN,
                                       .node_power_w = NAN,
                                       .node_floor_w = NAN,
                                       .where = {.file = path}}};
    int got = mlperf_lines_open(&lines, path, &error);
    while (got == 0 && (got = mlperf_lines_next(&lines, &record, &error)) > 0) {
        if (record.is_system)
            read_system(&r, record.metadata);
        else
            read_log_record(&r, &record);
        got = 0;
    }
    mlperf_lines_close(&lines, &error, options, profile, problems);
    if (problems->count == before)
        log->is_left_out = !ended_well(&r, lines.records);
    if (problems->count == before && !log->is_left_out)
        check_log(&r, lines.records);
    if (problems->count == before && !log->is_left_out) {
        find_machine_size(&r);
        find_gpu_type(&r);
        conclude_run(&r);
    }
    free(r.throughputs.at);
    return problems->count > before ? ERROR_INPUT : 0;
}
