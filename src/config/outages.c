/* Recorded outages: see outages.h. */
#include "config/outages.h"

#include "base/array.h"
#include "base/units.h"
#include "io/csv.h"

#include <math.h>
#include <stdlib.h>

#define MOST_NAMED 6 /* nodes in a note */
#define MAX_NODE   1073741823

const struct field outages_fields[] = {
    {LOCATION(outages, where)},
    {"file", PATH(outages, file), REQUIRED, HELP("recorded outages: node, start_s, end_s")},
    {"offset", DURATION(outages, offset_s), RANGE(0, TIME_MAX_S),
     HELP("the time in the file that is t = 0")},
    FIELDS_END};

int outages_bind(struct outages *outages, const struct yaml_node *node,
                 const struct binding *binding) {
    *outages = (struct outages){0};
    return node ? schema_bind(binding, outages_fields, node, "failures", outages) : 0;
}

/* --- reading --- */

enum column { NODE, START, END, COLUMN_COUNT };
static const char *const column_names[] = {"node", "start_s", "end_s"};

struct reader {
    struct outages *outages;
    struct csv *csv;
    const struct binding *binding;
    int columns[COLUMN_COUNT];
    ARRAY_OF(struct outage) rows;
};

/* A cell against a field; false after adding a problem. */
static bool read_cell(struct reader *reader, enum column column, const struct field *field,
                      void *out) {
    struct slice cell = csv_field(reader->csv, reader->columns[column]);
    const struct yaml_node node = {.kind = YAML_NODE_SCALAR,
                                   .where = csv_where(reader->csv, reader->columns[column]),
                                   .text = arena_printf(reader->binding->arena, "%.*s",
                                                        (int)cell.length,
                                                        cell.length > 0 ? cell.at : ""),
                                   .length = cell.length};
    return schema_bind_value(reader->binding, field, &node, column_names[column], out) == 0;
}

static void read_outage_row(void *context) {
    static const struct field number = {.type = FIELD_INT, RANGE(0, MAX_NODE)};
    static const struct field time = {
        .type = FIELD_REAL, RANGE(-TIME_MAX_S, TIME_MAX_S), UNIT(TIME)};
    struct reader *r = context;
    int64_t node = 0;
    double start_s = 0, end_s = INFINITY;
    bool ends = csv_field(r->csv, r->columns[END]).length > 0;
    bool good = read_cell(r, NODE, &number, &node);
    good = read_cell(r, START, &time, &start_s) && good;
    good = (!ends || read_cell(r, END, &time, &end_s)) && good;
    r->outages->rows++;
    if (good && end_s < start_s) {
        problems_add(r->binding->problems, csv_where(r->csv, r->columns[END]), "end_s",
                     "expected a time not before start_s (%.9g), got %.9g", start_s, end_s);
        good = false;
    }
    if (!good)
        return;
    int64_t offset_ns = units_ns(r->outages->offset_s);
    array_push(&r->rows,
               ((struct outage){.node = (uint32_t)node,
                                .line = csv_where(r->csv, -1).line,
                                .start_ns = units_ns(start_s) - offset_ns,
                                .end_ns = ends ? units_ns(end_s) - offset_ns : TIME_NONE_NS}));
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
    struct reader r = {.outages = outages, .binding = binding};
    struct error error = {0};
    size_t before = binding->problems->count;
    if (!outages->file)
        return 0;
    if (!schema_can_read(binding, outages->file))
        return ERROR_INPUT;
    if (csv_open(outages->file, ',', &r.csv, &error) < 0)
        return problems_say(binding->problems, "%s", error.text);
    if (csv_needed_columns(r.csv, column_names, COLUMN_COUNT, r.columns, binding->problems) == 0)
        csv_each_row(r.csv, binding->problems, read_outage_row, &r);
    if (binding->problems->count == before)
        merge_rows(&r);
    free(r.rows.at);
    csv_close(r.csv);
    return binding->problems->count > before ? ERROR_INPUT : 0;
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
