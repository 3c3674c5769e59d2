/* Constants of plans: see plan_constants.h. */
#include "calibrate/plans/plan_constants.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
