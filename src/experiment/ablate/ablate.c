/* Ablation of two policies: see ablate.h. */
#include "experiment/ablate/ablate.h"

#include "base/mem.h"
#include "experiment/ablate/shapley.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void ablation_init(struct ablation *a, const struct study *first, const struct study *second) {
    *a = (struct ablation){.replications = (uint32_t)first->scenario.replications};
    for (unsigned c = 0; c < COMPONENT_COUNT; c++)
        if (!hybrid_same(&first->params, &second->params, (enum component)c))
            a->active[a->active_count++] = (enum component)c;
    a->cell_count = 1u << a->active_count;
    a->cells = mem_zalloc(a->cell_count, sizeof *a->cells);
}

void ablation_finish(struct ablation *a) {
    for (unsigned i = 0; i < a->cell_count; i++)
        replicate_result_finish(&a->cells[i]);
    free(a->cells);
    *a = (struct ablation){0};
}

bool ablation_is_first(const struct ablation *a, unsigned cell, enum component component) {
    for (unsigned i = 0; i < a->active_count; i++)
        if (a->active[i] == component)
            return cell >> i & 1;
    return true;
}

/* A mixture; the two policies themselves run as they are. */
static int run_cell(struct ablation *a, unsigned cell, const struct study *first,
                    const struct study *second, const struct replicate_options *options,
                    struct error *reterr) {
    if (cell == a->cell_count - 1)
        return replicate_run(first, options, &replicate_summaries_only, &a->cells[cell], reterr);
    if (cell == 0)
        return replicate_run(second, options, &replicate_summaries_only, &a->cells[cell], reterr);
    struct hybrid hybrid;
    struct study study = *first; /* everything else is borrowed */
    unsigned second_mask = 0;
    for (unsigned c = 0; c < COMPONENT_COUNT; c++)
        second_mask |= ablation_is_first(a, cell, (enum component)c) ? 0 : 1u << c;
    hybrid_init(&hybrid, &first->params, &second->params, second_mask);
    study.module = (struct policy_module){.policy = &hybrid.policy,
                                          .sides = {&first->module, &second->module}};
    study.params = hybrid.params;
    return replicate_run(&study, options, &replicate_summaries_only, &a->cells[cell], reterr);
}

/* Which components are the one policy's in a cell; nothing if none is. */
static void add_side(const struct ablation *a, unsigned cell, bool is_first, const char *side,
                     struct str *out) {
    const char *before = out->length > 0 ? "; " : "mixture: ";
    for (unsigned i = 0; i < a->active_count; i++)
        if (ablation_is_first(a, cell, a->active[i]) == is_first) {
            str_addf(out, "%s%s", before, component_names[a->active[i]]);
            before = ", ";
        }
    if (strcmp(before, ", ") == 0)
        str_addf(out, " of %s", side);
}

/* Adds to a failure which mixture it is of. */
static int blame_cell(const struct ablation *a, unsigned cell, const struct study *first,
                      const struct study *second, struct error *reterr) {
    struct arena arena = {0};
    struct str who = {0};
    const char *const sides[] = {arena_printf(&arena, "A (%s)", first->module.policy->name),
                                 arena_printf(&arena, "B (%s)", second->module.policy->name)};
    if (cell == 0 || cell == a->cell_count - 1) {
        str_add(&who, sides[cell == 0]);
    } else {
        add_side(a, cell, true, sides[0], &who);
        add_side(a, cell, false, sides[1], &who);
    }
    int r = error_set(reterr, reterr->code, "%s: %s", who.text, reterr->text);
    str_finish(&who);
    arena_finish(&arena);
    return r;
}

int ablation_run(struct ablation *a, const struct study *first, const struct study *second,
                 const struct replicate_options *options, struct error *reterr) {
    int r = 0;
    for (unsigned cell = 0; cell < a->cell_count && r == 0; cell++) {
        r = run_cell(a, cell, first, second, options, reterr);
        if (r < 0 && r != ERROR_CANCELLED)
            (void)blame_cell(a, cell, first, second, reterr);
    }
    return r;
}

/* --- figures --- */

/* The worth of every cell in one replication; false unless all are defined. */
static bool cell_worths(const struct ablation *a, unsigned column, uint32_t replication,
                        double *values) {
    bool defined = true;
    for (unsigned cell = 0; cell < a->cell_count; cell++) {
        values[cell] = summary_value(&a->cells[cell].summaries[replication], column);
        defined = defined && !isnan(values[cell]);
    }
    return defined;
}

static bool player_changes(const struct ablation *a, const double *values, unsigned player) {
    for (unsigned cell = 0; cell < a->cell_count; cell++)
        if (values[cell] != values[cell ^ 1u << player])
            return true;
    return false;
}

/* The columns of a table with one row for each replication: both policies, their difference, then
   three for each active component. */
enum { FIRST, SECOND, DIFFERENCE, PARTS };

static struct estimate estimate_part(const struct ablation *a, const double *table,
                                     unsigned column) {
    return t_interval_of(table + (size_t)column * a->replications, a->replications);
}

static void fill_table(const struct ablation *a, unsigned column, double *table, bool *moves) {
    double *values = mem_zalloc(a->cell_count, sizeof *values), shares[COMPONENT_COUNT];
    unsigned all = a->cell_count - 1, n = a->replications;
    for (uint32_t r = 0; r < n; r++) {
        bool defined = cell_worths(a, column, r, values);
        table[FIRST * n + r] = defined ? values[all] : NAN;
        table[SECOND * n + r] = defined ? values[0] : NAN;
        table[DIFFERENCE * n + r] = defined ? values[all] - values[0] : NAN;
        shapley_shares(values, a->active_count, shares);
        for (unsigned p = 0; p < a->active_count; p++) {
            double *part = table + (size_t)(PARTS + 3 * p) * n + r;
            part[0] = defined ? shares[p] : NAN;
            part[n] = defined ? values[1u << p] - values[0] : NAN;
            part[2 * (size_t)n] = defined ? values[all] - values[all & ~(1u << p)] : NAN;
            moves[p] = moves[p] || (defined && player_changes(a, values, p));
        }
    }
    free(values);
}

void ablation_metric(const struct ablation *a, unsigned column, struct ablation_metric *m) {
    double *table =
        mem_zalloc((size_t)(PARTS + 3 * COMPONENT_COUNT) * a->replications, sizeof *table);
    bool moves[COMPONENT_COUNT] = {false};
    fill_table(a, column, table, moves);
    *m = (struct ablation_metric){.first = estimate_part(a, table, FIRST),
                                  .second = estimate_part(a, table, SECOND),
                                  .difference = estimate_part(a, table, DIFFERENCE)};
    struct estimate nothing = m->difference;
    if (nothing.n > 0)
        nothing.mean = 0;
    if (nothing.n > 1)
        nothing.sd = nothing.ci95 = 0;
    for (unsigned c = 0; c < COMPONENT_COUNT; c++)
        m->shares[c] = (struct ablation_share){true, true, nothing, nothing, nothing};
    for (unsigned p = 0; p < a->active_count; p++)
        m->shares[a->active[p]] =
            (struct ablation_share){.inert = !moves[p],
                                    .share = estimate_part(a, table, PARTS + 3 * p),
                                    .alone = estimate_part(a, table, PARTS + 3 * p + 1),
                                    .missing = estimate_part(a, table, PARTS + 3 * p + 2)};
    free(table);
}
