/* Lines of a log in which several processes may write at once: a broken record costs itself alone.
 */
#include "ingest/mlperf/mlperf_lines.h"

#include "io/json_text.h"

#include <math.h>
#include <string.h>

#define RECORD ":::MLLOG"
#define SYSTEM ":::SYSJSON"

int mlperf_lines_open(struct mlperf_lines *lines, const char *path, struct error *reterr) {
    *lines = (struct mlperf_lines){.path = path};
    return lines_open(path, &lines->lines, reterr);
}

/* The object behind the marker, up to the last brace of the line; empty without a marker. */
static struct slice object_behind(struct slice line, const char *marker) {
    const char *at = slice_find(line, marker), *end = line.at + line.length;
    if (!at)
        return (struct slice){0};
    for (at += strlen(marker); at < end && (*at == ' ' || *at == '\t');)
        at++;
    while (end > at && end[-1] != '}')
        end--;
    return (struct slice){at, (size_t)(end - at)};
}

/* Whether the line holds a record that can be read. */
static bool read_record(struct mlperf_lines *lines, struct slice line,
                        struct mlperf_record *record) {
    struct slice object = object_behind(line, SYSTEM);
    *record = (struct mlperf_record){
        .line = line, .where = {lines->path, lines_number(lines->lines), 0}, .time_ms = NAN};
    record->is_system = object.at;
    if (!object.at)
        object = object_behind(line, RECORD);
    if (!object.at)
        return false;
    if (!json_is_valid(object) || object.at[0] != '{') {
        lines->first_broken = lines->broken++ ? lines->first_broken : record->where.line;
        return false;
    }
    lines->records++;
    record->metadata = record->is_system ? object : json_find(object, "metadata");
    record->key = json_string(json_find(object, "key"));
    record->value = json_find(object, "value");
    (void)!json_real(json_find(object, "time_ms"), &record->time_ms);
    return true;
}

int mlperf_lines_next(struct mlperf_lines *lines, struct mlperf_record *record,
                      struct error *reterr) {
    struct slice line;
    int got;
    do
        got = lines_next(lines->lines, &line, reterr);
    while (got > 0 && !read_record(lines, line, record));
    return got;
}

void mlperf_lines_close(struct mlperf_lines *lines, const struct error *error,
                        const struct profile_options *options, struct profile *profile,
                        struct problems *problems) {
    bool is_cut = error->code < 0 && lines->lines && lines_is_damaged(lines->lines);
    struct problems *where_to = options->strict ? problems : &profile->notes;
    if (error->code < 0 && !is_cut)
        problems_add(problems, (struct location){0}, NULL, "%s", error->text);
    else if (is_cut)
        problems_add(where_to, (struct location){0}, NULL, "%s, the lines before count",
                     error->text);
    if (lines->broken > 0)
        problems_add(where_to, (struct location){lines->path, lines->first_broken, 0}, NULL,
                     "%llu records that are no JSON left out, this is the first",
                     (unsigned long long)lines->broken);
    profile->damaged |= is_cut || lines->broken > 0;
    lines_close(lines->lines);
    lines->lines = NULL;
}

struct location mlperf_place(const struct mlperf_record *record, struct slice part) {
    struct location where = record->where;
    if (part.length > 0)
        where.column = (uint32_t)(part.at - record->line.at) + 1;
    return where;
}

double mlperf_number(const struct mlperf_record *record, struct slice value, const char *name,
                     double most, struct problems *problems) {
    double number = NAN;
    if (json_real(value, &number) && number > 0 && number <= most)
        return number;
    problems_add(problems, mlperf_place(record, value), name,
                 "expected number > 0 and <= %g, got %.*s", most,
                 (int)(value.length < 80 ? value.length : 80), value.length > 0 ? value.at : "");
    return NAN;
}
