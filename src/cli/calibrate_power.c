/* A log and a meter become powers: see calibrate_parts.h. */
#include "base/units.h"
#include "calibrate/metered/power_fit.h"
#include "calibrate/metered/power_text.h"
#include "cli/calibrate_parts.h"
#include "cli/cli.h"
#include "cli/internal.h"
#include "cli/scenario_args.h"
#include "output/folders.h"
#include "output/validate.h"
#include "workload/trace_file.h"
#include "workload/utilization_file.h"

#include <math.h>
#include <stdlib.h>

#define WORST_HOURS  3
#define MOST_WINDOWS 1000

/* Of one command. Release with session_finish. */
struct session {
    struct options *options;
    const char *log, *file; /* of the meter */
    struct trace trace;
    struct utilization_file use;
    struct metered_jobs jobs;
    struct metered_cluster cluster;
    struct arena arena;
    struct meter meter;
    struct meter_reading *at; /* readings while the log tells what runs: a part of the meter's */
    size_t count;
    struct load load;
    double train_from_s, train_to_s;
    struct power_fit fits[POWER_FULL + 1];
    double *predicted_w[POWER_FULL + 1];
    struct power_windows windows;
};

static void session_finish(struct session *s) {
    for (int d = 0; d <= POWER_FULL; d++) {
        power_fit_finish(&s->fits[d]);
        free(s->predicted_w[d]);
    }
    power_windows_finish(&s->windows);
    load_finish(&s->load);
    metered_jobs_finish(&s->jobs);
    trace_finish(&s->trace);
    utilization_file_finish(&s->use);
    arena_finish(&s->arena);
}

/* ---- Printing ---- */

static double hours(double s) {
    return s / S_PER_H;
}

static void print_tally(const struct row_tally *tally, const char *what) {
    if (tally->count > 0)
        cli_show("  %llu %s (first: line %u)\n", (unsigned long long)tally->count, what,
                 tally->first_line);
}

static void print_meter(const struct session *s) {
    const struct meter *m = &s->meter;
    size_t before = (size_t)(s->at - m->at), after = m->count - before - s->count;
    cli_show("%s: %llu rows, %zu readings, mostly of %.9g s, from %.6g h to %.6g h\n", m->file,
             (unsigned long long)m->rows, m->count, m->step_s, hours(m->at[0].begin_s),
             hours(m->at[m->count - 1].end_s));
    print_tally(&m->missing, "rows without a power, left out");
    print_tally(&m->negative, "rows with a power below 0, left out");
    print_tally(&m->again, "rows with the time of another one, left out");
    print_tally(&m->unsorted, "rows earlier than the row before, sorted");
    print_tally(&m->gaps, "readings after a gap, each taken for one median step");
    if (before + after > 0)
        cli_show(
            "  %zu readings left out: %zu before the first job of the log, %zu after the last\n",
            before + after, before, after);
}

static void print_jobs(const struct session *s) {
    const struct metered_jobs *jobs = &s->jobs;
    size_t outside = 0, without_use = 0;
    for (size_t i = 0; i < jobs->at.count; i++) {
        without_use += isnan(jobs->at.at[i].use);
        outside += jobs->at.at[i].end_s <= s->at[0].begin_s ||
                   jobs->at.at[i].start_s >= s->at[s->count - 1].end_s;
    }
    cli_show("%s: %zu jobs from %.6g h to %.6g h, %zu of them without a recorded utilization\n",
             s->log, jobs->at.count, hours(jobs->first_s), hours(jobs->last_s), without_use);
    if (jobs->instant > 0)
        cli_show("  %llu jobs of no duration left out\n", (unsigned long long)jobs->instant);
    if (outside > 0)
        cli_show("  %zu jobs run outside of the time of the meter: no effect on the fit\n",
                 outside);
    if (jobs->merged_groups > 0)
        cli_show("  %zu values of %s with the least GPU time are joined as %s\n",
                 jobs->merged_groups, jobs->by, METERED_OTHERS);
    for (size_t t = 0; t < s->cluster.type_count; t++) {
        const struct metered_type *type = &s->cluster.types[t];
        cli_show("  %s: %.9g nodes of %.9g GPU%s%s; jobs hold at most %.9g GPUs at once\n",
                 type->name, type->nodes, type->gpus_of_node, type->gpus_of_node == 1 ? "" : "s",
                 type->nodes_given ? ""
                                   : ", the fewest that hold the jobs: --node-count is not given",
                 type->peak);
    }
}

static void print_use(const struct session *s) {
    const struct utilization_file *u = &s->use;
    if (!s->options->metered.utilization)
        return;
    cli_show(
        "%s: %llu rows, the utilization of %u jobs changes %llu times; %u jobs are not in it\n",
        s->options->metered.utilization, (unsigned long long)u->rows, u->jobs,
        (unsigned long long)u->changes, u->jobs_without);
    print_tally(&u->unknown, "rows of jobs that are not in the log, left out");
    if (u->unknown_jobs > 0)
        cli_show("  jobs that are not in the log: %s\n", u->unknown_names);
    print_tally(&u->beyond, "rows at or after the end of their job, left out");
}

static void print_percent(double share, const char *format) {
    if (isnan(share))
        cli_show(" %9s", "");
    else
        cli_show(format, 100 * share);
}

static void print_errors(const struct meter_errors *e) {
    print_percent(e->absolute, " %7.2f %%");
    print_percent(e->energy, " %+7.2f %%");
    if (isnan(e->r2))
        cli_show(" %8s", "");
    else
        cli_show(" %8.3f", e->r2);
}

static const char *const fit_names[] = {"constant", "idle + busy GPUs", "fit"};

/* Errors of all readings but those fitted to, which may lie before and after. */
static struct meter_errors errors_left_out(const struct session *s, const double *predicted_w) {
    double *left_w = mem_alloc(s->count * sizeof *left_w);
    for (size_t i = 0; i < s->count; i++)
        left_w[i] =
            meter_reading_is_in(&s->at[i], s->train_from_s, s->train_to_s) ? NAN : predicted_w[i];
    const struct meter_curves curves = {s->at, left_w, s->count};
    struct meter_errors e = meter_errors_between(&curves, -INFINITY, INFINITY);
    free(left_w);
    return e;
}

static void print_fit_errors(const struct session *s) {
    cli_show("  %-18s %-28s %s\n", "error", " in the time fitted to", " left out");
    cli_show("  %-18s %9s %9s %8s %9s %9s %8s\n", "", "absolute", "energy", "R^2", "absolute",
             "energy", "R^2");
    for (int d = 0; d <= POWER_FULL; d++) {
        const struct meter_curves curves = {s->at, s->predicted_w[d], s->count};
        struct meter_errors in = meter_errors_between(&curves, s->train_from_s, s->train_to_s),
                            out = errors_left_out(s, s->predicted_w[d]);
        cli_show("  %-18s", fit_names[d]);
        print_errors(&in);
        print_errors(&out);
        cli_show("\n");
        if (d == POWER_FULL && out.readings == 0)
            cli_show("  no reading is left out, so how well the fit predicts is unknown\n");
    }
}

static void print_worst_hours(const struct session *s) {
    struct meter_hour worst[WORST_HOURS];
    const struct meter_curves curves = {s->at, s->predicted_w[POWER_FULL], s->count};
    size_t count = meter_worst_hours(&curves, s->train_to_s, INFINITY, worst, WORST_HOURS);
    for (size_t i = 0; i < count; i++)
        cli_show("  %-18s %6.6g h: %.5g W metered, %.5g W fitted (%+.4g W)\n",
                 i == 0 ? "worst hours after" : "", hours(worst[i].begin_s), worst[i].measured_w,
                 worst[i].predicted_w, worst[i].predicted_w - worst[i].measured_w);
}

static void print_windows(const struct session *s) {
    if (!s->windows.at.at)
        return;
    cli_show("each window is predicted by a fit to all readings before it\n");
    cli_show("  %9s %9s %8s %9s %9s %8s %18s\n", "from (h)", "to (h)", "hours", "absolute",
             "energy", "R^2", "idle + busy GPUs");
    for (size_t i = 0; i < s->windows.at.count; i++) {
        const struct power_window *w = &s->windows.at.at[i];
        cli_show("  %9.5g %9.5g", hours(w->from_s), hours(w->to_s));
        if (!w->fitted || w->full.readings == 0) {
            cli_show("  %s\n", w->fitted ? "no readings" : "too few readings before it");
            continue;
        }
        cli_show(" %8.4g", w->full.hours);
        print_errors(&w->full);
        cli_show("         ");
        print_percent(w->count.absolute, " %7.2f %%");
        cli_show("\n");
    }
}

static void print_fit(const struct session *s) {
    const struct power_text text = {&s->fits[POWER_FULL], &s->jobs, &s->cluster};
    struct str values = {0}, untold = {0};
    power_text_values(&text, &values);
    power_text_untold(&text, &untold);
    cli_show("fitted to %zu readings from %.6g h to %.6g h, %zu left out\n",
             s->fits[POWER_FULL].readings, hours(fmax(s->train_from_s, s->at[0].begin_s)),
             hours(fmin(s->train_to_s, s->at[s->count - 1].end_s)),
             s->count - s->fits[POWER_FULL].readings);
    cli_show_lines(&values);
    for (char *at = untold.text; at && *at;) {
        int length = (int)strcspn(at, "\n");
        cli_show("  not determined: %.*s\n", length, at);
        at += length + 1;
    }
    print_fit_errors(s);
    print_worst_hours(s);
    str_finish(&values);
    str_finish(&untold);
}

/* ---- Reading ---- */

static double value_of_type(const struct type_values *values, const char *type, double usual) {
    double value = usual;
    bool own = false;
    for (size_t i = 0; i < values->count; i++) {
        bool named = values->at[i].type && strcmp(values->at[i].type, type) == 0;
        if (named || (!values->at[i].type && !own))
            value = values->at[i].value;
        own |= named;
    }
    return value;
}

static void check_types(const struct session *s, const struct type_values *values,
                        const char *option, struct problems *problems) {
    for (size_t i = 0; i < values->count; i++) {
        bool known = !values->at[i].type;
        for (size_t t = 0; t < s->jobs.types.count; t++)
            known |= !known && strcmp(values->at[i].type, s->jobs.types.at[t]) == 0;
        if (!known)
            problems_add_setting(problems, (struct location){.file = s->log}, option,
                                 "the log has no GPU type \"%s\"", values->at[i].type);
    }
}

static int make_cluster(struct session *s, struct problems *problems) {
    const struct options *o = s->options;
    size_t before = problems->count;
    check_types(s, &o->node_counts, "node-count", problems);
    check_types(s, &o->node_gpus, "gpus-per-node", problems);
    s->cluster = (struct metered_cluster){.base_w = o->metered.base_w, .idle_w = o->metered.idle_w};
    for (size_t t = 0; t < s->jobs.types.count; t++) {
        const char *name = s->jobs.types.at[t];
        s->cluster.types[t].nodes = value_of_type(&o->node_counts, name, 0);
        s->cluster.types[t].gpus_of_node = value_of_type(&o->node_gpus, name, 1);
    }
    if (problems->count > before)
        return ERROR_INPUT;
    return metered_cluster_complete(&s->cluster, &s->jobs, s->log, problems);
}

/* Readings while the log tells what runs: it may have begun, and ended, in the middle of things. */
static int choose_readings(struct session *s, struct problems *problems) {
    size_t first = 0, end = s->meter.count;
    while (first < end && s->meter.at[first].begin_s < s->jobs.first_s)
        first++;
    while (end > first && s->meter.at[end - 1].end_s > s->jobs.last_s)
        end--;
    s->at = &s->meter.at[first];
    s->count = end - first;
    for (size_t i = 0; i < s->count; i++)
        if (s->at[i].power_w > 0)
            return 0;
    if (s->count > 0)
        problems_add(problems, (struct location){.file = s->file}, NULL,
                     "expected some reading above 0 W while jobs run, got none");
    else if (s->meter.count == 0)
        problems_add(problems, (struct location){.file = s->file}, NULL,
                     "expected readings with a power, got none");
    else
        problems_add(
            problems, (struct location){.file = s->file}, NULL,
            "expected readings while jobs of %s run, %.6g h to %.6g h, got %.6g h to %.6g h",
            s->log, hours(s->jobs.first_s), hours(s->jobs.last_s), hours(s->meter.at[0].begin_s),
            hours(s->meter.at[s->meter.count - 1].end_s));
    return ERROR_INPUT;
}

static int choose_train(struct session *s, struct problems *problems) {
    const struct power_options *o = &s->options->metered;
    double first_s = s->at[0].begin_s, last_s = s->at[s->count - 1].end_s;
    bool given = !isnan(o->train_to_s);
    s->train_from_s = given ? fmax(o->train_from_s, first_s) : first_s;
    s->train_to_s = given ? o->train_to_s : first_s + (last_s - first_s) / 2;
    for (size_t i = 0; i < s->count; i++)
        if (meter_reading_is_in(&s->at[i], s->train_from_s, s->train_to_s))
            return 0;
    return problems_add_setting(problems, (struct location){.file = s->file}, "train",
                                "expected a time with readings, which are from %.6g h to %.6g h",
                                hours(first_s), hours(last_s));
}

/* Each window is a fit of its own. */
static int check_windows(const struct session *s, struct problems *problems) {
    double window_s = s->options->metered.window_s,
           span_s = s->at[s->count - 1].end_s - s->at[0].begin_s;
    if (window_s == 0 || span_s / window_s <= MOST_WINDOWS)
        return 0;
    return problems_add_setting(
        problems, (struct location){.file = s->file}, "window",
        "expected at most %d windows in %.6g h, so %.6g s or more, got %.6g s", MOST_WINDOWS,
        hours(span_s), span_s / MOST_WINDOWS, window_s);
}

static int load_jobs(struct session *s, struct problems *problems) {
    const struct trace_options usual = {0};
    const struct power_options *o = &s->options->metered;
    size_t before = problems->count;
    if (trace_file_read(s->log, &usual, &s->trace, problems) < 0 ||
        metered_jobs_make(&s->jobs, &s->trace, s->log, o->by, problems) < 0)
        return ERROR_INPUT;
    metered_jobs_drop_models(&s->trace);
    if (o->utilization)
        utilization_file_read(&s->use, o->utilization, NAN, &s->trace, problems);
    metered_jobs_take_steps(&s->jobs, &s->trace);
    return problems->count > before ? ERROR_INPUT : 0;
}

static int load_files(struct session *s, struct problems *problems) {
    const struct power_options *o = &s->options->metered;
    s->meter = (struct meter){.file = s->file, .offset_s = o->offset_s, .gap_s = o->gap_s};
    int r = load_jobs(s, problems);
    if (meter_load(&s->meter, &s->arena, problems) < 0)
        r = ERROR_INPUT;
    if (r == 0)
        r = make_cluster(s, problems);
    if (r == 0)
        r = choose_readings(s, problems);
    if (r == 0)
        r = choose_train(s, problems);
    if (r == 0)
        r = check_windows(s, problems);
    return r;
}

/* ---- Fitting and writing ---- */

static int fit_powers(struct session *s, struct error *reterr) {
    double floor_w = metered_cluster_floor_w(&s->cluster);
    load_make(&s->load, &s->jobs, s->at, s->count);
    for (int d = POWER_FULL; d >= 0; d--) {
        const struct power_span span = {s->train_from_s, s->train_to_s, floor_w, NULL};
        int r = power_fit_make(&s->fits[d], &s->load, (enum power_detail)d, &span, reterr);
        if (r < 0)
            return r;
        s->predicted_w[d] = mem_alloc(s->count * sizeof *s->predicted_w[d]);
        for (size_t i = 0; i < s->count; i++)
            s->predicted_w[d][i] = power_fit_predict(&s->fits[d], i);
    }
    if (s->options->metered.window_s > 0)
        power_windows_make(&s->windows, &s->load, s->options->metered.window_s, floor_w);
    return 0;
}

static int write_replay(struct session *s, struct error *reterr) {
    const char *folder = s->options->output;
    const struct power_text text = {&s->fits[POWER_FULL], &s->jobs, &s->cluster};
    const struct meter_curves curves = {s->at, s->predicted_w[POWER_FULL], s->count},
                              ahead = {s->at, s->windows.predicted_w, s->count};
    struct text_file files[] = {{.name = "jobs.csv"},
                                {.name = "utilization.csv"},
                                {.name = "curves.csv"},
                                {.name = "windows.csv"},
                                {.name = "scenario.yaml"}};
    if (!folder)
        return 0;
    int r = power_replay_check(&text, reterr);
    if (r < 0)
        return error_set(reterr, r, "%s: %s; without --output easim prints the fit", s->file,
                         arena_strdup(&s->arena, reterr->text));
    power_replay_steps(&text, &s->trace, &files[1].text);
    power_replay_jobs(&text, &s->trace, &files[0].text);
    validate_curves_csv(&curves, NULL, &files[2].text);
    if (s->windows.predicted_w)
        validate_curves_csv(&ahead, NULL, &files[3].text);
    power_replay_scenario(&text, "replay", files[1].text.length > 0, &files[4].text);
    return text_files_write(folder, files, sizeof files / sizeof *files, reterr);
}

int calibrate_power(struct options *options) {
    struct session s = {
        .options = options, .log = options->operands[1], .file = options->operands[2]};
    struct error error = {0};
    int r = EXIT_BAD_INPUT;
    if (calibrate_refuse(options, CALIBRATE_POWER) < 0)
        return r;
    if (options->output && run_args_take_folder(options, options->output, &error) < 0)
        r = cli_report_error(&error);
    else if (load_files(&s, &options->problems) < 0)
        r = cli_report_problems(&options->problems);
    else if (fit_powers(&s, &error) < 0) {
        cli_say("%s: %s\n", s.file, error.text);
        r = EXIT_RUN_FAILED;
    } else if (write_replay(&s, &error) < 0)
        r = cli_report_error(&error);
    else {
        print_jobs(&s);
        print_use(&s);
        print_meter(&s);
        print_fit(&s);
        print_windows(&s);
        r = EXIT_DONE;
    }
    session_finish(&s);
    return r;
}
