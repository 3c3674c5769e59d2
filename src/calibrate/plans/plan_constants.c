/* Constants of plans: see plan_constants.h. Unknowns are 1/f1 - 1 of each group, f2, 1 - f3. */
#include "calibrate/plans/plan_constants.h"

#include "calibrate/metered/nonnegative.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_GROUPS   62
#define MOST_UNKNOWNS (MOST_GROUPS + 2)
#define NO_ROW        SIZE_MAX

/* A row's time as numbers times unknowns. */
struct terms {
    size_t group;
    double compute_s, memory_s, gradient_s, other_s; /* the first at f1 = 1 */
    double flops;                                    /* of one GPU in the measured time */
    double time_s;
    bool held_out;
};

struct task {
    struct terms *terms;
    size_t rows, groups;
};

/* What a fit came to; an unknown that is held has its value in x all the same. */
struct unknowns {
    double x[MOST_UNKNOWNS];
    bool held[MOST_UNKNOWNS];
};

static size_t traffic(const struct task *task) {
    return task->groups;
}

static size_t overlap(const struct task *task) {
    return task->groups + 1;
}

static size_t unknown_count(const struct task *task) {
    return task->groups + 2;
}

static struct terms terms_of(const struct plan_row *row, uint32_t node_gpus) {
    const struct plan_hardware hardware = {
        row->gpu_model->links, {1, 1, 0, row->gpu_model->plan_fit.node_s}, INFINITY, node_gpus};
    const struct plan_parts p =
        plan_time_parts(&row->shape, &row->plan, &hardware, plan_gpus(&row->plan) > node_gpus);
    double four = p.compute_s + p.memory_s + p.tensor_s + p.pipeline_s;
    double bubble = (four + p.bubble_s) / four;
    return (struct terms){.compute_s = p.compute_s * bubble,
                          .memory_s = p.memory_s * bubble,
                          .gradient_s = p.gradient_s,
                          .other_s = (p.tensor_s + p.pipeline_s) * bubble + p.fixed_s,
                          .flops = transformer_flop(&row->shape) /
                                   (plan_gpus(&row->plan) * row->iteration_s),
                          .time_s = row->iteration_s,
                          .held_out = row->held_out};
}

static double factor_of(const struct task *task, const struct terms *t, size_t unknown) {
    return unknown == t->group        ? t->compute_s
           : unknown == traffic(task) ? t->memory_s
           : unknown == overlap(task) ? t->gradient_s
                                      : 0;
}

static double predict(const struct task *task, const struct terms *t, const double *x) {
    double time_s = t->other_s + t->compute_s;
    for (size_t u = 0; u < unknown_count(task); u++)
        time_s += factor_of(task, t, u) * x[u];
    return time_s;
}

/* Finds the unknowns that are not held, by relative errors of all rows but one; false: they depend
   on each other. */
static bool solve(const struct task *task, size_t without, struct unknowns *unknowns) {
    size_t places[MOST_UNKNOWNS], count = 0;
    for (size_t u = 0; u < unknown_count(task); u++) {
        if (!unknowns->held[u]) {
            places[count++] = u;
            unknowns->x[u] = 0;
        }
    }
    double normal[MOST_UNKNOWNS * MOST_UNKNOWNS] = {0}, right[MOST_UNKNOWNS] = {0};
    for (size_t r = 0; r < task->rows; r++) {
        const struct terms *t = &task->terms[r];
        if (r == without || t->held_out)
            continue;
        double rest = 1 - predict(task, t, unknowns->x) / t->time_s;
        for (size_t i = 0; i < count; i++) {
            double own = factor_of(task, t, places[i]) / t->time_s;
            right[i] += own * rest;
            for (size_t j = 0; j < count; j++)
                normal[i * count + j] += own * factor_of(task, t, places[j]) / t->time_s;
        }
    }
    bool good = true, above[MOST_UNKNOWNS];
    double found[MOST_UNKNOWNS];
    for (size_t i = 0; i < count; i++)
        good = good && normal[i * (count + 1)] > 0;
    good = good && nonnegative_solve(normal, right, count, found, above);
    for (size_t i = 0; i < count && good; i++)
        unknowns->x[places[i]] = found[i];
    return good;
}

/* f3 is at least 0. What the rows cannot tell is held: first f3 at 1, then f2 at 0. */
static struct unknowns fit_without(const struct task *task, size_t without) {
    struct unknowns unknowns = {0};
    bool good = solve(task, without, &unknowns);
    if (good && unknowns.x[overlap(task)] > 1) {
        unknowns.x[overlap(task)] = 1;
        unknowns.held[overlap(task)] = true;
        good = solve(task, without, &unknowns);
        unknowns.held[overlap(task)] = false; /* told, at its bound */
    }
    const size_t holdable[] = {overlap(task), traffic(task)};
    for (size_t i = 0; i < 2 && !good; i++) {
        unknowns.held[holdable[i]] = true;
        unknowns.x[holdable[i]] = 0;
        good = solve(task, without, &unknowns);
    }
    return unknowns;
}

/* The constant rate of least relative errors: T / t = a x, x = flops / rate. */
static double constant_rate(const struct task *task, size_t group, size_t without) {
    double sum = 0, squares = 0;
    for (size_t r = 0; r < task->rows; r++) {
        const struct terms *t = &task->terms[r];
        if (t->group != group || t->held_out || r == without)
            continue;
        sum += t->flops;
        squares += t->flops * t->flops;
    }
    return sum > 0 ? squares / sum : NAN;
}

static size_t fitted_rows(const struct task *task, size_t group) {
    size_t count = 0;
    for (size_t r = 0; r < task->rows; r++)
        count += task->terms[r].group == group && !task->terms[r].held_out;
    return count;
}

static void find_errors(struct plan_constants_fit *fit, const struct task *task,
                        const struct unknowns *all) {
    for (size_t r = 0; r < task->rows; r++) {
        const struct terms *t = &task->terms[r];
        struct plan_error *e = &fit->errors[r];
        bool alone = !t->held_out && fitted_rows(task, t->group) < 2;
        const struct unknowns others = fit_without(task, r);
        e->predicted_s = predict(task, t, all->x);
        e->error = e->predicted_s / t->time_s - 1;
        e->left_out = alone ? NAN : predict(task, t, others.x) / t->time_s - 1;
        e->constant_left_out = t->flops / constant_rate(task, t->group, r) - 1;
    }
}

/* Numbers the groups by first appearance; negative: a problem. */
static int find_groups(struct plan_constants_fit *fit, const struct plan_rows *rows,
                       struct task *task, const char *path, struct problems *problems) {
    size_t fitted = 0;
    for (size_t r = 0; r < task->rows; r++) {
        const struct plan_row *row = &rows->rows.at[r];
        size_t g = 0;
        while (g < fit->groups.count && strcmp(fit->groups.at[g].group, row->group) != 0)
            g++;
        if (g == fit->groups.count)
            array_push(&fit->groups, (struct plan_constants){.group = row->group});
        fit->groups.at[g].rows += !row->held_out;
        fitted += !row->held_out;
        task->terms[r] = terms_of(row, rows->node_gpus);
        task->terms[r].group = g;
    }
    task->groups = fit->groups.count;
    for (size_t g = 0; g < task->groups; g++)
        if (fit->groups.at[g].rows == 0)
            problems_add(problems, (struct location){.file = path}, "group",
                         "expected a row of \"%s\" that is not held out", fit->groups.at[g].group);
    if (task->groups > MOST_GROUPS || fitted <= task->groups)
        problems_add(problems, (struct location){.file = path}, NULL,
                     "expected at most %d groups, and more rows to be fitted than groups, got %zu "
                     "and %zu",
                     MOST_GROUPS, task->groups, fitted);
    return problems->count > 0 ? ERROR_INPUT : 0;
}

int plan_constants_fit(struct plan_constants_fit *fit, const struct plan_rows *rows,
                       const char *path, struct problems *problems) {
    struct task task = {.rows = rows->rows.count};
    task.terms = mem_zalloc(task.rows + 1, sizeof *task.terms);
    int r = find_groups(fit, rows, &task, path, problems);
    if (r == 0) {
        const struct unknowns all = fit_without(&task, NO_ROW);
        fit->errors = mem_zalloc(task.rows, sizeof *fit->errors);
        for (size_t g = 0; g < task.groups; g++) {
            fit->groups.at[g].compute_fraction = 1 / (1 + all.x[g]);
            fit->groups.at[g].constant_flops = constant_rate(&task, g, NO_ROW);
        }
        fit->memory_traffic = all.x[traffic(&task)];
        fit->gradient_overlap = 1 - all.x[overlap(&task)];
        fit->traffic_told = !all.held[traffic(&task)];
        fit->overlap_told = !all.held[overlap(&task)];
        find_errors(fit, &task, &all);
    }
    free(task.terms);
    return r;
}

void plan_constants_fit_finish(struct plan_constants_fit *fit) {
    free(fit->groups.at);
    free(fit->errors);
}
