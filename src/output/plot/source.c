/* Folders of results. Invariant: series are in the order of compare.csv or the command line. */
#include "output/plot/source.h"

#include "base/numfmt.h"
#include "config/policy_text.h"
#include "io/files.h"
#include "policy_colors.h"
#include "study/recorded.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { METRIC, POLICY, N, MEAN, CI95 };

static const char *const estimate_columns[] = {"metric", "policy", "n", "mean", "ci95", NULL};

bool plot_source_exists(const char *folder, const char *name) {
    struct arena arena = {0};
    struct stat status;
    bool found =
        files_stat(arena_printf(&arena, "%s/%s", folder, name), &status) && S_ISREG(status.st_mode);
    arena_finish(&arena);
    return found;
}

int plot_source_real(const struct csv *csv, int column, double *value, struct error *reterr) {
    struct slice text = csv_field(csv, column);
    *value = NAN;
    if (text.length == 0 || numfmt_parse_real(text.at, text.length, value))
        return 0;
    struct location at = csv_where(csv, column);
    return error_set(reterr, ERROR_INPUT, "%s:%u:%u: %s: expected a number, got \"%.*s\"", at.file,
                     at.line, at.column, csv_column_name(csv, (size_t)column),
                     (int)(text.length > 80 ? 80 : text.length), text.at);
}

int plot_source_table(const char *folder, const char *name, const char *const *names, int *columns,
                      struct csv **ret_csv, struct error *reterr) {
    struct arena arena = {0};
    struct csv *csv = NULL;
    const char *path = arena_printf(&arena, "%s/%s", folder, name);
    int r = csv_open(path, ',', &csv, reterr);
    if (r == ERROR_IO) /* an input that cannot be read is bad input */
        r = reterr->code = ERROR_INPUT;
    for (size_t i = 0; r == 0 && names[i]; i++)
        if ((columns[i] = csv_column(csv, names[i])) < 0)
            r = error_set(reterr, ERROR_INPUT, "%s: expected a column %s", path, names[i]);
    if (r == 0)
        *ret_csv = csv;
    else
        csv_close(csv);
    arena_finish(&arena);
    return r;
}

static struct plot_series *find_series(struct plot_source *source, size_t first,
                                       struct slice label) {
    for (size_t i = first; i < source->series.count; i++)
        if (slice_is(label, source->series.at[i].label))
            return &source->series.at[i];
    struct plot_series *series = array_add(&source->series);
    series->policy = series->label = arena_strndup(&source->arena, label.at, label.length);
    for (unsigned c = 0; c < SUMMARY_COUNT; c++)
        series->estimates[c] = (struct estimate){.mean = NAN, .sd = NAN, .ci95 = NAN};
    return series;
}

/* One row of aggregate.csv or compare.csv. A metric unknown to this easim is skipped. */
static int read_estimate(struct plot_source *source, size_t first, const struct csv *csv,
                         const int *columns, struct error *reterr) {
    struct plot_series *series = find_series(source, first, csv_field(csv, columns[POLICY]));
    struct slice metric = csv_field(csv, columns[METRIC]);
    struct estimate e = {.sd = NAN};
    double n = 0;
    int r = plot_source_real(csv, columns[N], &n, reterr);
    if (r == 0)
        r = plot_source_real(csv, columns[MEAN], &e.mean, reterr);
    if (r == 0)
        r = plot_source_real(csv, columns[CI95], &e.ci95, reterr);
    e.n = n >= 1 && n <= 1e9 ? (size_t)n : 0;
    for (unsigned c = 0; r == 0 && c < SUMMARY_COUNT; c++)
        if (slice_is(metric, summary_names[c]))
            series->estimates[c] = e;
    return r;
}

/* The series of a file, after those that are there. */
static int read_estimates(struct plot_source *source, const char *folder, const char *name,
                          struct error *reterr) {
    struct csv *csv = NULL;
    int columns[CI95 + 1], got;
    size_t first = source->series.count;
    int r = plot_source_table(folder, name, estimate_columns, columns, &csv, reterr);
    if (r < 0)
        return r;
    while (r == 0 && (got = csv_next(csv, reterr)) != 0)
        r = got < 0 ? got : read_estimate(source, first, csv, columns, reterr);
    csv_close(csv);
    if (r == 0 && source->series.count == first)
        r = error_set(reterr, ERROR_INPUT, "%s/%s: expected a row for each metric, found none",
                      folder, name);
    return r;
}

static int open_run(struct plot_source *source, const char *folder, struct error *reterr) {
    size_t first = source->series.count;
    int r = read_estimates(source, folder, "aggregate.csv", reterr);
    if (r == 0 && source->series.count > first + 1)
        return error_set(reterr, ERROR_INPUT,
                         "%s/aggregate.csv: expected one policy, found %s and %s", folder,
                         source->series.at[first].label, source->series.at[first + 1].label);
    if (r == 0)
        source->series.at[first].folder = arena_strdup(&source->arena, folder);
    return r;
}

static int open_comparison(struct plot_source *source, const char *folder, struct error *reterr) {
    int r = read_estimates(source, folder, "compare.csv", reterr);
    source->comparison = arena_strdup(&source->arena, folder);
    for (size_t i = 0; i < source->series.count; i++)
        source->series.at[i].folder =
            arena_printf(&source->arena, "%s/%s", folder,
                         policy_text_folder(source->series.at[i].label, &source->arena));
    return r;
}

static int open_folder(struct plot_source *source, const char *folder, struct error *reterr) {
    struct stat status;
    if (plot_source_exists(folder, "sweep.csv"))
        source->sweep = arena_strdup(&source->arena, folder);
    else if (plot_source_exists(folder, "models.csv"))
        source->models = arena_strdup(&source->arena, folder);
    else if (plot_source_exists(folder, "compare.csv"))
        return open_comparison(source, folder, reterr);
    else if (plot_source_exists(folder, "aggregate.csv"))
        return open_run(source, folder, reterr);
    else if (plot_source_exists(folder, "curves.csv"))
        source->meters = arena_strdup(&source->arena, folder);
    else if (!files_stat(folder, &status))
        return error_set(reterr, ERROR_INPUT, "%s: cannot open folder: %s", folder,
                         strerror(errno));
    else if (files_exist(arena_printf(&source->arena, "%s/runs", folder)))
        return error_set(reterr, ERROR_INPUT, "%s: a sweep whose points are not joined yet",
                         folder);
    else
        return error_set(
            reterr, ERROR_INPUT,
            "%s: no results: expected aggregate.csv of a run, compare.csv of a comparison, sweep.csv of a sweep, models.csv of models or curves.csv of power beside a meter",
            folder);
    return 0;
}

/* Runs of one policy are told apart by their folders, and all by styles. */
static void tell_apart(struct plot_source *source) {
    bool same = false;
    for (size_t i = 0; i < source->series.count; i++)
        for (size_t j = 0; j < i; j++)
            same = same || strcmp(source->series.at[i].label, source->series.at[j].label) == 0;
    for (size_t i = 0; same && i < source->series.count; i++)
        source->series.at[i].label = source->series.at[i].folder;
    const char *labels[PLOT_MOST_SERIES];
    struct plot_style styles[PLOT_MOST_SERIES];
    for (size_t i = 0; i < source->series.count; i++)
        labels[i] = source->series.at[i].label;
    plot_styles_of_policies(labels, source->series.count, styles);
    for (size_t i = 0; i < source->series.count; i++)
        source->series.at[i].style = styles[i];
}

/* A folder that has tables of results has all of them, of one run. */
static int check_folder(const char *folder, struct error *reterr) {
    static const char *const tables[] = {"sweep.csv", "models.csv", "compare.csv", "aggregate.csv",
                                         "validation.csv"};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        if (plot_source_exists(folder, tables[i]))
            return recorded_check(folder, reterr);
    return 0;
}

enum plot_sort plot_source_sort(const struct plot_source *source) {
    return source->models ? PLOT_OF_MODELS : source->meters ? PLOT_OF_METERS : PLOT_OF_RUNS;
}

int plot_source_open(struct plot_source *source, const char *const *folders, size_t count,
                     struct error *reterr) {
    int r = 0;
    source->shown = count == 1 ? folders[0] : "these folders";
    for (size_t i = 0; r == 0 && i < count; i++)
        if ((r = check_folder(folders[i], reterr)) < 0)
            break;
        else if (count == 1)
            r = open_folder(source, folders[i], reterr);
        else if (plot_source_exists(folders[i], "aggregate.csv"))
            r = open_run(source, folders[i], reterr);
        else
            r = error_set(reterr, ERROR_INPUT,
                          "%s: several folders must be runs: aggregate.csv is missing", folders[i]);
    if (r == 0 && source->series.count > PLOT_MOST_SERIES)
        r = error_set(reterr, ERROR_INPUT, "%s: expected at most %d policies or runs, got %zu",
                      source->shown, PLOT_MOST_SERIES, source->series.count);
    if (r == 0)
        tell_apart(source);
    return r;
}

/* ---- Some of the series ---- */

static bool find_chosen(const struct plot_source *source, struct slice label, bool *chosen) {
    for (size_t i = 0; i < source->series.count; i++)
        if (slice_is(label, source->series.at[i].label))
            return chosen[i] = true;
    return false;
}

static int refuse_label(struct plot_source *source, struct slice label, struct error *reterr) {
    const char *names[PLOT_MOST_SERIES],
        *text = arena_strndup(&source->arena, label.at, label.length);
    struct str list = {0};
    for (size_t i = 0; i < source->series.count; i++) {
        names[i] = source->series.at[i].label;
        str_addf(&list, "%s%s", i > 0 ? ", " : "", names[i]);
    }
    int r = error_set(reterr, ERROR_INPUT, "policies: there is no %s in %s%s (there are %s)",
                      text[0] ? text : "\"\"", source->shown,
                      str_suggestion(&source->arena, text, names, source->series.count), list.text);
    str_finish(&list);
    return r;
}

/* A whole text may be a label with commas. */
static int choose_text(struct plot_source *source, const char *text, bool *chosen,
                       struct error *reterr) {
    if (find_chosen(source, (struct slice){text, strlen(text)}, chosen))
        return 0;
    do {
        const char *item = policy_text_next(&text, &source->arena);
        const struct slice label = {item, strlen(item)};
        if (!find_chosen(source, label, chosen))
            return refuse_label(source, label, reterr);
    } while (*text || text[-1] == ',');
    return 0;
}

int plot_source_choose(struct plot_source *source, const char *const *texts, size_t count,
                       struct error *reterr) {
    bool chosen[PLOT_MOST_SERIES] = {0};
    size_t kept = 0;
    if (source->series.count == 0)
        return 0; /* the option has no use there, and is refused for that */
    for (size_t i = 0; i < count; i++)
        if (choose_text(source, texts[i], chosen, reterr) < 0)
            return reterr->code;
    for (size_t i = 0; count > 0 && i < source->series.count; i++)
        if (chosen[i])
            source->series.at[kept++] = source->series.at[i];
    source->is_choice = count > 0 && kept < source->series.count;
    if (count > 0)
        source->series.count = kept;
    return 0;
}

void plot_source_finish(struct plot_source *source) {
    free(source->series.at);
    arena_finish(&source->arena);
}

/* ---- Jobs that are measured ---- */

/* The place of the row's replication in jobs->left_out. */
static int find_replication(struct plot_jobs *jobs, const struct csv *csv, int column,
                            size_t *ret_place, struct error *reterr) {
    double number = NAN;
    int r = plot_source_real(csv, column, &number, reterr);
    struct location at = csv_where(csv, column);
    if (r == 0 && !(number >= 1 && number <= 1e6))
        r = error_set(reterr, ERROR_INPUT, "%s:%u:%u: replication: expected a number 1..1000000",
                      at.file, at.line, at.column);
    if (r < 0)
        return r;
    while ((double)jobs->left_out.count <= number)
        array_push(&jobs->left_out, 0);
    *ret_place = (size_t)number;
    return 0;
}

/* Adds to each replication one for each row of a file, or subtracts the value of a column. */
static int count_rows(struct plot_jobs *jobs, const char *folder, const char *name,
                      const char *subtracted, struct error *reterr) {
    const char *const names[] = {"replication", subtracted, NULL};
    struct csv *csv = NULL;
    int columns[2], got = 0;
    int r = plot_source_table(folder, name, names, columns, &csv, reterr);
    while (r == 0 && (got = csv_next(csv, reterr)) > 0) {
        double value = -1;
        size_t place = 0;
        r = find_replication(jobs, csv, columns[0], &place, reterr);
        if (r == 0 && subtracted)
            r = plot_source_real(csv, columns[1], &value, reterr);
        if (r == 0)
            jobs->left_out.at[place] -= value;
    }
    csv_close(csv);
    return got < 0 ? got : r;
}

int plot_jobs_open(struct plot_jobs *jobs, const char *folder, const char *const *names,
                   int *columns, struct error *reterr) {
    int r = 0;
    if (plot_source_exists(folder, "summary.csv")) {
        r = count_rows(jobs, folder, "jobs.csv", NULL, reterr);
        if (r == 0)
            r = count_rows(jobs, folder, "summary.csv", "jobs_submitted", reterr);
    }
    if (r == 0)
        r = plot_source_table(folder, "jobs.csv", names, columns, &jobs->csv, reterr);
    jobs->replication = r == 0 ? csv_column(jobs->csv, "replication") : -1;
    return r;
}

int plot_jobs_next(struct plot_jobs *jobs, struct error *reterr) {
    int r = csv_next(jobs->csv, reterr);
    size_t place = 0;
    if (r <= 0 || jobs->left_out.count == 0)
        return r;
    int found = find_replication(jobs, jobs->csv, jobs->replication, &place, reterr);
    if (found == 0)
        jobs->is_left_out = jobs->left_out.at[place]-- > 0;
    return found < 0 ? found : r;
}

void plot_jobs_close(struct plot_jobs *jobs) {
    csv_close(jobs->csv);
    free(jobs->left_out.at);
}

/* --- styles --- */

#define ROW_OF(name, color, marker) {name, {color, marker, 1}},
#define ROWS                        (sizeof rows / sizeof *rows)

static const struct row {
    const char *name; /* "": of no policy */
    struct plot_style style;
} rows[] = {POLICY_COLORS(ROW_OF)};

static const struct row *find_row(const char *name) {
    for (size_t i = 0; i < ROWS; i++)
        if (name[0] && strcmp(rows[i].name, name) == 0)
            return &rows[i];
    return NULL;
}

/* The next free one, those of no policy first; if all are taken they come again, dashed. */
static struct plot_style take_free(bool *taken, size_t *again) {
    for (int owned = 0; owned < 2; owned++)
        for (size_t i = 0; i < ROWS; i++)
            if (!taken[i] && !!rows[i].name[0] == owned) {
                taken[i] = true;
                return rows[i].style;
            }
    struct plot_style style = rows[(*again)++ % ROWS].style;
    style.dash = 2;
    return style;
}

void plot_styles_of_policies(const char *const *names, size_t count, struct plot_style *styles) {
    bool taken[ROWS] = {false};
    size_t again = 0, next;
    for (size_t i = 0; i < count; i++) {
        const struct row *own = find_row(names[i]);
        styles[i] = own ? own->style : (struct plot_style){NULL, 0, 0};
        if (own)
            taken[own - rows] = true;
    }
    do {
        next = count;
        for (size_t i = 0; i < count; i++)
            if (!styles[i].color && (next == count || strcmp(names[i], names[next]) < 0))
                next = i;
        if (next < count)
            styles[next] = take_free(taken, &again);
    } while (next < count);
}

void plot_source_style_by_policy(struct plot_source *source) {
    const char *names[PLOT_MOST_SERIES];
    struct plot_style styles[PLOT_MOST_SERIES];
    size_t count = 0, of[PLOT_MOST_SERIES] = {0};
    for (size_t i = 0; i < source->series.count; i++) {
        names[count] = source->series.at[i].policy;
        while (strcmp(names[of[i]], names[count]) != 0)
            of[i]++;
        count += of[i] == count;
    }
    plot_styles_of_policies(names, count, styles);
    for (size_t i = 0; i < source->series.count; i++)
        source->series.at[i].style = styles[of[i]];
}

void plot_styles_of_values(const char *const *texts, size_t count, struct plot_style *styles) {
    /* Okabe and Ito's palette without its yellow (too pale on white), a grey and a wine red. With 4
       dashes they are 36 different lines; the first ones, over which others are drawn, are solid.
     */
    static const char *const colors[] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00",
                                         "#56B4E9", "#000000", "#8C8C8C", "#882255"};
    static const int markers[] = {7, 5, 9, 11, 13};
    bool any = false;
    for (size_t i = 0; i < count; i++) {
        any = any || find_row(texts[i]);
        styles[i] =
            (struct plot_style){colors[i % 9], markers[(i + i / 9) % 5], 1 + (int)(i / 3 % 4)};
    }
    if (any)
        plot_styles_of_policies(texts, count, styles);
}
