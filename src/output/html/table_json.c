/* CSV as JSON: see table_json.h. */
#include "output/html/table_json.h"

#include "output/html/json_out.h"
#include "output/plot/source.h"

/* Columns of names, in whatever file; all others hold numbers. */
static const char *const text_columns[] = {
    "policy",       "baseline", "metric",  "user",  "gpu_type",
    "dominated_by", "source",   "service", "model", NULL};

static bool is_of_text(const char *column) {
    for (size_t i = 0; text_columns[i]; i++)
        if (strcmp(column, text_columns[i]) == 0)
            return true;
    return false;
}

static int add_cell(struct str *out, const struct csv *csv, size_t column, struct error *reterr) {
    struct slice text = csv_field(csv, (int)column);
    double value;
    if (is_of_text(csv_column_name(csv, column))) {
        struct str copy = {0};
        str_add_bytes(&copy, text.at, text.length);
        json_out_text(out, copy.text ? copy.text : "");
        str_finish(&copy);
        return 0;
    }
    int r = plot_source_real(csv, (int)column, &value, reterr);
    if (r == 0)
        json_out_real(out, value);
    return r;
}

static int add_row(struct str *out, const struct csv *csv, struct error *reterr) {
    int r = 0;
    json_out_open(out, '[');
    for (size_t c = 0; c < csv_column_count(csv) && r == 0; c++)
        r = add_cell(out, csv, c, reterr);
    json_out_close(out, ']');
    return r;
}

static int add_rows(struct str *out, struct csv *csv, int64_t replication, struct error *reterr) {
    int column = csv_column(csv, "replication"), r = 0, got;
    json_out_key(out, "rows");
    json_out_open(out, '[');
    while (r == 0 && (got = csv_next(csv, reterr)) != 0) {
        double of = 0;
        r = got < 0 ? got : 0;
        if (r == 0 && column >= 0 && replication > 0)
            r = plot_source_real(csv, column, &of, reterr);
        if (r == 0 && (of == 0 || of == (double)replication))
            r = add_row(out, csv, reterr);
    }
    json_out_close(out, ']');
    return r;
}

int table_json_add(struct str *out, const char *key, const char *folder, const char *name,
                   int64_t replication, struct error *reterr) {
    static const char *const none[] = {NULL};
    struct csv *csv = NULL;
    json_out_key(out, key);
    if (!plot_source_exists(folder, name)) {
        json_out_text(out, NULL);
        return 0;
    }
    int r = plot_source_table(folder, name, none, NULL, &csv, reterr);
    if (r < 0)
        return r;
    json_out_open(out, '{');
    json_out_key(out, "columns");
    json_out_open(out, '[');
    for (size_t c = 0; c < csv_column_count(csv); c++)
        json_out_text(out, csv_column_name(csv, c));
    json_out_close(out, ']');
    r = add_rows(out, csv, replication, reterr);
    json_out_close(out, '}');
    csv_close(csv);
    return r;
}
