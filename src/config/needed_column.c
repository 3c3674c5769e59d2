/* A column that a CSV file must have: see needed_column.h. */
#include "config/needed_column.h"

#include "base/arena.h"

static void report_missing_column(const struct csv *csv, const char *name,
                                  struct problems *problems) {
    struct arena arena = {0};
    size_t count = csv_column_count(csv);
    const char **names = arena_alloc(&arena, count * sizeof *names);
    for (size_t i = 0; i < count; i++)
        names[i] = csv_column_name(csv, i);
    problems_add(problems, (struct location){csv_where(csv, -1).file, 1, 0}, NULL,
                 "column \"%.80s\" is missing%s", name, str_suggestion(&arena, name, names, count));
    arena_finish(&arena);
}

int needed_column_find(const struct csv *csv, const char *name, struct problems *problems) {
    int place = csv_column(csv, name);
    if (place < 0)
        report_missing_column(csv, name, problems);
    return place;
}
