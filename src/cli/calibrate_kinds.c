/* Runs `easim calibrate` of collectives and of failures. For all kinds: refuses options that belong
   to another one, and writes the files. */
#include "base/child.h"
#include "base/units.h"
#include "calibrate/collectives/collective_laws.h"
#include "calibrate/time_fit.h"
#include "cli/calibrate_parts.h"
#include "cli/cli.h"
#include "cli/internal.h"
#include "io/atomic_file.h"
#include "io/csv.h"

#include <math.h>
#include <stdlib.h>

/* --- calibrate_words --- */

static const char *const words[] = {"profiles", "failures",    "power",
                                    "plans",    "collectives", "limits"};

#define PROFILES                    (1u << CALIBRATE_PROFILES)
#define FAILURES                    (1u << CALIBRATE_FAILURES)
#define POWER                       (1u << CALIBRATE_POWER)
#define PLANS                       (1u << CALIBRATE_PLANS)
#define CALIBRATE_WORDS_COLLECTIVES (1u << CALIBRATE_COLLECTIVES)
#define LIMITS                      (1u << CALIBRATE_LIMITS)

static const struct {
    const char *option;
    unsigned words;
} uses[] = {
    {"points", PROFILES | PLANS | CALIBRATE_WORDS_COLLECTIVES | LIMITS},
    {"max-form-error", PROFILES},
    {"only", PROFILES},
    {"m0", PROFILES},
    {"phi", PROFILES},
    {"check", PROFILES},
    {"max-error", PROFILES},
    {"output", PROFILES | POWER | CALIBRATE_WORDS_COLLECTIVES | LIMITS},
    {"reference", LIMITS},
    {"node-count", FAILURES | POWER},
    {"until", FAILURES},
    {"gpus-per-node", POWER | PLANS},
    {"hold", PLANS},
    {"by", POWER},
    {"base", POWER},
    {"idle", POWER},
    {"train", POWER},
    {"window", POWER},
    {"offset", POWER},
    {"gap", POWER},
    {"utilization", POWER},
    {"message", CALIBRATE_WORDS_COLLECTIVES},
};

int calibrate_refuse(const struct options *options, enum calibrate_word word) {
    int r = 0;
    for (size_t i = 0; i < sizeof uses / sizeof *uses; i++) {
        if (uses[i].words & 1u << word || !option_given(options, uses[i].option))
            continue;
        struct str of = {0};
        for (size_t w = 0; w < sizeof words / sizeof *words; w++)
            if (uses[i].words & 1u << w)
                str_addf(&of, "%s%s", of.length > 0 ? " and " : "", words[w]);
        cli_say("%s: --%s belongs to %s, not to %s\n", options->who, uses[i].option, of.text,
                words[word]);
        str_finish(&of);
        r = ERROR_INPUT;
    }
    return r;
}

/* --- calibrate_write --- */

static int write_whole(const char *path, const struct str *text, struct error *reterr) {
    return path ? atomic_file_write_alone(path, text->text, text->length, reterr) : 0;
}

int calibrate_write(const struct options *options, struct str *keys, struct str *points) {
    struct error error = {0};
    sigset_t before;
    signals_hold(&before);
    int r = keys ? write_whole(options->output, keys, &error) : 0;
    if (r == 0)
        r = write_whole(options->points, points, &error);
    signals_release(&before);
    if (keys)
        str_finish(keys);
    str_finish(points);
    return r < 0 ? cli_report_error(&error) : EXIT_DONE;
}

/* --- calibrate_collectives --- */

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

void calibrate_print_percent(double share) {
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
        calibrate_print_percent(fit->median_error);
        calibrate_print_percent(fit->left_out_error);
        calibrate_print_percent(fit->most_left_out);
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
        cli_show("%s %s of %u GPUs not fitted: a law needs %d sizes, got %zu (line %u)\n", of->gpu,
                 collective_names[of->collective], of->gpus, COLLECTIVE_LEAST_SIZES, few->sizes,
                 of->line);
    }
}

/* ---- Keys of model files ---- */

/* What the laws of a size outside the measured ones are. */
static void print_outside(const struct session *s, const struct collective_fit *fit) {
    double message = s->options->message_bytes;
    const struct collective_row *first = row_of(s, fit), *last = first + fit->count - 1;
    if (message > 0 && (message < first->bytes || message > last->bytes))
        cli_show("  %u GPUs: outside the measured range, %.9g to %.9g bytes\n", first->gpus,
                 first->bytes, last->bytes);
}

/* How far alpha_s and beta_s are from the laws. */
static void print_sync(const struct collective_sync *sync) {
    if (sync->points < 2) {
        cli_show("  no alpha_s and beta_s: they need all_reduce on at least two numbers of GPUs\n");
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
    cli_show(some ? "\n" : "  no node_bytes_s: no all_reduce determines it\n");
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
            "keys for large all-reduces (--message BYTES: for one size, with alpha_s and beta_s):\n");
    for (size_t r = 0; r < s->rows.rows.count; r++) {
        const char *gpu = s->rows.rows.at[r].gpu;
        if (gpu != before) {
            cli_show("%s\n", gpu);
            print_keys(s, gpu);
        }
        before = gpu;
    }
    cli_show("keys are for GPUs of one node: higher tiers were not measured\n");
}

/* ---- Files ---- */

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
            csv_comma_real(out, law->bytes_s);
            csv_comma_int(out, (int64_t)fit->sizes);
            csv_comma_int(out, (int64_t)fit->count);
            csv_comma_real(out, fit->median_error);
            csv_comma_real(out, fit->left_out_error);
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
        csv_comma_real(out, s->fits.errors[r].predicted_s);
        csv_comma_real(out, s->fits.errors[r].error);
        csv_comma_real(out, s->fits.errors[r].left_out);
        str_add_char(out, '\n');
    }
}

static int write_files(const struct session *s) {
    struct str table = {0}, points = {0};
    write_table(s, &table);
    write_points(s, &points);
    return calibrate_write(s->options, &table, &points);
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

int calibrate_collectives(struct options *options) {
    const struct binding binding = {.arena = &options->arena, .problems = &options->problems};
    struct session s = {.options = options};
    if (calibrate_refuse(options, CALIBRATE_COLLECTIVES) < 0)
        return EXIT_BAD_INPUT;
    int r = collective_rows_load(&s.rows, options->operands[1], &binding) < 0
                ? cli_report_problems(&options->problems)
                : show_fits(&s);
    collective_fits_finish(&s.fits);
    collective_rows_finish(&s.rows);
    return r;
}

/* --- calibrate_failures --- */

/* ---- Printing ---- */

static void print_interval(double value, double low, double high) {
    cli_show("  %10.4g", value);
    if (isnan(low))
        cli_show("  %-21s", isnan(value) ? "" : "not determined");
    else
        cli_show("  %9.4g to %-8.4g", low, high);
}

static void print_fit(const struct time_fit *fit, bool best) {
    cli_show("  %-11s", time_law_names[fit->law.kind]);
    print_interval(fit->law.mean_s / S_PER_H, fit->mean_low_s / S_PER_H,
                   fit->mean_high_s / S_PER_H);
    if (isnan(fit->law.shape))
        cli_show("  %10s  %-21s", "", "");
    else
        print_interval(fit->law.shape, fit->shape_low, fit->shape_high);
    cli_show("  %9.4g  %9.4g  %11.2f%s\n", fit->median_s / S_PER_H, fit->high_s / S_PER_H, fit->aic,
             best ? "  best" : "");
    if (!isnan(fit->law.shape) &&
        (fit->law.shape < TIME_LAW_MIN_SHAPE || fit->law.shape > TIME_LAW_MAX_SHAPE))
        cli_show("  warning: a scenario takes shapes from %g to %g only\n", TIME_LAW_MIN_SHAPE,
                 TIME_LAW_MAX_SHAPE);
}

ORDER_BY(compare_times, struct seen_time, ASC(time_s))

/* Of the times that ended, the least one that a share of them does not exceed. */
static double seen_quantile_h(const struct seen_times *times, double share) {
    size_t rank = (size_t)ceil(share * (double)times->ended), ended = 0, i = 0;
    while ((ended += times->at.at[i].ended) < rank)
        i++;
    return times->at.at[i].time_s / S_PER_H;
}

static double seen_mean_h(const struct seen_times *times) {
    double sum_s = 0;
    for (size_t i = 0; i < times->at.count; i++)
        sum_s += times->at.at[i].ended ? times->at.at[i].time_s : 0;
    return sum_s / (double)times->ended / S_PER_H;
}

/* The keys of cluster.nodes. */
static void print_failure_keys(const char *key, const struct time_law *law) {
    cli_show("  %s: %.6gh", key, law->mean_s / S_PER_H);
    if (law->kind != TIME_LAW_EXPONENTIAL)
        cli_show(", %s_law: %s, %s_shape: %.6g", key, time_law_names[law->kind], key, law->shape);
    cli_show("\n");
}

/* title: what the times are; key: of their mean. */
static void fit_times(const char *title, const char *key, struct seen_times *times) {
    struct time_fit fits[TIME_LAW_COUNT];
    int best = 0;
    cli_show("%s: %zu times, %zu of them not ended\n", title, times->at.count,
             times->at.count - times->ended);
    if (times->ended < TIME_FIT_LEAST) {
        cli_show("  not fitted: expected at least %d that ended\n", TIME_FIT_LEAST);
        return;
    }
    sort_array(times->at.at, times->at.count, compare_times);
    cli_show("  %-11s  %10s  %-21s  %10s  %-21s  %9s  %9s  %11s\n", "law", "mean (h)", "95 %",
             "shape", "95 %", "median", "90 %", "AIC");
    for (int kind = 0; kind < TIME_LAW_COUNT; kind++) {
        fits[kind] = time_fit_law((enum time_law_kind)kind, times);
        if (fits[kind].ok && fits[kind].aic < fits[best].aic)
            best = kind;
    }
    for (int kind = 0; kind < TIME_LAW_COUNT; kind++) {
        if (fits[kind].ok)
            print_fit(&fits[kind], kind == best);
        else
            cli_show("  %-11s  no fit: the search does not converge\n", time_law_names[kind]);
    }
    cli_show("  %-11s  %10.4g  %-21s  %10s  %-21s  %9.4g  %9.4g\n", "ended times",
             seen_mean_h(times), "", "", "", seen_quantile_h(times, 0.5),
             seen_quantile_h(times, 0.9));
    print_failure_keys(key, &fits[best].law);
}

static void print_left_out(uint64_t count, const char *why) {
    if (count > 0)
        cli_show("  %llu outage%s %s\n", (unsigned long long)count, count == 1 ? "" : "s", why);
}

static void print_record(const struct outages *o, const struct outage_times *times,
                         const struct options *options) {
    cli_show("%s: %llu rows, outages of %u of %u nodes in %.6g h\n", o->file,
             (unsigned long long)o->rows, times->failed_nodes, times->nodes,
             times->until_s / S_PER_H);
    if (options->node_counts.count == 0)
        cli_show("  only nodes that failed are known: --node-count states how many there are\n");
    if (o->merged.count > 0)
        cli_show("  %llu rows joined with an earlier outage of their node (first: line %u)\n",
                 (unsigned long long)o->merged.count, o->merged.first_line);
    print_left_out(times->running, "running at time 0, not taken as times to repair");
    print_left_out(times->outside, "outside the record, left out");
    print_left_out(times->at_once, "repaired at once, not taken as times to repair");
}

/* ---- Fitting ---- */

static int fit_record(const struct options *options, const struct outages *outages,
                      uint32_t nodes) {
    struct outage_times times;
    outage_times_find(&times, outages, nodes, options->record_s > 0 ? options->record_s : NAN);
    bool some = times.up.ended >= TIME_FIT_LEAST || times.repair.ended >= TIME_FIT_LEAST;
    if (some) {
        print_record(outages, &times, options);
        fit_times("time to repair", "mttr", &times.repair);
        fit_times("time to failure", "mtbf", &times.up);
    } else
        cli_say(
            "%s: expected at least %d times to failure or to repair that ended, got %zu and %zu\n",
            outages->file, TIME_FIT_LEAST, times.up.ended, times.repair.ended);
    outage_times_finish(&times);
    return some ? EXIT_DONE : EXIT_RUN_FAILED;
}

/* All nodes, 0: not given. Negative after saying that outages know no types. */
static int64_t node_count(const struct options *options) {
    int64_t count = 0;
    for (size_t i = 0; i < options->node_counts.count && count >= 0; i++) {
        const struct type_value *value = &options->node_counts.at[i];
        if (value->type)
            cli_say("%s: --node-count: expected N, because outages have no GPU type, got %s=\n",
                    options->who, value->type);
        count = value->type ? -1 : (int64_t)value->value;
    }
    return count;
}

int calibrate_failures(struct options *options) {
    const struct binding binding = {.arena = &options->arena, .problems = &options->problems};
    struct outages outages = {.file = options->operands[1]};
    int64_t nodes = node_count(options);
    int r;
    if (calibrate_refuse(options, CALIBRATE_FAILURES) < 0 || nodes < 0)
        return EXIT_BAD_INPUT;
    if (outages_load(&outages, &binding) == 0 && outages.count == 0)
        problems_add(&options->problems, (struct location){.file = outages.file}, NULL,
                     "expected at least one outage, got no row");
    uint32_t last = outages.count > 0 ? outages.at[outages.count - 1].node : 0;
    if (nodes > 0 && outages.count > 0 && last >= nodes)
        problems_add(&options->problems, (struct location){.file = outages.file}, NULL,
                     "expected nodes below %u (--node-count), got node %u", (uint32_t)nodes, last);
    r = options->problems.count > 0 ? cli_report_problems(&options->problems)
                                    : fit_record(options, &outages, (uint32_t)nodes);
    return r;
}
