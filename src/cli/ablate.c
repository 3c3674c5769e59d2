/* easim ablate: the difference between two list policies, component by component. */
#include "cli/cli.h"
#include "cli/progress_line.h"
#include "cli/run_args.h"
#include "cli/words.h"
#include "ingest/logs/log_readers.h"
#include "output/ablate/ablate_tables.h"
#include "study/study_load.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct arguments {
    struct run_args run;
    const char *sides[2]; /* NAME or NAME:PARAM=VALUE,... */
    struct option_metrics shown;
    const char *const *words; /* for the manifest */
    struct study plain;       /* with neither policy */
    struct inputs inputs;     /* of both */
};

enum { KEY_METRICS = 512 };

static const struct argp_option options[] = {
    {"metrics", KEY_METRICS, "M,...", 0, "metrics of the printed table; ablate.csv has all of them",
     0},
    {0}};

static error_t parse(int key, char *value, struct argp_state *state) {
    struct arguments *a = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &a->run;
        return 0;
    case KEY_METRICS:
        option_metrics(value, "--metrics", &a->shown, state);
        return 0;
    case ARGP_KEY_ARG:
        if (!a->run.scenario.config)
            return ARGP_ERR_UNKNOWN; /* it goes on to the child */
        if (a->sides[1])
            argp_error(state, "expected CONFIG.yaml A B, got another: %s", value);
        a->sides[a->sides[0] ? 1 : 0] = value;
        return 0;
    case ARGP_KEY_END:
        if (a->run.scenario.config && !a->sides[1])
            argp_error(state, "expected CONFIG.yaml A B");
        scenario_args_refuse_policy(&a->run.scenario, "policies A and B", state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* --- the two policies --- */

/* The sets of NAME:PARAM=VALUE,... after those of the command line. */
static int add_sets(struct arguments *a, const char *side, const char **sets, size_t *count,
                    struct problems *problems) {
    struct arena *arena = &a->run.scenario.arena;
    const char *colon = strchr(side, ':');
    for (const char *list = colon ? colon + 1 : ""; *list;) {
        const char *item = option_next(&list, arena);
        if (!strchr(item, '=')) {
            problems_add(problems, (struct location){0}, NULL,
                         "%.80s: expected NAME:PARAM=VALUE,..., got \"%.80s\"", side, item);
            return ERROR_INPUT;
        }
        sets[(*count)++] = arena_printf(arena, "policy.params.%s", item);
    }
    return 0;
}

/* The scenario with one policy and its own parameters. */
static int load_side(struct arguments *a, const char *side, struct study *study,
                     struct problems *problems) {
    struct scenario_args *args = &a->run.scenario;
    struct scenario_overrides overrides = scenario_args_overrides(args);
    const char **sets = mem_zalloc(overrides.set_count + strlen(side), sizeof *sets);
    for (size_t i = 0; i < overrides.set_count; i++)
        sets[i] = overrides.sets[i];
    const char *policies[2];
    for (int i = 0; i < 2; i++)
        policies[i] = arena_strndup(&args->arena, a->sides[i], strcspn(a->sides[i], ":"));
    int r = add_sets(a, side, sets, &overrides.set_count, problems);
    overrides.policy = arena_strndup(&args->arena, side, strcspn(side, ":"));
    overrides.policies = policies;
    overrides.policy_count = 2;
    overrides.sets = sets;
    r = r < 0 ? r : study_load(study, args->config, &overrides, ingest_readers, problems);
    if (r == 0 && !study->module.policy->list) {
        problems_add(problems, (struct location){0}, NULL,
                     "policy %s decides by itself: expected list policies, which have components",
                     study->module.policy->name);
        r = ERROR_INPUT;
    }
    free(sets);
    return r;
}

/* What is wrong with the scenario itself is told once. */
static int load(struct arguments *a, struct study *studies, struct problems *problems) {
    if (scenario_args_read(&a->run.scenario, problems) < 0)
        return ERROR_INPUT;
    for (int i = 0; i < 2; i++)
        if (load_side(a, a->sides[i], &studies[i], problems) < 0)
            return ERROR_INPUT;
    scenario_args_plain(&a->run.scenario, &a->plain);
    for (int i = 0; i < 2; i++)
        inputs_add_study(&a->inputs, &studies[i]);
    return 0;
}

static int check(const struct ablation *ablation, struct problems *problems) {
    if (ablation->active_count > 0)
        return 0;
    problems_add(problems, (struct location){0}, NULL,
                 "the two policies are alike in every component: there is nothing to split");
    return ERROR_INPUT;
}

/* --- the runs --- */

static int print(const struct arguments *a, const struct ablate_output *output,
                 const char *folder) {
    const struct ablation *ablation = output->ablation;
    struct str text = {0};
    struct notes notes = {.sources = 0};
    for (int i = 0; i < 2; i++) {
        notes_add_study(&notes, &output->studies[i]);
        notes_add_result(&notes, &output->studies[i],
                         &ablation->cells[i == 0 ? ablation->cell_count - 1 : 0]);
    }
    if (a->run.format == FORMAT_TABLE) {
        ablate_report(output, &text);
        str_add_char(&text, '\n');
    } else {
        (a->run.format == FORMAT_JSON ? ablate_json : ablate_tables_shares)(output, &text);
    }
    run_args_add_notes(&a->run, &notes, &text);
    if (a->run.format == FORMAT_TABLE)
        str_addf(&text, "results: %s\n", folder);
    notes_finish(&notes);
    int code = run_args_show(&a->run, &text);
    str_finish(&text);
    return code;
}

static int ablate(struct arguments *a, const struct study *studies, struct ablation *ablation) {
    struct error error = {0};
    run_args_catch_interrupts();
    const char *usual =
        arena_printf(&a->run.scenario.arena, "results/%s/ablate", studies[0].scenario.name);
    const char *folder = run_args_folder(&a->run, usual, &error);
    if (!folder)
        return cli_report_error(&error);
    struct replicate_options how = run_args_options(&a->run);
    how.record_power = false;
    uint32_t count = ablation->cell_count * ablation->replications;
    struct progress_line *progress =
        a->run.quiet ? NULL : progress_line_start(count, "replications", &studies[0], &how);
    int r = ablation_run(ablation, &studies[0], &studies[1], &how, &error);
    progress_line_stop(progress);
    if (r == ERROR_CANCELLED)
        error_set(&error, r, "%s: there are no results", error.text);
    const struct manifest_origin origin = {"ablate", a->words, &a->plain.scenario, &a->inputs,
                                           NULL};
    const struct ablate_output output = {.origin = &origin,
                                         .studies = studies,
                                         .ablation = ablation,
                                         .first = a->sides[0],
                                         .second = a->sides[1],
                                         .shown = a->shown.columns,
                                         .shown_count = a->shown.count};
    if (r < 0 || ablate_dir_write(folder, &output, &error) < 0)
        return cli_report_error(&error);
    return print(a, &output, folder);
}

int cli_ablate(int argc, char **argv) {
    const struct argp_child children[] = {{&run_argp, 0, NULL, 0}, {0}};
    const struct argp argp = {
        options,
        parse,
        NULL,
        "Splits the difference A - B between two list policies into components.\v"
        "A manifest.json instead of CONFIG.yaml repeats what it records and compares every file.\n"
        "A and B: NAME, a path, or either with parameters, NAME:PARAM=VALUE,... "
        "Runs every mixture of\n"
        "the two on the same workloads; "
        "the Shapley shares of the components add up to the difference.\n"
        "Exit codes are those of easim run. DIR is results/NAME/ablate unless given.",
        children,
        NULL,
        NULL};
    struct arguments a = {.run.scenario.more = "A B", .shown = option_main_metrics};
    struct study studies[2] = {{.module = {0}}, {.module = {0}}};
    struct ablation ablation = {0};
    struct problems problems = {0};
    cli_parse(&argp, argc, argv, &a);
    a.words = words_of(&argp, argc, argv, &a.run.scenario.arena);
    int r = load(&a, studies, &problems);
    if (r == 0) {
        ablation_init(&ablation, &studies[0], &studies[1]);
        r = check(&ablation, &problems);
    }
    int code = r < 0 ? cli_report_problems(&problems) : ablate(&a, studies, &ablation);
    ablation_finish(&ablation);
    study_finish(&studies[0]);
    study_finish(&studies[1]);
    study_finish(&a.plain);
    inputs_finish(&a.inputs);
    problems_finish(&problems);
    scenario_args_finish(&a.run.scenario);
    return code;
}
