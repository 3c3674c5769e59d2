/* Words about a choice: see choice.h. */
#include "calibrate/choice.h"

#include <gsl/gsl_sort.h>
#include <math.h>
#include <stdlib.h>

#define PERCENT(x) (100 * (x))

const char *choice_form_text(const struct form *form, struct arena *arena) {
    return arena_printf(arena, "%s, %s%s%s", compute_form_names[form->compute],
                        sync_form_names[form->sync], form->power == POWER_LAW_NONE ? "" : ", ",
                        form->power == POWER_LAW_NONE ? "" : power_law_names[form->power]);
}

void choice_warn(struct form_choice *choice, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    array_push(&choice->warnings, arena_vprintf(choice->arena, format, arguments));
    va_end(arguments);
}

const char *choice_plural(size_t count) {
    return count == 1 ? "" : "s";
}

static void warn_of_parameters(struct form_choice *choice) {
    for (size_t i = 0; i < choice->covariance.count; i++) {
        enum parameter p = choice->covariance.free[i];
        double error = covariance_error(&choice->covariance, i), value = choice->fit.values[p];
        if (isinf(error))
            choice_warn(choice, "%s is not identifiable: the points leave it open",
                        parameter_names[p]);
        else if (value == 0)
            choice_warn(choice, "%s is at its bound of 0; standard error %.4g", parameter_names[p],
                        error);
        else if (error > value)
            choice_warn(choice, "%s is not identifiable: %.4g with a standard error of %.4g",
                        parameter_names[p], value, error);
    }
}

#define OUTLIER_DEVIATIONS \
    5.0 /* robust standard deviations, 1.4826 times the median absolute residual */
#define OUTLIER_LEAST  0.05
#define OUTLIERS_NAMED 20
#define MOST_SCATTER   1.1 /* fastest over slowest of repeated measurements */

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
        choice_warn(choice, "outlier: %s:%u: k %u, batch %.9g: %s %.6g measured, %.6g by the form",
                    file, point->row->line, point->at.k, point->at.batch,
                    power ? "power_w_per_gpu" : "throughput_samples_s", measured, modelled);
    }
    if (found > OUTLIERS_NAMED)
        choice_warn(choice, "and %zu more outliers of the %s", found - OUTLIERS_NAMED,
                    quantity_names[quantity]);
    free(errors);
}

void choice_warn_of_form(struct form_choice *choice, const char *file) {
    warn_of_parameters(choice);
    warn_of_outliers(choice, file, THROUGHPUT, choice->predictions);
    warn_of_outliers(choice, file, POWER, choice->predictions);
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

/* Rows that count less or not at all. */
static void warn_of_rows(struct form_choice *choice, const char *file) {
    const struct points *points = &choice->points;
    for (size_t i = 0; i < points->set_aside.count; i++) {
        const struct profile_point *row = points->set_aside.at[i].row,
                                   *faster = points->set_aside.at[i].faster;
        choice_warn(
            choice,
            "set aside: %s:%u: k %u, batch %.9g: %.6g samples/s a GPU, less than half of the %.6g of line %u with k %u, batch %.9g",
            file, row->line, row->k, row->batch, row->throughput_samples_s / row->k,
            faster->throughput_samples_s / faster->k, faster->line, faster->k, faster->batch);
    }
    if (points->rounds_lost)
        choice_warn(choice, "more than %d rounds: the oldest ones count as %s", MOST_ROUNDS,
                    points->rounds[0]);
    if (points->other_scopes > 0)
        choice_warn(choice, "power of %zu row%s not used: its power_scope is not %s",
                    points->other_scopes, choice_plural(points->other_scopes),
                    profile_scope_names[points->scope]);
}

/* Repeated measurements that are no scatter. Rows of many systems (by size) have other rules. */
static void warn_of_contradictions(struct form_choice *choice, const char *file) {
    const struct point *at = choice->points.at.at;
    size_t count = choice->points.at.count, found = 0;
    for (size_t first = 0, end = 0; first < count && !choice->points.by_size; first = end) {
        const struct point *slowest = &at[first], *fastest = &at[first];
        for (end = first; end < count && at[end].configuration == at[first].configuration; end++) {
            slowest = at[end].rate < slowest->rate ? &at[end] : slowest;
            fastest = at[end].rate > fastest->rate ? &at[end] : fastest;
        }
        if (!(fastest->rate > MOST_SCATTER * slowest->rate) || ++found > OUTLIERS_NAMED)
            continue;
        choice_warn(
            choice,
            "contradiction: %s:%u and %u: k %u, batch %.9g: throughput_samples_s %.6g and %.6g; both count",
            file, slowest->row->line, fastest->row->line, slowest->at.k, slowest->at.batch,
            slowest->rate * slowest->at.k, fastest->rate * fastest->at.k);
    }
    if (found > OUTLIERS_NAMED)
        choice_warn(choice, "and %zu more contradictions", found - OUTLIERS_NAMED);
}

static void warn_of_one_batch(struct form_choice *choice) {
    const struct point *at = choice->points.at.at;
    bool one_batch = true;
    for (size_t i = 1; i < choice->points.at.count; i++)
        one_batch &= at[i].at.batch == at[0].at.batch;
    if (one_batch && !choice->speed_by_table)
        choice_warn(choice,
                    "all rows have batch %.9g: how time depends on the batch is not measured",
                    at[0].at.batch);
}

void choice_warn_of_points(struct form_choice *choice, const char *file) {
    size_t unused = unused_rows(choice);
    if (choice->group->differs != 0)
        choice_warn(
            choice,
            "rows at the highest power limit differ by %+.1f %% from those without a limit: "
            "they are a level, not unlimited",
            PERCENT(choice->group->differs));
    warn_of_rows(choice, file);
    warn_of_contradictions(choice, file);
    if (unused > 0)
        choice_warn(
            choice,
            "%zu row%s at lower power limits not used: no fitted row of the same configuration to compare with",
            unused, choice_plural(unused));
    warn_of_one_batch(choice);
}

const char *choice_contest_text(const struct form_choice *choice, const struct contest *contest) {
    const struct candidate *best = &contest->candidates[contest->best];
    const struct candidate *chosen = &contest->candidates[contest->chosen];
    const char *name = choice_form_text(&chosen->form, choice->arena);
    if (best == chosen)
        return arena_printf(choice->arena,
                            "%s: least left-out error of the %s, %.2f %% (%zu parameter%s)", name,
                            quantity_names[contest->quantity], PERCENT(best->left_out),
                            best->parameters, choice_plural(best->parameters));
    return arena_printf(
        choice->arena,
        "%s: simplest within one standard error of the least left-out error of the %s: %.2f %% (%zu parameter%s) against %.2f %% of %s (%zu); "
        "difference %.2f %% +- %.2f %%",
        name, quantity_names[contest->quantity], PERCENT(chosen->left_out), chosen->parameters,
        choice_plural(chosen->parameters), PERCENT(best->left_out),
        choice_form_text(&best->form, choice->arena), best->parameters,
        PERCENT(chosen->against_best.mean), PERCENT(chosen->against_best.standard_error));
}

/* ---- What the rows do not tell ---- */

const char *choice_floor_text(const struct form_choice *choice, struct node_floor floor) {
    bool own = floor.gpu == choice->group->gpu;
    return arena_printf(
        choice->arena,
        "derived from that of %u GPUs and the floor of a node after a run, %.6g W%s%s",
        node_power_size(&choice->points), floor.floor_w, own ? "" : " read on ",
        own ? "" : floor.gpu);
}

static void state(struct form_choice *choice, const char *key, enum evidence word,
                  const char *text) {
    array_push(&choice->statements, ((struct statement){key, word, text}));
}

static void state_power(struct form_choice *choice, struct node_floor floor) {
    if (choice->points.powers == 0)
        state(choice, "power", EVIDENCE_ASSUMED,
              "not in the profile: the tdp_w of the GPU type stands for it");
    else if (choice->power_derived)
        state(choice, "power", EVIDENCE_DERIVED, choice_floor_text(choice, floor));
}

static void state_synchronization(struct form_choice *choice) {
    const struct points *points = &choice->points;
    bool one = points->one_node, across = points->across_nodes;
    if (!one && !across) {
        state(choice, "alpha_s", EVIDENCE_ASSUMED, "no row has more than one GPU");
        state(choice, "beta_s", EVIDENCE_ASSUMED, "no row has more than one GPU");
    } else if (points->no_single) {
        bool floor = choice->form.compute != COMPUTE_PROPORTIONAL;
        state(
            choice, one ? "alpha_s" : "alpha_inter_s", EVIDENCE_DERIVED,
            floor
                ? "fixed at 0: without a row of one GPU it cannot be told from a_s, which holds it"
                : "fixed at 0: without a row of one GPU it cannot be told from a floor of the compute time, which this form lacks");
    }
    if (points->by_size && one && !across)
        state(choice, "alpha_inter_s", EVIDENCE_ASSUMED,
              "no row is on several nodes: as inside a node");
    if (points->by_size && across && !one)
        state(choice, "beta_s", EVIDENCE_ASSUMED, "no row is on one node");
}

void choice_state(struct form_choice *choice, struct node_floor floor) {
    state_power(choice, floor);
    if (!choice->speed_by_table && choice->form.compute == COMPUTE_PROPORTIONAL)
        state(choice, "a_s", EVIDENCE_ASSUMED, "none in this form: one nanosecond");
    if (!choice->speed_by_table)
        state_synchronization(choice);
    state(choice, "memory", EVIDENCE_ASSUMED, "no batch above the largest one measured is allowed");
}
