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

const char *form_choice_form_text(const struct form *form, struct arena *arena) {
    return arena_printf(arena, "%s, %s%s%s", compute_form_names[form->compute],
                        sync_form_names[form->sync], form->power == POWER_LAW_NONE ? "" : ", ",
                        form->power == POWER_LAW_NONE ? "" : power_law_names[form->power]);
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
static double hopeless_error(const struct form_choice *choice, double least) {
    return least * (1 + 3 / sqrt(choice->points.configurations));
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
        one->in_sample = score_all(&choice->points, in_sample).mape[contest->quantity];
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
            score_all(&choice->points, left_out + order[o] * (ptrdiff_t)n).mape[contest->quantity];
        if (one->left_out < least)
            contest->best = order[o];
    }
    for (size_t i = 0; i < contest->count; i++)
        if (!contest->candidates[i].refused)
            contest->candidates[i].against_best =
                score_compare(&choice->points, contest->quantity, left_out + i * n,
                              left_out + (size_t)contest->best * n);
    pick_form(contest, max_form_error);
    free(left_out);
}

static void hold_speed(struct form_choice *choice, double max_form_error) {
    bool several = choice->points.one_node || choice->points.across_nodes;
    choice->speed.quantity = THROUGHPUT;
    for (int compute = 0; compute < COMPUTE_FORMS; compute++)
        for (int sync = 0; sync < (several ? SYNC_FORMS : SYNC_NONE + 1); sync++)
            choice->speed.candidates[choice->speed.count++].form =
                (struct form){.compute = (enum compute_form)compute,
                              .sync = (enum sync_form)sync,
                              .one_node = choice->points.one_node,
                              .across_nodes = choice->points.across_nodes};
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

/* ---- What to say ---- */

static void add_warning(struct form_choice *choice, const char *text) {
    array_push(&choice->warnings, text);
}

static const char *plural_ending(size_t count) {
    return count == 1 ? "" : "s";
}

static void warn_of_parameters(struct form_choice *choice) {
    for (size_t i = 0; i < choice->covariance.count; i++) {
        enum parameter p = choice->covariance.free[i];
        double error = covariance_error(&choice->covariance, i), value = choice->fit.values[p];
        if (isinf(error))
            add_warning(choice, arena_printf(choice->arena,
                                             "%s is not identifiable: the points leave it open",
                                             parameter_names[p]));
        else if (value == 0)
            add_warning(choice,
                        arena_printf(choice->arena, "%s is at its bound of 0; standard error %.4g",
                                     parameter_names[p], error));
        else if (error > value)
            add_warning(choice,
                        arena_printf(choice->arena,
                                     "%s is not identifiable: %.4g with a standard error of %.4g",
                                     parameter_names[p], value, error));
    }
}

#define OUTLIER_DEVIATIONS \
    5.0 /* robust standard deviations, 1.4826 times the median absolute residual */
#define OUTLIER_LEAST  0.05
#define OUTLIERS_NAMED 20

/* Rows far from the chosen form where most are near. */
static void warn_of_outliers(struct form_choice *choice, const char *file, enum quantity quantity,
                             const struct prediction *predictions) {
    size_t n = 0, found = 0;
    double *errors = mem_alloc(choice->points.at.count * sizeof *errors);
    for (size_t i = 0; i < choice->points.at.count; i++) {
        double error = score_error(&choice->points.at.at[i], &predictions[i], quantity);
        if (!isnan(error))
            errors[n++] = error;
    }
    gsl_sort(errors, 1, n);
    double limit = n > 0 ? fmax(OUTLIER_LEAST, OUTLIER_DEVIATIONS * 1.4826 * errors[n / 2]) : 0;
    for (size_t i = 0; i < choice->points.at.count; i++) {
        const struct point *point = &choice->points.at.at[i];
        if (!(score_error(point, &predictions[i], quantity) > limit) || ++found > OUTLIERS_NAMED)
            continue;
        bool power = quantity == POWER;
        double measured = power ? point->power_w : point->rate * point->at.k;
        double modelled = power ? predictions[i].power_w : predictions[i].rate * point->at.k;
        add_warning(
            choice,
            arena_printf(choice->arena,
                         "outlier: %s:%u: k %u, batch %.9g: %s %.6g measured, %.6g by the form",
                         file, point->line, point->at.k, point->at.batch,
                         power ? "power_w_per_gpu" : "throughput_samples_s", measured, modelled));
    }
    if (found > OUTLIERS_NAMED)
        add_warning(choice, arena_printf(choice->arena, "and %zu more outliers of the %s",
                                         found - OUTLIERS_NAMED, quantity_names[quantity]));
    free(errors);
}

/* Rows at other limits that tell nothing: a level is a ratio to the fitted rows of the same
 * configuration. */
static size_t unused_rows(const struct form_choice *choice) {
    size_t unused = 0;
    for (size_t i = choice->group->base_count; i < choice->group->count; i++) {
        const struct profile_point *row = &choice->group->rows[i];
        bool found = false;
        for (size_t p = 0; p < choice->points.at.count && !found; p++) {
            struct place at = choice->points.at.at[p].at;
            found = at.k == row->k && at.batch == row->batch &&
                    (at.span == EASIM_ACROSS_NODES) == row->across_nodes;
        }
        unused += !found;
    }
    return unused;
}

static void warn_of_points(struct form_choice *choice) {
    const struct point *at = choice->points.at.at;
    bool one_batch = true;
    for (size_t i = 1; i < choice->points.at.count; i++)
        one_batch &= at[i].at.batch == at[0].at.batch;
    size_t unused = unused_rows(choice);
    if (unused > 0)
        add_warning(
            choice,
            arena_printf(
                choice->arena,
                "%zu row%s at lower power limits not used: no fitted row of the same configuration to compare with",
                unused, plural_ending(unused)));
    if (one_batch && choice->table.count == 0)
        add_warning(
            choice,
            arena_printf(choice->arena,
                         "all rows have batch %.9g: how time depends on the batch is not measured",
                         at[0].at.batch));
}

static const char *explain_contest(struct form_choice *choice, const struct contest *contest) {
    const struct candidate *best = &contest->candidates[contest->best];
    const struct candidate *chosen = &contest->candidates[contest->chosen];
    const char *name = form_choice_form_text(&chosen->form, choice->arena);
    if (best == chosen)
        return arena_printf(choice->arena,
                            "%s: least left-out error of the %s, %.2f %% (%zu parameter%s)", name,
                            quantity_names[contest->quantity], PERCENT(best->left_out),
                            best->parameters, plural_ending(best->parameters));
    return arena_printf(
        choice->arena,
        "%s: simplest within one standard error of the least left-out error of the %s: %.2f %% (%zu parameter%s) against %.2f %% of %s (%zu); "
        "difference %.2f %% +- %.2f %%",
        name, quantity_names[contest->quantity], PERCENT(chosen->left_out), chosen->parameters,
        plural_ending(chosen->parameters), PERCENT(best->left_out),
        form_choice_form_text(&best->form, choice->arena), best->parameters,
        PERCENT(chosen->against_best.mean), PERCENT(chosen->against_best.standard_error));
}

/* ---- The whole ---- */

/* Where too few configurations have power to test a form of it, a constant is all that they can
 * tell. */
static void settle_untested_power(struct form_choice *choice) {
    struct form form = choice->form;
    struct fit fit;
    form.power = POWER_LAW_CONSTANT;
    if (!fit_form(&choice->points, &form, NO_FOLD, NULL, &fit))
        return;
    choice->form = form;
    choice->fit = fit;
    choice->why = arena_printf(choice->arena, "%s; constant power, not tested", choice->why);
    add_warning(
        choice,
        arena_printf(
            choice->arena,
            "power was measured at %u configuration%s: how it depends on k and batch is not known",
            choice->points.power_configurations,
            plural_ending(choice->points.power_configurations)));
}

static void settle_form(struct form_choice *choice, double max_form_error) {
    const struct candidate *speed = &choice->speed.candidates[choice->speed.chosen];
    choice->form = speed->form;
    choice->fit = speed->fit;
    choice->why = explain_contest(choice, &choice->speed);
    if (choice->points.powers > 0) {
        hold_power(choice, max_form_error);
        if (choice->power.chosen >= 0) {
            choice->form = choice->power.candidates[choice->power.chosen].form;
            choice->fit = choice->power.candidates[choice->power.chosen].fit;
            choice->why = arena_printf(choice->arena, "%s; %s", choice->why,
                                       explain_contest(choice, &choice->power));
        } else {
            settle_untested_power(choice);
        }
    }
    fit_covariance(&choice->points, &choice->form, &choice->fit, &choice->covariance);
}

/* NULL: the form stays; else why the table replaces it. */
static const char *why_table(struct form_choice *choice, double max_form_error) {
    if (choice->speed.chosen < 0)
        return arena_printf(choice->arena, "too few configurations (%u) to fit and test any form",
                            choice->points.configurations);
    if (choice->points.powers > 0 && choice->form.power == POWER_LAW_NONE)
        return "the power cannot be fitted";
    for (int q = THROUGHPUT; q <= POWER; q++)
        if (choice->form_in_sample.mape[q] > max_form_error)
            return arena_printf(choice->arena,
                                "the form misses the %s by %.2f %% in the mean, above %.3g %%",
                                quantity_names[q], PERCENT(choice->form_in_sample.mape[q]),
                                PERCENT(max_form_error));
    return NULL;
}

/* A table has power at every place or at none. */
static void drop_without_power(struct form_choice *choice) {
    size_t kept = 0;
    for (size_t i = 0; i < choice->table.count && choice->points.powers > 0; i++)
        if (!isnan(choice->table.points[i].power_w_per_gpu))
            choice->table.points[kept++] = choice->table.points[i];
    if (choice->points.powers == 0 || kept == choice->table.count)
        return;
    add_warning(choice, arena_printf(choice->arena,
                                     "%zu configurations without power left out of the table",
                                     choice->table.count - kept));
    choice->table.count = kept;
}

static void use_table(struct form_choice *choice, const char *why) {
    size_t n = choice->points.at.count;
    struct prediction *left_out = mem_zalloc(n, sizeof *left_out);
    table_of_points(&choice->points, &choice->form, &choice->fit, NO_FOLD, &choice->table);
    drop_without_power(choice);
    for (size_t i = 0; i < n; i++)
        choice->predictions[i] = table_predict(&choice->table, choice->points.at.at[i].at);
    table_predict_left_out(&choice->points, &choice->form, &choice->fit, left_out);
    choice->in_sample = score_all(&choice->points, choice->predictions);
    choice->left_out = score_all(&choice->points, left_out);
    choice->why = choice->why
                      ? arena_printf(choice->arena, "lookup table: %s (%s)", why, choice->why)
                      : arena_printf(choice->arena, "lookup table: %s", why);
    if (choice->left_out.points[THROUGHPUT] < n)
        add_warning(
            choice,
            arena_printf(
                choice->arena,
                "left-out errors of the table are of %zu of %zu rows: nothing encloses the rest",
                choice->left_out.points[THROUGHPUT], n));
    free(left_out);
}

void form_choice_make(struct form_choice *choice, const struct profile_group *group,
                      const char *file, double max_form_error, struct arena *arena) {
    *choice = (struct form_choice){.arena = arena, .group = group};
    points_of_group(&choice->points, group);
    size_t n = choice->points.at.count;
    struct prediction *left_out = mem_zalloc(n, sizeof *left_out);
    choice->predictions = mem_zalloc(n, sizeof *choice->predictions);
    for (size_t i = 0; i < group->base_count; i++)
        if (group->rows[i].evidence > choice->evidence)
            choice->evidence = group->rows[i].evidence;
    points_set_folds(&choice->points, CONTEST_POINTS);
    choice->contest_folds = choice->points.folds;
    hold_speed(choice, max_form_error);
    if (choice->speed.chosen >= 0) {
        settle_form(choice, max_form_error);
        points_set_folds(&choice->points, FINAL_POINTS);
        predict_in_sample(&choice->points, &choice->form, &choice->fit, choice->predictions);
        choice->in_sample = choice->form_in_sample =
            score_all(&choice->points, choice->predictions);
        struct form tested = choice->form;
        if (choice->power.chosen < 0)
            tested.power = POWER_LAW_NONE;
        if (predict_left_out(&choice->points, &tested, &choice->fit, left_out))
            choice->left_out = choice->form_left_out = score_all(&choice->points, left_out);
        warn_of_parameters(choice);
        warn_of_outliers(choice, file, THROUGHPUT, choice->predictions);
        warn_of_outliers(choice, file, POWER, choice->predictions);
    }
    if (choice->points.configurations > choice->contest_folds)
        choice->why =
            arena_printf(choice->arena, "%s (forms compared in %u parts of the configurations)",
                         choice->why, choice->contest_folds);
    if (choice->points.configurations > choice->points.folds)
        add_warning(
            choice,
            arena_printf(choice->arena,
                         "errors are of %u parts left out of the %u configurations, not one by one",
                         choice->points.folds, choice->points.configurations));
    free(left_out);
    const char *why = why_table(choice, max_form_error);
    if (why)
        use_table(choice, why);
    warn_of_points(choice);
}

void form_choice_finish(struct form_choice *choice) {
    points_finish(&choice->points);
    free(choice->predictions);
    free(choice->table.points);
    free(choice->warnings.at);
}
