/* Contests of forms: see form_choice.h. Rule: among the forms whose left-out error exceeds the
   least by at most one standard error of the difference, the one with the fewest parameters
   (Breiman et al. 1984, section 3.4.3, with the error of the paired difference, since all forms
   meet the same points). */
#include "calibrate/form_choice.h"

#include <gsl/gsl_sort.h>
#include <math.h>
#include <stdlib.h>

#define MOST_WATTS 1e5 /* of a model file */
#define PERCENT(x) (100 * (x))

/* Points times left-out parts: what one form may cost in the contest, and the chosen one at the
 * end. */
#define CONTEST_POINTS 10000
#define FINAL_POINTS   200000

const char *form_choice_form_text(const struct form *f, struct arena *arena) {
    return arena_printf(arena, "%s, %s%s%s", compute_form_names[f->compute],
                        sync_form_names[f->sync], f->power == POWER_LAW_NONE ? "" : ", ",
                        f->power == POWER_LAW_NONE ? "" : power_law_names[f->power]);
}

/* ---- One contest ---- */

/* Whether the points leave a free parameter from `first` on open. */
static bool leaves_open(const struct covariance *covariance, enum parameter first) {
    bool open = false;
    for (size_t i = 0; i < covariance->count; i++)
        open |= covariance->free[i] >= first && covariance->open[i];
    return open;
}

/* Why a form does not compete, or NULL after a fit to all points. */
static const char *why_refused(struct form_choice *c, struct candidate *one) {
    struct covariance covariance;
    size_t of_power = one->form.power == POWER_LAW_NONE       ? 0
                      : one->form.power == POWER_LAW_CONSTANT ? 1
                                                              : 2;
    if (c->points.configurations <= one->parameters - of_power)
        return arena_printf(c->arena, "%u configurations for %zu parameters",
                            c->points.configurations, one->parameters);
    if (of_power > 0 && c->points.power_configurations <= of_power)
        return arena_printf(c->arena, "%u configurations with power for %zu parameters of power",
                            c->points.power_configurations, of_power);
    if (!fit_form(&c->points, &one->form, NO_FOLD, NULL, &one->fit))
        return "the fit fails";
    if (form_is_simpler(&one->form, one->fit.values))
        return "a parameter is at its bound: the same as a simpler form";
    if (one->fit.values[PARAM_PMAX] > MOST_WATTS)
        return "pmax_w is far beyond what a GPU draws";
    fit_covariance(&c->points, &one->form, &one->fit, &covariance);
    return leaves_open(&covariance, of_power > 0 ? PARAM_P0 : PARAM_A)
               ? "its parameters cannot be told apart by these points"
               : NULL;
}

/* Whether a candidate's error is as small as a form's has to be. */
static bool is_good(const struct candidate *one, double max_form_error) {
    return one->in_sample <= max_form_error;
}

#define SAME_ERROR 1e-7 /* less is of the solver, not of the forms */

static void pick_form(struct contest *contest, double max_form_error) {
    bool need_good = false;
    for (size_t i = 0; i < contest->count; i++)
        need_good |=
            !contest->candidates[i].refused && is_good(&contest->candidates[i], max_form_error);
    for (size_t i = 0; i < contest->count; i++) {
        const struct candidate *one = &contest->candidates[i];
        if (one->refused ||
            one->against_best.mean > one->against_best.standard_error + SAME_ERROR ||
            (need_good && !is_good(one, max_form_error)))
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
static double hopeless_error(const struct form_choice *c, double least) {
    return least * (1 + 3 / sqrt(c->points.configurations));
}

/* Fits all candidates; returns those that compete by ascending error in sample (indices into the
 * contest). */
static size_t fit_all(struct form_choice *c, struct contest *contest,
                      int order[static MOST_CANDIDATES]) {
    struct prediction *in_sample = mem_zalloc(c->points.at.count, sizeof *in_sample);
    size_t count = 0;
    for (size_t i = 0; i < contest->count; i++) {
        struct candidate *one = &contest->candidates[i];
        enum parameter free_parameters[PARAM_COUNT];
        one->parameters = form_parameters(&one->form, free_parameters);
        one->refused = why_refused(c, one);
        if (one->refused)
            continue;
        predict_in_sample(&c->points, &one->form, &one->fit, in_sample);
        one->in_sample = score_all(&c->points, in_sample).mape[contest->quantity];
        size_t at = count++;
        for (; at > 0 && contest->candidates[order[at - 1]].in_sample > one->in_sample; at--)
            order[at] = order[at - 1];
        order[at] = (int)i;
    }
    free(in_sample);
    return count;
}

/* Fits and scores contest->candidates, of which only the forms are filled in, and chooses. */
static void hold_contest(struct form_choice *c, struct contest *contest, double max_form_error) {
    size_t n = c->points.at.count;
    int order[MOST_CANDIDATES];
    struct prediction *left_out = mem_zalloc(n * contest->count, sizeof *left_out);
    contest->best = contest->chosen = -1;
    size_t count = fit_all(c, contest, order);
    for (size_t o = 0; o < count; o++) {
        struct candidate *one = &contest->candidates[order[o]];
        double least = contest->best < 0 ? INFINITY : contest->candidates[contest->best].left_out;
        if (one->in_sample > hopeless_error(c, least))
            one->refused =
                arena_printf(c->arena, "%.2f %% in sample, far above the least left-out error",
                             PERCENT(one->in_sample));
        else if (!predict_left_out(&c->points, &one->form, &one->fit,
                                   left_out + order[o] * (ptrdiff_t)n))
            one->refused = "a parameter rests on one of the parts left out";
        if (one->refused)
            continue;
        one->left_out =
            score_all(&c->points, left_out + order[o] * (ptrdiff_t)n).mape[contest->quantity];
        if (one->left_out < least)
            contest->best = order[o];
    }
    for (size_t i = 0; i < contest->count; i++)
        if (!contest->candidates[i].refused)
            contest->candidates[i].against_best =
                score_compare(&c->points, contest->quantity, left_out + i * n,
                              left_out + (size_t)contest->best * n);
    pick_form(contest, max_form_error);
    free(left_out);
}

static void hold_speed(struct form_choice *c, double max_form_error) {
    bool several = c->points.one_node || c->points.across_nodes;
    c->speed.quantity = THROUGHPUT;
    for (int compute = 0; compute < COMPUTE_FORMS; compute++)
        for (int sync = 0; sync < (several ? SYNC_FORMS : SYNC_NONE + 1); sync++)
            c->speed.candidates[c->speed.count++].form =
                (struct form){.compute = (enum compute_form)compute,
                              .sync = (enum sync_form)sync,
                              .one_node = c->points.one_node,
                              .across_nodes = c->points.across_nodes};
    hold_contest(c, &c->speed, max_form_error);
}

static void hold_power(struct form_choice *c, double max_form_error) {
    c->power.quantity = POWER;
    for (int law = POWER_LAW_CONSTANT; law <= POWER_LAW_LINEAR; law++) {
        struct form form = c->form;
        form.power = (enum power_law)law;
        c->power.candidates[c->power.count++].form = form;
    }
    hold_contest(c, &c->power, max_form_error);
}

/* ---- What to say ---- */

static void add_warning(struct form_choice *c, const char *text) {
    array_push(&c->warnings, text);
}

static const char *plural_ending(size_t count) {
    return count == 1 ? "" : "s";
}

static void warn_of_parameters(struct form_choice *c) {
    for (size_t i = 0; i < c->covariance.count; i++) {
        enum parameter p = c->covariance.free[i];
        double error = covariance_error(&c->covariance, i), value = c->fit.values[p];
        if (isinf(error))
            add_warning(c,
                        arena_printf(c->arena, "%s is not identifiable: the points leave it open",
                                     parameter_names[p]));
        else if (value == 0)
            add_warning(c, arena_printf(c->arena, "%s is at its bound of 0; standard error %.4g",
                                        parameter_names[p], error));
        else if (error > value)
            add_warning(c,
                        arena_printf(c->arena,
                                     "%s is not identifiable: %.4g with a standard error of %.4g",
                                     parameter_names[p], value, error));
    }
}

#define OUTLIER_DEVIATIONS \
    5.0 /* robust standard deviations, 1.4826 times the median absolute residual */
#define OUTLIER_LEAST  0.05
#define OUTLIERS_NAMED 20

/* Rows far from the chosen form where most are near. */
static void warn_of_outliers(struct form_choice *c, const char *file, enum quantity quantity,
                             const struct prediction *predictions) {
    size_t n = 0, found = 0;
    double *errors = mem_alloc(c->points.at.count * sizeof *errors);
    for (size_t i = 0; i < c->points.at.count; i++) {
        double error = score_error(&c->points.at.at[i], &predictions[i], quantity);
        if (!isnan(error))
            errors[n++] = error;
    }
    gsl_sort(errors, 1, n);
    double limit = n > 0 ? fmax(OUTLIER_LEAST, OUTLIER_DEVIATIONS * 1.4826 * errors[n / 2]) : 0;
    for (size_t i = 0; i < c->points.at.count; i++) {
        const struct point *point = &c->points.at.at[i];
        if (!(score_error(point, &predictions[i], quantity) > limit) || ++found > OUTLIERS_NAMED)
            continue;
        bool power = quantity == POWER;
        double measured = power ? point->power_w : point->rate * point->at.k;
        double modelled = power ? predictions[i].power_w : predictions[i].rate * point->at.k;
        add_warning(c, arena_printf(
                           c->arena,
                           "outlier: %s:%u: k %u, batch %u: %s %.6g measured, %.6g by the form",
                           file, point->line, point->at.k, point->at.batch,
                           power ? "power_w_per_gpu" : "throughput_samples_s", measured, modelled));
    }
    if (found > OUTLIERS_NAMED)
        add_warning(c, arena_printf(c->arena, "and %zu more outliers of the %s",
                                    found - OUTLIERS_NAMED, quantity_names[quantity]));
    free(errors);
}

/* Rows at other limits that tell nothing: a level is a ratio to the fitted rows of the same
 * configuration. */
static size_t unused_rows(const struct form_choice *c) {
    size_t unused = 0;
    for (size_t i = c->group->base_count; i < c->group->count; i++) {
        const struct profile_point *row = &c->group->rows[i];
        bool found = false;
        for (size_t p = 0; p < c->points.at.count && !found; p++) {
            struct place at = c->points.at.at[p].at;
            found = at.k == row->k && at.batch == row->batch &&
                    (at.span == EASIM_ACROSS_NODES) == row->across_nodes;
        }
        unused += !found;
    }
    return unused;
}

static void warn_of_points(struct form_choice *c) {
    const struct point *at = c->points.at.at;
    bool one_batch = true;
    for (size_t i = 1; i < c->points.at.count; i++)
        one_batch &= at[i].at.batch == at[0].at.batch;
    size_t unused = unused_rows(c);
    if (unused > 0)
        add_warning(
            c,
            arena_printf(
                c->arena,
                "%zu row%s at lower power limits not used: no fitted row of the same configuration to compare with",
                unused, plural_ending(unused)));
    if (one_batch && c->table.count == 0)
        add_warning(
            c, arena_printf(c->arena,
                            "all rows have batch %u: how time depends on the batch is not measured",
                            at[0].at.batch));
}

static const char *explain_contest(struct form_choice *c, const struct contest *contest) {
    const struct candidate *best = &contest->candidates[contest->best];
    const struct candidate *chosen = &contest->candidates[contest->chosen];
    const char *name = form_choice_form_text(&chosen->form, c->arena);
    if (best == chosen)
        return arena_printf(c->arena,
                            "%s: least left-out error of the %s, %.2f %% (%zu parameter%s)", name,
                            quantity_names[contest->quantity], PERCENT(best->left_out),
                            best->parameters, plural_ending(best->parameters));
    return arena_printf(
        c->arena,
        "%s: simplest within one standard error of the least left-out error of the %s: %.2f %% (%zu parameter%s) against %.2f %% of %s (%zu); "
        "difference %.2f %% +- %.2f %%",
        name, quantity_names[contest->quantity], PERCENT(chosen->left_out), chosen->parameters,
        plural_ending(chosen->parameters), PERCENT(best->left_out),
        form_choice_form_text(&best->form, c->arena), best->parameters,
        PERCENT(chosen->against_best.mean), PERCENT(chosen->against_best.standard_error));
}

/* ---- The whole ---- */

/* Where too few configurations have power to test a form of it, a constant is all that they can
 * tell. */
static void settle_untested_power(struct form_choice *c) {
    struct form form = c->form;
    struct fit fit;
    form.power = POWER_LAW_CONSTANT;
    if (!fit_form(&c->points, &form, NO_FOLD, NULL, &fit))
        return;
    c->form = form;
    c->fit = fit;
    c->why = arena_printf(c->arena, "%s; constant power, not tested", c->why);
    add_warning(
        c,
        arena_printf(
            c->arena,
            "power was measured at %u configuration%s: how it depends on k and batch is not known",
            c->points.power_configurations, plural_ending(c->points.power_configurations)));
}

static void settle_form(struct form_choice *c, double max_form_error) {
    const struct candidate *speed = &c->speed.candidates[c->speed.chosen];
    c->form = speed->form;
    c->fit = speed->fit;
    c->why = explain_contest(c, &c->speed);
    if (c->points.powers > 0) {
        hold_power(c, max_form_error);
        if (c->power.chosen >= 0) {
            c->form = c->power.candidates[c->power.chosen].form;
            c->fit = c->power.candidates[c->power.chosen].fit;
            c->why = arena_printf(c->arena, "%s; %s", c->why, explain_contest(c, &c->power));
        } else {
            settle_untested_power(c);
        }
    }
    fit_covariance(&c->points, &c->form, &c->fit, &c->covariance);
}

/* NULL: the form stays; else why the table replaces it. */
static const char *why_table(struct form_choice *c, double max_form_error) {
    if (c->speed.chosen < 0)
        return arena_printf(c->arena, "too few configurations (%u) to fit and test any form",
                            c->points.configurations);
    if (c->points.powers > 0 && c->form.power == POWER_LAW_NONE)
        return "the power cannot be fitted";
    for (int q = THROUGHPUT; q <= POWER; q++)
        if (c->form_in_sample.mape[q] > max_form_error)
            return arena_printf(
                c->arena, "the form misses the %s by %.2f %% in the mean, above %.3g %%",
                quantity_names[q], PERCENT(c->form_in_sample.mape[q]), PERCENT(max_form_error));
    return NULL;
}

/* A table has power at every place or at none. */
static void drop_without_power(struct form_choice *c) {
    size_t kept = 0;
    for (size_t i = 0; i < c->table.count && c->points.powers > 0; i++)
        if (!isnan(c->table.points[i].power_w_per_gpu))
            c->table.points[kept++] = c->table.points[i];
    if (c->points.powers == 0 || kept == c->table.count)
        return;
    add_warning(c, arena_printf(c->arena, "%zu configurations without power left out of the table",
                                c->table.count - kept));
    c->table.count = kept;
}

static void use_table(struct form_choice *c, const char *why) {
    size_t n = c->points.at.count;
    struct prediction *left_out = mem_zalloc(n, sizeof *left_out);
    table_of_points(&c->points, &c->form, &c->fit, NO_FOLD, &c->table);
    drop_without_power(c);
    for (size_t i = 0; i < n; i++)
        c->predictions[i] = table_predict(&c->table, c->points.at.at[i].at);
    table_predict_left_out(&c->points, &c->form, &c->fit, left_out);
    c->in_sample = score_all(&c->points, c->predictions);
    c->left_out = score_all(&c->points, left_out);
    c->why = c->why ? arena_printf(c->arena, "lookup table: %s (%s)", why, c->why)
                    : arena_printf(c->arena, "lookup table: %s", why);
    if (c->left_out.points[THROUGHPUT] < n)
        add_warning(
            c, arena_printf(
                   c->arena,
                   "left-out errors of the table are of %zu of %zu rows: nothing encloses the rest",
                   c->left_out.points[THROUGHPUT], n));
    free(left_out);
}

void form_choice_make(struct form_choice *c, const struct profile_group *group, const char *file,
                      double max_form_error, struct arena *arena) {
    *c = (struct form_choice){.arena = arena, .group = group};
    points_of_group(&c->points, group);
    size_t n = c->points.at.count;
    struct prediction *left_out = mem_zalloc(n, sizeof *left_out);
    c->predictions = mem_zalloc(n, sizeof *c->predictions);
    for (size_t i = 0; i < group->base_count; i++)
        if (group->rows[i].evidence > c->evidence)
            c->evidence = group->rows[i].evidence;
    points_set_folds(&c->points, CONTEST_POINTS);
    c->contest_folds = c->points.folds;
    hold_speed(c, max_form_error);
    if (c->speed.chosen >= 0) {
        settle_form(c, max_form_error);
        points_set_folds(&c->points, FINAL_POINTS);
        predict_in_sample(&c->points, &c->form, &c->fit, c->predictions);
        c->in_sample = c->form_in_sample = score_all(&c->points, c->predictions);
        struct form tested = c->form;
        if (c->power.chosen < 0)
            tested.power = POWER_LAW_NONE;
        if (predict_left_out(&c->points, &tested, &c->fit, left_out))
            c->left_out = c->form_left_out = score_all(&c->points, left_out);
        warn_of_parameters(c);
        warn_of_outliers(c, file, THROUGHPUT, c->predictions);
        warn_of_outliers(c, file, POWER, c->predictions);
    }
    if (c->points.configurations > c->contest_folds)
        c->why = arena_printf(c->arena, "%s (forms compared in %u parts of the configurations)",
                              c->why, c->contest_folds);
    if (c->points.configurations > c->points.folds)
        add_warning(
            c,
            arena_printf(c->arena,
                         "errors are of %u parts left out of the %u configurations, not one by one",
                         c->points.folds, c->points.configurations));
    free(left_out);
    const char *why = why_table(c, max_form_error);
    if (why)
        use_table(c, why);
    warn_of_points(c);
}

void form_choice_finish(struct form_choice *c) {
    points_finish(&c->points);
    free(c->predictions);
    free(c->table.points);
    free(c->warnings.at);
}
