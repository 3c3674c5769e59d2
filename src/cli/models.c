/* easim models: what models say of every configuration. */
#include "calibrate/profile_table.h"
#include "cli/cli.h"
#include "cli/internal.h"
#include "cli/scenario_args.h"
#include "io/files.h"
#include "output/folders.h"
#include "output/models/survey_tables.h"

#include <math.h>
#include <stdlib.h>

/* --- model_args: models and GPUs of a scenario, or those of a model file --- */

/* Zero-initialise; release with model_args_finish. */
struct model_args {
    struct study study; /* of a model file: its models and its document alone */
    struct inputs inputs;
    struct cluster assumed; /* of a model file: as many GPUs as are asked for */
    const struct cluster *cluster;
    bool is_scenario;
    struct survey_wishes wishes;
    ARRAY_OF(const char *) notes; /* lines: what is assumed, and what is left out */
};

static void model_args_note(struct model_args *args, const char *format, ...) PRINTF_LIKE(2, 3);

#define USUAL_NODE_GPUS 8

static void model_args_note(struct model_args *args, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    array_push(&args->notes, arena_vprintf(&args->study.arena, format, arguments));
    va_end(arguments);
}

/* ---- A model file ---- */

/* A file of models has none of what a scenario needs. */
static bool is_scenario(const struct yaml_node *root) {
    static const char *const keys[] = {"cluster", "workload", "policy", "horizon"};
    bool models = root && root->kind == YAML_NODE_MAPPING && yaml_find(root, "models");
    for (size_t i = 0; models && i < sizeof keys / sizeof *keys; i++)
        if (yaml_find(root, keys[i]))
            return true;
    return !models;
}

/* The last value of the type, else the last one of all types. */
static const double *value_of(const struct type_values *values, const char *type) {
    const double *own = NULL, *of_all = NULL;
    for (size_t i = 0; i < values->count; i++)
        if (!values->at[i].type)
            of_all = &values->at[i].value;
        else if (strcmp(values->at[i].type, type) == 0)
            own = &values->at[i].value;
    return own ? own : of_all;
}

/* Of the largest nodes that models were measured on. */
static uint32_t stated_node_gpus(const struct model_set *models, const char *type) {
    int64_t most = 0;
    for (uint32_t m = 0; m < models->count; m++) {
        const struct gpu_model *g = model_on_gpu(&models->models[m], type);
        most = g && g->gpus_per_node > most ? g->gpus_per_node : most;
    }
    return most > 0 ? (uint32_t)most : USUAL_NODE_GPUS;
}

/* The GPU type as it is known without a cluster. */
static void add_type(struct model_args *args, const struct options *options, const char *name) {
    struct cluster *c = &args->assumed;
    if (cluster_find_type(c, name) >= 0)
        return;
    const double *tdp_w = value_of(&options->tdp, name), *gib = value_of(&options->memory, name),
                 *gpus = value_of(&options->node_gpus, name);
    uint32_t h = c->gpu_type_count++;
    c->gpu_types[h] = (struct gpu_type){
        .name = name,
        .tdp_w = tdp_w ? *tdp_w : INFINITY,
        .memory_gib = gib ? *gib : INFINITY,
        .gpus = CLUSTER_MAX_GPUS,
        .node_gpus_max = gpus ? (uint32_t)*gpus : stated_node_gpus(&args->study.models, name)};
    c->nodes[c->node_count++] = (struct node){.gpu_type = h, .gpus = c->gpu_types[h].node_gpus_max};
}

/* Of the same GPU type, or both of all. */
static bool is_said_before(const struct type_values *values, size_t i) {
    const char *type = values->at[i].type;
    for (size_t j = 0; j < i; j++)
        if (type && values->at[j].type ? strcmp(type, values->at[j].type) == 0
                                       : type == values->at[j].type)
            return true;
    return false;
}

/* Every value must be of a GPU type that there is, and the only one of it. */
static void check_types(const struct model_args *args, const char *option,
                        const struct type_values *values, const struct binding *binding) {
    for (size_t i = 0; i < values->count; i++) {
        const char *type = values->at[i].type;
        if (type && cluster_find_type(&args->assumed, type) < 0)
            problems_add_setting(binding->problems, (struct location){0}, option,
                                 "no model of the file knows GPU type \"%.80s\"%s", type,
                                 cluster_suggest_type(&args->assumed, type, binding));
        if (is_said_before(values, i))
            problems_add_setting(binding->problems, (struct location){0}, option,
                                 "stated twice for %.80s", type ? type : "all GPU types");
    }
}

static void assume_cluster(struct model_args *args, const struct options *options,
                           const struct binding *binding) {
    const struct model_set *models = &args->study.models;
    size_t most = 0;
    for (uint32_t m = 0; m < models->count; m++)
        most += models->models[m].gpu_count;
    args->assumed.gpu_types =
        arena_alloc(binding->arena, (most + 1) * sizeof *args->assumed.gpu_types);
    args->assumed.nodes = arena_alloc(binding->arena, (most + 1) * sizeof *args->assumed.nodes);
    for (uint32_t m = 0; m < models->count; m++)
        for (uint32_t g = 0; g < models->models[m].gpu_count; g++)
            add_type(args, options, models->models[m].gpus[g].gpu);
    check_types(args, "tdp", &options->tdp, binding);
    check_types(args, "memory", &options->memory, binding);
    check_types(args, "gpus-per-node", &options->node_gpus, binding);
    args->cluster = &args->assumed;
}

/* The name of the file without folders and ending. */
static const char *name_of_file(const char *path, struct arena *arena) {
    const char *name = files_name(path), *dot = strrchr(name, '.');
    return arena_strndup(arena, name, dot && dot > name ? (size_t)(dot - name) : strlen(name));
}

static int load_models(struct model_args *args, struct options *options, struct yaml_doc *doc,
                       struct problems *problems) {
    struct study *study = &args->study;
    const struct binding binding = {&study->arena, problems, &study->scenario.uses};
    const char *path = options->operands[0];
    study->scenario.doc = *doc;
    *doc = (struct yaml_doc){0};
    study->scenario.file = path;
    study->scenario.name =
        name_of_file(strcmp(path, "-") == 0 ? YAML_STDIN_NAME : path, &study->arena);
    if (options->sets.count > 0)
        problems_say(problems, "%s: --set: expected a scenario, %s is a model file", options->who,
                     path);
    if (model_set_load_tree(&study->models, study->scenario.doc.root, &binding) < 0 ||
        problems->count > 0)
        return ERROR_INPUT;
    const struct input input = {
        .key = "models", .path = path, .inlined = true, .read = &study->stamp};
    if (strcmp(path, "-") != 0)
        (void)inputs_add(&args->inputs, &input);
    assume_cluster(args, options, &binding);
    return problems->count > 0 ? ERROR_INPUT : 0;
}

/* ---- A scenario ---- */

static void add_number(struct survey_list *list, double value, struct arena *arena) {
    double *at = arena_alloc(arena, (list->count + 1) * sizeof *at);
    if (list->count > 0)
        memcpy(at, list->at, list->count * sizeof *at);
    at[list->count] = value;
    *list = (struct survey_list){at, list->count + 1};
}

/* What some stream of the workload allows its jobs. */
static void ask_workload(struct model_args *args) {
    const struct stream *streams = args->study.source.streams.at;
    struct survey_wishes *w = &args->wishes;
    bool own_batches = false; /* some stream leaves the models theirs */
    for (size_t i = 0; i < args->study.source.streams.count; i++) {
        if (streams[i].rigid.node)
            continue;
        const struct config_request request = stream_request(&streams[i], 0);
        for (uint32_t n = 0; n < request.k_count && w->k.count < CONFIG_MAX_CHOICES; n++)
            add_number(&w->k, request.k[n], &args->study.arena);
        for (uint32_t n = 0; n < request.batch_count; n++)
            add_number(&w->allowed, request.batch[n], &args->study.arena);
        own_batches = own_batches || request.batch_count == 0;
    }
    if (own_batches)
        w->allowed.count = 0;
    else if (w->allowed.count > 0)
        model_args_note(args, "note: batches are those of the workload, not those of the models");
}

static void refuse_with_scenario(const struct options *options, const char *option,
                                 const char *path, struct problems *problems) {
    if (option_given(options, option))
        problems_say(problems, "%s: --%s: the cluster of %s sets it; expected --set", options->who,
                     option, path);
}

static int load_scenario(struct model_args *args, struct options *options,
                         struct problems *problems) {
    const char *path = options->operands[0];
    refuse_with_scenario(options, "tdp", path, problems);
    refuse_with_scenario(options, "memory", path, problems);
    refuse_with_scenario(options, "gpus-per-node", path, problems);
    if (problems->count > 0 || scenario_args_load(options, &args->study, problems) < 0)
        return ERROR_INPUT;
    if (args->study.models.count == 0)
        return problems_say(problems, "%s: %s has no models", options->who, path);
    inputs_add_study(&args->inputs, &args->study);
    args->cluster = &args->study.cluster;
    args->is_scenario = true;
    for (size_t i = 0; i < args->study.warnings.count; i++)
        model_args_note(args, "warning: %s", args->study.warnings.at[i]);
    ask_workload(args);
    return 0;
}

/* ---- Both ---- */

/* Every name asked for must be one that there is. */
static void check_names(const struct texts *asked, const char *option, const char *const *names,
                        size_t count, struct arena *arena, struct problems *problems) {
    for (size_t i = 0; i < asked->count; i++) {
        size_t at = 0;
        while (at < count && strcmp(names[at], asked->at[i]) != 0)
            at++;
        if (at < count)
            continue;
        struct str all = {0};
        for (size_t n = 0; n < count; n++)
            str_addf(&all, "%s%s", n > 0 ? ", " : "", names[n]);
        const char *suggestion = str_suggestion(arena, asked->at[i], names, count);
        problems_add_setting(problems, (struct location){0}, option,
                             "nothing is named \"%.80s\"%s%s%s", asked->at[i], suggestion,
                             suggestion[0] ? "" : "; there are ", suggestion[0] ? "" : all.text);
        str_finish(&all);
    }
}

static void fill_wishes(struct model_args *args, const struct options *options,
                        struct problems *problems) {
    struct arena *arena = &args->study.arena;
    const struct model_set *models = &args->study.models;
    const char **names = arena_alloc(arena, (models->count + 1) * sizeof *names);
    const char **types = arena_alloc(arena, (args->cluster->gpu_type_count + 1) * sizeof *types);
    for (uint32_t m = 0; m < models->count; m++)
        names[m] = models->models[m].name;
    for (uint32_t h = 0; h < args->cluster->gpu_type_count; h++)
        types[h] = args->cluster->gpu_types[h].name;
    check_names(&options->of_models, "model", names, models->count, arena, problems);
    check_names(&options->of_gpus, "gpu", types, args->cluster->gpu_type_count, arena, problems);
    struct survey_wishes *w = &args->wishes;
    w->models = options->of_models.at;
    w->model_count = options->of_models.count;
    w->gpus = options->of_gpus.at;
    w->gpu_count = options->of_gpus.count;
    if (options->at_k.count > 0)
        w->k = (struct survey_list){options->at_k.at, options->at_k.count};
    w->batches = (struct survey_list){options->at_batches.at, options->at_batches.count};
    w->spans[EASIM_ONE_NODE] = options->span != SPAN_ACROSS_NODES;
    w->spans[EASIM_ACROSS_NODES] = options->span != SPAN_ONE_NODE;
    w->power_limits = options->power_limits;
}

/* Reads the first operand and what the options say of it; negative after adding problems. */
static int model_args_load(struct model_args *args, struct options *options,
                           struct problems *problems) {
    struct yaml_doc doc = {0};
    const char *path = options->operands[0];
    bool piped = strcmp(path, "-") == 0;
    if (scenario_args_read(options, problems) < 0)
        return ERROR_INPUT;
    const struct slice text = {options->stdin_text.text, options->stdin_text.length};
    file_stamp_take(path, &args->study.stamp);
    int r = piped ? yaml_doc_parse(&doc, text, YAML_STDIN_NAME, problems)
                  : yaml_doc_load(&doc, path, problems);
    if (r == 0)
        r = is_scenario(doc.root) ? load_scenario(args, options, problems)
                                  : load_models(args, options, &doc, problems);
    yaml_doc_finish(&doc);
    if (r == 0)
        fill_wishes(args, options, problems);
    return problems->count > 0 ? ERROR_INPUT : r;
}

static void model_args_finish(struct model_args *args) {
    free(args->notes.at);
    inputs_finish(&args->inputs);
    study_finish(&args->study);
}

/* --- models --- */

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
    str_addf(&text, "%zu of %zu rows of %s match these models and GPU types", added,
             profile.rows.count + profile.inference.count, path);
    model_args_note(args, "note: %s", text.text);
    if (added == 0)
        problems_add_setting(
            problems, (struct location){0}, "profile",
            "%s: no row matches a model and GPU type that is shown; the first is for %s on %s",
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
                     text.length > 0 ? ", "
                                     : "tdp_w replaces the power, which was not measured, of ",
                     pair->model->name, pair->type->name);
    }
    if (text.length > 0)
        model_args_note(args, "note: %s", text.text);
    str_finish(&text);
}

/* The serving tables that are asked for; to be released. */
static size_t find_serving(const struct model_args *args, struct report *report) {
    return serving_report(&args->study.models, args->is_scenario ? args->cluster : NULL,
                          &args->wishes, report);
}

/* Serving tables are for the terminal. */
static void note_serving(struct model_args *args, const struct options *options) {
    struct report report = {0};
    size_t tables = find_serving(args, &report);
    if (tables > 0 && (options->format == FORMAT_CSV || options->out))
        model_args_note(args, "note: %zu serving tables are shown as a table only", tables);
    report_finish(&report);
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
    struct report tables = {0};
    bool serving = find_serving(args, &tables) > 0;
    report_finish(&tables);
    if (survey->pairs.count == 0 && !serving)
        problems_add(problems, nowhere, NULL, "%s: no selected model knows a selected GPU type",
                     options->who);
    else if (survey->pairs.count == 0 && (options->format == FORMAT_CSV || options->out))
        problems_add(
            problems, nowhere, NULL,
            "%s: only serving tables are selected, which are shown on the terminal only (without %s)",
            options->who, options->out ? "--out" : "--format csv");
    else if (survey->rows.count == 0 && survey->pairs.count > 0)
        problems_add_setting(
            problems, nowhere, "span",
            "no configuration has this span: the selected k do not fit one node, or do not need two");
    else if (options->plans && !any_transformer(survey))
        problems_add_setting(problems, nowhere, "plans", "none of these models is a transformer");
    else if (args->wishes.power_limits && !limits)
        problems_add_setting(problems, nowhere, "power-limits",
                             "none of these models has power limits");
}

/* ---- The command ---- */

/* With the tables, or beside data on standard error. */
static void print_notes(const struct options *options, const struct model_args *args,
                        struct report *report) {
    report_lines(report);
    for (size_t i = 0; i < args->notes.count; i++)
        if (options_want_report(options))
            str_addf(&report->text, "  %s\n", args->notes.at[i]);
        else if (!options->quiet)
            cli_say("  %s\n", args->notes.at[i]);
}

static int print_survey(const struct options *options, struct model_args *args,
                        const struct survey *survey) {
    struct report report = {0};
    bool csv = options->format == FORMAT_CSV;
    if (options->plans) /* of which memory, before what fits it */
        print_notes(options, args, &report);
    if (options->parameters)
        parameters_report(survey, &report.text);
    else if (options->plans && csv)
        plans_csv(survey, &report.text);
    else if (options->plans)
        plans_report(survey, &report);
    else if (csv)
        models_csv(survey, &report.text);
    else {
        models_report(survey, &report);
        (void)find_serving(args, &report);
    }
    if (!options->plans)
        print_notes(options, args, &report);
    report_lines(&report);
    if (!csv && options->out)
        str_addf(&report.text, "results: %s\n", options->out);
    return run_args_show(options, &report);
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
    int code = EXIT_BAD_INPUT;
    if (model_args_load(&args, options, &options->problems) == 0) {
        survey_make(&survey, &args.study.models, args.cluster, &args.wishes);
        refuse_nothing(&survey, &args, options, &options->problems);
        if (options->problems.count == 0) {
            if (!args.is_scenario && !options->parameters && survey.pairs.count > 0)
                note_assumptions(&survey, &args);
            note_unknown_pairs(&args);
            note_unknown_power(&survey, &args);
            note_serving(&args, options);
        }
        if (options->problems.count == 0 && options->profile_csv &&
            add_profile(&survey, &args, options->profile_csv, &options->problems) == 0) {
            const struct input input = {.key = "profile", .path = options->profile_csv};
            (void)inputs_add(&args.inputs, &input);
        }
    }
    if (options->problems.count == 0 && args.inputs.failure.code < 0)
        code = cli_report_error(&args.inputs.failure);
    else
        code = options->problems.count > 0 ? cli_report_problems(&options->problems)
                                           : show_survey(options, &args, &survey);
    survey_finish(&survey);
    model_args_finish(&args);
    return code;
}
