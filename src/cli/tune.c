/* easim tune: the best parameters of a policy, or values of the scenario, found on one seed and
   judged on another. */
#include "base/numfmt.h"
#include "base/units.h"
#include "cli/cli.h"
#include "cli/option_table.h"
#include "cli/option_values.h"
#include "cli/progress_line.h"
#include "cli/run_args.h"
#include "cli/scenario_args.h"
#include "ingest/logs/log_readers.h"
#include "io/yaml_path.h"
#include "output/tune/tune_dir.h"
#include "study/study_load.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- what is tuned --- */

/* Everything of one search; the arrays are in the arena of the arguments. */
struct session {
    struct options *options;
    struct study own, training;
    struct inputs inputs;
    size_t own_sets; /* of the options, those that hold on the training seed and on its own */
    struct tune_target *targets;
    struct search_axis *axes;
    size_t count;
    struct progress_line *progress;
};

static struct search_axis axis_of(const struct easim_param *p) {
    double choices = 0;
    while (p->type == EASIM_PARAM_CHOICE && p->choices[(size_t)choices])
        choices++;
    bool whole =
        p->type == EASIM_PARAM_INT || p->type == EASIM_PARAM_BOOL || p->type == EASIM_PARAM_CHOICE;
    double most = p->type == EASIM_PARAM_CHOICE ? choices - 1
                  : p->type == EASIM_PARAM_BOOL ? 1
                                                : p->max;
    return search_axis_of(p->type == EASIM_PARAM_CHOICE || p->type == EASIM_PARAM_BOOL ? 0 : p->min,
                          most, whole, p->may_be_off);
}

/* LO..HI within the policy's own range, each with or without a unit. */
static bool narrow_axis(const char *text, enum dimension dimension, struct search_axis *axis) {
    const char *dots = strstr(text, "..");
    double least, most;
    if (!dots || !units_parse(dimension, text, (size_t)(dots - text), &least) ||
        !units_parse(dimension, dots + 2, strlen(dots + 2), &most) || least < axis->least ||
        most > axis->most || !(least < most))
        return false;
    *axis = search_axis_of(least, most, axis->whole, false);
    return true;
}

/* Of edp_slack or policy.params.edp_slack; NULL: it is neither. */
static const char *param_name(const struct yaml_path *path, struct arena *arena) {
    const char *name = path->steps[path->count - 1].name;
    bool below = yaml_paths_overlap("policy.params", yaml_path_text(path, arena));
    return path->count == 1 || (path->count == 3 && below) ? name : NULL;
}

static bool is_listed(const struct session *s, const struct tune_target *target) {
    for (size_t i = 0; i < s->count; i++) {
        const struct tune_target *other = &s->targets[i];
        if (target->path && other->path
                ? yaml_paths_overlap(target->path, other->path)
                : !target->path && !other->path && target->param == other->param)
            return true;
    }
    return false;
}

/* A number of the scenario, without a unit; those of the policy are its parameters. */
static void add_path(struct session *s, const struct yaml_path *path, const char *range,
                     struct problems *problems) {
    const struct location nowhere = {0};
    struct tune_target target = {.path = yaml_path_text(path, &s->options->arena)};
    const struct yaml_node *node = yaml_path_find(s->own.scenario.doc.root, path);
    struct search_axis axis = search_axis_of(-DBL_MAX, DBL_MAX, false, false);
    if (yaml_paths_overlap("policy", target.path) ||
        yaml_paths_overlap("params_by_policy", target.path))
        problems_add(
            problems, nowhere, NULL,
            "--params: expected a parameter of the policy, as edp_slack or "
            "policy.params.edp_slack, or a number of the scenario by its path, got \"%.80s\"",
            target.path);
    else if (!node || node->kind != YAML_NODE_SCALAR ||
             !numfmt_parse_real(node->text, strlen(node->text), &target.start))
        problems_add(problems, nowhere, NULL,
                     "--params: expected a number in the scenario at %s, found %.80s", target.path,
                     !node                            ? "nothing"
                     : node->kind != YAML_NODE_SCALAR ? "several values"
                                                      : node->text);
    else if (!range || !narrow_axis(range, DIMENSION_NONE, &axis))
        problems_add(problems, nowhere, NULL, "--params: expected %s=LO..HI, got %s%.80s",
                     target.path, range ? "" : "no range", range ? range : "");
    else if (is_listed(s, &target))
        problems_add(problems, nowhere, NULL, "--params: %s is listed twice", target.path);
    s->axes[s->count] = axis;
    s->targets[s->count++] = target;
}

static void add_param(struct session *s, const char *name, const char *item, const char *range,
                      struct problems *problems) {
    struct arena *arena = &s->options->arena;
    const struct easim_policy *policy = s->own.params.policy;
    const struct location nowhere = {0};
    size_t count = params_count(policy), at = 0;
    const char **names = arena_alloc(arena, count * sizeof *names);
    for (size_t i = 0; i < count; i++)
        names[i] = params_at(policy, i)->name;
    while (at < count && strcmp(names[at], name) != 0)
        at++;
    if (at == count) {
        problems_add(problems, nowhere, NULL, "--params: policy %s has no parameter \"%.80s\"%s",
                     policy->name, name, str_suggestion(arena, name, names, count));
        return;
    }
    const struct tune_target target = {.param = at};
    if (is_listed(s, &target))
        problems_add(problems, nowhere, NULL, "--params: %s is listed twice", name);
    enum easim_param_type type = params_at(policy, at)->type;
    if (type == EASIM_PARAM_TEXT || type == EASIM_PARAM_TABLE) {
        problems_add(problems, nowhere, NULL, "--params: %s is %s, which cannot be tuned", name,
                     type == EASIM_PARAM_TEXT ? "text" : "a file");
        return;
    }
    s->targets[s->count] = target;
    s->axes[s->count] = axis_of(params_at(policy, at));
    enum dimension dimension = units_dimension(params_at(policy, at)->unit);
    const char *units =
        dimension ? arena_printf(arena, " (units: %s)", units_accepted(dimension)) : "";
    if (range && !narrow_axis(range, dimension, &s->axes[s->count]))
        problems_add(problems, nowhere, NULL,
                     "--params: expected %s=LO..HI within %.9g..%.9g%s, got \"%.80s\"", name,
                     s->axes[s->count].least, s->axes[s->count].most, units, item);
    s->count++;
}

static void add_target(struct session *s, const char *item, struct problems *problems) {
    struct arena *arena = &s->options->arena;
    const char *range, *text = option_name(item, arena, &range);
    struct yaml_path path;
    struct error error = {0};
    if (text[0] == '\0') {
        problems_add(problems, (struct location){0}, NULL,
                     "--params: expected parameters, got \"%.80s\"", s->options->params);
    } else if (yaml_path_parse(text, arena, &path, &error) < 0) {
        problems_add(problems, (struct location){0}, NULL, "--params: %s", error.text);
    } else {
        const char *name = param_name(&path, arena);
        if (name)
            add_param(s, name, item, range, problems);
        else
            add_path(s, &path, range, problems);
    }
}

static void find_targets(struct session *s, struct problems *problems) {
    struct arena *arena = &s->options->arena;
    size_t most = strlen(s->options->params) + 1;
    s->targets = arena_alloc(arena, most * sizeof *s->targets);
    s->axes = arena_alloc(arena, most * sizeof *s->axes);
    for (const char *list = s->options->params; *list;)
        add_target(s, option_next(&list, arena), problems);
    if (s->count == 0 && problems->count == 0)
        problems_add(problems, (struct location){0}, NULL,
                     "--params: expected parameters, got \"\"");
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
    find_targets(s, problems);
    s->own_sets = options->sets.count;
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
        problems_add(
            problems, (struct location){0}, NULL,
            "--training-seed: expected another seed than the scenario's %lld: what is tuned on a seed is too good on it",
            (long long)s->own.scenario.seed);
    return problems->count > 0 ? ERROR_INPUT : 0;
}

/* --- the runs --- */

static struct scenario_overrides overrides_of(const struct session *s, const struct study *study) {
    struct scenario_overrides overrides = scenario_args_overrides(s->options);
    overrides.set_count = study == &s->own ? s->own_sets : overrides.set_count;
    return overrides;
}

/* tune->reload */
static int load_again(void *context, struct study *study, const char *const *sets, size_t count,
                      struct error *reterr) {
    struct session *s = context;
    struct problems problems = CLI_PROBLEMS;
    struct scenario_overrides overrides = overrides_of(s, study);
    ARRAY_OF(const char *) all = {0};
    for (size_t i = 0; i < overrides.set_count + count; i++)
        array_push(&all,
                   i < overrides.set_count ? overrides.sets[i] : sets[i - overrides.set_count]);
    overrides.sets = all.at;
    overrides.set_count = all.count;
    study_finish(study);
    int r = study_load(study, s->options->operands[0], &overrides, ingest_readers, &problems);
    if (r < 0)
        (void)error_set(reterr, r, "%s",
                        problems.count > 0 ? problems.texts[0] : "it cannot be loaded");
    int verified = r < 0 ? inputs_verify(&s->inputs, INPUTS_READ, reterr)
                         : inputs_verify_study(&s->inputs, study, reterr);
    free(all.at);
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
            r = replicate_run(&s->own, how, &replicate_summaries_only, &results[i], reterr);
    }
    if (r == 0)
        r = tune_restore(tune, &s->own, reterr);
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

static int print_search(const struct options *options, const struct tune_output *output,
                        const struct replicate_result *results, const char *folder) {
    struct str text = {0};
    struct notes notes = {.sources = 0};
    notes_add_study(&notes, output->study);
    note_failures(output, &notes);
    for (int i = 0; i < 2; i++)
        notes_add_result(&notes, output->study, &results[i]);
    (options->format == FORMAT_TABLE  ? tune_report
     : options->format == FORMAT_JSON ? tune_json
                                      : tune_tables_trials)(output, &text);
    run_args_add_notes(options, &notes, &text);
    if (options->format == FORMAT_TABLE)
        str_addf(&text, "results: %s\n", folder);
    notes_finish(&notes);
    int code = run_args_show(options, &text);
    str_finish(&text);
    return code;
}

static int conclude_search(struct session *s, const struct tune *tune,
                           const struct replicate_result *results, const char *folder) {
    const struct options *options = s->options;
    struct error error = {0};
    const struct compare_series series[] = {{.policy = "before", .summaries = results[0].summaries},
                                            {.policy = "tuned", .summaries = results[1].summaries}};
    struct option_metrics shown = {{options->objective}, 1};
    for (size_t i = 0; i < options->metrics.count; i++)
        if (options->metrics.columns[i] != options->objective)
            shown.columns[shown.count++] = options->metrics.columns[i];
    const struct manifest_origin origin = {"tune",           options->words.at,
                                           &s->own.scenario, &s->own.model_tree,
                                           &s->inputs,       s->own.module.policy->name};
    const struct tune_output output = {
        .origin = &origin,
        .study = &s->own,
        .tune = tune,
        .check = {.series = series, .count = 2, .replications = results[0].count, .baseline = 0},
        .shown = shown.columns,
        .shown_count = shown.count};
    return tune_dir_write(folder, &output, &error) < 0
               ? cli_report_error(&error)
               : print_search(options, &output, results, folder);
}

static int tune_params(struct session *s) {
    struct options *options = s->options;
    struct error error = {0};
    if (s->inputs.failure.code < 0)
        return cli_report_error(&s->inputs.failure);
    run_args_catch_interrupts();
    struct replicate_result results[2] = {{.count = 0}, {.count = 0}};
    const char *usual = arena_printf(&options->arena, "results/%s/tune-%s", s->own.scenario.name,
                                     s->own.params.policy->name);
    const char *folder = run_args_folder(options, usual, &error);
    if (!folder)
        return cli_report_error(&error);
    struct replicate_options how = run_args_options(options);
    how.record_power = false;
    s->progress =
        options->quiet ? NULL : progress_line_start(1, "replications", &s->training, &how);
    struct tune search = {.study = &s->training,
                          .targets = s->targets,
                          .axes = s->axes,
                          .count = s->count,
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
    struct problems problems = CLI_PROBLEMS;
    int code = load_studies(&session, &problems) < 0 ? cli_report_problems(&problems)
                                                     : tune_params(&session);
    study_finish(&session.own);
    study_finish(&session.training);
    inputs_finish(&session.inputs);
    problems_finish(&problems);
    return code;
}
