/* easim models: what models say of every configuration. */
#include "calibrate/profile_table.h"
#include "cli/cli.h"
#include "cli/model_args.h"
#include "cli/run_args.h"
#include "output/folders.h"
#include "output/models/survey_tables.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- Measured points ---- */

static bool is_limited_by(const struct survey_pair *pair, double limit_w) {
    const struct power_level *levels = pair->gpu_model->power_limits.levels.at;
    for (size_t l = 0; l < pair->gpu_model->power_limits.levels.count; l++)
        if (levels[l].power_limit_w == limit_w)
            return true;
    return false;
}

/* Generation of outputs; points of serving tables are no configurations of jobs. */
static size_t add_inference(struct survey *survey, const struct profile_table *profile) {
    size_t added = 0;
    for (size_t i = 0; i < profile->inference.count; i++) {
        const struct inference_row *row = &profile->inference.at[i];
        const struct survey_pair *pair = survey_find(survey, row->model, row->gpu);
        if (!pair || inference_row_is_serving(row))
            continue;
        const struct survey_row measured = {.k = row->k,
                                            .batch = row->batch,
                                            .span = EASIM_ONE_NODE,
                                            .power_limit_w = INFINITY,
                                            .rate = row->per_s,
                                            .power_w = row->power_w};
        survey_add_point(survey, pair, &measured, "profile", row->evidence);
        added++;
    }
    return added;
}

/* The rows of models and GPU types that are looked at; the others are counted. */
static int add_profile(struct survey *survey, struct model_args *args, const char *path,
                       struct problems *problems) {
    struct profile_table profile = {0};
    struct str text = {0};
    if (profile_table_load(&profile, path, problems) < 0) {
        profile_table_finish(&profile);
        return ERROR_INPUT;
    }
    size_t added = add_inference(survey, &profile);
    for (size_t i = 0; i < profile.rows.count; i++) {
        const struct profile_point *p = &profile.rows.at[i];
        const struct survey_pair *pair = survey_find(survey, p->model, p->gpu);
        if (!pair)
            continue;
        bool limited = !isnan(p->limit_w) && is_limited_by(pair, p->limit_w);
        const struct survey_row measured = {.k = p->k,
                                            .batch = p->batch,
                                            .span = p->across_nodes ? EASIM_ACROSS_NODES
                                                                    : EASIM_ONE_NODE,
                                            .power_limit_w = limited ? p->limit_w : INFINITY,
                                            .rate = p->throughput_samples_s,
                                            .power_w = p->power_w};
        survey_add_point(survey, pair, &measured, "profile", p->evidence);
        added++;
    }
    str_addf(&text, "%zu of %zu rows of %s are of these models and GPU types", added,
             profile.rows.count + profile.inference.count, path);
    model_args_note(args, "note: %s", text.text);
    if (added == 0)
        problems_add_setting(
            problems, (struct location){0}, "profile",
            "%s: no row is of a model and GPU type that is shown; the first is of "
            "%s on %s",
            path, profile.rows.count > 0 ? profile.rows.at[0].model : profile.inference.at[0].model,
            profile.rows.count > 0 ? profile.rows.at[0].gpu : profile.inference.at[0].gpu);
    str_finish(&text);
    profile_table_finish(&profile);
    return problems->count > 0 ? ERROR_INPUT : 0;
}

/* ---- What is left out ---- */

/* What stands in place of what a cluster would say, by GPU type that is shown. */
static void note_assumptions(const struct survey *survey, struct model_args *args) {
    struct str text = {0};
    for (uint32_t h = 0; h < args->cluster->gpu_type_count; h++) {
        const struct gpu_type *type = &args->cluster->gpu_types[h];
        size_t i = 0;
        while (i < survey->pairs.count && survey->pairs.at[i].type != type)
            i++;
        if (i < survey->pairs.count)
            str_addf(&text, "%s%s: nodes of %u GPUs%s%s",
                     text.length > 0 ? "; " : "without a cluster, ", type->name,
                     type->node_gpus_max, type->tdp_w < INFINITY ? "" : ", any power",
                     type->memory_gib < INFINITY ? "" : ", any memory");
    }
    model_args_note(args, "note: %s (--gpus-per-node, --tdp, --memory)", text.text);
    str_finish(&text);
}

/* Pairs of a model and a GPU type that are wanted and of which nothing is known. */
static void note_unknown_pairs(struct model_args *args) {
    const struct survey_wishes *w = &args->wishes;
    struct str text = {0};
    for (uint32_t m = 0; args->is_scenario && m < args->study.models.count; m++)
        for (uint32_t h = 0; h < args->cluster->gpu_type_count; h++) {
            const struct model *model = &args->study.models.models[m];
            const char *type = args->cluster->gpu_types[h].name;
            if (w->model_count + w->gpu_count == 0 && model->gpu_count > 0 &&
                !model_on_gpu(model, type))
                str_addf(&text, "%s%s on %s", text.length > 0 ? ", " : "nothing is known of ",
                         model->name, type);
        }
    if (text.length > 0)
        model_args_note(args, "note: %s", text.text);
    str_finish(&text);
}

static void note_unknown_power(const struct survey *survey, struct model_args *args) {
    struct str text = {0};
    for (size_t i = 0; i < survey->pairs.count; i++) {
        const struct survey_pair *pair = &survey->pairs.at[i];
        if (pair->gpu_model->power_form == POWER_TDP)
            str_addf(&text, "%s%s on %s",
                     text.length > 0
                         ? ", "
                         : "not measured is the power, in whose place tdp_w stands, of ",
                     pair->model->name, pair->type->name);
    }
    if (text.length > 0)
        model_args_note(args, "note: %s", text.text);
    str_finish(&text);
}

/* The serving tables that are asked for; to be released. */
static size_t find_serving(const struct model_args *args, struct str *text) {
    return serving_report(&args->study.models, args->is_scenario ? args->cluster : NULL,
                          &args->wishes, text);
}

/* Serving tables are for the terminal. */
static void note_serving(struct model_args *args, const struct options *options) {
    struct str text = {0};
    size_t tables = find_serving(args, &text);
    if (tables > 0 && (options->format == FORMAT_CSV || options->out))
        model_args_note(args, "note: %zu serving tables are shown as a table only", tables);
    str_finish(&text);
}

static bool any_transformer(const struct survey *survey) {
    for (size_t i = 0; i < survey->pairs.count; i++)
        if (survey->pairs.at[i].model->is_transformer)
            return true;
    return false;
}

/* Options that together leave nothing. */
static void refuse_nothing(const struct survey *survey, const struct model_args *args,
                           const struct options *options, struct problems *problems) {
    const struct location nowhere = {0};
    bool limits = false;
    for (size_t i = 0; i < survey->pairs.count; i++)
        limits = limits || survey->pairs.at[i].gpu_model->power_limits.levels.count > 0;
    struct str tables = {0};
    bool serving = find_serving(args, &tables) > 0;
    str_finish(&tables);
    if (survey->pairs.count == 0 && !serving)
        problems_add(problems, nowhere, NULL,
                     "%s: no model that is asked for knows a GPU type that is", options->who);
    else if (survey->pairs.count == 0 && (options->format == FORMAT_CSV || options->out))
        problems_add(problems, nowhere, NULL,
                     "%s: only serving tables are asked for, which are shown on the terminal "
                     "(without %s)",
                     options->who, options->out ? "--out" : "--format csv");
    else if (survey->rows.count == 0 && survey->pairs.count > 0)
        problems_add_setting(problems, nowhere, "span",
                             "no configuration is placed so: the k asked for do not fit one node, "
                             "or do not need two");
    else if (options->plans && !any_transformer(survey))
        problems_add_setting(problems, nowhere, "plans", "none of these models is a transformer");
    else if (args->wishes.power_limits && !limits)
        problems_add_setting(problems, nowhere, "power-limits",
                             "none of these models has power limits");
}

/* ---- The command ---- */

/* With the tables, or beside data on standard error. */
static void print_notes(const struct options *options, const struct model_args *args,
                        struct str *text) {
    for (size_t i = 0; i < args->notes.count; i++)
        if (options->format == FORMAT_TABLE)
            str_addf(text, "  %s\n", args->notes.at[i]);
        else if (!options->quiet)
            cli_say("  %s\n", args->notes.at[i]);
}

static int print_survey(const struct options *options, struct model_args *args,
                        const struct survey *survey) {
    struct str text = {0};
    if (options->parameters)
        parameters_report(survey, &text);
    else if (options->plans && options->format == FORMAT_CSV)
        plans_csv(survey, &text);
    else if (options->plans)
        plans_report(survey, &text);
    else if (options->format == FORMAT_CSV)
        models_csv(survey, &text);
    else {
        models_report(survey, &text);
        (void)find_serving(args, &text);
    }
    print_notes(options, args, &text);
    if (options->format == FORMAT_TABLE && options->out)
        str_addf(&text, "results: %s\n", options->out);
    int code = run_args_show(options, &text);
    str_finish(&text);
    return code;
}

static int show_survey(struct options *options, struct model_args *args,
                       const struct survey *survey) {
    struct error error = {0};
    const struct manifest_origin origin = {"models",
                                           options->words.at,
                                           &args->study.scenario,
                                           &args->study.model_tree,
                                           &args->inputs,
                                           args->is_scenario ? args->study.module.policy->name
                                                             : NULL};
    const struct models_output output = {survey, &args->study, &origin};
    if (options->out && (!run_args_folder(options, options->out, &error) ||
                         models_dir_write(options->out, &output, &error) < 0))
        return cli_report_error(&error);
    return print_survey(options, args, survey);
}

int cli_models(struct options *options) {
    struct model_args args = {0};
    struct survey survey = {0};
    struct problems problems = CLI_PROBLEMS;
    int code = EXIT_BAD_INPUT;
    if (model_args_load(&args, options, &problems) == 0) {
        survey_make(&survey, &args.study.models, args.cluster, &args.wishes);
        refuse_nothing(&survey, &args, options, &problems);
        if (problems.count == 0) {
            if (!args.is_scenario && !options->parameters && survey.pairs.count > 0)
                note_assumptions(&survey, &args);
            note_unknown_pairs(&args);
            note_unknown_power(&survey, &args);
            note_serving(&args, options);
        }
        if (problems.count == 0 && options->profile_csv &&
            add_profile(&survey, &args, options->profile_csv, &problems) == 0) {
            const struct input input = {.key = "profile", .path = options->profile_csv};
            (void)inputs_add(&args.inputs, &input);
        }
    }
    if (problems.count == 0 && args.inputs.failure.code < 0)
        code = cli_report_error(&args.inputs.failure);
    else
        code = problems.count > 0 ? cli_report_problems(&problems)
                                  : show_survey(options, &args, &survey);
    survey_finish(&survey);
    model_args_finish(&args);
    problems_finish(&problems);
    return code;
}
