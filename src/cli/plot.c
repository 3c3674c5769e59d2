/* easim plot: figures of finished runs, comparisons and sweeps. */
#include "cli/cli.h"
#include "cli/internal.h"
#include "cli/scenario_args.h"
#include "output/plot/dir.h"

#define MOST_KINDS 16

/* ---- Figures ---- */

/* Of one command: what could be made of each kind. */
struct session {
    struct options *options;
    struct plot_wishes wishes;
    struct arena *arena;
    struct plot_source source;
    struct plot_figure figures[MOST_KINDS]; /* by kind */
    size_t possible;
};

/* Without a choice those that results of this sort could have. */
static bool is_wanted(const struct session *s, size_t kind) {
    return s->options->figures == 0 ? plot_kinds[kind].sort == plot_source_sort(&s->source)
                                    : s->options->figures & 1u << kind;
}

static int make_figure(struct session *s, const struct plot_kind *kind, struct plot_figure *figure,
                       struct error *reterr) {
    static const char *const folders[] = {"of a run, a comparison or a sweep", "of easim models",
                                          "with power compared with a meter"};
    if (kind->sort == plot_source_sort(&s->source))
        return kind->make(&s->source, &s->wishes, figure, reterr);
    return plot_not_possible(figure, "%s is a folder %s, not one %s", s->source.shown,
                             folders[plot_source_sort(&s->source)], folders[kind->sort]);
}

static int make_figures(struct session *s, struct problems *problems) {
    const struct plot_wishes *wishes = &s->wishes;
    struct error error = {0};
    if (plot_source_open(&s->source, (const char *const *)s->options->operands,
                         s->options->operand_count, &error) < 0 ||
        plot_source_choose(&s->source, s->options->of_policies.at, s->options->of_policies.count,
                           &error) < 0)
        return problems_say(problems, "%s", error.text);
    for (size_t i = 0; plot_kinds[i].name; i++) {
        struct plot_figure *figure = &s->figures[i];
        if (!is_wanted(s, i))
            continue;
        figure->width = wishes->width > 0 ? wishes->width : PLOT_WIDTH;
        int r = make_figure(s, &plot_kinds[i], figure, &error);
        if (r == 0 && wishes->height > 0 &&
            (wishes->width < PLOT_WIDTH || wishes->height < figure->height))
            plot_note(figure, "smaller than %dx%d, so its text may not fit", PLOT_WIDTH,
                      figure->height);
        if (wishes->height > 0)
            figure->height = wishes->height;
        if (r < 0)
            problems_say(problems, "%s", error.text);
        else if (r == PLOT_NOT_POSSIBLE && s->options->figures)
            problems_say(problems, "%s: not possible: %s", plot_kinds[i].name, figure->reason);
        s->possible += r == 0;
    }
    if (problems->count == 0 && s->possible == 0)
        for (size_t i = 0; plot_kinds[i].name; i++)
            if (is_wanted(s, i))
                problems_say(problems, "%s: not possible: %s", plot_kinds[i].name,
                             s->figures[i].reason);
    return problems->count > 0 ? ERROR_INPUT : 0;
}

static bool has_word(const char *list, const char *word) {
    size_t length = strlen(word);
    for (const char *at = list; (at = strstr(at, word)); at += length)
        if ((at == list || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
            return true;
    return false;
}

/* An option that no figure uses of those that are drawn, and why those that would are not. */
static void refuse_unused(const struct session *s, const char *option, struct problems *problems) {
    struct str users = {0};
    bool used = false;
    for (size_t i = 0; plot_kinds[i].name; i++) {
        if (!has_word(plot_kinds[i].options, option))
            continue;
        str_addf(&users, "%s%s", users.length > 0 ? ", " : "", plot_kinds[i].name);
        used = used || (is_wanted(s, i) && !s->figures[i].reason);
    }
    if (!used)
        problems_say(problems,
                     "%s: --%s: no figure that is drawn uses it (figures that use it: %s)",
                     s->options->who, option, users.text);
    for (size_t i = 0; !used && plot_kinds[i].name; i++)
        if (is_wanted(s, i) && has_word(plot_kinds[i].options, option))
            problems_say(problems, "%s: not possible: %s", plot_kinds[i].name,
                         s->figures[i].reason);
    str_finish(&users);
}

static int check_used(const struct session *s, struct problems *problems) {
    static const char *const options[] = {"pareto", "scale", "policies", "replication", "metrics",
                                          "where",  "x",     "y",        "by"};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (option_given(s->options, options[i]))
            refuse_unused(s, options[i], problems);
    return problems->count > 0 ? ERROR_INPUT : 0;
}

/* "svg png" */
static const char *list_picture_formats(const struct session *s) {
    const char *list = "";
    for (size_t i = 0; picture_formats[i]; i++)
        if (s->options->picture_formats & 1u << i)
            list = arena_printf(s->arena, "%s%s%s", list, list[0] ? " " : "", picture_formats[i]);
    return list;
}

static int draw_figures(const struct session *s, const char *folder, struct str *warnings,
                        struct error *reterr) {
    struct plot_dir *dir = NULL;
    const char *formats = list_picture_formats(s);
    int r = run_args_folder(s->options, folder, reterr) ? plot_dir_open(folder, &dir, reterr)
                                                        : reterr->code;
    for (size_t i = 0; r == 0 && plot_kinds[i].name; i++)
        if (is_wanted(s, i) && !s->figures[i].reason)
            r = plot_dir_draw(dir, &plot_kinds[i], &s->figures[i], formats, warnings, reterr);
    if (r == 0)
        return plot_dir_commit(dir, reterr);
    plot_dir_abort(dir);
    return r;
}

static void print_figures(const struct session *s, const char *folder) {
    if (s->options->of_policies.count > 0 && !s->source.is_choice)
        cli_show("note: --policies names all of them, so it changes nothing\n");
    for (size_t i = 0; plot_kinds[i].name; i++) {
        const struct plot_figure *figure = &s->figures[i];
        if (!is_wanted(s, i))
            continue;
        if (figure->reason)
            cli_show("%-9s not possible: %s\n", plot_kinds[i].name, figure->reason);
        else
            cli_show("%-9s %s\n", plot_kinds[i].name, plot_kinds[i].summary);
        for (size_t n = 0; !figure->reason && n < figure->notes.count; n++)
            cli_show("%-9s note: %s\n", "", figure->notes.at[n]);
    }
    cli_show("figures: %s\n", folder);
}

static struct plot_wishes wishes_of(const struct options *options) {
    struct plot_wishes wishes = {.width = options->size.width,
                                 .height = options->size.height,
                                 .replication = options->replication,
                                 .pareto_chosen = option_given(options, "pareto"),
                                 .metric_count = (unsigned)options->metrics.count,
                                 .x = options->x,
                                 .y = options->y,
                                 .by = options->by,
                                 .scale = options->scale,
                                 .where = options->where.at,
                                 .where_count = options->where.count};
    memcpy(wishes.pareto, options->pareto.columns, sizeof wishes.pareto);
    memcpy(wishes.metrics, options->metrics.columns, sizeof wishes.metrics);
    return wishes;
}

int cli_plot(struct options *options) {
    struct session session = {
        .options = options, .wishes = wishes_of(options), .arena = &options->arena};
    struct error error = {0};
    struct str warnings = {0};
    if (options->operand_count > 1 && !options->out)
        options_refuse(options, "--out: expected with several folders");
    run_args_catch_interrupts();
    const char *folder = options->out
                             ? options->out
                             : arena_printf(&options->arena, "%s/figures", options->operands[0]);
    int code = EXIT_DONE;
    if (make_figures(&session, &options->problems) < 0 ||
        check_used(&session, &options->problems) < 0)
        code = cli_report_problems(&options->problems);
    else if (draw_figures(&session, folder, &warnings, &error) < 0)
        code = cli_report_error(&error);
    else if (!options->quiet)
        print_figures(&session, folder);
    if (warnings.length > 0)
        cli_say_lines(&warnings);
    for (size_t i = 0; i < MOST_KINDS; i++)
        plot_figure_finish(&session.figures[i]);
    plot_source_finish(&session.source);
    str_finish(&warnings);
    return code;
}
