/* aggregate.csv: see aggregate_csv.h. */
#include "output/run/aggregate_csv.h"

#include "experiment/statistics.h"
#include "io/csv.h"

void aggregate_csv_header(struct str *out) {
    str_add(out, "policy,metric,n,mean,sd,ci95\n");
}

void aggregate_csv_rows(const char *policy, unsigned groups, const struct summary *summaries,
                        uint32_t count, struct str *out) {
    for (unsigned c = 0; c < SUMMARY_ALL; c++) {
        if (!summary_shows(groups, c))
            continue;
        struct estimate e = t_interval_of_column(summaries, count, c);
        csv_add_text(out, policy);
        csv_comma_text(out, summary_names[c]);
        csv_comma_int(out, (int64_t)e.n);
        csv_comma_real(out, e.mean);
        csv_comma_real(out, e.sd);
        csv_comma_real(out, e.ci95);
        str_add_char(out, '\n');
    }
}
