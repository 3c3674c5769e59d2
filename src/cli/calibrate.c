/* easim calibrate: measured profiles become models; models are checked against profiles. */
#include "calibrate/fit_record.h"
#include "calibrate/inference.h"
#include "calibrate/validation.h"
#include "cli/calibrate_parts.h"
#include "cli/cli.h"
#include "cli/internal.h"

#include <math.h>
#include <stdlib.h>

/* ---- Printing ---- */

static void print_scores(const struct scores *scores) {
    static const char *const titles[] = {"throughput", "power", "energy per sample"};
    for (int q = 0; q < QUANTITIES; q++)
        if (scores->points[q] > 0)
            cli_show("%s%s %.2f %%", q ? ", " : "", titles[q], 100 * scores->mape[q]);
    cli_show("%s\n", scores->points[THROUGHPUT] > 0 ? "" : "none");
}

static void print_parameters(const struct form_choice *c) {
    for (size_t i = 0; i < c->covariance.count; i++) {
        enum parameter p = c->covariance.free[i];
        double error = covariance_error(&c->covariance, i);
        cli_show("  %-17s %.6g", parameter_names[p], c->fit.values[p]);
        if (isfinite(error))
            cli_show(" +- %.2g", error);
        cli_show("\n");
    }
}

static void print_limits(const struct limits *l) {
    for (size_t i = 0; i < l->levels.count; i++) {
        const struct power_level *level = &l->levels.at[i];
        const double *errors = l->errors.at[i].left_out;
        cli_show(
            "  limit %5g W     time x %.3f, power x %.3f, energy x %.3f (%lld configuration%s%s",
            level->power_limit_w, level->time_ratio, level->power_ratio, level->energy_ratio,
            (long long)level->configurations, level->configurations == 1 ? "" : "s",
            level->configurations == 1 ? "" : ", errors left out");
        for (int q = 0; q < LIMIT_QUANTITIES && level->configurations > 1; q++)
            cli_show("%s %.2f %%", q ? "," : "", 100 * errors[q]);
        cli_show(")%s\n", level->power_limit_w == l->energy_optimal_w ? ", energy-optimal" : "");
    }
}

/* What the rows do not tell, and what was put instead. */
static void print_statements(const struct form_choice *c) {
    for (size_t i = 0; i < c->statements.count; i++)
        cli_show("  %-17s %s: %s\n", i == 0 ? "not in the rows" : "", c->statements.at[i].key,
                 c->statements.at[i].text);
}

static void print_levels(const struct points *points, const struct fit *fit) {
    for (uint32_t i = 0; i < points->round_count && points->by_size; i++)
        cli_show("%s%s x %.3f (%u)", i ? ", " : "  rounds            ",
                 points->rounds[i][0] ? points->rounds[i] : "none", fit->levels[i],
                 points->round_rows[i]);
    if (points->by_size)
        cli_show("\n");
}

static void print_sizes(const struct form_choice *c) {
    bool some = false;
    for (size_t i = 0; i < c->size_count; i++) {
        if (isnan(c->sizes[i].left_out))
            continue;
        cli_show("%sk %u %.2f %%", some ? ", " : "  sizes left out    ", c->sizes[i].k,
                 100 * c->sizes[i].left_out);
        some = true;
    }
    if (some)
        cli_show("\n");
}

static void print_choice(const struct form_choice *c, const struct limits *limits) {
    cli_show("%s on %s: %zu row%s, %u configuration%s", c->group->model, c->group->gpu,
             c->points.at.count, c->points.at.count == 1 ? "" : "s", c->points.configurations,
             c->points.configurations == 1 ? "" : "s");
    if (!isnan(c->group->rows[0].limit_w))
        cli_show(", at the highest limit of %g W", c->group->rows[0].limit_w);
    else if (c->group->count > c->group->base_count || c->group->merged_w > 0)
        cli_show(", those without a power limit");
    if (c->group->merged_w > 0)
        cli_show(" and at %g W, the highest of the GPU type", c->group->merged_w);
    cli_show("\n  choice            %s\n", c->why);
    if (!c->speed_by_table)
        print_parameters(c);
    else if (c->speed.chosen >= 0) {
        cli_show("  form in sample    ");
        print_scores(&c->form_in_sample);
    }
    print_levels(&c->points, &c->fit);
    cli_show("  error in sample   ");
    print_scores(&c->in_sample);
    cli_show("  error left out    ");
    print_scores(&c->left_out);
    print_sizes(c);
    print_limits(limits);
    print_statements(c);
    for (size_t i = 0; i < c->warnings.count; i++)
        cli_show("  warning: %s\n", c->warnings.at[i]);
}

static void print_errors(const char *title, double most, double batch, double median) {
    cli_show("  %-17s %.1f %% at the worst batch (%.9g), %.1f %% in the median of the rows\n",
             title, 100 * most, batch, 100 * median);
}

static void print_convergence(const struct calibrated_model *m) {
    const struct convergence *c = &m->convergence;
    if (m->runs.at.count == 0)
        return;
    cli_show("%s: %zu runs at %zu global batches met the target%s\n", m->name, m->runs.at.count,
             m->runs.batches.count, m->measured_efficiency ? "" : ", not used: --m0 is given");
    for (int p = 0; p < CONVERGENCE_ALL; p++) {
        cli_show("  %-17s %.6g", convergence_parameter_names[p], c->values[p]);
        if (!isnan(c->covariance[p][p]))
            cli_show(" +- %.2g", sqrt(c->covariance[p][p]));
        cli_show("%s\n", p == CONVERGENCE_M0 && !c->m0_told
                             ? ", the least batch, assumed: the runs do not determine it"
                         : p == CONVERGENCE_PHI && !c->phi_told
                             ? ", assumed: the runs show no growth with the batch"
                             : "");
    }
    struct convergence_errors curve = convergence_score(c, &m->runs),
                              constant = convergence_score(NULL, &m->runs);
    print_errors("error", curve.most, curve.worst_batch, curve.row_median);
    print_errors("of a constant", constant.most, constant.worst_batch, constant.row_median);
}

/* ---- Calibrating ---- */

static int write_models(const struct options *options, const struct calibration *calibration,
                        const struct inference *inference) {
    struct str models = {0}, points = {0};
    model_writer_write(&models, calibration);
    inference_write_models(&models, inference, calibration->profile);
    points_write_header(&points);
    for (size_t m = 0; m < calibration->count; m++)
        for (size_t i = 0; i < calibration->models[m].count; i++) {
            const struct form_choice *c = &calibration->models[m].choices[i];
            points_write(&points, c->group, &c->points, c->predictions, c->speed_by_table);
        }
    return calibrate_write(options, &models, &points);
}

/* Options of fits do nothing where there is nothing to fit. */
static void note_useless_options(const struct options *options,
                                 const struct profile_table *profile) {
    static const char *const names[] = {"m0", "phi", "max-form-error", "only", "points"};
    for (size_t i = 0; profile->groups.count == 0 && i < sizeof names / sizeof *names; i++)
        if (option_given(options, names[i]))
            cli_say("--%s has no effect, because no row has samples\n", names[i]);
}

static void print_inference(const struct inference *inference) {
    struct str text = {0};
    str_add(&text, "");
    inference_write_report(&text, inference);
    cli_show_lines(&text);
    str_finish(&text);
}

/* The group of a name MODEL/GPU, or NULL. */
static struct profile_group *find_group(const struct profile_table *profile, const char *name,
                                        size_t length) {
    for (size_t i = 0; i < profile->groups.count; i++) {
        struct profile_group *group = &profile->groups.at[i];
        size_t model = strlen(group->model), gpu = strlen(group->gpu);
        if (length == model + 1 + gpu && memcmp(name, group->model, model) == 0 &&
            name[model] == '/' && memcmp(name + model + 1, group->gpu, gpu) == 0)
            return group;
    }
    return NULL;
}

/* Marks what --only does not name; negative after saying what it names that is not there. */
static int choose_groups(const struct options *options, const struct profile_table *profile) {
    int r = 0;
    for (size_t i = 0; i < profile->groups.count && options->only; i++)
        profile->groups.at[i].unwanted = true;
    for (const char *at = options->only; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        size_t length = strcspn(at, ",");
        struct profile_group *group = find_group(profile, at, length);
        if (group)
            group->unwanted = false;
        else
            cli_say("%s: --only: no rows of \"%.*s\"\n", options->who, (int)length, at);
        r = group ? r : -1;
    }
    return r;
}

static void print_models(const struct calibration *calibration) {
    for (size_t m = 0; m < calibration->count; m++) {
        const struct calibrated_model *model = &calibration->models[m];
        for (size_t i = 0; i < model->count; i++)
            print_choice(&model->choices[i], &model->limits[i]);
        print_convergence(model);
    }
}

static int fit_models(const struct options *options, struct profile_table *profile) {
    const struct calibration_options how = {options->max_form_error, options->m0, options->phi};
    if (choose_groups(options, profile) < 0)
        return EXIT_BAD_INPUT;
    struct calibration calibration = {0};
    struct inference inference;
    calibration_make(&calibration, profile, &how);
    inference_make(&inference, profile->inference.at, profile->inference.count, &calibration.arena);
    int r = write_models(options, &calibration, &inference);
    if (r == EXIT_DONE && !options->quiet) {
        print_models(&calibration);
        print_inference(&inference);
        note_useless_options(options, profile);
    }
    if (profile->readings.count > 0 && r == EXIT_DONE && !options->quiet)
        cli_show("%zu reading%s of further meters not used\n", profile->readings.count,
                 profile->readings.count == 1 ? "" : "s");
    inference_finish(&inference);
    calibration_finish(&calibration);
    return r;
}

/* ---- Checking ---- */

#define WORST_ROWS 5

static void print_worst(const struct validation *v) {
    const struct point *points = v->points.at.at;
    size_t count = v->points.at.count;
    bool *printed = mem_zalloc(count, sizeof *printed);
    for (int n = 0; n < WORST_ROWS; n++) {
        size_t worst = count;
        double most = 0;
        for (size_t i = 0; i < count; i++) {
            double error = score_error(&points[i], &v->predictions[i], THROUGHPUT);
            if (!printed[i] && error > most) {
                most = error;
                worst = i;
            }
        }
        if (worst == count)
            break;
        const struct point *p = &points[worst];
        double rate = v->predictions[worst].rate;
        printed[worst] = true;
        cli_show(
            "  line %u: k %u, batch %.9g: throughput %.6g measured, %.6g modelled (%+.2f %%)\n",
            p->row->line, p->at.k, p->at.batch, p->rate * p->at.k, rate * p->at.k,
            100 * (rate / p->rate - 1));
    }
    free(printed);
}

/* Whether the group keeps to the largest error allowed. */
static bool print_validation(const struct validation *v, double max_error) {
    size_t n = v->points.at.count, predicted = v->scores.points[THROUGHPUT];
    cli_show("%s on %s: %zu of %zu rows predicted", v->group->model, v->group->gpu, predicted, n);
    if (v->group->count > v->group->base_count)
        cli_show(", %zu below the highest power limit left out",
                 v->group->count - v->group->base_count);
    cli_show("\n");
    if (v->missing) {
        cli_show("  %s\n", v->missing);
        return true;
    }
    cli_show("  error             ");
    print_scores(&v->scores);
    print_worst(v);
    bool kept = true;
    for (int q = 0; q < QUANTITIES; q++)
        kept &= !(v->scores.mape[q] > max_error);
    if (!kept)
        cli_show("  above the allowed error of %g %%\n", 100 * max_error);
    return kept;
}

/* Whether rows of inference keep to the largest error allowed; adds how many are predicted. */
static bool print_inference_check(const struct profile_table *profile,
                                  const struct model_set *models, double max_error,
                                  size_t *predicted) {
    struct inference_check check = {0};
    struct str text = {0};
    inference_check_rows(&check, profile->inference.at, profile->inference.count, models);
    bool kept = inference_write_check(&text, &check, max_error);
    cli_show_lines(&text);
    *predicted += check.generation.count + check.serving.count;
    str_finish(&text);
    inference_check_finish(&check);
    return kept;
}

static int check_models(const struct options *options, const struct profile_table *profile,
                        struct problems *problems) {
    struct arena arena = {0};
    struct binding binding = {.arena = &arena, .problems = problems};
    struct yaml_node path = {.kind = YAML_NODE_SCALAR,
                             .text = options->check_models,
                             .length = strlen(options->check_models)};
    struct model_set models;
    struct str points = {0};
    int r = EXIT_DONE;
    size_t predicted = 0;
    if (model_set_load(&models, &path, &binding) < 0) {
        r = cli_report_problems(problems);
        arena_finish(&arena);
        return r;
    }
    if (!print_inference_check(profile, &models, options->max_error, &predicted))
        r = EXIT_RUN_FAILED;
    points_write_header(&points);
    for (size_t i = 0; i < profile->groups.count; i++) {
        struct validation v;
        validation_make(&v, &profile->groups.at[i], &models);
        predicted += v.scores.points[THROUGHPUT];
        if (!print_validation(&v, options->max_error))
            r = EXIT_RUN_FAILED;
        points_write(&points, v.group, &v.points, v.predictions, v.by_table);
        validation_finish(&v);
    }
    if (predicted == 0) {
        cli_say("easim calibrate: %s predicts no row of %s\n", options->check_models,
                options->operands[0]);
        r = EXIT_RUN_FAILED;
    }
    int written = calibrate_write(options, NULL, &points);
    arena_finish(&arena);
    return written == EXIT_DONE ? r : written;
}

/* A second word, and options of other words. */
static int refuse_words(const struct options *options) {
    int r = calibrate_refuse(options, CALIBRATE_PROFILES);
    if (options->operand_count == 1)
        return r;
    size_t other = options->operand_count > 2 && (strcmp(options->operands[0], "failures") == 0 ||
                                                  strcmp(options->operands[0], "collectives") == 0);
    cli_say(
        "%s: expected PROFILE.csv, failures OUTAGES.csv, power LOG.csv METER.csv, plans ROWS.csv "
        "MODELS.yaml, collectives TIMES.csv or limits FILE..., got an extra word: %s\n",
        options->who, options->operands[1 + other]);
    return ERROR_INPUT;
}

int cli_calibrate(struct options *options) {
    const char *file = options->operands[0];
    if (options->operand_count == 2 && strcmp(file, "failures") == 0)
        return calibrate_failures(options);
    if (options->operand_count == 2 && strcmp(file, "collectives") == 0)
        return calibrate_collectives(options);
    if (options->operand_count > 1 && strcmp(file, "limits") == 0)
        return calibrate_limits(options);
    if (options->operand_count == 3 && strcmp(file, "power") == 0)
        return calibrate_power(options);
    if (options->operand_count == 3 && strcmp(file, "plans") == 0)
        return calibrate_plans(options);
    if (refuse_words(options) < 0)
        return EXIT_BAD_INPUT;
    struct profile_table profile = {0};
    int r;
    if (profile_table_load(&profile, file, &options->problems) < 0)
        r = cli_report_problems(&options->problems);
    else
        r = options->check_models ? check_models(options, &profile, &options->problems)
                                  : fit_models(options, &profile);
    profile_table_finish(&profile);
    return r;
}
