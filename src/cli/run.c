/* easim run: all replications of a scenario, a table on the terminal and CSV files in a folder. */
#include "base/units.h"
#include "cli/cli.h"
#include "cli/internal.h"
#include "cli/scenario_args.h"
#include "config/policy_text.h"
#include "output/folders.h"
#include "output/recorded/recorded.h"
#include "output/run/run_dir.h"
#include "output/run/run_report.h"
#include "output/run/run_tables.h"
#include "study/bound_replications.h"
#include "study/service_bins.h"

#include <stdlib.h>

/* Reading back what was recorded takes a third of a second of 100,000 jobs: of more than these the
   line under the table only says who tells. */
#define WASTE_LINE_MOST_JOBS 20000

/* Where the energy went, of a run that was recorded to its end. */
static int add_waste_line(const struct replicate_result *result, const char *out, struct str *text,
                          struct error *reterr) {
    double jobs = 0;
    for (uint32_t i = 0; i < result->count; i++)
        jobs += result->summaries[i].jobs_submitted;
    if (jobs <= WASTE_LINE_MOST_JOBS)
        return waste_line_read(out, text, reterr);
    str_addf(text, "  energy went into: not shown for more than %d jobs, see easim analyze\n",
             WASTE_LINE_MOST_JOBS);
    return 0;
}

/* What a run has left. */
struct run_outcome {
    const struct replicate_result *result;
    const char *out;
    bool recorded;                     /* to its end */
    const struct bound_output *bounds; /* NULL: not asked for */
    struct service_bins_result bins;
};

/* What shorter bins of request logs would change, whenever there is somebody to tell. Over the time
   of the first replication: under `drain` nothing else says how long a run is. */
static int find_bins(const struct options *options, const struct study *study,
                     const struct replicate_result *result, struct service_bins_result *bins,
                     struct error *reterr) {
    const struct replicate_options how = run_args_options(options);
    bool wanted = !options->quiet && !options->summary_only && result->count > 0;
    return wanted ? service_bins_find(study, &how,
                                      units_s(study->source.warmup_ns) + result->summaries[0].sim_s,
                                      bins, reterr)
                  : 0;
}

/* The table with its notes, or data on standard output and the notes beside it. */
static int print_result(const struct options *options, const struct study *study,
                        const struct run_outcome *outcome) {
    const struct replicate_result *result = outcome->result;
    if (options->quiet && options->format == FORMAT_TABLE && options_want_report(options))
        return EXIT_DONE;
    struct report report = {0};
    struct str *text = &report.text;
    struct error error = {0};
    int r = 0;
    struct notes notes = {.sources = 0};
    struct assumptions assumptions = {0};
    notes_add_result(&notes, study, result);
    notes_add_trends(
        &notes, study,
        &(struct compare_series){study->policy, result->summaries, result->trends, NULL},
        result->count);
    notes_add_study(&notes, study);
    notes_add_bins(&notes, study, &outcome->bins);
    notes.skips_outside = true;
    assumptions_find(&assumptions, &(struct assumed_run){study, result}, 1);
    if (options_want_report(options)) {
        run_report_summary(study, result, &report);
        report_lines(&report);
        if (outcome->recorded && !options->quiet)
            r = add_waste_line(result, outcome->out, text, &error);
        if (outcome->bounds)
            bound_tables_gaps(outcome->bounds, "  ", text);
    } else if (options->format == FORMAT_JSON) {
        result_json(study, result, outcome->bounds, text);
    } else {
        aggregate_csv_header(text);
        aggregate_csv_rows(study->policy, study_metric_groups(study), result->summaries,
                           result->count, text);
    }
    run_args_add_notes(options, &notes, &assumptions, &report);
    if (options_want_report(options))
        str_addf(text, "  results: %s\n", outcome->out);
    int code = run_args_show(options, &report);
    if (r < 0)
        code = cli_report_error(&error);
    assumptions_finish(&assumptions);
    notes_finish(&notes);
    return code;
}

/* Of the replications that were run, with the configurations that the policy may use; the bounds
   are the caller's to free. */
static int find_bounds(const struct study *study, const struct replicate_options *runs,
                       const struct compare_series *series, uint32_t count,
                       struct bound_output *ret_output, struct error *reterr) {
    const struct config_extras extras = params_extras(&study->params);
    const struct replicate_options how = {.processes = runs->processes, .cancel = runs->cancel};
    struct bounds *bounds = mem_zalloc(count, sizeof *bounds);
    *ret_output = (struct bound_output){study, bounds, count, series, 1};
    return bound_replications(study, &extras, &how, count, bounds, reterr);
}

static int run_study(struct options *options, const struct study *study) {
    struct run_dir *dir = NULL;
    struct error error = {0};
    run_args_catch_interrupts();
    struct replicate_result result = {0};
    const char *usual = arena_printf(&options->arena, "results/%s/%s", study->scenario.name,
                                     policy_text_folder(study->policy, &options->arena));
    if (options->bound && bound_replications_check(study, &error) < 0)
        return cli_report_error(&error);
    const char *out = run_args_folder(options, usual, &error);
    if (!out)
        return cli_report_error(&error);
    const struct run_dir_options dir_options = {.path = out,
                                                .force = options->force,
                                                .summary_only = options->summary_only,
                                                .decisions = options->decisions,
                                                .record = options->record || study->scenario.record,
                                                .meter = options->meter_step_s > 0,
                                                .trace = options->trace,
                                                .words = options->words.at};
    if (run_dir_open(&dir_options, study, &dir, &error) < 0)
        return cli_report_error(&error);
    uint32_t count = (uint32_t)study->scenario.replications;
    struct replicate_options how = run_args_options(options);
    how.record_decisions = options->decisions;
    how.record = dir_options.record;
    how.meter_step_ns = units_ns(options->meter_step_s);
    how.time_decisions = options->timing;
    const struct config_extras extras = params_extras(&study->params);
    if (options->bound && study->scenario.horizon_ns != TIME_NONE_NS)
        how.bound_work = &extras;
    struct progress_line *progress =
        progress_line_start(options, count, "replications", study, &how);
    struct replicate_sink sink = run_dir_sink(dir);
    int r = replicate_run(study, &how, &sink, &result, &error);
    progress_line_stop(progress);
    const struct compare_series series = {study->policy, result.summaries, result.trends,
                                          result.bounds};
    struct bound_output bounds = {.bounds = NULL};
    if (r == 0 && options->bound)
        r = find_bounds(study, &how, &series, result.count, &bounds, &error);
    if (r == 0 && options->bound)
        run_dir_add_bounds(dir, &bounds);
    int code = r < 0 ? run_args_report(&error, &result, study) : EXIT_DONE;
    if (r < 0 && result.count == 0) {
        run_dir_abort(dir);
    } else if (run_dir_commit(dir, &result, r < 0, &error) < 0) {
        code = cli_report_error(&error);
    } else {
        struct run_outcome outcome = {&result,
                                      out,
                                      dir_options.record && r == 0,
                                      r == 0 && options->bound ? &bounds : NULL,
                                      {.until_s = 0}};
        if (r == 0 && find_bins(options, study, &result, &outcome.bins, &error) < 0)
            code = run_args_report(&error, &result, study);
        int printed = print_result(options, study, &outcome);
        service_bins_finish(&outcome.bins);
        run_args_advise(options, study);
        code = code == EXIT_DONE ? printed : code;
    }
    free((void *)bounds.bounds);
    replicate_result_finish(&result);
    return code;
}

int cli_run(struct options *options) {
    return scenario_args_run(options, run_study);
}

/* --- check: easim check: everything that `easim run` would refuse, without running --- */

static int tell_study(struct options *options, const struct study *study) {
    struct str many = {0};
    cli_show("%s: ok\n", options->operands[0]);
    study_announce(study, &many);
    if (many.length > 0)
        cli_show("  warning: %s\n", many.text);
    many.length = 0;
    study_add_periods(study, &many);
    if (many.length > 0)
        cli_show("  note: %s\n", many.text);
    str_finish(&many);
    for (size_t i = 0; i < study->warnings.count; i++)
        cli_show("  warning: %s\n", study->warnings.at[i]);
    return EXIT_DONE;
}

int cli_check(struct options *options) {
    return scenario_args_run(options, tell_study);
}

/* --- bound: easim bound: numbers that no schedule of a scenario's jobs is below --- */

static int print_bounds(const struct options *options, const struct bound_output *output,
                        const char *folder) {
    struct report report = {0};
    if (options_want_report(options)) {
        bound_tables_report(output, &report);
        str_addf(&report.text, "  results: %s\n", folder);
    } else {
        (options->format == FORMAT_JSON ? bound_tables_json : bound_tables_csv)(output,
                                                                                &report.text);
    }
    return run_args_show(options, &report);
}

/* Any schedule: with measured power limits and shared GPUs, whatever the policy of the scenario
   uses, and with limits by the law of a GPU type, or any, if it uses them. */
static int bound_study(struct options *options, const struct study *study) {
    struct config_extras any = params_extras(&study->params);
    any.power_limits = any.shares = true;
    struct error error = {0};
    struct inputs inputs = {.list = {0}};
    struct replicate_options how = run_args_options(options);
    uint32_t count = (uint32_t)study->scenario.replications;
    const char *usual = arena_printf(&options->arena, "results/%s/bound", study->scenario.name);
    struct bounds *bounds = arena_alloc(&options->arena, count * sizeof *bounds);
    run_args_catch_interrupts();
    inputs_add_study(&inputs, study);
    error = inputs.failure;
    const char *folder = error.code < 0 ? NULL : run_args_folder(options, usual, &error);
    if (!folder) {
        inputs_finish(&inputs);
        return cli_report_error(&error);
    }
    struct progress_line *progress =
        progress_line_start(options, count, "replications", study, &how);
    int r = bound_replications(study, &any, &how, count, bounds, &error);
    progress_line_stop(progress);
    const struct manifest_origin origin = {
        "bound", options->words.at, &study->scenario, &study->model_tree, &inputs, NULL};
    const struct bound_output output = {.study = study, .bounds = bounds, .replications = count};
    r = r < 0 ? r : inputs_verify(&inputs, INPUTS_LATE, &error);
    r = r < 0 ? r : bound_dir_write(folder, &output, &origin, &error);
    inputs_finish(&inputs);
    return r < 0 ? cli_report_error(&error) : print_bounds(options, &output, folder);
}

int cli_bound(struct options *options) {
    return scenario_args_run(options, bound_study);
}
