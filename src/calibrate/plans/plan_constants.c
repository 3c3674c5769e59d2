/* Constants of plans: see plan_constants.h. */
#include "calibrate/plans/plan_constants.h"

#include "calibrate/metered/power_fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- plan_equations --- */

#define PLAN_GROUPS_MOST   58
#define PLAN_ROUNDS_MOST   64
#define PLAN_UNKNOWNS_MOST (PLAN_GROUPS_MOST + PLAN_UNKNOWNS)

struct plan_equation {
    size_t group, round, fold; /* rows of one fold are left out together */
    double compute_s;          /* at f1 = 1 */
    double other_s;            /* without constants, with compute_s at the largest f1 */
    double factors[PLAN_UNKNOWNS];
    double flops; /* of one GPU in the measured time */
    double time_s;
    bool held_out; /* not fitted */
};

struct plan_equations {
    struct plan_equation *at;
    size_t count, groups, rounds;
    double round_factors[PLAN_ROUNDS_MOST]; /* NAN: to be found */
    double held[PLAN_UNKNOWNS];             /* NAN: to be found */
};

/* What a fit came to. */
struct plan_solution {
    double x[PLAN_UNKNOWNS_MOST];           /* groups, then enum plan_unknown */
    bool told[PLAN_UNKNOWNS];               /* found; else held, or the rows do not tell it */
    double round_factors[PLAN_ROUNDS_MOST]; /* NAN: no row says what this round is */
    bool group_known[PLAN_GROUPS_MOST];     /* a row of it is in a round that is known */
};

#define PLAN_NO_FOLD ((size_t)-1)

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

/* Least squares of relative errors of the rows that are not held out and not of the fold
   `without`; round factors in turn with the other constants, until neither changes. What the
   rows cannot tell is held at 0 of x: what occurs in none of them, then one by one. */
static struct plan_solution plan_equations_solve(const struct plan_equations *e, size_t without) {
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

/* Seconds; NAN: the solution does not know the row's round or group. */
static double plan_equation_predict(const struct plan_equations *e, const struct plan_equation *row,
                                    const struct plan_solution *solution) {
    if (!solution->group_known[row->group])
        return NAN;
    return time_of(e, row, solution->x) / solution->round_factors[row->round];
}

/* --- plan_constants --- */

/* The row's time: what its model states of fixed times is known, but of LoRA it is what is sought.
 */
static struct plan_equation equation_of(const struct plan_row *row) {
    const struct plan_fit *stated = &row->gpu_model->plan_fit;
    const bool lora = row->shape.lora;
    const struct plan_fit fit = {1, 1, 0, lora ? 0 : stated->node_s, lora ? 0 : stated->fixed_s, 1};
    const struct plan_hardware hardware = {row->gpu_model->links, fit, INFINITY, row->node_gpus};
    const uint32_t gpus = plan_gpus(&row->plan);
    const struct plan_parts p =
        plan_time_parts(&row->shape, &row->plan, &hardware, gpus > row->node_gpus);
    double four = p.compute_s + p.memory_s + p.tensor_s + p.pipeline_s;
    double bubble = (four + p.bubble_s) / four;
    return (struct plan_equation){
        .compute_s = p.compute_s * bubble / row->shape_fraction,
        .other_s = (p.tensor_s + p.pipeline_s) * bubble + p.fixed_s,
        .factors = {[PLAN_TRAFFIC] = p.memory_s * bubble,
                    [PLAN_OVERLAP] = p.gradient_s,
                    [PLAN_FIXED_S] = lora,
                    [PLAN_NODE_S] = lora ? ceil((double)gpus / row->node_gpus) : 0},
        .flops = transformer_flop(&row->shape) / (gpus * row->iteration_s),
        .time_s = row->iteration_s,
        .held_out = row->held_out};
}

/* The control: the same rows with no more than a rate of each group. unit: above all rates. */
static void make_control(const struct plan_equations *equations, double unit,
                         struct plan_equation *at, struct plan_equations *control) {
    *control = *equations;
    control->at = at;
    for (size_t r = 0; r < equations->count; r++) {
        const struct plan_equation *row = &equations->at[r];
        at[r] = (struct plan_equation){.group = row->group,
                                       .round = row->round,
                                       .fold = row->fold,
                                       .compute_s = row->flops * row->time_s / unit,
                                       .other_s = row->flops * row->time_s / unit,
                                       .time_s = row->time_s,
                                       .held_out = row->held_out};
    }
}

static double rate_unit(const struct plan_equations *equations) {
    double most = 0;
    for (size_t r = 0; r < equations->count; r++)
        most = fmax(most, equations->at[r].flops);
    return 10 * most;
}

/* ---- Groups, rounds and folds, numbered by first appearance ---- */

static size_t find_group(struct plan_constants_fit *fit, const struct plan_row *row) {
    size_t g = 0;
    while (g < fit->groups.count && strcmp(fit->groups.at[g].group, row->group) != 0)
        g++;
    if (g == fit->groups.count)
        array_push(&fit->groups, (struct plan_constants){.group = row->group});
    fit->groups.at[g].rows += !row->held_out;
    fit->groups.at[g].most_share = fmax(fit->groups.at[g].most_share, row->shape_fraction);
    return g;
}

static size_t find_round(struct plan_constants_fit *fit, const struct plan_row *row) {
    size_t n = 0;
    while (n < fit->rounds.count && strcmp(fit->rounds.at[n].round, row->round) != 0)
        n++;
    if (n == fit->rounds.count)
        array_push(&fit->rounds, ((struct plan_round){row->round, NAN, false}));
    struct plan_round *round = &fit->rounds.at[n];
    if (!isnan(row->round_factor)) {
        round->factor = row->round_factor;
        round->stated = true;
    }
    return n;
}

static size_t find_fold(const struct plan_rows *rows, size_t r) {
    const char *fold = rows->rows.at[r].fold;
    for (size_t i = 0; i < r && fold[0]; i++)
        if (strcmp(rows->rows.at[i].fold, fold) == 0)
            return i;
    return r;
}

static void number_rows(struct plan_constants_fit *fit, const struct plan_rows *rows,
                        struct plan_equations *e) {
    for (size_t r = 0; r < e->count; r++) {
        const struct plan_row *row = &rows->rows.at[r];
        e->at[r] = equation_of(row);
        e->at[r].group = find_group(fit, row);
        e->at[r].round = find_round(fit, row);
        e->at[r].fold = find_fold(rows, r);
    }
    for (size_t r = 0; r < e->count; r++) /* no row computes above the peak */
        e->at[r].other_s += e->at[r].compute_s * fit->groups.at[e->at[r].group].most_share;
    e->groups = fit->groups.count;
    e->rounds = fit->rounds.count;
    for (size_t n = 0; n < e->rounds && n < PLAN_ROUNDS_MOST; n++)
        e->round_factors[n] = fit->rounds.at[n].factor;
}

/* A round that two rows state differently. */
static void check_rounds(const struct plan_rows *rows, const char *path,
                         struct problems *problems) {
    for (size_t r = 0; r < rows->rows.count; r++)
        for (size_t i = 0; i < r; i++) {
            const struct plan_row *a = &rows->rows.at[i], *b = &rows->rows.at[r];
            if (strcmp(a->round, b->round) == 0 && !isnan(a->round_factor) &&
                !isnan(b->round_factor) && a->round_factor != b->round_factor) {
                problems_add(problems, (struct location){.file = path, .line = b->line},
                             "round_factor", "expected %g, as in line %u of this round, got %g",
                             a->round_factor, a->line, b->round_factor);
                break;
            }
        }
}

static int check_numbers(const struct plan_constants_fit *fit, const struct plan_equations *e,
                         const char *path, struct problems *problems) {
    size_t fitted = 0;
    for (size_t g = 0; g < fit->groups.count; g++) {
        fitted += fit->groups.at[g].rows;
        if (fit->groups.at[g].rows == 0)
            problems_add(problems, (struct location){.file = path}, "group",
                         "expected a row of \"%s\" that is not held out", fit->groups.at[g].group);
    }
    if (e->groups > PLAN_GROUPS_MOST || fitted <= e->groups)
        problems_add(problems, (struct location){.file = path}, NULL,
                     "expected at most %d groups, and more rows to be fitted than groups, got %zu "
                     "and %zu",
                     PLAN_GROUPS_MOST, e->groups, fitted);
    if (e->rounds > PLAN_ROUNDS_MOST)
        problems_add(problems, (struct location){.file = path}, "round",
                     "expected at most %d rounds, got %zu", PLAN_ROUNDS_MOST, e->rounds);
    return problems->count > 0 ? ERROR_INPUT : 0;
}

/* Every group, and every row, has to hang on a round that is stated. */
static int check_known(const struct plan_constants_fit *fit, const struct plan_equations *e,
                       const struct plan_solution *all, const struct plan_rows *rows,
                       const char *path, struct problems *problems) {
    for (size_t g = 0; g < e->groups; g++)
        if (!all->group_known[g])
            problems_add(problems, (struct location){.file = path}, "round_factor",
                         "expected it of a round that the rows of group \"%s\" share, or that "
                         "others tie to them: none is stated",
                         fit->groups.at[g].group);
    for (size_t r = 0; r < e->count && problems->count == 0; r++)
        if (isnan(all->round_factors[e->at[r].round]))
            problems_add(problems, (struct location){.file = path, .line = rows->rows.at[r].line},
                         "round_factor",
                         "expected it, or a row of round \"%s\" that is not held out",
                         rows->rows.at[r].round);
    return problems->count > 0 ? ERROR_INPUT : 0;
}

/* ---- Errors ---- */

static double error_of(const struct plan_equations *e, size_t r,
                       const struct plan_solution *solution) {
    return plan_equation_predict(e, &e->at[r], solution) / e->at[r].time_s - 1;
}

static void find_errors(struct plan_constants_fit *fit, const struct plan_equations *e,
                        const struct plan_equations *control, const struct plan_solution *all) {
    for (size_t fold = 0; fold < e->count; fold++) {
        if (e->at[fold].fold != fold)
            continue;
        const struct plan_solution others = plan_equations_solve(e, fold);
        const struct plan_solution rate = plan_equations_solve(control, fold);
        for (size_t r = fold; r < e->count; r++) {
            if (e->at[r].fold != fold)
                continue;
            fit->errors[r] =
                (struct plan_error){.predicted_s = plan_equation_predict(e, &e->at[r], all),
                                    .error = error_of(e, r, all),
                                    .left_out = error_of(e, r, &others),
                                    .constant_left_out = error_of(control, r, &rate)};
        }
    }
}

static void take_solution(struct plan_constants_fit *fit, const struct plan_equations *e,
                          const struct plan_solution *all) {
    for (size_t g = 0; g < e->groups; g++)
        fit->groups.at[g].compute_fraction = 1 / (fit->groups.at[g].most_share + all->x[g]);
    for (size_t n = 0; n < e->rounds; n++)
        fit->rounds.at[n].factor = all->round_factors[n];
    for (size_t u = 0; u < PLAN_UNKNOWNS; u++) {
        fit->values[u] = all->x[e->groups + u];
        fit->told[u] = all->told[u];
    }
    fit->values[PLAN_OVERLAP] = 1 - fit->values[PLAN_OVERLAP];
}

static int fit_equations(struct plan_constants_fit *fit, struct plan_equations *e,
                         const struct plan_rows *rows, const char *path,
                         struct problems *problems) {
    number_rows(fit, rows, e);
    check_rounds(rows, path, problems);
    if (check_numbers(fit, e, path, problems) < 0)
        return ERROR_INPUT;
    const struct plan_solution all = plan_equations_solve(e, PLAN_NO_FOLD);
    if (check_known(fit, e, &all, rows, path, problems) < 0)
        return ERROR_INPUT;
    struct plan_equations control;
    struct plan_equation *rates = mem_zalloc(e->count + 1, sizeof *rates);
    const double unit = rate_unit(e);
    make_control(e, unit, rates, &control);
    const struct plan_solution rate = plan_equations_solve(&control, PLAN_NO_FOLD);
    for (size_t g = 0; g < e->groups; g++)
        fit->groups.at[g].constant_flops = unit / (1 + rate.x[g]);
    fit->errors = mem_zalloc(e->count, sizeof *fit->errors);
    take_solution(fit, e, &all);
    find_errors(fit, e, &control, &all);
    free(rates);
    return 0;
}

int plan_constants_fit(struct plan_constants_fit *fit, const struct plan_rows *rows,
                       const double held[static PLAN_UNKNOWNS], const char *path,
                       struct problems *problems) {
    struct plan_equations e = {.count = rows->rows.count};
    for (size_t u = 0; u < PLAN_UNKNOWNS; u++)
        e.held[u] = u == PLAN_OVERLAP ? 1 - held[u] : held[u];
    e.at = mem_zalloc(e.count + 1, sizeof *e.at);
    int r = fit_equations(fit, &e, rows, path, problems);
    free(e.at);
    return r;
}

void plan_constants_fit_finish(struct plan_constants_fit *fit) {
    free(fit->groups.at);
    free(fit->rounds.at);
    free(fit->errors);
}
