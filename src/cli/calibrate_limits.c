/* Measured power limits become a law of each GPU type: see calibrate_parts.h. */
#include "calibrate/limit_fit.h"
#include "cli/calibrate_parts.h"
#include "cli/cli.h"
#include "cli/internal.h"
#include "io/csv.h"
#include "io/yaml_node.h"

static const char *const limit_titles[LIMIT_ERRORS] = {
    "law, limit left out: speed",    "law, limit left out: draw",    "proportional control: speed",
    "tables, limit left out: speed", "tables, limit left out: draw", "law fitted to all: speed"};

static void print_limit_errors(const struct limit_fits *fits, const char *gpu) {
    for (int e = 0; e < LIMIT_ERRORS; e++) {
        const struct limit_error_sizes sizes = limit_error_sizes_of(fits, gpu, (enum limit_error)e);
        if (sizes.count == 0)
            cli_show("  %-30s not known: it needs another limit\n", limit_titles[e]);
        else
            cli_show("  %-30s median %5.2f %%, 90 %% of rows %5.2f %% (%zu rows)\n",
                     limit_titles[e], 100 * sizes.median, 100 * sizes.most_of_90, sizes.count);
    }
}

/* The value of limit_law. */
static void add_law(const struct limit_fits *fits, const struct limit_fit *fit, struct str *out) {
    const struct limit_error_sizes left_out = limit_error_sizes_of(fits, fit->gpu, LIMIT_LAW_SPEED);
    str_addf(
        out,
        "{s: %.9g, m: %.9g, evidence: %s, source: \"fitted to limits from %g to %g W of %g W, ",
        fit->law.s, fit->law.m, evidence_names[fit->evidence], fit->from_w, fit->to_w,
        fit->highest_w);
    if (left_out.count > 0)
        str_addf(out, "error of speed left out: median %.2g %%, 90 %% %.2g %%\"}",
                 100 * left_out.median, 100 * left_out.most_of_90);
    else
        str_add(out, "error left out not known\"}");
}

static void print_limit_fits(const struct limit_fits *fits) {
    size_t types = 0;
    for (size_t f = 0; f < fits->fits.count; f++) {
        const struct limit_fit *fit = &fits->fits.at[f];
        struct str law = {0};
        if (fit->rows == 0) {
            cli_show("%s: no limits to fit\n", fit->gpu);
            continue;
        }
        types++;
        add_law(fits, fit, &law);
        cli_show("%s: curves: %zu, limits: %zu from %g to %g W of %g W, %zu rows\n", fit->gpu,
                 fit->curves, fit->limits, fit->from_w, fit->to_w, fit->highest_w, fit->rows);
        print_limit_errors(fits, fit->gpu);
        cli_show("  least energy per work at %.0f %% of the power without a limit\n",
                 100 * limit_law_best(&fit->law));
        cli_show("  limit_law: %s\n", law.text);
        str_finish(&law);
    }
    if (types > 1) {
        cli_show("all GPU types\n");
        print_limit_errors(fits, NULL);
    }
}

/* ---- Files ---- */

static void write_laws(const struct limit_fits *fits, struct str *out) {
    str_add(out, "# Keys of cluster.gpu_types, by easim calibrate limits\ngpu_types:\n");
    for (size_t f = 0; f < fits->fits.count; f++)
        if (fits->fits.at[f].rows > 0) {
            str_add(out, "  - name: ");
            yaml_add_quoted(out, fits->fits.at[f].gpu);
            str_add(out, "\n    limit_law: ");
            add_law(fits, &fits->fits.at[f], out);
            str_add_char(out, '\n');
        }
}

static void write_limit_rows(const struct limit_fits *fits, struct str *out) {
    str_add(out, "gpu,model,k,batch_per_gpu,power_limit_w,unlimited_w,draw,speed,law_speed_error,"
                 "law_draw_error,proportional_error,table_speed_error,table_draw_error,"
                 "fitted_speed_error\n");
    for (size_t i = 0; i < fits->rows.count; i++) {
        const struct limit_row *row = &fits->rows.at[i];
        csv_add_text(out, row->gpu);
        csv_comma_text(out, row->model);
        csv_comma_int(out, row->k);
        csv_comma_real(out, row->batch);
        csv_comma_real(out, row->limit_w);
        csv_comma_real(out, row->most_w);
        csv_comma_real(out, row->draw);
        csv_comma_real(out, row->speed);
        for (int e = 0; e < LIMIT_ERRORS; e++)
            csv_comma_real(out, row->error[e]);
        str_add_char(out, '\n');
    }
}

static int write_limit_files(const struct options *options, const struct limit_fits *fits) {
    struct str types = {0}, points = {0};
    write_laws(fits, &types);
    write_limit_rows(fits, &points);
    return calibrate_write(options, &types, &points);
}

int calibrate_limits(struct options *options) {
    struct limit_fits fits = {.curves = 0};
    int r = 0;
    if (calibrate_refuse(options, CALIBRATE_LIMITS) < 0)
        return EXIT_BAD_INPUT;
    for (size_t i = 1; i < options->operand_count; i++)
        if (limit_fits_load(&fits, options->operands[i], options->reference, &options->problems) <
            0)
            r = ERROR_INPUT;
    if (r == 0 && options->reference && !fits.has_runs)
        r = problems_add_setting(&options->problems,
                                 (struct location){.file = options->operands[1]}, "reference",
                                 "no file has metered runs");
    r = r < 0 || limit_fits_make(&fits, options->operands[1], &options->problems) < 0
            ? cli_report_problems(&options->problems)
            : write_limit_files(options, &fits);
    if (r == EXIT_DONE)
        print_limit_fits(&fits);
    limit_fits_finish(&fits);
    return r;
}
