/* Reads worlds.csv: see world_table.h. */
#include "output/plot/world_table.h"

#include <math.h>
#include <stdlib.h>

enum { SET, WORLD, REPLICATION, POLICY, METRIC };

struct world_cell {
    size_t policy;
    uint32_t world, replication;
    double value;
};

struct world_reader {
    const struct plot_source *source;
    struct csv *csv;
    int columns[METRIC + 1];
    struct intern worlds, replications;
    ARRAY_OF(struct world_cell) cells;
};

static uint32_t intern_field(struct world_reader *reader, int column, struct intern *names) {
    struct slice text = csv_field(reader->csv, reader->columns[column]);
    return intern(names, text.at, text.length, NULL);
}

/* Policies that compare.csv does not have are not drawn; of the sets only the first, "0". */
static int read_world_row(struct world_reader *reader, struct error *reterr) {
    struct slice label = csv_field(reader->csv, reader->columns[POLICY]);
    struct world_cell cell = {.policy = reader->source->series.count};
    for (size_t i = 0; i < reader->source->series.count; i++)
        if (slice_is(label, reader->source->series.at[i].label))
            cell.policy = i;
    if (cell.policy == reader->source->series.count ||
        !slice_is(csv_field(reader->csv, reader->columns[SET]), "0"))
        return 0;
    int r = plot_source_real(reader->csv, reader->columns[METRIC], &cell.value, reterr);
    cell.world = intern_field(reader, WORLD, &reader->worlds);
    cell.replication = intern_field(reader, REPLICATION, &reader->replications);
    array_push(&reader->cells, cell);
    return r;
}

/* Nearly all cells of the table must be there: a foreign file would ask for any amount of memory.
 */
static int check_size(const struct world_reader *reader, struct error *reterr) {
    uint64_t expected = (uint64_t)reader->worlds.entries.count *
                        reader->replications.entries.count * reader->source->series.count;
    if (expected / 1000 <= reader->cells.count)
        return 0;
    return error_set(reterr, ERROR_INPUT,
                     "%s/worlds.csv: expected a row for each world, policy and replication, found "
                     "%zu of %llu",
                     reader->source->comparison, reader->cells.count, (unsigned long long)expected);
}

static void fill_table(struct world_reader *reader, struct world_table *table) {
    table->worlds = reader->worlds.entries.count;
    table->replications = reader->replications.entries.count;
    table->policies = reader->source->series.count;
    size_t count = table->policies * table->worlds * table->replications;
    table->values = mem_zalloc(count, sizeof *table->values);
    for (size_t i = 0; i < count; i++)
        table->values[i] = NAN;
    table->names = reader->worlds;
    reader->worlds = (struct intern){0};
    for (size_t i = 0; i < reader->cells.count; i++) {
        const struct world_cell *cell = &reader->cells.at[i];
        table->values[(cell->policy * table->worlds + cell->world) * table->replications +
                      cell->replication] = cell->value;
    }
}

int world_table_read(const struct plot_source *source, unsigned column, struct world_table *table,
                     struct error *reterr) {
    const char *const names[] = {"set", "world", "replication", "policy", summary_names[column],
                                 NULL};
    struct world_reader reader = {.source = source};
    int got, r = plot_source_table(source->comparison, "worlds.csv", names, reader.columns,
                                   &reader.csv, reterr);
    if (r < 0)
        return r;
    while (r == 0 && (got = csv_next(reader.csv, reterr)) != 0)
        r = got < 0 ? got : read_world_row(&reader, reterr);
    if (r == 0)
        r = check_size(&reader, reterr);
    if (r == 0)
        fill_table(&reader, table);
    csv_close(reader.csv);
    intern_finish(&reader.worlds);
    intern_finish(&reader.replications);
    free(reader.cells.at);
    return r;
}

void world_table_finish(struct world_table *table) {
    free(table->values);
    intern_finish(&table->names);
    *table = (struct world_table){0};
}

const double *world_table_of(const struct world_table *table, size_t policy) {
    return table->values + policy * table->worlds * table->replications;
}
