/* easim ablate: the difference between two list policies, component by component. */
#include "cli/cli.h"
#include "cli/internal.h"
#include "cli/scenario_args.h"
#include "config/policy_text.h"
#include "ingest/formats.h"
#include "output/folders.h"
#include "study/study_load.h"

#include <stdlib.h>

/* Everything of one ablation. */
struct session {
    struct options *options;
    const char *sides[2];   /* as they were typed: [LABEL=]NAME[:PARAM=VALUE,...] */
    const char *texts[2];   /* with colons */
    const char *modules[2]; /* without parameters */
    struct study studies[2];
    struct study plain;   /* with neither policy */
    struct inputs inputs; /* of both */
};

/* --- the two policies --- */

/* Whether an item of the list sets the parameter again. */
static bool sets_again(const char *list, const char *item, struct arena *arena) {
    const char *value, *name = option_name(item, arena, &value);
    while (value && *list) {
        const char *other, *next = option_name(policy_text_next(&list, arena), arena, &other);
        if (other && strcmp(next, name) == 0)
            return true;
    }
    return false;
}

/* NAME:PARAM=VALUE,... as other commands have it, with colons. The last comma counts. */
static const char *colons_for_commas(const char *side, struct arena *arena) {
    struct str text = {0};
    size_t length = strcspn(side, ":");
    str_add_bytes(&text, side, length);
    const char *before = ":", *list = side[length] ? side + length + 1 : "";
    if (side[length] && !*list)
        str_add_char(&text, ':');
    while (*list) {
        const char *item = policy_text_next(&list, arena);
        if (sets_again(list, item, arena))
            continue;
        str_addf(&text, "%s%s", before, item);
    }
    const char *kept = arena_strdup(arena, text.length > 0 ? text.text : "");
    str_finish(&text);
    return kept;
}

static int parse_sides(struct session *s, struct problems *problems) {
    struct arena *arena = &s->options->arena;
    int result = 0;
    for (int i = 0; i < 2; i++) {
        struct policy_text text;
        struct error error = {0};
        s->texts[i] = colons_for_commas(s->sides[i], arena);
        if (policy_text_parse(s->texts[i], arena, &text, &error) < 0)
            result = problems_say(problems, "%.80s: %s", s->sides[i], error.text);
        s->modules[i] = text.name;
    }
    return result;
}

/* The scenario with one policy and its own parameters. */
static int load_side(struct session *s, const char *text, struct study *study,
                     struct problems *problems) {
    struct scenario_overrides overrides = scenario_args_overrides(s->options);
    overrides.policy = text;
    overrides.policies = s->modules;
    overrides.policy_count = 2;
    int r = study_load(study, s->options->operands[0], &overrides, ingest_readers, problems);
    if (r == 0 && !study->module.policy->list)
        r = problems_say(
            problems, "policy %s decides by itself: expected list policies, which have components",
            study->module.policy->name);
    return r;
}

/* What is wrong with the scenario itself is told once. */
static int load_sides(struct session *s, struct problems *problems) {
    if (parse_sides(s, problems) < 0 || scenario_args_read(s->options, problems) < 0)
        return ERROR_INPUT;
    for (int i = 0; i < 2; i++)
        if (load_side(s, s->texts[i], &s->studies[i], problems) < 0)
            return ERROR_INPUT;
    scenario_args_plain(s->options, &s->plain);
    for (int i = 0; i < 2; i++)
        inputs_add_study(&s->inputs, &s->studies[i]);
    inputs_add_files(&s->inputs, &s->plain);
    return 0;
}

static int refuse_alike(const struct ablation *ablation, struct problems *problems) {
    if (ablation->active_count > 0)
        return 0;
    return problems_say(
        problems, "the two policies do not differ in any component, so there is nothing to split");
}

/* --- the runs --- */

static int print_shares(const struct session *s, const struct ablate_output *output,
                        const char *folder) {
    const struct ablation *ablation = output->ablation;
    struct report report = {0};
    struct notes notes = {.sources = 0};
    for (int i = 0; i < 2; i++) {
        notes_add_study(&notes, &output->studies[i]);
        notes_add_result(&notes, &output->studies[i],
                         &ablation->cells[i == 0 ? ablation->cell_count - 1 : 0]);
    }
    if (options_want_report(s->options)) {
        ablate_report(output, &report);
        str_add_char(report_lines(&report), '\n');
    } else {
        (s->options->format == FORMAT_JSON ? ablate_json : ablate_tables_shares)(output,
                                                                                 &report.text);
    }
    run_args_add_notes(s->options, &notes, NULL, &report);
    if (options_want_report(s->options))
        str_addf(&report.text, "results: %s\n", folder);
    notes_finish(&notes);
    int code = run_args_show(s->options, &report);
    for (int i = 0; i < 2; i++)
        run_args_advise(s->options, &output->studies[i]);
    return code;
}

static const char *name_of_side(const struct session *s, int side) {
    const char *label = s->studies[side].scenario.policy.label;
    return label ? label : s->sides[side];
}

static int ablate_policies(struct session *s, struct ablation *ablation) {
    struct error error = {0};
    run_args_catch_interrupts();
    const char *usual =
        arena_printf(&s->options->arena, "results/%s/ablate", s->studies[0].scenario.name);
    if (s->inputs.failure.code < 0)
        return cli_report_error(&s->inputs.failure);
    const char *folder = run_args_folder(s->options, usual, &error);
    if (!folder)
        return cli_report_error(&error);
    struct replicate_options how = run_args_options(s->options);
    uint32_t count = ablation->cell_count * ablation->replications;
    struct progress_line *progress =
        progress_line_start(s->options, count, "replications", &s->studies[0], &how);
    int r = ablation_run(ablation, &s->studies[0], &s->studies[1], &how, &error);
    progress_line_stop(progress);
    if (r == ERROR_CANCELLED)
        error_set(&error, r, "%s: there are no results", error.text);
    const struct manifest_origin origin = {
        "ablate", s->options->words.at, &s->plain.scenario, &s->plain.model_tree, &s->inputs, NULL};
    const struct ablate_output output = {.origin = &origin,
                                         .studies = s->studies,
                                         .ablation = ablation,
                                         .first = name_of_side(s, 0),
                                         .second = name_of_side(s, 1),
                                         .shown = s->options->metrics.columns,
                                         .shown_count = s->options->metrics.count};
    r = r < 0 ? r : inputs_verify(&s->inputs, INPUTS_LATE, &error);
    if (r < 0 || ablate_dir_write(folder, &output, &error) < 0)
        return cli_report_error(&error);
    return print_shares(s, &output, folder);
}

int cli_ablate(struct options *options) {
    struct session s = {.options = options, .sides = {options->operands[1], options->operands[2]}};
    struct ablation ablation = {0};
    scenario_args_refuse_policy(options, "policies A and B");
    int r = load_sides(&s, &options->problems);
    if (r == 0) {
        ablation_init(&ablation, &s.studies[0], &s.studies[1]);
        r = refuse_alike(&ablation, &options->problems);
    }
    int code = r < 0 ? cli_report_problems(&options->problems) : ablate_policies(&s, &ablation);
    ablation_finish(&ablation);
    study_finish(&s.studies[0]);
    study_finish(&s.studies[1]);
    study_finish(&s.plain);
    inputs_finish(&s.inputs);
    return code;
}
