/* easim tune: the best parameters of a policy, found on one seed and judged on another. */
#include "base/numfmt.h"
#include "base/units.h"
#include "cli/cli.h"
#include "cli/progress_line.h"
#include "cli/run_args.h"
#include "cli/words.h"
#include "ingest/logs/log_readers.h"
#include "metrics/summary.h"
#include "output/tune/tune_tables.h"
#include "study/study_load.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct arguments {
    struct run_args run;
    const char *params, *training_seed, *training_replications;
    unsigned objective;
    uint32_t most_trials;
    bool has_objective;
    ARRAY_OF(struct tune_constraint) constraints;
    struct option_metrics shown;
    const char *const *words; /* for the manifest */
};

enum {
    KEY_PARAMS = 512,
    KEY_OBJECTIVE,
    KEY_CONSTRAINT,
    KEY_TRAINING_SEED,
    KEY_TRAINING_REPLICATIONS,
    KEY_TRIALS,
    KEY_METRICS
};

static const struct argp_option options[] = {
    {"params", KEY_PARAMS, "P[=LO..HI],...", 0, "parameters to tune (default range: the policy's)",
     0},
    {"objective", KEY_OBJECTIVE, "METRIC", 0, "what to make less of, or more where more is better",
     0},
    {"constraint", KEY_CONSTRAINT, "METRIC>=-1%", 0,
     "bound on a metric's change from the scenario's own parameters; >= or <=; may be given again",
     0},
    {"training-seed", KEY_TRAINING_SEED, "N", 0,
     "seed of the search (default: the scenario's plus 1)", 0},
    {"training-replications", KEY_TRAINING_REPLICATIONS, "N", 0,
     "of every trial (default: the scenario's)", 0},
    {"max-trials", KEY_TRIALS, "N", 0, "end the search after so many (default: 1000)", 0},
    {"metrics", KEY_METRICS, "M,...", 0, "metrics of the printed table; check.csv has all of them",
     0},
    {0},
};

static void parse_constraint(struct arguments *a, const char *text, struct argp_state *state) {
    const char *relation = strpbrk(text, "<>"), *percent;
    struct tune_constraint c = {0};
    if (!relation || relation[1] != '=' || !(percent = strchr(relation, '%')) ||
        percent[1] != '\0' ||
        !numfmt_parse_real(relation + 2, (size_t)(percent - relation - 2), &c.change))
        argp_error(state, "--constraint: expected METRIC>=-1%% or METRIC<=1%%, got \"%.80s\"",
                   text);
    const char *name = arena_strndup(&a->run.scenario.arena, text, (size_t)(relation - text));
    c.column = option_metric(name, "--constraint", state);
    c.at_least = relation[0] == '>';
    c.change /= 100;
    array_push(&a->constraints, c);
}

static error_t parse(int key, char *value, struct argp_state *state) {
    struct arguments *a = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &a->run;
        return 0;
    case KEY_PARAMS:
        a->params = value;
        return 0;
    case KEY_OBJECTIVE:
        a->objective = option_metric(value, "--objective", state);
        a->has_objective = true;
        if (metric_table[a->objective].better == METRIC_NEITHER)
            argp_error(state, "--objective: neither less nor more of %s is better", value);
        return 0;
    case KEY_CONSTRAINT:
        parse_constraint(a, value, state);
        return 0;
    case KEY_TRAINING_SEED:
        option_seed(value, "--training-seed", state);
        a->training_seed = value;
        return 0;
    case KEY_TRAINING_REPLICATIONS:
        option_count(value, 1, 1000000, "--training-replications", state);
        a->training_replications = value;
        return 0;
    case KEY_TRIALS:
        a->most_trials = (uint32_t)option_count(value, 2, 100000, "--max-trials", state);
        return 0;
    case KEY_METRICS:
        option_metrics(value, "--metrics", &a->shown, state);
        return 0;
    case ARGP_KEY_END:
        if (!a->params || !a->has_objective)
            argp_error(state, "expected --params and --objective");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* --- what is tuned --- */

/* Everything of one search; the arrays are in the arena of the arguments. */
struct session {
    struct arguments *args;
    struct study own, training;
    struct inputs inputs;
    size_t *params;
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
static bool narrow(const char *text, enum dimension dimension, struct search_axis *axis) {
    const char *dots = strstr(text, "..");
    double least, most;
    if (!dots || !units_parse(dimension, text, (size_t)(dots - text), &least) ||
        !units_parse(dimension, dots + 2, strlen(dots + 2), &most) || least < axis->least ||
        most > axis->most || !(least < most))
        return false;
    *axis = search_axis_of(least, most, axis->whole, false);
    return true;
}

static void add_param(struct session *s, const char *item, struct problems *problems) {
    struct arena *arena = &s->args->run.scenario.arena;
    const struct easim_policy *policy = s->own.params.policy;
    const struct location nowhere = {0};
    const char *range, *name = option_name(item, arena, &range);
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
    for (size_t i = 0; i < s->count; i++)
        if (s->params[i] == at)
            problems_add(problems, nowhere, NULL, "--params: %s is listed twice", name);
    if (params_at(policy, at)->type == EASIM_PARAM_TEXT) {
        problems_add(problems, nowhere, NULL, "--params: %s is text, which cannot be tuned", name);
        return;
    }
    s->params[s->count] = at;
    s->axes[s->count] = axis_of(params_at(policy, at));
    enum dimension dimension = units_dimension(params_at(policy, at)->unit);
    const char *units =
        dimension ? arena_printf(arena, " (units: %s)", units_accepted(dimension)) : "";
    if (range && !narrow(range, dimension, &s->axes[s->count]))
        problems_add(problems, nowhere, NULL,
                     "--params: expected %s=LO..HI within %.9g..%.9g%s, got \"%.80s\"", name,
                     s->axes[s->count].least, s->axes[s->count].most, units, item);
    s->count++;
}

static void find_params(struct session *s, struct problems *problems) {
    struct arena *arena = &s->args->run.scenario.arena;
    size_t most = strlen(s->args->params) + 1;
    s->params = arena_alloc(arena, most * sizeof *s->params);
    s->axes = arena_alloc(arena, most * sizeof *s->axes);
    for (const char *list = s->args->params; *list;)
        add_param(s, option_next(&list, arena), problems);
    if (s->count == 0 && problems->count == 0)
        problems_add(problems, (struct location){0}, NULL,
                     "--params: expected parameters, got \"\"");
}

/* The scenario twice: as it is, and on the training seed. */
static int load(struct session *s, struct problems *problems) {
    struct scenario_args *args = &s->args->run.scenario;
    if (scenario_args_read(args, problems) < 0)
        return ERROR_INPUT;
    struct scenario_overrides overrides = scenario_args_overrides(args);
    if (study_load(&s->own, args->config, &overrides, ingest_readers, problems) < 0)
        return ERROR_INPUT;
    inputs_add_study(&s->inputs, &s->own);
    find_params(s, problems);
    const char *seed = s->args->training_seed ? s->args->training_seed
                                              : arena_printf(&args->arena, "%lld",
                                                             (long long)s->own.scenario.seed + 1);
    scenario_args_set(args, "seed", seed);
    if (s->args->training_replications)
        scenario_args_set(args, "replications", s->args->training_replications);
    overrides = scenario_args_overrides(args);
    if (study_load(&s->training, args->config, &overrides, ingest_readers, problems) < 0)
        return ERROR_INPUT;
    if (s->training.scenario.seed == s->own.scenario.seed)
        problems_add(
            problems, (struct location){0}, NULL,
            "--training-seed: expected another seed than the scenario's %lld: what is tuned on a seed is too good on it",
            (long long)s->own.scenario.seed);
    return problems->count > 0 ? ERROR_INPUT : 0;
}

/* --- the runs --- */

/* The search is followed by two settings on the scenario's own seed. */
static void expect_trials(void *context, size_t trials) {
    const struct session *s = context;
    size_t replications = trials * (size_t)s->training.scenario.replications;
    progress_line_expect(s->progress,
                         (uint32_t)(replications + 2 * (size_t)s->own.scenario.replications));
}

/* Both settings on the scenario's own seed; the tuned one stays. */
static int run_check(struct session *s, const struct tune *tune,
                     const struct replicate_options *how, struct replicate_result *results,
                     struct error *reterr) {
    const struct search *search = &tune->search;
    int r = 0;
    expect_trials(s, search->trials.count);
    for (int i = 0; i < 2 && r == 0; i++) {
        tune_apply(tune, search->trials.at[i == 0 ? 0 : search->best].point, &s->own);
        r = replicate_run(&s->own, how, &replicate_summaries_only, &results[i], reterr);
    }
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

static int print(const struct arguments *a, const struct tune_output *output,
                 const struct replicate_result *results, const char *folder) {
    struct str text = {0};
    struct notes notes = {.sources = 0};
    notes_add_study(&notes, output->study);
    note_failures(output, &notes);
    for (int i = 0; i < 2; i++)
        notes_add_result(&notes, output->study, &results[i]);
    (a->run.format == FORMAT_TABLE  ? tune_report
     : a->run.format == FORMAT_JSON ? tune_json
                                    : tune_tables_trials)(output, &text);
    run_args_add_notes(&a->run, &notes, &text);
    if (a->run.format == FORMAT_TABLE)
        str_addf(&text, "results: %s\n", folder);
    notes_finish(&notes);
    int code = run_args_show(&a->run, &text);
    str_finish(&text);
    return code;
}

static int conclude(struct session *s, const struct tune *tune,
                    const struct replicate_result *results, const char *folder) {
    const struct arguments *a = s->args;
    struct error error = {0};
    const struct compare_series series[] = {{.policy = "before", .summaries = results[0].summaries},
                                            {.policy = "tuned", .summaries = results[1].summaries}};
    struct option_metrics shown = {{a->objective}, 1};
    for (size_t i = 0; i < a->shown.count; i++)
        if (a->shown.columns[i] != a->objective)
            shown.columns[shown.count++] = a->shown.columns[i];
    const struct manifest_origin origin = {"tune", a->words, &s->own.scenario, &s->inputs,
                                           s->own.module.policy->name};
    const struct tune_output output = {
        .origin = &origin,
        .study = &s->own,
        .tune = tune,
        .check = {.series = series, .count = 2, .replications = results[0].count, .baseline = 0},
        .shown = shown.columns,
        .shown_count = shown.count};
    return tune_dir_write(folder, &output, &error) < 0 ? cli_report_error(&error)
                                                       : print(a, &output, results, folder);
}

static int tune(struct session *s) {
    struct arguments *a = s->args;
    struct error error = {0};
    run_args_catch_interrupts();
    struct replicate_result results[2] = {{.count = 0}, {.count = 0}};
    const char *usual = arena_printf(&a->run.scenario.arena, "results/%s/tune-%s",
                                     s->own.scenario.name, s->own.params.policy->name);
    const char *folder = run_args_folder(&a->run, usual, &error);
    if (!folder)
        return cli_report_error(&error);
    struct replicate_options how = run_args_options(&a->run);
    how.record_power = false;
    s->progress = a->run.quiet ? NULL : progress_line_start(1, "replications", &s->training, &how);
    struct tune search = {.study = &s->training,
                          .params = s->params,
                          .axes = s->axes,
                          .count = s->count,
                          .objective = a->objective,
                          .constraints = a->constraints.at,
                          .constraint_count = a->constraints.count,
                          .options = &how,
                          .most_trials = a->most_trials,
                          .expect = expect_trials,
                          .context = s};
    int r = tune_run(&search, &error);
    if (r == 0)
        r = run_check(s, &search, &how, results, &error);
    progress_line_stop(s->progress);
    if (r == ERROR_CANCELLED)
        error_set(&error, r, "%s: there are no results", error.text);
    int code = r < 0 ? cli_report_error(&error) : conclude(s, &search, results, folder);
    tune_finish(&search);
    replicate_result_finish(&results[0]);
    replicate_result_finish(&results[1]);
    return code;
}

int cli_tune(int argc, char **argv) {
    const struct argp_child children[] = {{&run_argp, 0, NULL, 0}, {0}};
    const struct argp argp = {
        options,
        parse,
        NULL,
        "Searches the parameters of a policy that are best for a metric.\v"
        "A manifest.json instead of CONFIG.yaml repeats what it records and compares every file.\n"
        "The search runs on a training seed; "
        "the parameters found are then compared with the scenario's\n"
        "own, pair by pair, on the scenario's seed. Exit codes are those of easim run. DIR is\n"
        "results/NAME/tune-POLICY unless given.",
        children,
        NULL,
        NULL};
    struct arguments a = {.most_trials = 1000, .shown = option_main_metrics};
    struct session session = {.args = &a};
    struct problems problems = {0};
    cli_parse(&argp, argc, argv, &a);
    a.words = words_of(&argp, argc, argv, &a.run.scenario.arena);
    int code = load(&session, &problems) < 0 ? cli_report_problems(&problems) : tune(&session);
    study_finish(&session.own);
    study_finish(&session.training);
    inputs_finish(&session.inputs);
    problems_finish(&problems);
    free(a.constraints.at);
    scenario_args_finish(&a.run.scenario);
    return code;
}
