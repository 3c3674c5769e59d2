/* budget.csv and differences.csv. */
#include "output/compare/budget_tables.h"

#include "io/csv.h"

#include <math.h>

static const char *baseline_name(const struct world_results *results) {
    return results->baseline == WORLD_NOBODY ? NULL : results->policy_names[results->baseline];
}

static void add_row_begin(const struct doubt *doubt, unsigned column, size_t policy,
                          struct str *out) {
    csv_add_text(out, summary_names[column]);
    csv_comma_text(out, doubt->results->policy_names[policy]);
    csv_comma_text(out, baseline_name(doubt->results));
}

static void comma_range(struct str *out, const struct share_range *range) {
    csv_comma_real(out, range->share);
    csv_comma_real(out, range->low);
    csv_comma_real(out, range->high);
}

static void share_rows(const struct doubt *doubt, unsigned column, size_t policy, struct str *out) {
    for (size_t i = 0; i < DOUBT_SOURCES + doubt_group_count(doubt); i++) {
        struct share_range range = doubt_source_share(doubt, column, policy, i);
        add_row_begin(doubt, column, policy, out);
        csv_comma_text(out, doubt_source_name(doubt, i));
        comma_range(out, &range);
        str_add_char(out, '\n');
    }
}

static void difference_row(const struct doubt *doubt, unsigned column, size_t policy,
                           struct str *out) {
    const struct budget *b = doubt_budget(doubt, column, policy);
    const double values[] = {b->mean,
                             b->ci95,
                             b->base_mean != 0 ? b->mean / fabs(b->base_mean) : NAN,
                             b->base_mean,
                             b->degrees,
                             b->squares.physics,
                             b->squares.workload,
                             b->squares.residual};
    add_row_begin(doubt, column, policy, out);
    csv_comma_int(out, (int64_t)b->worlds);
    csv_comma_int(out, (int64_t)b->replications);
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        csv_comma_real(out, values[i]);
    comma_range(out, &b->better.clearly);
    comma_range(out, &b->better.sign);
    comma_range(out, &b->better.worse);
    str_add_char(out, '\n');
}

/* One call for each metric and each policy that has something to differ from. */
static void each_difference(const struct doubt *doubt,
                            void (*add_rows)(const struct doubt *, unsigned, size_t, struct str *),
                            struct str *out) {
    for (unsigned column = 0; column < SUMMARY_COUNT; column++)
        for (size_t p = 0; p < doubt->results->policies; p++)
            if (p != doubt->results->baseline)
                add_rows(doubt, column, p, out);
}

void budget_tables_shares(const struct doubt *doubt, struct str *out) {
    str_add(out, "metric,policy,baseline,source,share,ci_low,ci_high\n");
    each_difference(doubt, share_rows, out);
}

void budget_tables_differences(const struct doubt *doubt, struct str *out) {
    str_add(
        out,
        "metric,policy,baseline,worlds,replications,diff_mean,diff_ci95,diff_rel,base_mean,degrees,physics_var,workload_var,residual_var,p_better,p_better_low,p_better_high,sign_better,sign_better_low,sign_better_high,p_worse,p_worse_low,p_worse_high\n");
    each_difference(doubt, difference_row, out);
}
