/* Measured collectives become ring and tree: see calibrate_parts.h. */
#include "cli/calibrate_parts.h"

#include "base/child.h"
#include "calibrate/collectives/collective_laws.h"
#include "cli/calibrate_words.h"
#include "cli/cli.h"
#include "io/atomic_file.h"
#include "io/csv.h"

#include <math.h>
#include <stdlib.h>

struct session {
    const struct options *options;
    struct collective_rows rows;
    struct collective_fits fits;
};

static const struct collective_row *row_of(const struct session *s,
                                           const struct collective_fit *fit) {
    return &s->rows.rows.at[fit->first];
}

/* ---- The report ---- */

static void print_law(const struct collective_law *law, bool known) {
    if (!known)
        cli_show(" %9s %9s", "-", "-");
    else if (isinf(law->bytes_s))
        cli_show(" %9.3g %9s", 1e6 * law->alpha_s, "-");
    else
        cli_show(" %9.3g %9.4g", 1e6 * law->alpha_s, law->bytes_s / 1e9);
}

static void print_percent(double share) {
    if (isnan(share))
        cli_show(" %9s", "-");
    else
        cli_show(" %9.1f", 100 * share);
}

static void print_fits(const struct session *s) {
    cli_show("%-22s %-14s %4s %5s %9s %9s %9s %9s %9s %9s %9s\n", "gpu", "collective", "gpus",
             "sizes", "tree us", "GB/s", "ring us", "GB/s", "error %", "left out", "most");
    for (size_t f = 0; f < s->fits.fits.count; f++) {
        const struct collective_fit *fit = &s->fits.fits.at[f];
        const struct collective_row *of = row_of(s, fit);
        cli_show("%-22s %-14s %4u %5zu", of->gpu, collective_names[of->collective], of->gpus,
                 fit->sizes);
        print_law(&fit->laws[TREE], fit->has_tree);
        print_law(&fit->laws[RING], true);
        print_percent(fit->median_error);
        print_percent(fit->left_out_error);
        print_percent(fit->most_left_out);
        cli_show("\n");
    }
}

/* Median and 90 % quantile over the rows of each collective. */
static void print_medians(const struct session *s, size_t member, const char *title) {
    double *errors = mem_zalloc(s->rows.rows.count + 1, sizeof *errors);
    for (int c = 0; c < COLLECTIVES; c++) {
        size_t count = 0;
        for (size_t r = 0; r < s->rows.rows.count; r++) {
            double error = *(const double *)((const char *)&s->fits.errors[r] + member);
            if (s->rows.rows.at[r].collective == (enum collective)c && !isnan(error))
                errors[count++] = fabs(error);
        }
        if (count == 0)
            continue;
        sort_array(errors, count, by_real);
        cli_show(
            "%-15s %-10s median %5.1f %%, 90th percentile %5.1f %%, most %5.1f %% (%zu rows)\n",
            collective_names[c], title, 100 * (errors[(count - 1) / 2] + errors[count / 2]) / 2,
            100 * errors[(size_t)ceil(0.9 * (double)count) - 1], 100 * errors[count - 1], count);
    }
    free(errors);
}

static void print_left_out_rows(const struct session *s) {
    if (s->rows.across > 0)
        cli_show("%zu rows over several nodes not used (first: line %u): they calibrate no tier\n",
                 s->rows.across, s->rows.first_across);
    for (size_t i = 0; i < s->fits.too_few.count; i++) {
        const struct collective_fit *few = &s->fits.too_few.at[i];
        const struct collective_row *of = row_of(s, few);
        cli_show("%s %s of %u GPUs not fitted: %zu sizes, at least %d make a law (line %u)\n",
                 of->gpu, collective_names[of->collective], of->gpus, few->sizes,
                 COLLECTIVE_LEAST_SIZES, of->line);
    }
}

/* ---- Keys of model files ---- */

/* What the laws of a size outside the measured ones are. */
static void print_outside(const struct session *s, const struct collective_fit *fit) {
    double message = s->options->message_bytes;
    const struct collective_row *first = row_of(s, fit), *last = first + fit->count - 1;
    if (message > 0 && (message < first->bytes || message > last->bytes))
        cli_show("  of %u GPUs outside what was measured, %.9g to %.9g bytes\n", first->gpus,
                 first->bytes, last->bytes);
}

/* How far alpha_s and beta_s are from the laws. */
static void print_sync(const struct collective_sync *sync) {
    if (sync->points < 2) {
        cli_show(
            "  no alpha_s and beta_s: all_reduce of at least two numbers of GPUs tells them\n");
        return;
    }
    cli_show("  alpha_s: %.4g, beta_s: %.4g  (%zu numbers of GPUs, ", sync->alpha_s, sync->beta_s,
             sync->points);
    if (sync->points == 2)
        cli_show("so nothing is left to check them)\n");
    else
        cli_show("at most %.1f %% apart)\n", 100 * sync->most_error);
}

/* Of one GPU type: what its all-reduces tell of keys. */
static void print_keys(const struct session *s, const char *gpu) {
    double message = s->options->message_bytes;
    bool some = false;
    for (size_t f = 0; f < s->fits.fits.count; f++) {
        const struct collective_fit *fit = &s->fits.fits.at[f];
        const struct collective_row *of = row_of(s, fit);
        if (of->gpu != gpu || of->collective != ALL_REDUCE)
            continue;
        double bytes_s = message > 0 ? collective_moved(ALL_REDUCE, of->gpus) * message /
                                           collective_time_s(fit, of, message)
                                     : fit->laws[RING].bytes_s;
        if (isinf(bytes_s))
            continue;
        cli_show("%s%.4g (%u GPUs)", some ? ", " : "  node_bytes_s: ", bytes_s, of->gpus);
        some = true;
    }
    cli_show(some ? "\n" : "  no node_bytes_s: no all_reduce tells it\n");
    const struct collective_sync sync = collective_sync_of(&s->fits, &s->rows, gpu, message);
    if (message > 0)
        print_sync(&sync);
    for (size_t f = 0; f < s->fits.fits.count; f++)
        if (row_of(s, &s->fits.fits.at[f])->gpu == gpu &&
            row_of(s, &s->fits.fits.at[f])->collective == ALL_REDUCE)
            print_outside(s, &s->fits.fits.at[f]);
}

static void print_all_keys(const struct session *s) {
    const char *before = NULL;
    if (s->options->message_bytes > 0)
        cli_show("keys for all-reduces of %.9g bytes, latency included:\n",
                 s->options->message_bytes);
    else
        cli_show(
            "keys for large all-reduces (--message BYTES: of one size, and alpha_s, beta_s):\n");
    for (size_t r = 0; r < s->rows.rows.count; r++) {
        const char *gpu = s->rows.rows.at[r].gpu;
        if (gpu != before) {
            cli_show("%s\n", gpu);
            print_keys(s, gpu);
        }
        before = gpu;
    }
    cli_show("of GPUs in one node: tiers above are not measured\n");
}

/* ---- Files ---- */

static void add_finite(struct str *out, double value) {
    if (isfinite(value))
        csv_comma_real(out, value);
    else
        str_add_char(out, ',');
}

static void write_table(const struct session *s, struct str *out) {
    str_add(out, "gpu,collective,gpus,algorithm,steps,alpha_s,bytes_s,sizes,rows,median_error,"
                 "left_out_error\n");
    for (size_t f = 0; f < s->fits.fits.count; f++) {
        const struct collective_fit *fit = &s->fits.fits.at[f];
        const struct collective_row *of = row_of(s, fit);
        for (int a = fit->has_tree ? TREE : RING; a < ALGORITHMS; a++) {
            const struct collective_law *law = &fit->laws[a];
            csv_add_text(out, of->gpu);
            csv_comma_text(out, collective_names[of->collective]);
            csv_comma_int(out, of->gpus);
            csv_comma_text(out, algorithm_names[a]);
            csv_comma_int(out, law->steps);
            csv_comma_real(out, law->alpha_s);
            add_finite(out, law->bytes_s);
            csv_comma_int(out, (int64_t)fit->sizes);
            csv_comma_int(out, (int64_t)fit->count);
            csv_comma_real(out, fit->median_error);
            add_finite(out, fit->left_out_error);
            str_add_char(out, '\n');
        }
    }
}

static void write_points(const struct session *s, struct str *out) {
    str_add(out, "gpu,collective,gpus,bytes,measured_s,predicted_s,error,left_out_error\n");
    for (size_t r = 0; r < s->rows.rows.count; r++) {
        const struct collective_row *row = &s->rows.rows.at[r];
        csv_add_text(out, row->gpu);
        csv_comma_text(out, collective_names[row->collective]);
        csv_comma_int(out, row->gpus);
        csv_comma_real(out, row->bytes);
        csv_comma_real(out, row->time_s);
        add_finite(out, s->fits.errors[r].predicted_s);
        add_finite(out, s->fits.errors[r].error);
        add_finite(out, s->fits.errors[r].left_out);
        str_add_char(out, '\n');
    }
}

static int write_files(const struct session *s) {
    struct str table = {0}, points = {0};
    struct error error = {0};
    const struct options *options = s->options;
    sigset_t before;
    write_table(s, &table);
    write_points(s, &points);
    signals_hold(&before); /* both files or none */
    int r = options->output
                ? atomic_file_write_alone(options->output, table.text, table.length, &error)
                : 0;
    if (r == 0 && options->points)
        r = atomic_file_write_alone(options->points, points.text, points.length, &error);
    signals_release(&before);
    str_finish(&table);
    str_finish(&points);
    return r < 0 ? cli_report_error(&error) : EXIT_DONE;
}

/* ---- The command ---- */

static int show_fits(struct session *s) {
    collective_fit_all(&s->fits, &s->rows);
    if (s->fits.fits.count == 0) {
        cli_say("%s: expected a collective of at least %d sizes inside a node, got none\n",
                s->options->operands[1], COLLECTIVE_LEAST_SIZES);
        return EXIT_BAD_INPUT;
    }
    int r = write_files(s);
    if (r != EXIT_DONE)
        return r;
    print_fits(s);
    print_medians(s, offsetof(struct collective_error, error), "fitted:");
    print_medians(s, offsetof(struct collective_error, left_out), "left out:");
    print_left_out_rows(s);
    print_all_keys(s);
    return r;
}

int calibrate_collectives(const struct options *options) {
    struct arena arena = {0};
    struct problems problems = CLI_PROBLEMS;
    const struct binding binding = {.arena = &arena, .problems = &problems};
    struct session s = {.options = options};
    if (calibrate_refuse(options, CALIBRATE_COLLECTIVES) < 0)
        return EXIT_BAD_INPUT;
    int r = collective_rows_load(&s.rows, options->operands[1], &binding) < 0
                ? cli_report_problems(&problems)
                : show_fits(&s);
    collective_fits_finish(&s.fits);
    collective_rows_finish(&s.rows);
    problems_finish(&problems);
    arena_finish(&arena);
    return r;
}
