/* summary.csv: see summary_csv.h. */
#include "output/run/summary_csv.h"

#include "io/csv.h"

#define COLUMN_NAME(name, unit, better, tail, writer, label) "," #name

void summary_csv_header(struct str *out) {
    str_add(out, "policy");
    summary_csv_run_header(out);
}

void summary_csv_run_header(struct str *out) {
    str_add(out, ",replication,seed" METRIC_TABLE(COLUMN_NAME) "\n");
}

void summary_csv_row(const char *policy, uint32_t replication, int64_t seed,
                     const struct summary *summary, struct str *out) {
    csv_add_text(out, policy);
    summary_csv_run(replication, seed, summary, out);
}

void summary_csv_run(uint32_t replication, int64_t seed, const struct summary *summary,
                     struct str *out) {
    csv_comma_int(out, replication);
    csv_comma_int(out, seed);
    for (unsigned c = 0; c < SUMMARY_COUNT; c++)
        csv_comma_real(out, summary_value(summary, c));
    str_add_char(out, '\n');
}
