/* easim tune: the best parameters of a policy or scenario, by one seed, judged on another. */
#include "cli/cli.h"
#include "cli/internal.h"
#include "cli/scenario_args.h"
#include "config/policy_text.h"
#include "ingest/formats.h"
#include "output/folders.h"
#include "output/run/run_report.h"
#include "study/study_load.h"

#include <stdlib.h>

/* Everything of one search; the arrays are in the arena of the arguments. */
struct session {
    struct options *options;
    struct study own, training;
    struct study before, tuned; /* as they are checked, for what is said of their policies */
    struct inputs inputs;
    size_t own_sets; /* of the options, those that hold on the training seed and on its own */
    struct tune_targets what;
    struct progress_line *progress;
    bool same_workloads; /* of search and check */
};

/* --- the scenario --- */

static struct scenario_overrides overrides_of(const struct session *s, const struct study *study) {
    struct scenario_overrides overrides = scenario_args_overrides(s->options);
    overrides.set_count = study == &s->training ? overrides.set_count : s->own_sets;
    overrides.policies = s->what.policies;
    overrides.policy_count = s->what.policies ? s->what.policy_count : 0;
    return overrides;
}

/* The scenario with a policy (NULL: its own) and more sets. */
static int load_with(const struct session *s, struct study *study, const char *policy,
                     const char *const *sets, size_t count, struct problems *problems) {
    struct scenario_overrides overrides = overrides_of(s, study);
    ARRAY_OF(const char *) all = {0};
    for (size_t i = 0; i < overrides.set_count + count; i++)
        array_push(&all,
                   i < overrides.set_count ? overrides.sets[i] : sets[i - overrides.set_count]);
    overrides.sets = all.at;
    overrides.set_count = all.count;
    overrides.policy = policy ? policy : overrides.policy;
    int r = study_load(study, s->options->operands[0], &overrides, ingest_readers, problems);
    free(all.at);
    return r;
}

/* what.load */
static int load_choice(void *context, struct study *study, const char *policy, const char *set,
                       struct problems *problems) {
    struct session *s = context;
    int r = load_with(s, study, policy, &set, set != NULL, problems);
    if (r == 0)
        inputs_add_study(&s->inputs, study);
    return r;
}

/* "services.[NAME.]FIGURE" of the scenario, if it is no other metric. */
static void find_service_metric(const struct session *s, const char *option, const char *name,
                                unsigned *column, struct problems *problems) {
    const struct metric_set *metrics = &s->own.metrics;
    struct arena *arena = &s->options->arena;
    int found = *column == METRIC_OF_SERVICES ? metric_set_find(metrics, name) : (int)*column;
    if (found >= 0)
        *column = (unsigned)found;
    else
        problems_say(problems, "%s: no metric is named \"%.80s\"%s%s", option, name,
                     str_suggestion(arena, name, metrics->names, metrics->count),
                     study_services_text(&s->own, arena));
}

static void find_service_metrics(const struct session *s, struct problems *problems) {
    struct options *o = s->options;
    const char *objective = option_given(o, "objective");
    find_service_metric(s, "--objective", objective, &o->objective, problems);
    if (o->objective != METRIC_OF_SERVICES && metric_of(o->objective)->better == METRIC_NEITHER)
        problems_say(problems, "--objective: neither less nor more of %s is better", objective);
    for (size_t i = 0; i < o->constraints.count; i++)
        find_service_metric(s, "--constraint", o->constraints.at[i].name,
                            &o->constraints.at[i].column, problems);
}

/* The scenario twice: as it is, and on the training seed. */
static int load_studies(struct session *s, struct problems *problems) {
    struct options *options = s->options;
    if (scenario_args_read(options, problems) < 0)
        return ERROR_INPUT;
    struct scenario_overrides overrides = scenario_args_overrides(options);
    if (study_load(&s->own, options->operands[0], &overrides, ingest_readers, problems) < 0)
        return ERROR_INPUT;
    inputs_add_study(&s->inputs, &s->own);
    s->own_sets = options->sets.count;
    s->what = (struct tune_targets){
        .options = options, .own = &s->own, .load = load_choice, .context = s};
    int found = tune_targets_find(&s->what, problems);
    find_service_metrics(s, problems);
    const char *seed = option_given(options, "training-seed");
    const char *replications = option_given(options, "training-replications");
    scenario_args_set(
        options, "seed",
        seed ? seed : arena_printf(&options->arena, "%lld", (long long)s->own.scenario.seed + 1));
    if (replications)
        scenario_args_set(options, "replications", replications);
    overrides = scenario_args_overrides(options);
    if (study_load(&s->training, options->operands[0], &overrides, ingest_readers, problems) < 0)
        return ERROR_INPUT;
    inputs_add_study(&s->inputs, &s->training);
    if (s->training.scenario.seed == s->own.scenario.seed)
        problems_say(
            problems,
            "--training-seed: expected another seed than the scenario's %lld: results on the seed of the search look better than they are",
            (long long)s->own.scenario.seed);
    return found < 0 || problems->count > 0 ? ERROR_INPUT : 0;
}

/* --- the runs --- */

/* tune->reload */
static int load_again(void *context, struct study *study, const char *policy,
                      const char *const *sets, size_t count, struct error *reterr) {
    struct session *s = context;
    struct problems problems = CLI_PROBLEMS;
    study_finish(study);
    int r = load_with(s, study, policy, sets, count, &problems);
    if (r < 0)
        (void)error_set(reterr, r, "%s",
                        problems.count > 0 ? problems.texts[0] : "it cannot be loaded");
    int verified = r < 0 ? inputs_verify(&s->inputs, INPUTS_READ, reterr)
                         : inputs_verify_study(&s->inputs, study, reterr);
    problems_finish(&problems);
    return verified < 0 ? verified : r;
}

/* The search is followed by two settings on the scenario's own seed. */
static void announce_trials(void *context, size_t trials) {
    const struct session *s = context;
    size_t replications = trials * (size_t)s->training.scenario.replications;
    progress_line_expect(s->progress,
                         (uint32_t)(replications + 2 * (size_t)s->own.scenario.replications));
}

/* Runs the scenario's own values and the best ones on its own seed; s->own keeps the best
   parameters of the policy, and the scenario as it was. */
static int run_check(struct session *s, const struct tune *tune,
                     const struct replicate_options *how, struct replicate_result *results,
                     struct error *reterr) {
    const struct search *search = &tune->search;
    int r = 0;
    announce_trials(s, search->trials.count);
    for (int i = 0; i < 2 && r == 0; i++) {
        const double *point = search->trials.at[i == 0 ? 0 : search->best].point;
        r = tune_apply(tune, point, &s->own, reterr);
        if (r == 0)
            r = tune_replicate(&s->own, &s->training.metrics, how, &results[i], reterr);
    }
    if (r == 0)
        r = tune_restore(tune, &s->own, reterr);
    if (r == 0 && tune_chooses_policy(tune))
        r = tune_apply(tune, search->trials.at[0].point, &s->before, reterr);
    if (r == 0 && tune_chooses_policy(tune))
        r = tune_apply(tune, search->trials.at[search->best].point, &s->tuned, reterr);
    if (r == 0)
        r = tune_compare_workloads(&s->training, &s->own, &s->same_workloads, reterr);
    if (r == 0)
        tune_apply_params(tune, search->trials.at[search->best].point, &s->own);
    return r;
}

static void note_failures(const struct tune_output *output, struct notes *notes) {
    const char *first;
    size_t count = tune_failed(output->tune, &first);
    struct str text = {0};
    str_addf(&text, "%zu of %zu trials failed, the first: %s", count, output->tune->trials.count,
             first ? first : "");
    if (count > 0)
        notes_say(notes, output->study, text.text);
    str_finish(&text);
}

static void note_caveats(const struct tune_output *output, struct notes *notes) {
    struct str text = {0};
    tune_report_caveats(output, &text);
    for (char *line = text.text, *end; line && (end = strchr(line, '\n')); line = end + 1) {
        *end = '\0';
        notes_say(notes, output->before ? output->before : output->study, line);
        if (output->tuned) /* of no policy in particular */
            notes_say(notes, output->tuned, line);
    }
    str_finish(&text);
}

static int print_search(const struct options *options, const struct tune_output *output,
                        const struct replicate_result *results, const char *folder) {
    struct report report = {0};
    struct notes notes = {.sources = 0};
    const struct study *studies[] = {output->before ? output->before : output->study,
                                     output->tuned ? output->tuned : output->study};
    for (int i = 0; i < 2; i++)
        if (i == 0 || studies[1] != studies[0])
            notes_add_study(&notes, studies[i]);
    note_failures(output, &notes);
    note_caveats(output, &notes);
    for (int i = 0; i < 2; i++)
        notes_add_result(&notes, studies[i], &results[i]);
    if (options_want_report(options))
        tune_report(output, &report);
    else
        (options->format == FORMAT_JSON ? tune_json : tune_tables_trials)(output, &report.text);
    run_args_add_notes(options, &notes, NULL, &report);
    if (options_want_report(options))
        str_addf(&report.text, "results: %s\n", folder);
    notes_finish(&notes);
    int code = run_args_show(options, &report);
    run_args_advise(options, studies[0]);
    return code;
}

struct columns {
    unsigned *at;
    size_t count, capacity;
};

static void show_metric(struct columns *shown, unsigned column) {
    for (size_t i = 0; i < shown->count; i++)
        if (shown->at[i] == column)
            return;
    array_push(shown, column);
}

static int conclude_search(struct session *s, const struct tune *tune,
                           const struct replicate_result *results, const char *folder) {
    const struct options *options = s->options;
    struct error error = {0};
    const struct compare_series series[] = {{.policy = "before", .summaries = results[0].summaries},
                                            {.policy = "tuned", .summaries = results[1].summaries}};
    struct columns shown = {0};
    show_metric(&shown, options->objective);
    for (size_t i = 0; i < options->constraints.count; i++)
        show_metric(&shown, options->constraints.at[i].column);
    for (size_t i = 0; i < options->metrics.count; i++)
        show_metric(&shown, options->metrics.columns[i]);
    for (size_t i = 0; i < RUN_REPORT_FURTHER; i++)
        if (summary_shows(study_metric_groups(&s->own), run_report_further[i]))
            show_metric(&shown, run_report_further[i]);
    bool chooses = tune_chooses_policy(tune);
    const struct manifest_origin origin = {
        "tune",           options->words.at,
        &s->own.scenario, &s->own.model_tree,
        &s->inputs,       chooses ? NULL : s->own.module.policy->name};
    const struct tune_output output = {
        .origin = &origin,
        .study = &s->own,
        .tune = tune,
        .check = {.series = series, .count = 2, .replications = results[0].count, .baseline = 0},
        .before = chooses ? &s->before : NULL,
        .tuned = chooses ? &s->tuned : NULL,
        .same_workloads = s->same_workloads,
        .shown = shown.at,
        .shown_count = shown.count};
    int code = tune_dir_write(folder, &output, &error) < 0
                   ? cli_report_error(&error)
                   : print_search(options, &output, results, folder);
    free(shown.at);
    return code;
}

static int tune_params(struct session *s) {
    struct options *options = s->options;
    struct error error = {0};
    if (s->inputs.failure.code < 0)
        return cli_report_error(&s->inputs.failure);
    run_args_catch_interrupts();
    struct replicate_result results[2] = {{.count = 0}, {.count = 0}};
    const char *usual = arena_printf(&options->arena, "results/%s/tune-%s", s->own.scenario.name,
                                     policy_text_folder(s->own.policy, &options->arena));
    const char *folder = run_args_folder(options, usual, &error);
    if (!folder)
        return cli_report_error(&error);
    struct replicate_options how = run_args_options(options);
    s->progress = progress_line_start(options, 1, "replications", &s->training, &how);
    struct tune search = {.study = &s->training,
                          .metrics = &s->own.metrics,
                          .targets = s->what.targets,
                          .axes = s->what.axes,
                          .count = s->what.count,
                          .objective = options->objective,
                          .constraints = options->constraints.at,
                          .constraint_count = options->constraints.count,
                          .options = &how,
                          .most_trials = options->most_trials,
                          .expect = announce_trials,
                          .reload = load_again,
                          .context = s};
    int r = tune_run(&search, &error);
    if (r == 0)
        r = run_check(s, &search, &how, results, &error);
    if (r == 0)
        r = inputs_verify(&s->inputs, INPUTS_LATE, &error);
    progress_line_stop(s->progress);
    if (r == ERROR_CANCELLED)
        error_set(&error, r, "%s: there are no results", error.text);
    int code = r < 0 ? cli_report_error(&error) : conclude_search(s, &search, results, folder);
    tune_finish(&search);
    replicate_result_finish(&results[0]);
    replicate_result_finish(&results[1]);
    return code;
}

int cli_tune(struct options *options) {
    struct session session = {.options = options};
    int code = load_studies(&session, &options->problems) < 0
                   ? cli_report_problems(&options->problems)
                   : tune_params(&session);
    tune_targets_finish(&session.what);
    study_finish(&session.own);
    study_finish(&session.training);
    study_finish(&session.before);
    study_finish(&session.tuned);
    inputs_finish(&session.inputs);
    return code;
}
