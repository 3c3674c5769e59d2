/* The rules of docs/reference/profiles.md, mlperf, in the order of that page. */
#include "ingest/mlperf/mlperf_runs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Logged throughput x run_s / samples_to_target is 1, except for evaluation, start and rounding. */
#define LEAST_RATIO 0.8
#define MOST_RATIO  1.6

#define UNET3D_SAMPLES 168 /* of an epoch; counted twice in samples_to_target above 10^6 */
#define UNET3D_MOST    1e6

/* A run by the rules. */
struct result {
    const struct mlperf_run *run;
    double throughput, samples;     /* NAN: none that counts */
    const struct mlperf_run *power; /* the reading that is scored, perhaps of a repeat; or NULL */
    bool is_repeat, is_scored;      /* is_scored: its own reading is the one of its kind */
};

struct report {
    const struct profile_options *options;
    struct profile *profile;
    ARRAY_OF(struct result) results;
    uint64_t refused, from_samples, in_epochs, corrected, absent, repeats, readings;
};

bool mlperf_is_in_epochs(const char *benchmark) {
    return strcmp(benchmark, "rnnt") == 0 || strcmp(benchmark, "dlrm_dcnv2") == 0;
}

/* ---- Which throughput, which samples ---- */

static double samples_of(struct report *report, const struct mlperf_run *run) {
    double samples = run->samples_to_target;
    if (isnan(samples))
        return NAN;
    if (mlperf_is_in_epochs(run->benchmark)) {
        report->in_epochs++;
        return NAN;
    }
    if (samples <= 1) {
        report->absent++;
        return NAN;
    }
    if (strcmp(run->benchmark, "unet3d") == 0 && samples > UNET3D_MOST) {
        report->corrected++;
        return samples / UNET3D_SAMPLES;
    }
    return samples;
}

static void refuse_run(struct report *report, const struct mlperf_run *run, const char *why) {
    problems_add(&report->profile->notes, run->where, NULL,
                 "left out: %s on %s, k %u, global batch %.9g: %s", run->benchmark, run->gpu,
                 run->gpus, run->global_batch, why);
    report->refused++;
}

static void judge_run(struct report *report, const struct mlperf_run *run) {
    bool counts_one_gpu = strcmp(run->benchmark, "retinanet") == 0;
    double samples = samples_of(report, run);
    double logged = counts_one_gpu ? NAN : run->throughput;
    double ratio = logged * run->run_s / samples;
    char why[128];
    if (isnan(logged) && isnan(samples)) {
        snprintf(why, sizeof why, "neither %s nor samples_to_target in samples",
                 counts_one_gpu ? "a throughput of all GPUs" : "a logged throughput");
        refuse_run(report, run, why);
        return;
    }
    if (ratio < LEAST_RATIO || ratio > MOST_RATIO) {
        snprintf(why, sizeof why,
                 "throughput x run_s / samples_to_target is %.6g, expected %.1f to %.1f", ratio,
                 LEAST_RATIO, MOST_RATIO);
        refuse_run(report, run, why);
        return;
    }
    report->from_samples += isnan(logged);
    array_push(&report->results,
               ((struct result){.run = run,
                                .throughput = isnan(logged) ? samples / run->run_s : logged,
                                .samples = samples}));
}

/* ---- Repeated rows ---- */

static int compare_reals(double a, double b) {
    if (isnan(a) || isnan(b))
        return isnan(a) - isnan(b);
    return (a > b) - (a < b);
}

/* "v2.1" before "v3.0" before "v10.0"; without a round last. */
static int compare_rounds(const char *a, const char *b) {
    if (!a || !b)
        return !a - !b;
    double x = strtod(a + (*a == 'v'), NULL), y = strtod(b + (*b == 'v'), NULL);
    return x != y ? compare_reals(x, y) : strcmp(a, b);
}

/* Columns by which two rows are the same run. */
ORDER_BY(compare_same, struct mlperf_run,
         TEXT_ASC(benchmark) TEXT_ASC(gpu) ASC(gpus)
             THEN(compare_reals(a->global_batch, b->global_batch))
                 THEN(compare_reals(a->run_s, b->run_s))
                     THEN(compare_reals(a->throughput, b->throughput)))

/* The same ones together, the one that counts first. Results keep their order in the array, so
 * addresses are the order of the input. */
static int compare_results(const void *left, const void *right) {
    const struct result *a = *(struct result *const *)left, *b = *(struct result *const *)right;
    THEN(compare_same(a->run, b->run))
    THEN(compare_rounds(a->run->round, b->run->round))
    return COMPARE(a, b);
}

/* If there are several readings, the one at the plug is used, then one without a place. */
static int scope_rank(const struct mlperf_run *run) {
    static const char *const scopes[] = {"node_ac", "node", "node_dc"};
    int rank = 0;
    while (rank < 3 && strcmp(run->power_scope, scopes[rank]) != 0)
        rank++;
    return rank;
}

/* results[0] counts; it gets the power that is scored. */
static void merge_repeats(struct report *report, struct result *const *results, size_t count) {
    struct result *scored = NULL;
    for (size_t i = 0; i < count; i++) {
        results[i]->is_repeat = i > 0;
        if (isnan(results[i]->run->node_power_w))
            continue;
        report->readings++;
        if (!scored || scope_rank(results[i]->run) < scope_rank(scored->run))
            scored = results[i];
    }
    report->repeats += count - 1;
    if (scored) {
        scored->is_scored = true;
        results[0]->power = scored->run;
    }
}

static void find_repeats(struct report *report) {
    size_t count = report->results.count;
    struct result **order = mem_zalloc(count + 1, sizeof *order);
    for (size_t i = 0; i < count; i++)
        order[i] = &report->results.at[i];
    sort_array(order, count, compare_results);
    for (size_t first = 0, end; first < count; first = end) {
        end = first + 1;
        while (end < count && compare_same(order[first]->run, order[end]->run) == 0)
            end++;
        merge_repeats(report, order + first, end - first);
    }
    free(order);
}

/* ---- Profile rows ---- */

static const char *source_of(const struct report *report, const struct mlperf_run *run) {
    struct arena *arena = &report->profile->arena;
    const char *system = run->system ? run->system : "", *blank = run->system ? " " : "";
    if (run->where.line == 0)
        return arena_printf(arena, "mlperf %s%s%s", run->where.file, blank, system);
    return arena_printf(arena, "mlperf %s line %u%s%s", run->where.file, (unsigned)run->where.line,
                        blank, system);
}

static struct profile_row *add_run_row(const struct report *report, const struct mlperf_run *run) {
    struct profile_row *row = profile_add_row(report->profile, report->options);
    row->model = row->model ? row->model : run->benchmark;
    row->gpu = run->gpu;
    row->gpus = run->gpus;
    row->batch = run->global_batch / run->gpus;
    row->run.nodes = run->nodes;
    row->run.global_batch = run->global_batch;
    row->run.grad_accum = run->grad_accum;
    row->run.round = run->round;
    row->run.runs = run->runs;
    row->run.run_s = run->run_s;
    row->source = source_of(report, run);
    return row;
}

static void set_row_power(struct profile_row *row, const struct mlperf_run *run) {
    row->run.node_power_w = run->node_power_w;
    row->run.node_floor_w = run->node_floor_w;
    row->run.power_scope = run->power_scope;
}

static void add_counting_row(const struct report *report, const struct result *result) {
    struct profile_row *row = add_run_row(report, result->run);
    row->throughput_samples_s = result->throughput;
    row->run.samples_to_target = result->samples;
    if (!result->power)
        return;
    set_row_power(row, result->power);
    if (result->power != result->run)
        row->source = arena_printf(&report->profile->arena, "%s; power of line %u", row->source,
                                   (unsigned)result->power->where.line);
}

/* A reading that is not the one scored has a row without a throughput. */
static void add_result_rows(const struct report *report, const struct result *result) {
    if (!result->is_repeat)
        add_counting_row(report, result);
    if (!isnan(result->run->node_power_w) && !result->is_scored)
        set_row_power(add_run_row(report, result->run), result->run);
}

/* ---- Notes ---- */

static void note_count(const struct report *report, uint64_t count, const char *what) {
    if (count > 0)
        problems_say(&report->profile->notes, "%llu of %zu rows %s", (unsigned long long)count,
                     report->results.count + (size_t)report->refused, what);
}

static void note_counts(const struct report *report) {
    note_count(report, report->refused, "left out");
    note_count(report, report->from_samples,
               "without a throughput that counts all GPUs: samples_to_target / run_s");
    note_count(report, report->in_epochs,
               "have samples_to_target in epochs: no convergence in samples");
    note_count(report, report->absent, "have samples_to_target of at most 1: absent");
    note_count(report, report->corrected,
               "of unet3d have samples_to_target above 10^6: divided by 168");
    note_count(report, report->repeats,
               "repeat another one's k, batch, throughput and run_s: each run counts once, in the "
               "earliest round; every power reading is kept");
}

static void add_run_figures(const struct report *report) {
    struct profile *profile = report->profile;
    profile->figures = figures_create(&profile->arena);
    const struct {
        const char *name;
        uint64_t value;
    } counts[] = {{"rows_read", report->results.count + report->refused},
                  {"rows_left_out", report->refused},
                  {"rows_repeated", report->repeats},
                  {"throughput_from_samples", report->from_samples},
                  {"samples_in_epochs", report->in_epochs},
                  {"samples_absent", report->absent},
                  {"samples_corrected", report->corrected},
                  {"power_readings", report->readings}};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        figures_int(profile->figures, counts[i].name, (int64_t)counts[i].value);
    struct figure *list = figures_list(profile->figures, "rows");
    for (size_t i = 0; i < profile->rows.count; i++) {
        const struct profile_row *row = &profile->rows.at[i];
        struct figure *group = figures_group(list, NULL);
        figures_text(group, "model", row->model);
        figures_text(group, "gpu", row->gpu);
        figures_int(group, "k", row->gpus);
        figures_real(group, "global_batch", row->run.global_batch);
        figures_real(group, "throughput_samples_s", row->throughput_samples_s);
        figures_real(group, "run_s", row->run.run_s);
        figures_real(group, "samples_to_target", row->run.samples_to_target);
        figures_real(group, "node_power_w", row->run.node_power_w);
        figures_text(group, "power_scope", row->run.power_scope);
        figures_real(group, "node_floor_w", row->run.node_floor_w);
        figures_text(group, "round", row->run.round);
    }
}

void mlperf_runs_report(const struct mlperf_runs *runs, const struct profile_options *options,
                        struct profile *profile) {
    struct report report = {.options = options, .profile = profile};
    for (size_t i = 0; i < runs->at.count; i++)
        judge_run(&report, &runs->at.at[i]);
    find_repeats(&report);
    for (size_t i = 0; i < report.results.count; i++)
        add_result_rows(&report, &report.results.at[i]);
    note_counts(&report);
    add_run_figures(&report);
    free(report.results.at);
}

void mlperf_runs_finish(struct mlperf_runs *runs) {
    free(runs->at.at);
    *runs = (struct mlperf_runs){0};
}
