/* Ablation of two policies: see ablate.h. */
#include "experiment/ablate.h"

#include "base/mem.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- shapley --- */

#define SHAPLEY_MOST 16 /* players */

/* Share of the orders in which a player joins exactly the given ones: size! (players - size - 1)! /
   players!, that is 1 / (players * (players - 1 over size)). */
static double coalition_weight(unsigned players, unsigned size) {
    double choices = 1;
    for (unsigned i = 1; i <= size; i++)
        choices = choices * (players - i) / i;
    return 1 / (players * choices);
}

/* A set and its complement among the others have the same weight, so their two terms are added
   before they are weighed. Rounding is then the same in both directions: if values[S] and
   values[complement of S] are exchanged, every share becomes exactly its negative. */
static double share_of(const double *values, unsigned players, unsigned player) {
    unsigned own = 1u << player, others = ((1u << players) - 1) & ~own;
    double sum = 0;
    for (unsigned set = 0; set <= others; set++) {
        unsigned rest = others & ~set;
        if (set & own || set > rest)
            continue;
        double added = values[set | own] - values[set];
        if (set != rest)
            added += values[rest | own] - values[rest];
        sum += coalition_weight(players, (unsigned)__builtin_popcount(set)) * added;
    }
    return sum;
}

void shapley_shares(const double *values, unsigned players, double *shares) {
    assert(players <= SHAPLEY_MOST);
    for (unsigned p = 0; p < players; p++)
        shares[p] = share_of(values, players, p);
}

/* --- ablate --- */

void ablation_init(struct ablation *ablation, const struct study *first,
                   const struct study *second) {
    *ablation = (struct ablation){.replications = (uint32_t)first->scenario.replications};
    for (unsigned c = 0; c < COMPONENT_COUNT; c++)
        if (!hybrid_same(&first->params, &second->params, (enum component)c))
            ablation->active[ablation->active_count++] = (enum component)c;
    ablation->cell_count = 1u << ablation->active_count;
    ablation->cells = mem_zalloc(ablation->cell_count, sizeof *ablation->cells);
}

void ablation_finish(struct ablation *ablation) {
    for (unsigned i = 0; i < ablation->cell_count; i++)
        replicate_result_finish(&ablation->cells[i]);
    free(ablation->cells);
    *ablation = (struct ablation){0};
}

bool ablation_is_first(const struct ablation *ablation, unsigned cell, enum component component) {
    for (unsigned i = 0; i < ablation->active_count; i++)
        if (ablation->active[i] == component)
            return cell >> i & 1;
    return true;
}

/* A mixture; the two policies themselves run as they are. */
static int run_cell(struct ablation *ablation, unsigned cell, const struct study *first,
                    const struct study *second, const struct replicate_options *options,
                    struct error *reterr) {
    if (cell == ablation->cell_count - 1)
        return replicate_run(first, options, &replicate_summaries_only, &ablation->cells[cell],
                             reterr);
    if (cell == 0)
        return replicate_run(second, options, &replicate_summaries_only, &ablation->cells[cell],
                             reterr);
    struct hybrid hybrid;
    struct study study = *first; /* what it points to stays first's */
    unsigned second_mask = 0;
    for (unsigned c = 0; c < COMPONENT_COUNT; c++)
        second_mask |= ablation_is_first(ablation, cell, (enum component)c) ? 0 : 1u << c;
    hybrid_init(&hybrid, &first->params, &second->params, second_mask);
    study.module = (struct policy_module){.policy = &hybrid.policy,
                                          .sides = {&first->module, &second->module}};
    study.params = hybrid.params;
    return replicate_run(&study, options, &replicate_summaries_only, &ablation->cells[cell],
                         reterr);
}

/* Names the components that a cell takes from one policy; nothing if it takes none. */
static void add_side(const struct ablation *ablation, unsigned cell, bool is_first,
                     const char *side, struct str *out) {
    const char *before = out->length > 0 ? "; " : "mixture: ";
    for (unsigned i = 0; i < ablation->active_count; i++)
        if (ablation_is_first(ablation, cell, ablation->active[i]) == is_first) {
            str_addf(out, "%s%s", before, component_names[ablation->active[i]]);
            before = ", ";
        }
    if (strcmp(before, ", ") == 0)
        str_addf(out, " of %s", side);
}

/* Adds to a failure which mixture it is of. */
static int blame_cell(const struct ablation *ablation, unsigned cell, const struct study *first,
                      const struct study *second, struct error *reterr) {
    struct arena arena = {0};
    struct str who = {0};
    const char *const sides[] = {arena_printf(&arena, "A (%s)", first->policy),
                                 arena_printf(&arena, "B (%s)", second->policy)};
    if (cell == 0 || cell == ablation->cell_count - 1) {
        str_add(&who, sides[cell == 0]);
    } else {
        add_side(ablation, cell, true, sides[0], &who);
        add_side(ablation, cell, false, sides[1], &who);
    }
    int r = error_set(reterr, reterr->code, "%s: %s", who.text, reterr->text);
    str_finish(&who);
    arena_finish(&arena);
    return r;
}

int ablation_run(struct ablation *ablation, const struct study *first, const struct study *second,
                 const struct replicate_options *options, struct error *reterr) {
    int r = 0;
    for (unsigned cell = 0; cell < ablation->cell_count && r == 0; cell++) {
        r = run_cell(ablation, cell, first, second, options, reterr);
        if (r < 0 && r != ERROR_CANCELLED)
            (void)blame_cell(ablation, cell, first, second, reterr);
    }
    return r;
}

/* --- figures --- */

/* The worth of every cell in one replication; false unless all are defined. */
static bool cell_worths(const struct ablation *ablation, unsigned column, uint32_t replication,
                        double *values) {
    bool defined = true;
    for (unsigned cell = 0; cell < ablation->cell_count; cell++) {
        values[cell] = summary_value(&ablation->cells[cell].summaries[replication], column);
        defined = defined && !isnan(values[cell]);
    }
    return defined;
}

static bool player_changes(const struct ablation *ablation, const double *values, unsigned player) {
    for (unsigned cell = 0; cell < ablation->cell_count; cell++)
        if (values[cell] != values[cell ^ 1u << player])
            return true;
    return false;
}

/* The columns of a table with one row for each replication: both policies, their difference, then
   three for each active component. */
enum { FIRST, SECOND, DIFFERENCE, PARTS };

static struct estimate estimate_part(const struct ablation *ablation, const double *table,
                                     unsigned column) {
    return t_interval_of(table + (size_t)column * ablation->replications, ablation->replications);
}

static void fill_table(const struct ablation *ablation, unsigned column, double *table,
                       bool *moves) {
    double *values = mem_zalloc(ablation->cell_count, sizeof *values), shares[COMPONENT_COUNT];
    unsigned all = ablation->cell_count - 1, n = ablation->replications;
    for (uint32_t r = 0; r < n; r++) {
        bool defined = cell_worths(ablation, column, r, values);
        table[FIRST * n + r] = defined ? values[all] : NAN;
        table[SECOND * n + r] = defined ? values[0] : NAN;
        table[DIFFERENCE * n + r] = defined ? values[all] - values[0] : NAN;
        shapley_shares(values, ablation->active_count, shares);
        for (unsigned p = 0; p < ablation->active_count; p++) {
            double *part = table + (size_t)(PARTS + 3 * p) * n + r;
            part[0] = defined ? shares[p] : NAN;
            part[n] = defined ? values[1u << p] - values[0] : NAN;
            part[2 * (size_t)n] = defined ? values[all] - values[all & ~(1u << p)] : NAN;
            moves[p] = moves[p] || (defined && player_changes(ablation, values, p));
        }
    }
    free(values);
}

void ablation_metric(const struct ablation *ablation, unsigned column,
                     struct ablation_metric *ret_metric) {
    double *table =
        mem_zalloc((size_t)(PARTS + 3 * COMPONENT_COUNT) * ablation->replications, sizeof *table);
    bool moves[COMPONENT_COUNT] = {false};
    fill_table(ablation, column, table, moves);
    *ret_metric =
        (struct ablation_metric){.first = estimate_part(ablation, table, FIRST),
                                 .second = estimate_part(ablation, table, SECOND),
                                 .difference = estimate_part(ablation, table, DIFFERENCE)};
    struct estimate nothing = ret_metric->difference;
    if (nothing.n > 0)
        nothing.mean = 0;
    if (nothing.n > 1)
        nothing.sd = nothing.ci95 = 0;
    for (unsigned c = 0; c < COMPONENT_COUNT; c++)
        ret_metric->shares[c] = (struct ablation_share){true, true, nothing, nothing, nothing};
    for (unsigned p = 0; p < ablation->active_count; p++)
        ret_metric->shares[ablation->active[p]] =
            (struct ablation_share){.inert = !moves[p],
                                    .share = estimate_part(ablation, table, PARTS + 3 * p),
                                    .alone = estimate_part(ablation, table, PARTS + 3 * p + 1),
                                    .missing = estimate_part(ablation, table, PARTS + 3 * p + 2)};
    free(table);
}
