/* summary.csv: see summary_csv.h. */
#include "output/run/summary_csv.h"

#include "io/csv.h"

static void add_names(unsigned groups, struct str *out) {
    str_add(out, ",replication,seed");
    for (unsigned c = 0; c < SUMMARY_ALL; c++)
        if (summary_shows(groups, c))
            csv_comma_text(out, summary_names[c]);
    str_add_char(out, '\n');
}

static void add_values(uint32_t replication, int64_t seed, unsigned groups,
                       const struct summary *summary, struct str *out) {
    csv_comma_int(out, replication);
    csv_comma_int(out, seed);
    for (unsigned c = 0; c < SUMMARY_ALL; c++)
        if (summary_shows(groups, c))
            csv_comma_real(out, summary_value(summary, c));
    str_add_char(out, '\n');
}

void summary_csv_header(unsigned groups, struct str *out) {
    str_add(out, "policy");
    add_names(groups, out);
}

void summary_csv_row(const char *policy, uint32_t replication, int64_t seed, unsigned groups,
                     const struct summary *summary, struct str *out) {
    csv_add_text(out, policy);
    add_values(replication, seed, groups, summary, out);
}

void summary_csv_run_header(struct str *out) {
    add_names(0, out);
}

void summary_csv_run(uint32_t replication, int64_t seed, const struct summary *summary,
                     struct str *out) {
    add_values(replication, seed, 0, summary, out);
}
