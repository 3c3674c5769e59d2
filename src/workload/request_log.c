/* Reading of request logs: see request_log.h. */
#include "workload/request_log.h"

#include "base/datetime.h"
#include "base/numfmt.h"
#include "base/units.h"
#include "io/csv.h"
#include "workload/order.h"

#include <math.h>
#include <stdlib.h>

#define MOST_TOKENS 1e9 /* of one request */

enum column { TIME, PROMPT, OUTPUT, COLUMN_COUNT };
static const char *const column_names[COLUMN_COUNT] = {"TIMESTAMP", "ContextTokens",
                                                       "GeneratedTokens"};

struct reader {
    struct request_log *log;
    struct csv *csv;
    struct problems *problems;
    int columns[COLUMN_COUNT];
    int64_t last_ns; /* the latest so far */
};

static bool refuse_cell(const struct reader *reader, enum column column, const char *expected) {
    csv_refuse(reader->csv, reader->columns[column], column_names[column], expected,
               reader->problems);
    return false;
}

static bool token_cell(const struct reader *reader, enum column column, double *tokens) {
    struct slice cell = csv_field(reader->csv, reader->columns[column]);
    return (cell.length > 0 && numfmt_parse_real(cell.at, cell.length, tokens) && *tokens >= 0 &&
            *tokens <= MOST_TOKENS && floor(*tokens) == *tokens) ||
           refuse_cell(reader, column, "tokens, a whole number 0..1000000000");
}

static void read_request_row(void *context) {
    struct reader *r = context;
    struct request request = {0};
    struct slice time = csv_field(r->csv, r->columns[TIME]);
    uint32_t line = csv_where(r->csv, -1).line;
    bool good = datetime_parse(time.at, time.length, &request.time_ns) ||
                refuse_cell(r, TIME, "a date-time such as 2023-11-16 18:17:03.98");
    good = token_cell(r, PROMPT, &request.prompt) && good;
    good = token_cell(r, OUTPUT, &request.output) && good;
    if (!good)
        return;
    if (request.output == 0)
        row_tally_add(&r->log->empty, line);
    if (request.time_ns < r->last_ns) {
        row_tally_add(&r->log->out_of_order, line);
    } else {
        r->last_ns = request.time_ns;
        r->log->last = csv_where(r->csv, r->columns[TIME]);
    }
    r->log->prompt += request.prompt;
    r->log->output += request.output;
    array_push(&r->log->rows, request);
}

static void sort_rows(struct request_log *log) {
    struct request *sorted = order_sorted_by_time(
        log->rows.at, sizeof *log->rows.at, offsetof(struct request, time_ns), log->rows.count);
    if (!sorted)
        return;
    free(log->rows.at);
    log->rows.at = sorted;
    log->rows.capacity = log->rows.count;
}

/* Times from the first request on. */
static void end_log(struct reader *reader, const char *path) {
    struct request_log *log = reader->log;
    if (log->rows.count == 0) {
        problems_add(reader->problems, (struct location){.file = path}, NULL,
                     "the log holds no request");
        return;
    }
    sort_rows(log);
    log->last.file = path;
    int64_t first_ns = log->rows.at[0].time_ns;
    int64_t length_ns = log->rows.at[log->rows.count - 1].time_ns - first_ns;
    for (size_t i = 0; i < log->rows.count; i++)
        log->rows.at[i].time_ns -= first_ns;
    if (length_ns > (int64_t)TIME_MAX_S * NS_PER_S)
        problems_add(reader->problems, (struct location){.file = path}, NULL,
                     "expected a log of at most 4e9 s, got %.9g s", units_s(length_ns));
}

int request_log_read(struct request_log *log, const char *path, struct problems *problems) {
    struct reader r = {.log = log, .problems = problems, .last_ns = INT64_MIN};
    struct error error = {0};
    size_t before = problems->count;
    if (csv_open(path, ',', &r.csv, &error) < 0) {
        problems_add(problems, (struct location){0}, NULL, "%s", error.text);
        return ERROR_INPUT;
    }
    if (csv_needed_columns(r.csv, column_names, COLUMN_COUNT, r.columns, problems) == 0) {
        csv_each_row(r.csv, problems, read_request_row, &r);
        if (problems->count == before)
            end_log(&r, path);
    }
    csv_close(r.csv);
    return problems->count > before ? ERROR_INPUT : 0;
}

void request_log_finish(struct request_log *log) {
    free(log->rows.at);
    *log = (struct request_log){0};
}
