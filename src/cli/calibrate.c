/* easim calibrate: measured profiles become models; models are checked against profiles. */
#include "calibrate/model_writer.h"
#include "calibrate/validation.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "io/atomic_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct arguments {
    const char *profile, *output, *points, *check;
    double max_error, max_form_error, m0, phi;
};

enum { KEY_POINTS = 256, KEY_CHECK, KEY_MAX_ERROR, KEY_MAX_FORM_ERROR, KEY_M0, KEY_PHI };

static void check_together(const struct arguments *a, struct argp_state *state) {
    if (!a->profile)
        argp_error(state, "expected PROFILE.csv");
    if (a->check && (a->output || !isnan(a->m0)))
        argp_error(state, "--check writes no models: leave out --output, --m0 and --phi");
    if (!a->check && !isnan(a->max_error))
        argp_error(state, "--max-error goes with --check");
    if (isnan(a->m0) != isnan(a->phi))
        argp_error(state, "--m0 and --phi go together");
}

static error_t parse(int key, char *value, struct argp_state *state) {
    struct arguments *a = state->input;
    switch (key) {
    case 'o':
        a->output = value;
        return 0;
    case KEY_POINTS:
        a->points = value;
        return 0;
    case KEY_CHECK:
        a->check = value;
        return 0;
    case KEY_MAX_ERROR:
        a->max_error = option_real(value, 0, 100, "--max-error", state);
        return 0;
    case KEY_MAX_FORM_ERROR:
        a->max_form_error = option_real(value, 0, 100, "--max-form-error", state);
        return 0;
    case KEY_M0:
        a->m0 = option_real(value, 1e-9, 1e12, "--m0", state);
        return 0;
    case KEY_PHI:
        a->phi = option_real(value, 0, 1e15, "--phi", state);
        return 0;
    case ARGP_KEY_ARG:
        if (a->profile)
            argp_error(state, "expected one PROFILE.csv, got another: %s", value);
        a->profile = value;
        return 0;
    case ARGP_KEY_END:
        check_together(a, state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option options[] = {
    {"output", 'o', "FILE", 0, "model file to write", 0},
    {"points", KEY_POINTS, "FILE", 0,
     "CSV of measured and modelled points to write, for tools/calibration.gp", 0},
    {"check", KEY_CHECK, "MODELS.yaml", 0,
     "compare these models with the profile; nothing is fitted", 0},
    {"max-error", KEY_MAX_ERROR, "FRACTION", 0, "with --check: exit 1 if a mean error is above", 0},
    {"max-form-error", KEY_MAX_FORM_ERROR, "FRACTION", 0,
     "mean error in sample above which the lookup table replaces a form (default: 0.04)", 0},
    {"m0", KEY_M0, "SAMPLES", 0, "reference global batch of the models", 0},
    {"phi", KEY_PHI, "SAMPLES", 0, "gradient noise scale of the models", 0},
    {0},
};

/* ---- Printing ---- */

static void print_scores(const struct scores *scores) {
    static const char *const titles[] = {"throughput", "power", "energy per sample"};
    for (int q = 0; q < QUANTITIES; q++)
        if (scores->points[q] > 0)
            printf("%s%s %.2f %%", q ? ", " : "", titles[q], 100 * scores->mape[q]);
    printf("%s\n", scores->points[THROUGHPUT] > 0 ? "" : "none");
}

static void print_parameters(const struct form_choice *c) {
    for (size_t i = 0; i < c->covariance.count; i++) {
        enum parameter p = c->covariance.free[i];
        double error = covariance_error(&c->covariance, i);
        printf("  %-17s %.6g", parameter_names[p], c->fit.values[p]);
        if (isfinite(error))
            printf(" +- %.2g", error);
        printf("\n");
    }
}

static void print_limits(const struct limits *l) {
    for (size_t i = 0; i < l->levels.count; i++) {
        const struct power_level *level = &l->levels.at[i];
        printf(
            "  limit %5g W     time x %.3f, power x %.3f, energy x %.3f (%lld configurations)%s\n",
            level->power_limit_w, level->time_ratio, level->power_ratio, level->energy_ratio,
            (long long)level->configurations,
            level->power_limit_w == l->energy_optimal_w ? ", energy-optimal" : "");
    }
}

static void print_choice(const struct form_choice *c, const struct limits *limits) {
    printf("%s on %s: %zu row%s, %u configuration%s", c->group->model, c->group->gpu,
           c->points.at.count, c->points.at.count == 1 ? "" : "s", c->points.configurations,
           c->points.configurations == 1 ? "" : "s");
    if (!isnan(c->group->rows[0].limit_w))
        printf(", at the highest limit of %g W", c->group->rows[0].limit_w);
    else if (c->group->count > c->group->base_count)
        printf(", those without a power limit");
    printf("\n  choice            %s\n", c->why);
    if (c->table.count == 0)
        print_parameters(c);
    else if (c->speed.chosen >= 0) {
        printf("  form in sample    ");
        print_scores(&c->form_in_sample);
    }
    printf("  error in sample   ");
    print_scores(&c->in_sample);
    printf("  error left out    ");
    print_scores(&c->left_out);
    print_limits(limits);
    for (size_t i = 0; i < c->warnings.count; i++)
        printf("  warning: %s\n", c->warnings.at[i]);
}

/* ---- Calibrating ---- */

static int write_whole(const char *path, const struct str *text, struct error *reterr) {
    return path ? atomic_file_write_whole(path, text->text, text->length, reterr) : 0;
}

static int write_outputs(const struct arguments *a, const struct form_choice *choices,
                         const struct limits *limits, size_t count) {
    const struct writer_options how = {a->profile, a->m0, a->phi};
    struct str models = {0}, points = {0};
    struct error error = {0};
    model_writer_write(&models, choices, limits, count, &how);
    points_write_header(&points);
    for (size_t i = 0; i < count; i++)
        points_write(&points, choices[i].group, &choices[i].points, choices[i].predictions,
                     choices[i].table.count > 0);
    int r = write_whole(a->output, &models, &error);
    if (r == 0)
        r = write_whole(a->points, &points, &error);
    str_finish(&models);
    str_finish(&points);
    return r < 0 ? cli_report_error(&error) : EXIT_DONE;
}

static int calibrate(const struct arguments *a, const struct profile_table *profile) {
    struct arena arena = {0};
    size_t count = profile->groups.count;
    struct form_choice *choices = mem_zalloc(count, sizeof *choices);
    struct limits *limits = mem_zalloc(count, sizeof *limits);
    for (size_t i = 0; i < count; i++) {
        form_choice_make(&choices[i], &profile->groups.at[i], profile->file, a->max_form_error,
                         &arena);
        limits_of_group(&limits[i], &profile->groups.at[i]);
    }
    int r = write_outputs(a, choices, limits, count);
    for (size_t i = 0; i < count; i++) {
        if (r == EXIT_DONE)
            print_choice(&choices[i], &limits[i]);
        form_choice_finish(&choices[i]);
        limits_finish(&limits[i]);
    }
    free(choices);
    free(limits);
    arena_finish(&arena);
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
        printf("  line %u: k %u, batch %u: throughput %.6g measured, %.6g modelled (%+.2f %%)\n",
               p->line, p->at.k, p->at.batch, p->rate * p->at.k, rate * p->at.k,
               100 * (rate / p->rate - 1));
    }
    free(printed);
}

/* Whether the group keeps to the largest error allowed. */
static bool print_validation(const struct validation *v, double max_error) {
    size_t n = v->points.at.count, predicted = v->scores.points[THROUGHPUT];
    printf("%s on %s: %zu of %zu rows predicted", v->group->model, v->group->gpu, predicted, n);
    if (v->group->count > v->group->base_count)
        printf(", %zu below the highest power limit left out",
               v->group->count - v->group->base_count);
    printf("\n");
    if (v->missing) {
        printf("  %s\n", v->missing);
        return true;
    }
    printf("  error             ");
    print_scores(&v->scores);
    print_worst(v);
    bool kept = true;
    for (int q = 0; q < QUANTITIES; q++)
        kept &= !(v->scores.mape[q] > max_error);
    if (!kept)
        printf("  above the error allowed, %g %%\n", 100 * max_error);
    return kept;
}

static int check(const struct arguments *a, const struct profile_table *profile,
                 struct problems *problems) {
    struct arena arena = {0};
    struct binding binding = {.arena = &arena, .problems = problems};
    struct yaml_node path = {
        .kind = YAML_NODE_SCALAR, .text = a->check, .length = strlen(a->check)};
    struct model_set models;
    struct str points = {0};
    struct error error = {0};
    int r = EXIT_DONE;
    size_t predicted = 0;
    if (model_set_load(&models, &path, &binding) < 0) {
        r = cli_report_problems(problems);
        arena_finish(&arena);
        return r;
    }
    points_write_header(&points);
    for (size_t i = 0; i < profile->groups.count; i++) {
        struct validation v;
        validation_make(&v, &profile->groups.at[i], &models);
        predicted += v.scores.points[THROUGHPUT];
        if (!print_validation(&v, a->max_error))
            r = EXIT_RUN_FAILED;
        points_write(&points, v.group, &v.points, v.predictions, v.by_table);
        validation_finish(&v);
    }
    if (predicted == 0) {
        fprintf(stderr, "easim calibrate: %s predicts no row of %s\n", a->check, a->profile);
        r = EXIT_RUN_FAILED;
    }
    if (write_whole(a->points, &points, &error) < 0)
        r = cli_report_error(&error);
    str_finish(&points);
    arena_finish(&arena);
    return r;
}

int cli_calibrate(int argc, char **argv) {
    struct arguments a = {.max_error = NAN, .max_form_error = 0.04, .m0 = NAN, .phi = NAN};
    const struct argp argp = {
        options,
        parse,
        "PROFILE.csv",
        "Fits the models of speed and power to a measured profile and says how well they fit, or checks models against one.\v"
        "Columns: model, gpu, k, batch_per_gpu, throughput_samples_s, and where there are any, precision, nodes, power_limit_w, power_w_per_gpu, evidence, source, label.*",
        NULL,
        NULL,
        NULL};
    cli_parse(&argp, argc, argv, &a);
    struct profile_table profile = {0};
    struct problems problems = {0};
    int r;
    if (profile_table_load(&profile, a.profile, &problems) < 0)
        r = cli_report_problems(&problems);
    else
        r = a.check ? check(&a, &profile, &problems) : calibrate(&a, &profile);
    profile_table_finish(&profile);
    problems_finish(&problems);
    return r;
}
