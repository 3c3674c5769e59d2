/* Measured iterations become constants of plans: see calibrate_parts.h. */
#include "base/numfmt.h"
#include "calibrate/plans/plan_constants.h"
#include "cli/calibrate_parts.h"
#include "cli/cli.h"
#include "cli/internal.h"
#include "io/csv.h"

#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics.h>
#include <math.h>
#include <stdlib.h>

#define USUAL_NODE_GPUS 8

/* ---- Errors ---- */

/* Sizes of errors, in percent. */
static void print_sizes(const char *title, double *errors, size_t count) {
    if (count == 0)
        return;
    for (size_t i = 0; i < count; i++)
        errors[i] = 100 * fabs(errors[i]);
    gsl_sort(errors, 1, count);
    cli_show("  %-27s median %5.1f %%, mean %5.1f %%, 90 %% %5.1f %%, most %5.1f %% (%zu rows)\n",
             title, gsl_stats_median_from_sorted_data(errors, 1, count),
             gsl_stats_mean(errors, 1, count),
             gsl_stats_quantile_from_sorted_data(errors, 1, count, 0.9), errors[count - 1], count);
}

/* One of the numbers of each row that is, or is not, held out. */
static void print_errors(const char *title, const struct plan_rows *rows,
                         const struct plan_constants_fit *fit, size_t member, bool held_out) {
    double *errors = mem_zalloc(rows->rows.count, sizeof *errors);
    size_t count = 0;
    for (size_t r = 0; r < rows->rows.count; r++) {
        double error = *(const double *)((const char *)&fit->errors[r] + member);
        if (rows->rows.at[r].held_out == held_out && !isnan(error))
            errors[count++] = error;
    }
    print_sizes(title, errors, count);
    free(errors);
}

static void print_rows(const struct plan_rows *rows, const struct plan_constants_fit *fit) {
    cli_show("%-24s %-10s %6s  %-24s %10s %10s %9s %9s %9s\n", "model", "group", "gpus", "plan",
             "measured s", "predicted", "error %", "left out", "constant");
    for (size_t r = 0; r < rows->rows.count; r++) {
        const struct plan_row *row = &rows->rows.at[r];
        char plan[PLAN_TEXT_BYTES];
        plan_text(plan, &row->plan);
        cli_show("%-24s %-10s %6u  %-24s %10.4g %10.4g", row->model, row->group,
                 plan_gpus(&row->plan), plan, row->iteration_s, fit->errors[r].predicted_s);
        calibrate_print_percent(fit->errors[r].error);
        calibrate_print_percent(fit->errors[r].left_out);
        calibrate_print_percent(fit->errors[r].constant_left_out);
        cli_show("%s\n", row->held_out ? "  held out" : "");
    }
}

/* Constants of all rows, by enum plan_unknown, as models name them. */
static const struct {
    const char *name;
    const char *usual; /* what stands where no row tells it; NULL: not printed */
    double most;
} constants[PLAN_UNKNOWNS] = {{"memory_traffic", "0", 1e3},
                              {"gradient_overlap", "1", 1},
                              {"fixed_s", NULL, 1e6},
                              {"node_s", NULL, 1e6}};

static void print_constants(const struct plan_constants_fit *fit, bool has_shapes,
                            const double held[static PLAN_UNKNOWNS]) {
    for (size_t g = 0; g < fit->groups.count; g++) {
        const struct plan_constants *c = &fit->groups.at[g];
        cli_show("%s%scompute_fraction: %.6g%s", c->group, c->group[0] ? ": " : "",
                 c->compute_fraction, has_shapes ? " x shape_fraction" : "");
        for (size_t u = 0; u < PLAN_UNKNOWNS; u++)
            if (constants[u].usual || fit->told[u] || !isnan(held[u]))
                cli_show(", %s: %.6g", constants[u].name, fit->values[u]);
        cli_show("  (%zu rows; a constant would be %.4g FLOP/s)\n", c->rows, c->constant_flops);
        if (c->compute_fraction == 1 / c->most_share)
            cli_show("  warning: compute_fraction is at its bound, %.6g\n", c->compute_fraction);
    }
    for (size_t n = 0; n < fit->rounds.count; n++)
        if (fit->rounds.at[n].round[0])
            cli_show("  software_factor of %s: %.6g%s\n", fit->rounds.at[n].round,
                     fit->rounds.at[n].factor, fit->rounds.at[n].stated ? " (stated)" : "");
    for (size_t u = PLAN_UNKNOWNS; u-- > 0;)
        if (!isnan(held[u]))
            cli_show("  %s is held at %.6g (--hold)\n", constants[u].name, held[u]);
        else if (!fit->told[u] && constants[u].usual)
            cli_show("  %s is held at %s: these rows do not determine it\n", constants[u].name,
                     constants[u].usual);
}

static void write_points(const struct plan_rows *rows, const struct plan_constants_fit *fit,
                         struct str *out) {
    str_add(out, "model,group,gpus,plan,held_out,measured_s,predicted_s,error,left_out_error,"
                 "constant_left_out_error\n");
    for (size_t r = 0; r < rows->rows.count; r++) {
        const struct plan_row *row = &rows->rows.at[r];
        char plan[PLAN_TEXT_BYTES];
        plan_text(plan, &row->plan);
        csv_add_text(out, row->model);
        csv_comma_text(out, row->group);
        csv_comma_int(out, plan_gpus(&row->plan));
        csv_comma_text(out, plan);
        csv_comma_int(out, row->held_out);
        csv_comma_real(out, row->iteration_s);
        csv_comma_real(out, fit->errors[r].predicted_s);
        csv_comma_real(out, fit->errors[r].error);
        csv_comma_real(out, fit->errors[r].left_out);
        csv_comma_real(out, fit->errors[r].constant_left_out);
        str_add_char(out, '\n');
    }
}

/* ---- The command ---- */

static int show_fit(const struct options *options, const struct plan_rows *rows,
                    const struct plan_constants_fit *fit, const double held[static PLAN_UNKNOWNS]) {
    struct str points = {0};
    print_rows(rows, fit);
    print_constants(fit, rows->has_shapes, held);
    print_errors("fitted:", rows, fit, offsetof(struct plan_error, error), false);
    print_errors("each row left out:", rows, fit, offsetof(struct plan_error, left_out), false);
    print_errors("a constant rate, left out:", rows, fit,
                 offsetof(struct plan_error, constant_left_out), false);
    print_errors("held out:", rows, fit, offsetof(struct plan_error, error), true);
    print_errors("a constant rate, held out:", rows, fit,
                 offsetof(struct plan_error, constant_left_out), true);
    write_points(rows, fit, &points);
    return calibrate_write(options, NULL, &points);
}

/* GPUs of a node, one number for all rows; 0 after saying what is wrong. */
static uint32_t node_gpus(const struct options *options) {
    uint32_t gpus = USUAL_NODE_GPUS;
    for (size_t i = 0; i < options->node_gpus.count; i++) {
        const struct type_value *value = &options->node_gpus.at[i];
        if (value->type) {
            cli_say("%s: --gpus-per-node: expected N, got %s=\n", options->who, value->type);
            return 0;
        }
        gpus = (uint32_t)value->value;
    }
    return gpus;
}

/* --hold NAME=VALUE,...; false after saying what is wrong. */
static bool read_held(const struct options *options, double held[static PLAN_UNKNOWNS]) {
    for (size_t u = 0; u < PLAN_UNKNOWNS; u++)
        held[u] = NAN;
    const char *at = options->hold ? options->hold : "";
    while (*at) {
        size_t length = strcspn(at, ","), name = strcspn(at, "="), u = 0;
        double value = NAN;
        while (u < PLAN_UNKNOWNS &&
               (strlen(constants[u].name) != name || strncmp(constants[u].name, at, name) != 0))
            u++;
        if (u == PLAN_UNKNOWNS || name > length ||
            !numfmt_parse_real(at + name + 1, length - name - 1, &value) ||
            !(value >= 0 && value <= constants[u].most) || !isnan(held[u])) {
            cli_say(
                "%s: --hold: expected NAME=VALUE, each name once: memory_traffic, gradient_overlap (0 to 1), fixed_s or node_s, got \"%.*s\"\n",
                options->who, (int)length, at);
            return false;
        }
        held[u] = value;
        at += length + (at[length] == ',');
    }
    return true;
}

int calibrate_plans(struct options *options) {
    const struct binding binding = {.arena = &options->arena, .problems = &options->problems};
    struct model_set models = {0};
    struct plan_rows rows = {.node_gpus = node_gpus(options)};
    struct plan_constants_fit fit = {0};
    double held[PLAN_UNKNOWNS];
    if (calibrate_refuse(options, CALIBRATE_PLANS) < 0 || rows.node_gpus == 0 ||
        !read_held(options, held))
        return EXIT_BAD_INPUT;
    const char *path = options->operands[1];
    const struct yaml_node file = {.kind = YAML_NODE_SCALAR,
                                   .text = options->operands[2],
                                   .length = strlen(options->operands[2])};
    int r = EXIT_BAD_INPUT;
    if (model_set_load(&models, &file, &binding) < 0 ||
        plan_rows_load(&rows, path, &models, &binding) < 0 ||
        plan_constants_fit(&fit, &rows, held, path, &options->problems) < 0)
        r = cli_report_problems(&options->problems);
    else
        r = show_fit(options, &rows, &fit, held);
    plan_constants_fit_finish(&fit);
    plan_rows_finish(&rows);
    return r;
}
