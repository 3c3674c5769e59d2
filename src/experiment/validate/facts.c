/* A number from a table: see facts.h. */
#include "experiment/validate/facts.h"

#include "base/numfmt.h"
#include "io/csv.h"

struct reader {
    const struct fact *fact;
    struct csv *csv;
    struct problems *problems;
    int column;
    size_t found;
    double value;
};

static void read_fact_row(void *context) {
    struct reader *r = context;
    for (size_t i = 0; i < r->fact->where_count; i++)
        if (!slice_is(csv_field(r->csv, csv_column(r->csv, r->fact->where[i].column)),
                      r->fact->where[i].text))
            return;
    struct slice cell = csv_field(r->csv, r->column);
    if (r->found++ == 0 && !numfmt_parse_real(cell.at, cell.length, &r->value))
        csv_refuse(r->csv, r->column, r->fact->column, "a number", r->problems);
}

static void find_fact_column(struct reader *r, const char *name) {
    if (csv_column(r->csv, name) < 0)
        problems_add(r->problems, r->fact->where_of, r->fact->path_of, "%s has no column \"%.80s\"",
                     r->fact->file, name);
}

int fact_read(const struct fact *fact, double *ret_value, struct problems *problems) {
    struct reader r = {.fact = fact, .problems = problems};
    struct error error = {0};
    size_t before = problems->count;
    if (csv_open(fact->file, ',', &r.csv, &error) < 0) {
        problems_add(problems, fact->where_of, fact->path_of, "%s", error.text);
        return ERROR_INPUT;
    }
    find_fact_column(&r, fact->column);
    for (size_t i = 0; i < fact->where_count; i++)
        find_fact_column(&r, fact->where[i].column);
    r.column = csv_column(r.csv, fact->column);
    if (problems->count == before)
        csv_each_row(r.csv, problems, read_fact_row, &r);
    if (problems->count == before && r.found != 1)
        problems_add(problems, fact->where_of, fact->path_of,
                     "expected one row of %s for which where holds, got %zu", fact->file, r.found);
    csv_close(r.csv);
    if (problems->count > before)
        return ERROR_INPUT;
    *ret_value = r.value;
    return 0;
}
