/* Recorded outages: see outages.h. */
#include "config/outages.h"

#include "base/array.h"
#include "base/units.h"
#include "config/csv_reader.h"

#include <math.h>
#include <stdlib.h>

#define MOST_NAMED 6 /* nodes in a note */
#define MAX_NODE   1073741823

const struct field outages_fields[] = {
    {LOCATION(outages, where)},
    {"file", PATH(outages, file), REQUIRED,
     HELP("CSV file, plain, gz or zst, with the columns node, start_s and end_s")},
    {"offset", DURATION(outages, offset_s), RANGE(0, TIME_MAX_S),
     HELP("time in the file that is t = 0; easim subtracts it from all times")},
    FIELDS_END};

int outages_bind(struct outages *outages, const struct yaml_node *node,
                 const struct binding *binding) {
    *outages = (struct outages){0};
    return node ? schema_bind(binding, outages_fields, node, "failures", outages) : 0;
}

/* --- reading --- */

struct outage_row {
    uint32_t node;
    double start_s, end_s; /* end: INFINITY: not known */
};

static const struct field outage_columns[] = {
    {"node", COUNT(outage_row, node), REQUIRED, RANGE(0, MAX_NODE)},
    {"start_s", REAL(outage_row, start_s), REQUIRED, RANGE(-TIME_MAX_S, TIME_MAX_S),
     HELP("seconds")},
    {"end_s", REAL(outage_row, end_s), REQUIRED, WITH_GAPS, RANGE(-TIME_MAX_S, TIME_MAX_S),
     DEFAULT(INFINITY), HELP("seconds")},
    FIELDS_END};

struct reader {
    struct csv_reader csv;
    struct outages *outages;
    const struct binding *binding;
    ARRAY_OF(struct outage) rows;
};

static void read_outage_row(void *context) {
    struct reader *r = context;
    struct outage_row row;
    int64_t offset_ns = units_ns(r->outages->offset_s);
    r->outages->rows++;
    if (!csv_reader_row(&r->csv, &row))
        return;
    if (row.end_s < row.start_s) {
        problems_add(r->binding->problems, csv_reader_where(&r->csv, "end_s"), "end_s",
                     "expected a time not before start_s (%.9g), got %.9g", row.start_s, row.end_s);
        return;
    }
    array_push(&r->rows,
               ((struct outage){.node = row.node,
                                .line = csv_reader_line(&r->csv),
                                .start_ns = units_ns(row.start_s) - offset_ns,
                                .end_ns = isfinite(row.end_s) ? units_ns(row.end_s) - offset_ns
                                                              : TIME_NONE_NS}));
}

ORDER_BY(compare_outages, struct outage, ASC(node) ASC(start_ns) ASC(line))

/* A node that is down cannot fail: rows of a node that overlap or touch become one outage. */
static void merge_rows(struct reader *reader) {
    struct outages *o = reader->outages;
    sort_array(reader->rows.at, reader->rows.count, compare_outages);
    o->at = arena_alloc(reader->binding->arena, (reader->rows.count + 1) * sizeof *o->at);
    for (size_t i = 0; i < reader->rows.count; i++) {
        const struct outage *row = &reader->rows.at[i];
        struct outage *last = o->count > 0 ? &o->at[o->count - 1] : NULL;
        if (!last || last->node != row->node || row->start_ns > last->end_ns) {
            o->at[o->count++] = *row;
            continue;
        }
        last->end_ns = row->end_ns > last->end_ns ? row->end_ns : last->end_ns;
        row_tally_add(&o->merged, row->line);
    }
}

int outages_load(struct outages *outages, const struct binding *binding) {
    struct reader r = {.csv = {.columns = outage_columns, .problems = binding->problems},
                       .outages = outages,
                       .binding = binding};
    if (!outages->file)
        return 0;
    if (!schema_can_read(binding, outages->file))
        return ERROR_INPUT;
    int status = csv_reader_load(&r.csv, outages->file, read_outage_row, &r);
    if (status == 0)
        merge_rows(&r);
    free(r.rows.at);
    return status;
}

/* --- what a cluster sees of it --- */

/* Outages come by node, so a node that is new differs from the last one. */
static void note_beyond(struct outages *outages, const struct outage *outage, uint32_t *last,
                        struct str *names) {
    row_tally_add(&outages->beyond, outage->line);
    if (outages->beyond_nodes > 0 && outage->node == *last)
        return;
    *last = outage->node;
    outages->beyond_nodes++;
    if (outages->beyond_nodes <= MOST_NAMED)
        str_addf(names, "%s%u", names->length > 0 ? ", " : "", outage->node);
    else if (outages->beyond_nodes == MOST_NAMED + 1)
        str_add(names, " ...");
}

void outages_fit(struct outages *outages, uint32_t nodes, const struct binding *binding) {
    struct str names = {0};
    uint32_t last = 0;
    size_t kept = 0;
    for (size_t i = 0; i < outages->count; i++) {
        struct outage outage = outages->at[i];
        if (outage.node >= nodes) {
            note_beyond(outages, &outage, &last, &names);
            continue;
        }
        if (outage.start_ns < 0 && outage.end_ns <= 0) {
            row_tally_add(&outages->over, outage.line);
            continue;
        }
        if (outage.start_ns < 0) {
            row_tally_add(&outages->running, outage.line);
            outage.start_ns = 0;
        }
        outages->at[kept++] = outage;
    }
    outages->count = kept;
    outages->beyond_names = arena_strdup(binding->arena, names.text ? names.text : "");
    str_finish(&names);
}
