/* Solving equations of plans: see plan_equations.h. */
#include "calibrate/plans/plan_equations.h"

#include "calibrate/metered/nonnegative.h"

#include <math.h>

#define MOST_TURNS 10000
#define SMALL_STEP 1e-13 /* of a round factor: below it nothing changes any more */

/* A fit under way; held: unknowns whose value in the solution is not to be found. */
struct search {
    const struct plan_equations *equations;
    size_t without;
    bool held[PLAN_UNKNOWNS_MOST];
};

static size_t place_of(const struct plan_equations *e, enum plan_unknown unknown) {
    return e->groups + unknown;
}

static double factor_of(const struct plan_equations *e, const struct plan_equation *row,
                        size_t place) {
    if (place < e->groups)
        return place == row->group ? row->compute_s : 0;
    return row->factors[place - e->groups];
}

/* Seconds at a round factor of 1. */
static double time_of(const struct plan_equations *e, const struct plan_equation *row,
                      const double *x) {
    double time_s = row->other_s;
    for (size_t u = 0; u < e->groups + PLAN_UNKNOWNS; u++)
        time_s += factor_of(e, row, u) * x[u];
    return time_s;
}

static bool is_fitted(const struct search *s, const struct plan_equation *row) {
    return !row->held_out && row->fold != s->without;
}

/* Which groups and rounds hang on a round whose factor is stated, by rows that are fitted. */
static void find_known(const struct search *s, struct plan_solution *solution) {
    const struct plan_equations *e = s->equations;
    bool changed = true;
    for (size_t g = 0; g < e->groups; g++)
        solution->group_known[g] = false;
    for (size_t r = 0; r < e->rounds; r++)
        solution->round_factors[r] = e->round_factors[r];
    while (changed) {
        changed = false;
        for (size_t i = 0; i < e->count; i++) {
            const struct plan_equation *row = &e->at[i];
            bool round_known = !isnan(solution->round_factors[row->round]);
            if (!is_fitted(s, row) || round_known == solution->group_known[row->group])
                continue;
            if (round_known)
                solution->group_known[row->group] = true;
            else
                solution->round_factors[row->round] = 1; /* to begin with */
            changed = true;
        }
    }
}

/* Finds the unknowns that are not held; false: they depend on each other. */
static bool solve_linear(const struct search *s, struct plan_solution *solution) {
    const struct plan_equations *e = s->equations;
    size_t places[PLAN_UNKNOWNS_MOST], count = 0;
    for (size_t u = 0; u < e->groups + PLAN_UNKNOWNS; u++) {
        if (!s->held[u]) {
            places[count++] = u;
            solution->x[u] = 0;
        }
    }
    double normal[PLAN_UNKNOWNS_MOST * PLAN_UNKNOWNS_MOST] = {0}, right[PLAN_UNKNOWNS_MOST] = {0};
    for (size_t r = 0; r < e->count; r++) {
        const struct plan_equation *row = &e->at[r];
        if (!is_fitted(s, row) || isnan(solution->round_factors[row->round]))
            continue;
        double unit = solution->round_factors[row->round] * row->time_s;
        double rest = 1 - time_of(e, row, solution->x) / unit;
        for (size_t i = 0; i < count; i++) {
            double own = factor_of(e, row, places[i]) / unit;
            right[i] += own * rest;
            for (size_t j = 0; j < count; j++)
                normal[i * count + j] += own * factor_of(e, row, places[j]) / unit;
        }
    }
    bool good = true, above[PLAN_UNKNOWNS_MOST];
    double found[PLAN_UNKNOWNS_MOST];
    for (size_t i = 0; i < count; i++)
        good = good && normal[i * (count + 1)] > 0;
    good = good && nonnegative_solve(normal, right, count, found, above);
    for (size_t i = 0; i < count && good; i++)
        solution->x[places[i]] = found[i];
    return good;
}

/* The same with f3 at least 0. */
static bool solve_bounded(struct search *s, struct plan_solution *solution) {
    size_t overlap = place_of(s->equations, PLAN_OVERLAP);
    bool good = solve_linear(s, solution);
    if (!good || s->held[overlap] || solution->x[overlap] <= 1)
        return good;
    solution->x[overlap] = 1;
    s->held[overlap] = true;
    good = solve_linear(s, solution);
    s->held[overlap] = false; /* told, at its bound */
    return good;
}

/* The factors of least relative errors, p/(f t) - 1, at these times; the greatest change. */
static double solve_rounds(const struct search *s, struct plan_solution *solution) {
    const struct plan_equations *e = s->equations;
    double step = 0;
    for (size_t n = 0; n < e->rounds; n++) {
        double sum = 0, squares = 0;
        if (!isnan(e->round_factors[n]) || isnan(solution->round_factors[n]))
            continue;
        for (size_t r = 0; r < e->count; r++) {
            const struct plan_equation *row = &e->at[r];
            if (row->round != n || !is_fitted(s, row))
                continue;
            double ratio = time_of(e, row, solution->x) / row->time_s;
            sum += ratio;
            squares += ratio * ratio;
        }
        step = fmax(step, fabs(squares / sum - solution->round_factors[n]));
        solution->round_factors[n] = squares / sum;
    }
    return step;
}

static bool solve_all(struct search *s, struct plan_solution *solution) {
    find_known(s, solution);
    for (size_t u = 0; u < s->equations->groups; u++) {
        s->held[u] = !solution->group_known[u]; /* its rows do not count */
        solution->x[u] = 0;
    }
    for (int turn = 0; turn < MOST_TURNS; turn++) {
        if (!solve_bounded(s, solution))
            return false;
        if (solve_rounds(s, solution) < SMALL_STEP)
            break;
    }
    return true;
}

/* Whether a fitted row has it. */
static bool occurs(const struct search *s, enum plan_unknown unknown) {
    for (size_t r = 0; r < s->equations->count; r++)
        if (is_fitted(s, &s->equations->at[r]) && s->equations->at[r].factors[unknown] > 0)
            return true;
    return false;
}

/* What the rows cannot tell is held at 0 of x: what occurs in none of them, then one by one. */
struct plan_solution plan_equations_solve(const struct plan_equations *e, size_t without) {
    static const enum plan_unknown holdable[] = {PLAN_NODE_S, PLAN_OVERLAP, PLAN_TRAFFIC,
                                                 PLAN_FIXED_S};
    struct plan_solution solution = {0};
    struct search search = {.equations = e, .without = without};
    for (size_t u = 0; u < PLAN_UNKNOWNS; u++) {
        size_t place = place_of(e, (enum plan_unknown)u);
        search.held[place] = !isnan(e->held[u]) || !occurs(&search, (enum plan_unknown)u);
        solution.x[place] = isnan(e->held[u]) ? 0 : e->held[u];
    }
    bool good = solve_all(&search, &solution);
    for (size_t i = 0; i < sizeof holdable / sizeof *holdable && !good; i++) {
        size_t place = place_of(e, holdable[i]);
        if (search.held[place])
            continue;
        search.held[place] = true;
        solution.x[place] = 0;
        good = solve_all(&search, &solution);
    }
    for (size_t u = 0; u < PLAN_UNKNOWNS; u++)
        solution.told[u] = !search.held[place_of(e, (enum plan_unknown)u)];
    return solution;
}

double plan_equation_predict(const struct plan_equations *e, const struct plan_equation *row,
                             const struct plan_solution *solution) {
    if (!solution->group_known[row->group])
        return NAN;
    return time_of(e, row, solution->x) / solution->round_factors[row->round];
}
