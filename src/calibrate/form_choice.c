/* Contests of forms: see choice.h. Rule: among the forms whose left-out error exceeds the
   least by at most one standard error of the difference, the one with the fewest parameters
   (Breiman et al. 1984, section 3.4.3, with the error of the paired difference, since all forms
   meet the same points). */
#include "calibrate/choice.h"

#include <math.h>
#include <stdlib.h>

#define MOST_WATTS 1e5 /* of a model file */
#define PERCENT(x) (100 * (x))
#define FORM_SIZES 4 /* system sizes that a form is fitted and tested on */

/* Points times left-out parts: the most for a form in the contest, and the chosen one. */
#define CONTEST_POINTS 10000
#define FINAL_POINTS   200000

/* ---- Forms compared ---- */

/* Whether the points leave a free parameter from `first` on open. */
static bool leaves_open(const struct covariance *covariance, enum parameter first) {
    bool open = false;
    for (size_t i = 0; i < covariance->count; i++)
        open |= covariance->free[i] >= first && covariance->open[i];
    return open;
}

/* Why a form does not compete, or NULL after a fit to all points. */
static const char *why_refused(struct form_choice *choice, struct candidate *one) {
    struct covariance covariance;
    size_t of_power = one->form.power == POWER_LAW_NONE       ? 0
                      : one->form.power == POWER_LAW_CONSTANT ? 1
                                                              : 2;
    if (choice->points.configurations <= one->parameters - of_power)
        return arena_printf(choice->arena, "%u configurations for %zu parameters",
                            choice->points.configurations, one->parameters);
    if (of_power > 0 && choice->points.power_configurations <= of_power)
        return arena_printf(choice->arena,
                            "%u configurations with power for %zu parameters of power",
                            choice->points.power_configurations, of_power);
    if (!fit_form(&choice->points, &one->form, NO_FOLD, NULL, &one->fit))
        return "the fit fails";
    if (form_is_simpler(&one->form, one->fit.values))
        return "a parameter is at its bound: the same as a simpler form";
    if (one->fit.values[PARAM_PMAX] > MOST_WATTS)
        return "pmax_w is far beyond what a GPU draws";
    fit_covariance(&choice->points, &one->form, &one->fit, &covariance);
    return leaves_open(&covariance, of_power > 0 ? PARAM_P0 : PARAM_A)
               ? "its parameters cannot be told apart by these points"
               : NULL;
}

/* Whether a candidate's error is as small as a form's has to be. */
static bool is_good(const struct candidate *one, double max_form_error) {
    return one->in_sample <= max_form_error;
}

#define SAME_ERROR 1e-7 /* less is of the solver, not of the forms */

/* By size, the standard error rests on a few sizes and is hardly known itself: errors have to be
   near each other, too. */
#define NEAR 1.1

static void pick_form(struct contest *contest, double max_form_error, bool by_size) {
    bool need_good = false;
    double most = contest->best < 0 || !by_size
                      ? INFINITY
                      : NEAR * contest->candidates[contest->best].left_out;
    for (size_t i = 0; i < contest->count; i++)
        need_good |=
            !contest->candidates[i].refused && is_good(&contest->candidates[i], max_form_error);
    for (size_t i = 0; i < contest->count; i++) {
        const struct candidate *one = &contest->candidates[i];
        if (one->refused ||
            one->against_best.mean > one->against_best.standard_error + SAME_ERROR ||
            one->left_out > most + SAME_ERROR || (need_good && !is_good(one, max_form_error)))
            continue;
        const struct candidate *chosen =
            contest->chosen < 0 ? NULL : &contest->candidates[contest->chosen];
        if (!chosen || one->parameters < chosen->parameters ||
            (one->parameters == chosen->parameters && one->left_out < chosen->left_out))
            contest->chosen = (int)i;
    }
    if (contest->chosen < 0)
        contest->chosen = contest->best;
}

/* A form need not be scored if it is already above the least left-out error in sample, by three
   times 1/sqrt(n): errors of n configurations spread by about their own size, so that many standard
   errors are out of reach. */
static double hopeless_error(const struct form_choice *choice, double least) {
    return least * (1 + 3 / sqrt(choice->points.folds));
}

/* Fits all candidates; returns those that compete by ascending error in sample (indices into the
 * contest). */
static size_t fit_all(struct form_choice *choice, struct contest *contest,
                      int order[static MOST_CANDIDATES]) {
    struct prediction *in_sample = mem_zalloc(choice->points.at.count, sizeof *in_sample);
    size_t count = 0;
    for (size_t i = 0; i < contest->count; i++) {
        struct candidate *one = &contest->candidates[i];
        enum parameter free_parameters[PARAM_COUNT];
        one->parameters = form_parameters(&one->form, free_parameters);
        one->refused = why_refused(choice, one);
        if (one->refused)
            continue;
        predict_in_sample(&choice->points, &one->form, &one->fit, in_sample);
        one->in_sample = score_mean(&choice->points, in_sample, contest->quantity);
        size_t at = count++;
        for (; at > 0 && contest->candidates[order[at - 1]].in_sample > one->in_sample; at--)
            order[at] = order[at - 1];
        order[at] = (int)i;
    }
    free(in_sample);
    return count;
}

/* Fits and scores contest->candidates, of which only the forms are filled in, and chooses. */
static void hold_contest(struct form_choice *choice, struct contest *contest,
                         double max_form_error) {
    size_t n = choice->points.at.count;
    int order[MOST_CANDIDATES];
    struct prediction *left_out = mem_zalloc(n * contest->count, sizeof *left_out);
    contest->best = contest->chosen = -1;
    size_t count = fit_all(choice, contest, order);
    for (size_t o = 0; o < count; o++) {
        struct candidate *one = &contest->candidates[order[o]];
        double least = contest->best < 0 ? INFINITY : contest->candidates[contest->best].left_out;
        if (one->in_sample > hopeless_error(choice, least))
            one->refused =
                arena_printf(choice->arena, "%.2f %% in sample, far above the least left-out error",
                             PERCENT(one->in_sample));
        else if (!predict_left_out(&choice->points, &one->form, &one->fit,
                                   left_out + order[o] * (ptrdiff_t)n))
            one->refused = "a parameter rests on one of the parts left out";
        if (one->refused)
            continue;
        one->left_out =
            score_mean(&choice->points, left_out + order[o] * (ptrdiff_t)n, contest->quantity);
        if (one->left_out < least)
            contest->best = order[o];
    }
    for (size_t i = 0; i < contest->count; i++)
        if (!contest->candidates[i].refused)
            contest->candidates[i].against_best =
                score_compare(&choice->points, contest->quantity, left_out + i * n,
                              left_out + (size_t)contest->best * n);
    pick_form(contest, max_form_error, choice->points.by_size);
    free(left_out);
}

static void hold_speed(struct form_choice *choice, double max_form_error) {
    const struct points *points = &choice->points;
    bool several = points->one_node || points->across_nodes,
         log2 = points->by_size && points->across_nodes;
    choice->speed.quantity = THROUGHPUT;
    choice->speed.best = choice->speed.chosen = -1;
    if (points->by_size && points->sizes < FORM_SIZES)
        return;
    for (int compute = 0; compute < COMPUTE_FORMS; compute++)
        for (int sync = 0; sync < (several ? SYNC_FORMS : SYNC_NONE + 1); sync++)
            if (sync != SYNC_DOUBLING || log2)
                choice->speed.candidates[choice->speed.count++].form =
                    (struct form){.compute = (enum compute_form)compute,
                                  .sync = (enum sync_form)sync,
                                  .one_node = points->one_node,
                                  .across_nodes = points->across_nodes,
                                  .no_single = points->no_single,
                                  .log2 = log2};
    hold_contest(choice, &choice->speed, max_form_error);
}

static void hold_power(struct form_choice *choice, double max_form_error) {
    choice->power.quantity = POWER;
    for (int law = POWER_LAW_CONSTANT; law <= POWER_LAW_LINEAR; law++) {
        struct form form = choice->form;
        form.power = (enum power_law)law;
        choice->power.candidates[choice->power.count++].form = form;
    }
    hold_contest(choice, &choice->power, max_form_error);
}

/* ---- Forms ---- */

/* If too few configurations have power to test a form of it, they only tell a constant. */
static void settle_untested_power(struct form_choice *choice) {
    struct form form = choice->form;
    struct fit fit;
    form.power = POWER_LAW_CONSTANT;
    if (!fit_form(&choice->points, &form, NO_FOLD, NULL, &fit))
        return;
    choice->form = form;
    choice->fit = fit;
    choice->why = arena_printf(choice->arena, "%s; constant power, not tested", choice->why);
    choice_warn(
        choice,
        "power was measured at %u configuration%s: how it depends on k and batch is not known",
        choice->points.power_configurations, choice_plural(choice->points.power_configurations));
}

static void settle_form_power(struct form_choice *choice, const struct choice_options *options) {
    if (choice->power_derived) {
        node_power_settle(&choice->points, options->floor, &choice->form, &choice->fit);
        choice->why = arena_printf(choice->arena, "%s; power %s", choice->why,
                                   choice_floor_text(choice, options->floor));
        return;
    }
    hold_power(choice, options->max_form_error);
    if (choice->power.chosen >= 0) {
        choice->form = choice->power.candidates[choice->power.chosen].form;
        choice->fit = choice->power.candidates[choice->power.chosen].fit;
        choice->why = arena_printf(choice->arena, "%s; %s", choice->why,
                                   choice_contest_text(choice, &choice->power));
    } else {
        settle_untested_power(choice);
    }
}

static void settle_form(struct form_choice *choice, const struct choice_options *options) {
    const struct candidate *speed = &choice->speed.candidates[choice->speed.chosen];
    choice->form = speed->form;
    choice->fit = speed->fit;
    choice->why = choice_contest_text(choice, &choice->speed);
    if (choice->points.powers > 0)
        settle_form_power(choice, options);
    fit_covariance(&choice->points, &choice->form, &choice->fit, &choice->covariance);
}

/* Power that the floor gives: what is left out is the size, so that only others can tell. */
static void derive_left_out(const struct form_choice *choice, struct prediction *left_out) {
    uint32_t k = node_power_size(&choice->points);
    for (size_t i = 0; i < choice->points.at.count; i++) {
        const struct point *point = &choice->points.at.at[i];
        double rate = left_out[i].rate / choice->fit.levels[point->round];
        if (point->at.k != k)
            left_out[i].power_w = form_power_w(choice->fit.values, rate);
    }
}

static void score_form(struct form_choice *choice, struct prediction *left_out) {
    struct form tested = choice->form;
    points_set_folds(&choice->points, FINAL_POINTS);
    predict_in_sample(&choice->points, &choice->form, &choice->fit, choice->predictions);
    choice->form_in_sample = score_all(&choice->points, choice->predictions);
    if (choice->power.chosen < 0)
        tested.power = POWER_LAW_NONE;
    if (predict_left_out(&choice->points, &tested, &choice->fit, left_out)) {
        if (choice->power_derived)
            derive_left_out(choice, left_out);
        choice->form_left_out = score_all(&choice->points, left_out);
    }
}

/* ---- Tables ---- */

/* NULL: the form stays; else why a table replaces its speed. */
static const char *why_speed_table(const struct form_choice *choice, double max_form_error) {
    if (choice->points.by_size && choice->points.sizes < FORM_SIZES)
        return arena_printf(choice->arena, "%u system size%s, and a form needs %d",
                            choice->points.sizes, choice_plural(choice->points.sizes), FORM_SIZES);
    if (choice->speed.chosen < 0)
        return arena_printf(choice->arena, "too few configurations (%u) to fit and test any form",
                            choice->points.configurations);
    double error = choice->form_in_sample.mape[THROUGHPUT];
    return choice->points.by_size || error <= max_form_error
               ? NULL
               : arena_printf(choice->arena,
                              "the form misses the throughput by %.2f %% on average, above %.3g %%",
                              PERCENT(error), PERCENT(max_form_error));
}

/* Likewise its power. */
static const char *why_power_table(const struct form_choice *choice,
                                   const struct choice_options *options) {
    double max_form_error = options->max_form_error;
    double error = choice->form_in_sample.mape[POWER];
    if (choice->points.powers == 0)
        return NULL;
    if (choice->speed.chosen < 0)
        return "there is no form";
    if (choice->form.power == POWER_LAW_NONE)
        return "the power cannot be fitted";
    if (choice->power_derived)
        return node_power_needs_grid(&choice->points, options->floor, &choice->fit)
                   ? arena_printf(
                         choice->arena,
                         "pmax_w of the form would be %.4g, and no GPU drew more than %.4g W",
                         choice->fit.values[PARAM_PMAX], options->floor.most_w)
                   : NULL;
    return error <= max_form_error
               ? NULL
               : arena_printf(choice->arena,
                              "the form misses the power by %.2f %% on average, above %.3g %%",
                              PERCENT(error), PERCENT(max_form_error));
}

/* Where the power is by table, its points are those with power. */
static void drop_without_power(struct form_choice *choice) {
    size_t kept = 0;
    for (size_t i = 0; i < choice->table.count; i++)
        if (!isnan(choice->table.points[i].power_w_per_gpu))
            choice->table.points[kept++] = choice->table.points[i];
    if (kept == choice->table.count)
        return;
    choice_warn(choice, "%zu configurations without power left out of the table",
                choice->table.count - kept);
    choice->table.count = kept;
}

/* Where power was measured elsewhere but not here, it is that of the form. */
static void fill_by_form(struct form_choice *choice) {
    for (size_t i = 0; i < choice->table.count && choice->form.power != POWER_LAW_NONE; i++) {
        struct interpolation_point *p = &choice->table.points[i];
        struct place at = {.k = (uint32_t)p->k,
                           .batch = p->batch,
                           .span = p->across_nodes ? EASIM_ACROSS_NODES : EASIM_ONE_NODE};
        if (isnan(p->power_w_per_gpu))
            p->power_w_per_gpu = predict_by_form(&choice->form, &choice->fit, at, 1).power_w;
    }
}

static void make_table(struct form_choice *choice, const struct choice_options *options) {
    if (choice->power_derived && !choice->speed_by_table) {
        node_power_grid(&choice->points, options->floor, &choice->fit, &choice->table);
        return;
    }
    table_of_points(&choice->points, choice->fit.levels, NO_FOLD, &choice->table);
    if (!choice->power_by_table)
        return;
    if (!choice->points.by_size)
        fill_by_form(choice);
    if (choice->power_derived) {
        node_power_fill(&choice->points, options->floor, &choice->table);
        choice->why = arena_printf(choice->arena, "%s; power %s", choice->why,
                                   choice_floor_text(choice, options->floor));
    }
    drop_without_power(choice);
}

/* Puts what the table says in place of what the form says, where the table was chosen. */
static void mix_predictions(const struct form_choice *choice, const struct prediction *by_table,
                            bool left_out, struct prediction *predictions) {
    bool law = choice->points.powers > 0 && !choice->power_by_table;
    for (size_t i = 0; i < choice->points.at.count; i++) {
        if (choice->speed_by_table)
            predictions[i].rate = by_table[i].rate;
        if (left_out && choice->power_derived)
            continue;
        if (choice->power_by_table)
            predictions[i].power_w = by_table[i].power_w;
        else if (choice->speed_by_table)
            predictions[i].power_w =
                law ? form_power_w(choice->fit.values, predictions[i].rate) : NAN;
    }
}

static void use_table(struct form_choice *choice, const struct choice_options *options,
                      struct prediction *left_out) {
    size_t n = choice->points.at.count;
    struct prediction *by_table = mem_zalloc(n, sizeof *by_table);
    make_table(choice, options);
    for (size_t i = 0; i < n; i++) {
        by_table[i] = table_predict(&choice->table, choice->points.at.at[i].at);
        by_table[i].rate *= choice->fit.levels[choice->points.at.at[i].round];
    }
    mix_predictions(choice, by_table, false, choice->predictions);
    table_predict_left_out(&choice->points, choice->fit.levels, by_table);
    mix_predictions(choice, by_table, true, left_out);
    free(by_table);
}

static void warn_of_ends(struct form_choice *choice) {
    size_t scored = choice->left_out.points[choice->speed_by_table ? THROUGHPUT : POWER],
           n = choice->speed_by_table ? choice->points.at.count : choice->points.powers;
    if (scored < n)
        choice_warn(
            choice,
            "left-out errors of the table are of %zu of %zu rows: nothing encloses the rest",
            scored, n);
}

static void settle_tables(struct form_choice *choice, const struct choice_options *options,
                          struct prediction *left_out) {
    const char *speed = why_speed_table(choice, options->max_form_error),
               *power = why_power_table(choice, options);
    choice->speed_by_table = speed != NULL;
    choice->power_by_table = power != NULL;
    if (speed || power) {
        const char *what = speed && (power || choice->points.powers == 0) ? ""
                           : speed                                        ? " of speed"
                                                                          : " of power";
        const char *why = speed ? speed : power;
        choice->why = choice->why ? arena_printf(choice->arena, "lookup table%s: %s (%s)", what,
                                                 why, choice->why)
                                  : arena_printf(choice->arena, "lookup table%s: %s", what, why);
        use_table(choice, options, left_out);
    }
    choice->in_sample = score_all(&choice->points, choice->predictions);
    choice->left_out = score_all(&choice->points, left_out);
    if (speed || power)
        warn_of_ends(choice);
}

/* ---- The whole ---- */

static void find_sizes(struct form_choice *choice, const struct prediction *left_out) {
    struct size_score *in_sample, *held_out;
    size_t count = score_sizes(&choice->points, choice->predictions, THROUGHPUT, &in_sample);
    size_t held = score_sizes(&choice->points, left_out, THROUGHPUT, &held_out), h = 0;
    choice->sizes = mem_zalloc(count, sizeof *choice->sizes);
    choice->size_count = count;
    for (size_t i = 0; i < count; i++) {
        bool has = h < held && held_out[h].k == in_sample[i].k;
        choice->sizes[i] =
            (struct size_errors){in_sample[i].k, in_sample[i].points, in_sample[i].median,
                                 has ? held_out[h].median : NAN};
        h += has;
    }
    free(in_sample);
    free(held_out);
}

static void note_parts(struct form_choice *choice) {
    const struct points *points = &choice->points;
    uint32_t parts = !points->by_size    ? points->configurations
                     : points->sizes > 2 ? points->sizes - 2
                                         : 0;
    const char *what = points->by_size ? "inner sizes" : "configurations";
    if (parts > choice->contest_folds)
        choice->why = arena_printf(choice->arena, "%s (forms compared in %u parts of the %s)",
                                   choice->why, choice->contest_folds, what);
    if (parts > points->folds)
        choice_warn(choice, "errors are of %u parts left out of the %u %s, not one by one",
                    points->folds, parts, what);
}

static void find_evidence(struct form_choice *choice) {
    for (size_t i = 0; i < choice->group->base_count; i++)
        if (choice->group->rows[i].evidence > choice->evidence)
            choice->evidence = choice->group->rows[i].evidence;
}

void form_choice_make(struct form_choice *choice, const struct profile_group *group,
                      const struct choice_options *options, struct arena *arena) {
    *choice = (struct form_choice){.arena = arena, .group = group, .power.chosen = -1};
    points_of_group(&choice->points, group);
    size_t n = choice->points.at.count;
    struct prediction *left_out = mem_alloc(n * sizeof *left_out);
    for (size_t i = 0; i < n; i++)
        left_out[i] = (struct prediction){NAN, NAN};
    choice->predictions = mem_zalloc(n, sizeof *choice->predictions);
    choice->power_derived = choice->points.by_size && choice->points.scope != PROFILE_SCOPE_GPU &&
                            choice->points.powers > 0 && !isnan(options->floor.floor_w);
    find_evidence(choice);
    points_set_folds(&choice->points, CONTEST_POINTS);
    choice->contest_folds = choice->points.folds;
    hold_speed(choice, options->max_form_error);
    if (choice->speed.chosen >= 0) {
        settle_form(choice, options);
        score_form(choice, left_out);
        choice_warn_of_form(choice, options->file);
    } else {
        table_levels(&choice->points, choice->fit.levels);
    }
    note_parts(choice);
    settle_tables(choice, options, left_out);
    if (choice->points.by_size)
        find_sizes(choice, left_out);
    choice_state(choice, options->floor);
    choice_warn_of_points(choice, options->file);
    free(left_out);
}

void form_choice_finish(struct form_choice *choice) {
    points_finish(&choice->points);
    free(choice->predictions);
    free(choice->table.points);
    free(choice->sizes);
    free(choice->statements.at);
    free(choice->warnings.at);
}
