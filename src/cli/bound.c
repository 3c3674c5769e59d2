/* easim bound: numbers that no schedule of a scenario's jobs is below. */
#include "cli/cli.h"
#include "cli/progress_line.h"
#include "cli/run_args.h"
#include "cli/scenario_args.h"
#include "output/folders.h"
#include "study/bound_replications.h"

#include <stdlib.h>

static int print_bounds(const struct options *options, const struct bound_output *output,
                        const char *folder) {
    struct str text = {0};
    if (options->format == FORMAT_TABLE) {
        bound_tables_report(output, &text);
        str_addf(&text, "  results: %s\n", folder);
    } else {
        (options->format == FORMAT_JSON ? bound_tables_json : bound_tables_csv)(output, &text);
    }
    int code = run_args_show(options, &text);
    str_finish(&text);
    return code;
}

/* Any schedule: with power limits and shared GPUs, whatever the policy of the scenario uses. */
static int bound_study(struct options *options, const struct study *study, struct bounds *bounds) {
    static const struct config_extras any = {.power_limits = true, .shares = true};
    struct error error = {0};
    struct inputs inputs = {.list = {0}};
    struct replicate_options how = run_args_options(options);
    uint32_t count = (uint32_t)study->scenario.replications;
    const char *usual = arena_printf(&options->arena, "results/%s/bound", study->scenario.name);
    run_args_catch_interrupts();
    inputs_add_study(&inputs, study);
    error = inputs.failure;
    const char *folder = error.code < 0 ? NULL : run_args_folder(options, usual, &error);
    if (!folder) {
        inputs_finish(&inputs);
        return cli_report_error(&error);
    }
    struct progress_line *progress =
        options->quiet ? NULL : progress_line_start(count, "replications", study, &how);
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
    struct problems problems = CLI_PROBLEMS;
    struct study study;
    int code;
    if (scenario_args_load(options, &study, &problems) < 0) {
        code = cli_report_problems(&problems);
    } else {
        struct bounds *bounds = mem_zalloc((size_t)study.scenario.replications, sizeof *bounds);
        code = bound_study(options, &study, bounds);
        free(bounds);
    }
    study_finish(&study);
    problems_finish(&problems);
    return code;
}
