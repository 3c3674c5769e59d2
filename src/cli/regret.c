/* easim regret: what a policy loses by its decisions. */
#include "cli/cli.h"
#include "cli/internal.h"
#include "cli/scenario_args.h"
#include "config/policy_text.h"
#include "output/folders.h"
#include "output/regret/regret_tables.h"
#include "study/bound_replications.h"

#include <stdlib.h>

struct session {
    struct options *options;
    const struct study *study;
    struct inputs inputs;
    struct replicate_options how;
    struct progress_line *progress;
    const char *folder;
};

static void expect_points(void *context, uint64_t points) {
    const struct session *s = context;
    progress_line_expect(s->progress, points < UINT32_MAX ? (uint32_t)points : UINT32_MAX);
}

static struct manifest_origin origin_of(const struct session *s) {
    return (struct manifest_origin){
        "regret",   s->options->words.at,         &s->study->scenario, &s->study->model_tree,
        &s->inputs, s->study->module.policy->name};
}

/* ---- Decision points ---- */

static int print_regret(const struct session *s, const struct regret_output *output) {
    struct report report = {0};
    if (options_want_report(s->options)) {
        regret_report(output, &report);
        str_addf(&report.text, "  results: %s\n", s->folder);
    } else {
        (s->options->format == FORMAT_JSON ? regret_tables_json : regret_tables_csv)(output,
                                                                                     &report.text);
    }
    return run_args_show(s->options, &report);
}

/* A copy that failed: the others are kept. */
static int report_failed(const struct regret *regret, size_t points) {
    cli_say("easim: %zu of %zu copies have no result, the first: %s\n", regret->failed,
            regret->rows.at.count - points, regret->failure);
    return EXIT_RUN_FAILED;
}

static int report_partial(const struct regret *regret, const struct error *error) {
    struct error whole;
    (void)error_set(&whole, error->code, "%s: %llu of %llu decision points are finished and kept",
                    error->text, (unsigned long long)regret->looked_at,
                    (unsigned long long)regret->wanted);
    return cli_report_error(&whole);
}

/* Writes and prints what there is; an exit code. error: an interruption, or code 0. */
static int conclude_regret(struct session *s, const struct regret *regret,
                           const struct bounds *bounds, const struct error *interrupted) {
    struct error error = {0};
    struct regret_summary summary;
    bool partial = interrupted->code < 0;
    regret_summary_init(&summary, regret);
    const struct regret_output output = {regret, &summary, bounds};
    const struct manifest_origin origin = origin_of(s);
    int code;
    if (inputs_verify(&s->inputs, INPUTS_LATE, &error) < 0 ||
        regret_dir_write(s->folder, &output, &origin, partial, &error) < 0)
        code = cli_report_error(&error);
    else
        code = print_regret(s, &output);
    if (code == EXIT_DONE && regret->failed > 0)
        code = report_failed(regret, summary.points.count);
    if (partial)
        code = report_partial(regret, interrupted);
    regret_summary_finish(&summary);
    return code;
}

/* Of any schedule that the policy could make. */
static int find_bounds(const struct session *s, struct bounds *bounds, struct error *reterr) {
    const struct config_extras extras = params_extras(&s->study->params);
    const struct replicate_options how = {.processes = s->how.processes, .cancel = s->how.cancel};
    return bound_replications(s->study, &extras, &how, (uint32_t)s->study->scenario.replications,
                              bounds, reterr);
}

static int run_regret(struct session *s) {
    const struct options *options = s->options;
    struct regret regret = {.study = s->study,
                            .how = &s->how,
                            .by = options->regret_by,
                            .sample = options->sample,
                            .hindsight = options->hindsight,
                            .expect = expect_points,
                            .context = s};
    struct error error = {0};
    struct bounds *bounds = NULL;
    s->progress = progress_line_start(options, 1, "decision points", s->study, &s->how);
    int r = regret_run(&regret, &error);
    if (options->hindsight && (r == 0 || (r == ERROR_CANCELLED && regret.looked_at > 0))) {
        struct error bound_error = {0};
        bounds = mem_zalloc((size_t)s->study->scenario.replications, sizeof *bounds);
        if (r == 0)
            r = find_bounds(s, bounds, &error);
        else if (find_bounds(s, bounds, &bound_error) < 0) {
            free(bounds);
            bounds = NULL;
        }
    }
    progress_line_stop(s->progress);
    bool keeps = r == 0 || (r == ERROR_CANCELLED && regret.looked_at > 0);
    if (!keeps && r == ERROR_CANCELLED)
        error_set(&error, r, "%s: there are no results", error.text);
    int code = keeps ? conclude_regret(s, &regret, bounds, &error) : cli_report_error(&error);
    free(bounds);
    regret_finish(&regret);
    return code;
}

/* ---- One job ---- */

static int print_externality(const struct session *s, const struct externality *externality) {
    struct report report = {0};
    if (options_want_report(s->options)) {
        externality_report(externality, &report);
        str_addf(&report.text, "  results: %s\n", s->folder);
    } else {
        (s->options->format == FORMAT_JSON ? externality_json : externality_csv)(externality,
                                                                                 &report.text);
    }
    return run_args_show(s->options, &report);
}

static int conclude_externality(struct session *s, const struct externality *externality,
                                const struct error *interrupted) {
    struct error error = {0};
    const struct manifest_origin origin = origin_of(s);
    if (inputs_verify(&s->inputs, INPUTS_LATE, &error) < 0 ||
        externality_dir_write(s->folder, externality, &origin, interrupted->code < 0, &error) < 0)
        return cli_report_error(&error);
    int code = print_externality(s, externality);
    if (interrupted->code == 0)
        return code;
    (void)error_set(&error, interrupted->code, "%s: %u of %u replications are finished and kept",
                    interrupted->text, externality->known, externality->count);
    return cli_report_error(&error);
}

static int run_externality(struct session *s) {
    struct externality externality = {.study = s->study, .how = &s->how, .job = s->options->of_job};
    const uint32_t count = (uint32_t)s->study->scenario.replications;
    struct error error = {0};
    s->progress = progress_line_start(s->options, count, "replications", s->study, &s->how);
    int r = externality_run(&externality, &error);
    progress_line_stop(s->progress);
    bool keeps = r == 0 || (r == ERROR_CANCELLED && externality.known > 0);
    int code = keeps ? conclude_externality(s, &externality, &error) : cli_report_error(&error);
    externality_finish(&externality);
    return code;
}

static int regret_study(struct options *options, const struct study *study) {
    struct session session = {.options = options, .study = study};
    struct error error = {0};
    int code;
    const char *usual = arena_printf(&options->arena, "results/%s/regret-%s", study->scenario.name,
                                     policy_text_folder(study->policy, &options->arena));
    run_args_catch_interrupts();
    session.how = run_args_options(options);
    inputs_add_study(&session.inputs, study);
    error = session.inputs.failure;
    bool refused =
        error.code < 0 || (options->hindsight && bound_replications_check(study, &error) < 0);
    session.folder = refused ? NULL : run_args_folder(options, usual, &error);
    code = !session.folder   ? cli_report_error(&error)
           : options->of_job ? run_externality(&session)
                             : run_regret(&session);
    run_args_advise(options, study);
    inputs_finish(&session.inputs);
    return code;
}

int cli_regret(struct options *options) {
    return scenario_args_run(options, regret_study);
}
