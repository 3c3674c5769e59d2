/* easim plot: figures of finished runs, comparisons and sweeps. */
#include "cli/cli.h"
#include "cli/options.h"
#include "cli/run_args.h"
#include "output/plot/dir.h"
#include "output/run/run_dir.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_KINDS   16
#define LEAST_PIXELS 200
#define MOST_PIXELS  4000

struct arguments {
    struct arena arena;
    ARRAY_OF(const char *) folders;
    const char *out;
    const char *formats;    /* separated by blanks */
    bool asked[MOST_KINDS]; /* by kind, if some_asked */
    bool some_asked, force, quiet;
    struct plot_wishes wishes;
};

enum {
    KEY_FIGURES = 512,
    KEY_FORMAT,
    KEY_SIZE,
    KEY_REPLICATION,
    KEY_PARETO,
    KEY_METRICS,
    KEY_X,
    KEY_Y,
    KEY_BY
};

static const struct argp_option options[] = {
    {"figures", KEY_FIGURES, "NAME,...", 0, "only these (default: all that the results allow)", 0},
    {"format", KEY_FORMAT, "svg,pdf,png", 0, "one or more formats (default: svg)", 0},
    {"size", KEY_SIZE, "WIDTHxHEIGHT", 0, "in pixels of 1/96 inch (default: 480 x what is needed)",
     0},
    {"replication", KEY_REPLICATION, "N", 0, "of figures over time (default: 1)", 0},
    {"pareto", KEY_PARETO, "M,M", 0, "metrics of the Pareto figure, as easim compare has it", 0},
    {"metrics", KEY_METRICS, "M,...", 0,
     "metrics of bars and lines, at most 4; the first is the heat map's", 0},
    {"x", KEY_X, "AXIS", 0, "horizontal axis of lines and heat map", 0},
    {"y", KEY_Y, "AXIS", 0, "vertical axis of the heat map", 0},
    {"by", KEY_BY, "AXIS", 0, "axis with a line, or a heat map, for each value", 0},
    {"out", 'o', "DIR", 0, "folder of the figures (default: figures in the results' folder)", 0},
    {"force", 'f', NULL, 0, "draw into a folder that is not empty", 0},
    {"quiet", 'q', NULL, 0, "print nothing but errors", 0},
    {0},
};

static size_t kind_count(void) {
    size_t count = 0;
    while (plot_kinds[count].name)
        count++;
    return count;
}

static void ask_figures(struct arguments *a, const char *list, struct argp_state *state) {
    const char *names[MOST_KINDS];
    size_t count = kind_count();
    for (size_t i = 0; i < count; i++)
        names[i] = plot_kinds[i].name;
    while (*list) {
        const char *name = option_next(&list, &a->arena);
        size_t at = 0;
        while (at < count && strcmp(names[at], name) != 0)
            at++;
        if (at == count)
            argp_error(state, "--figures: no figure is named \"%s\"%s", name,
                       str_suggestion(&a->arena, name, names, count));
        a->asked[at] = a->some_asked = true;
    }
    if (!a->some_asked)
        argp_error(state, "--figures: expected names of figures, got \"\"");
}

static void ask_formats(struct arguments *a, const char *list, struct argp_state *state) {
    static const char *const known[] = {"svg", "pdf", "png", NULL};
    bool asked[3] = {false};
    struct str formats = {0};
    for (const char *rest = list; *rest;)
        asked[option_choice(option_next(&rest, &a->arena), known, "--format", state)] = true;
    for (int i = 0; i < 3; i++)
        if (asked[i])
            str_addf(&formats, "%s%s", formats.length > 0 ? " " : "", known[i]);
    if (formats.length == 0)
        argp_error(state, "--format: expected svg, pdf or png, got \"\"");
    a->formats = arena_strdup(&a->arena, formats.text);
    str_finish(&formats);
}

static void ask_size(struct arguments *a, const char *text, struct argp_state *state) {
    int width = 0, height = 0, read = 0;
    if (sscanf(text, "%5dx%5d%n", &width, &height, &read) != 2 || text[read] != '\0' ||
        width < LEAST_PIXELS || width > MOST_PIXELS || height < LEAST_PIXELS ||
        height > MOST_PIXELS)
        argp_error(state, "--size: expected WIDTHxHEIGHT of %d..%d each, got \"%s\"", LEAST_PIXELS,
                   MOST_PIXELS, text);
    a->wishes.width = width;
    a->wishes.height = height;
}

static void ask_pareto(struct arguments *a, const char *list, struct argp_state *state) {
    struct option_metrics metrics;
    option_metrics(list, "--pareto", &metrics, state);
    if (metrics.count != 2)
        argp_error(state, "--pareto: expected two metrics, got %zu", metrics.count);
    memcpy(a->wishes.pareto, metrics.columns, sizeof a->wishes.pareto);
}

static void ask_metrics(struct arguments *a, const char *list, struct argp_state *state) {
    struct option_metrics metrics;
    option_metrics(list, "--metrics", &metrics, state);
    if (metrics.count > PLOT_MOST_METRICS)
        argp_error(state, "--metrics: expected 1 to %d metrics, got %zu", PLOT_MOST_METRICS,
                   metrics.count);
    memcpy(a->wishes.metrics, metrics.columns, sizeof a->wishes.metrics);
    a->wishes.metric_count = (unsigned)metrics.count;
}

static error_t parse(int key, char *value, struct argp_state *state) {
    struct arguments *a = state->input;
    switch (key) {
    case KEY_FIGURES:
        ask_figures(a, value, state);
        return 0;
    case KEY_FORMAT:
        ask_formats(a, value, state);
        return 0;
    case KEY_SIZE:
        ask_size(a, value, state);
        return 0;
    case KEY_REPLICATION:
        a->wishes.replication = option_count(value, 1, 1000000, "--replication", state);
        return 0;
    case KEY_PARETO:
        ask_pareto(a, value, state);
        return 0;
    case KEY_METRICS:
        ask_metrics(a, value, state);
        return 0;
    case KEY_X:
        a->wishes.x = value;
        return 0;
    case KEY_Y:
        a->wishes.y = value;
        return 0;
    case KEY_BY:
        a->wishes.by = value;
        return 0;
    case 'o':
        a->out = value;
        return 0;
    case 'f':
        a->force = true;
        return 0;
    case 'q':
        a->quiet = true;
        return 0;
    case ARGP_KEY_ARG:
        array_push(&a->folders, value);
        return 0;
    case ARGP_KEY_END:
        if (a->folders.count == 0)
            argp_error(state, "expected a folder of results");
        if (a->folders.count > 1 && !a->out)
            argp_error(state, "--out: expected with several folders");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* ---- Figures ---- */

/* Of one command: what could be made of each kind. */
struct session {
    const struct arguments *args;
    struct plot_source source;
    struct plot_figure figures[MOST_KINDS]; /* by kind */
    size_t possible;
};

static bool is_wanted(const struct arguments *a, size_t kind) {
    return !a->some_asked || a->asked[kind];
}

static int make(struct session *s, struct problems *problems) {
    const struct plot_wishes *wishes = &s->args->wishes;
    struct error error = {0};
    if (plot_source_open(&s->source, s->args->folders.at, s->args->folders.count, &error) < 0) {
        problems_add(problems, (struct location){0}, NULL, "%s", error.text);
        return ERROR_INPUT;
    }
    for (size_t i = 0; plot_kinds[i].name; i++) {
        struct plot_figure *figure = &s->figures[i];
        if (!is_wanted(s->args, i))
            continue;
        figure->width = wishes->width > 0 ? wishes->width : PLOT_WIDTH;
        int r = plot_kinds[i].make(&s->source, wishes, figure, &error);
        if (r == 0 && wishes->height > 0 &&
            (wishes->width < PLOT_WIDTH || wishes->height < figure->height))
            plot_note(figure, "smaller than the %dx%d in which its text has room", PLOT_WIDTH,
                      figure->height);
        if (wishes->height > 0)
            figure->height = wishes->height;
        if (r < 0)
            problems_add(problems, (struct location){0}, NULL, "%s", error.text);
        else if (r == PLOT_NOT_POSSIBLE && s->args->some_asked)
            problems_add(problems, (struct location){0}, NULL, "%s: not possible: %s",
                         plot_kinds[i].name, figure->reason);
        s->possible += r == 0;
    }
    if (problems->count == 0 && s->possible == 0)
        for (size_t i = 0; plot_kinds[i].name; i++)
            problems_add(problems, (struct location){0}, NULL, "%s: not possible: %s",
                         plot_kinds[i].name, s->figures[i].reason);
    return problems->count > 0 ? ERROR_INPUT : 0;
}

static int draw(const struct session *s, const char *folder, struct str *warnings,
                struct error *reterr) {
    struct plot_dir *dir = NULL;
    if (folder[0] == '\0')
        return error_set(reterr, ERROR_INPUT, "--out: expected a folder, got \"\"");
    int r = s->args->force ? 0 : run_dir_check_empty(folder, reterr);
    if (r == 0)
        r = plot_dir_open(folder, &dir, reterr);
    for (size_t i = 0; r == 0 && plot_kinds[i].name; i++)
        if (is_wanted(s->args, i) && !s->figures[i].reason)
            r = plot_dir_draw(dir, &plot_kinds[i], &s->figures[i], s->args->formats, warnings,
                              reterr);
    if (r == 0)
        return plot_dir_commit(dir, reterr);
    plot_dir_abort(dir);
    return r;
}

static void print(const struct session *s, const char *folder) {
    for (size_t i = 0; plot_kinds[i].name; i++) {
        const struct plot_figure *figure = &s->figures[i];
        if (!is_wanted(s->args, i))
            continue;
        if (figure->reason)
            printf("%-9s not possible: %s\n", plot_kinds[i].name, figure->reason);
        else
            printf("%-9s %s\n", plot_kinds[i].name, plot_kinds[i].summary);
        for (size_t n = 0; !figure->reason && n < figure->notes.count; n++)
            printf("%-9s note: %s\n", "", figure->notes.at[n]);
    }
    printf("figures: %s\n", folder);
}

int cli_plot(int argc, char **argv) {
    const struct argp argp = {
        options,
        parse,
        "DIR...",
        "Draws figures of results with gnuplot.\v"
        "DIR is the folder of easim run, compare or sweep; or several folders of runs. "
        "Figures: pareto,\n"
        "jct, power, occupancy, queue, bars; of a sweep lines, heatmap. "
        "Each is kept with its script and\n"
        "data. Exit codes: 0 done; 1 gnuplot is missing or failed; "
        "2 bad usage, results that cannot be\n"
        "read, or a figure that they do not allow.",
        NULL,
        NULL,
        NULL};
    struct arguments a = {.formats = "svg",
                          .wishes = {.replication = 1,
                                     .pareto = {SUMMARY_COLUMN(energy_per_work_kwh),
                                                SUMMARY_COLUMN(jct_restricted_mean_s)}}};
    struct session session = {.args = &a};
    struct problems problems = {0};
    struct error error = {0};
    struct str warnings = {0};
    cli_parse(&argp, argc, argv, &a);
    run_args_catch_interrupts();
    const char *folder = a.out ? a.out : arena_printf(&a.arena, "%s/figures", a.folders.at[0]);
    int code = EXIT_DONE;
    if (make(&session, &problems) < 0)
        code = cli_report_problems(&problems);
    else if (draw(&session, folder, &warnings, &error) < 0)
        code = cli_report_error(&error);
    else if (!a.quiet)
        print(&session, folder);
    if (warnings.length > 0)
        fputs(warnings.text, stderr);
    for (size_t i = 0; i < MOST_KINDS; i++)
        plot_figure_finish(&session.figures[i]);
    plot_source_finish(&session.source);
    problems_finish(&problems);
    str_finish(&warnings);
    free(a.folders.at);
    arena_finish(&a.arena);
    return code;
}
