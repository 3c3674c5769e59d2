/* Demand of services: see service_demand.h. Invariant: neighbouring steps of a series differ, the
   first is at t = 0 or before, and the demand over whole bins of a log is what the log holds. */
#include "workload/service_demand.h"

#include "base/datetime.h"
#include "base/units.h"
#include "config/csv_reader.h"
#include "workload/trace.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- request_log --- */

/* Zero-initialise; release with request_log_finish. Rows are in order of time. */
struct request_log {
    ARRAY_OF(struct request) rows;
    double prompt, output;         /* tokens of all rows */
    struct row_tally empty;        /* rows without an output token */
    struct row_tally out_of_order; /* rows earlier than one before them: sorted in */
    struct location last;          /* where the time of the latest row is */
};

static int request_log_read(struct request_log *log, const char *path,
                            struct problems *problems) MUST_CHECK;

#define MOST_TOKENS 1e9 /* of one request */

#define TOKENS RANGE(0, MOST_TOKENS), HELP("tokens, a whole number")

struct request_row {
    uint32_t prompt, output;
};

static const struct field request_columns[] = {
    {"TIMESTAMP", CELL, REQUIRED, WITH_GAPS},
    {"ContextTokens", COUNT(request_row, prompt), REQUIRED, TOKENS},
    {"GeneratedTokens", COUNT(request_row, output), REQUIRED, TOKENS},
    FIELDS_END};

struct reader {
    struct csv_reader csv;
    struct request_row row; /* the current one */
    struct request_log *log;
    int64_t last_ns; /* the latest so far */
};

static void read_request_row(void *context) {
    struct reader *r = context;
    struct request request;
    struct slice time = csv_reader_cell(&r->csv, "TIMESTAMP");
    uint32_t line = csv_reader_line(&r->csv);
    bool dated = datetime_parse(time.at, time.length, &request.time_ns);
    if (!dated)
        csv_reader_refuse(&r->csv, "TIMESTAMP", "a date-time such as 2023-11-16 18:17:03.98");
    if (!csv_reader_row(&r->csv, &r->row) || !dated)
        return;
    request.prompt = r->row.prompt;
    request.output = r->row.output;
    if (request.output == 0)
        row_tally_add(&r->log->empty, line);
    if (request.time_ns < r->last_ns) {
        row_tally_add(&r->log->out_of_order, line);
    } else {
        r->last_ns = request.time_ns;
        r->log->last = csv_reader_where(&r->csv, "TIMESTAMP");
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
        problems_add(reader->csv.problems, (struct location){.file = path}, NULL,
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
        problems_add(reader->csv.problems, (struct location){.file = path}, NULL,
                     "expected a log of at most 4e9 s, got %.9g s", units_s(length_ns));
}

/* Reads path, plain, gz or zst. Negative after adding problems. */
static int request_log_read(struct request_log *log, const char *path, struct problems *problems) {
    struct reader r = {.log = log, .last_ns = INT64_MIN};
    r.csv = (struct csv_reader){.columns = request_columns, .problems = problems, READ_INTO(r.row)};
    size_t before = problems->count;
    if (csv_reader_load(&r.csv, path, read_request_row, &r) == 0)
        end_log(&r, path);
    return problems->count > before ? ERROR_INPUT : 0;
}

static void request_log_finish(struct request_log *log) {
    free(log->rows.at);
    *log = (struct request_log){0};
}

/* --- service_demand --- */

#define MOST_PER_S 1e12
#define DAY_S      86400.0
#define LOG_BIN_S  10.0
#define LAW_BIN_S  300.0
#define MOST_BIN_S 1e6
#define MOST_BINS  1e6 /* of a diurnal law */

static const char *const format_names[] = {"series", "azure-llm", NULL};

const struct field service_demand_fields[] = {
    {LOCATION(service_demand, where)},
    {"tokens_per_s", REAL(service_demand, tokens_per_s), DEFAULT(NAN), RANGE(0, MOST_PER_S),
     HELP("constant demand of a model of tokens; with amplitude the mean")},
    {"outputs_per_s", REAL(service_demand, outputs_per_s), DEFAULT(NAN), RANGE(0, MOST_PER_S),
     HELP("the same for a model of outputs")},
    {"amplitude", REAL(service_demand, amplitude), DEFAULT(NAN), RANGE(0, 1),
     HELP("demand x (1 + amplitude cos(2 pi (t - peak) / period)), means of bins (default: none)")},
    {"period", DURATION(service_demand, series.period_s), DEFAULT(NAN),
     RANGE(SERIES_LEAST_PERIOD_S, MOST_BIN_S * 1000),
     HELP("of amplitude: cycle (default 24h); file: repeat after this time, a log in whole bins")},
    {"peak", DURATION(service_demand, peak_s), DEFAULT(NAN), RANGE(0, TIME_MAX_S),
     HELP("with amplitude: time of the highest demand (default 14h)")},
    {"file", PATH(service_demand, series.file),
     HELP("series or log in place of these, plain, gz or zst")},
    {"format", CHOICE(service_demand, format, format_names),
     HELP("series: CSV of time_s, tokens_per_s; azure-llm: TIMESTAMP, ContextTokens, "
          "GeneratedTokens (Azure Public Dataset of 2023 and 2024)")},
    {"column", TEXT(service_demand, series.column),
     HELP("series: column of the values (default tokens_per_s, for outputs outputs_per_s)")},
    {"time_column", TEXT(service_demand, series.time_column),
     HELP("series: column of the times (default: time_s, else timestamp)")},
    {"bin", DURATION(service_demand, bin_s), DEFAULT(NAN), RANGE(1e-3, MOST_BIN_S),
     HELP("time over which demand is constant (default 10s of a log, 5min with amplitude)")},
    {"scale", REAL(service_demand, scale), DEFAULT(1), ABOVE(0, 1e6),
     HELP("factor on the demand of the file")},
    {"repeat", BOOL(service_demand, series.repeat),
     HELP("begin again after the end: a log after its last bin, a series of equal steps")},
    {"repeat", NODE(service_demand, series.repeat_node)},
    {"prompt_ratio", REAL(service_demand, prompt_ratio), DEFAULT(NAN), RANGE(0, 1e6),
     HELP("prompt tokens of an output token; for output_equivalents, except for a log")},
    FIELDS_END};

static const struct field cell_field = {.type = FIELD_REAL, RANGE(0, MOST_PER_S)};

/* What one load knows. */
struct loader {
    struct service_demand *demand;
    const struct demand_ask *ask;
    const struct binding *binding;
    ARRAY_OF(struct series_step) steps;
};

__attribute__((format(printf, 2, 3))) static void refuse_demand(const struct loader *loader,
                                                                const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const char *text = arena_vprintf(loader->binding->arena, format, arguments);
    va_end(arguments);
    problems_add(loader->binding->problems, loader->demand->where, loader->ask->path, "%s", text);
}

/* ---- Keys ---- */

static bool is_diurnal(const struct service_demand *demand) {
    return !isnan(demand->amplitude);
}

/* Keys that say something only about other forms are problems, not noise. */
static void check_forms(const struct loader *loader) {
    const struct service_demand *d = loader->demand;
    bool outputs = loader->ask->unit == UNIT_OUTPUT,
         log = d->series.file && d->format == DEMAND_AZURE_LLM;
    int forms = !isnan(d->tokens_per_s) + !isnan(d->outputs_per_s) + (d->series.file != NULL);
    bool counts_prompts = !isnan(loader->ask->prompt.output_equivalents);
    const struct {
        bool wrong;
        const char *text;
    } rules[] = {
        {forms == 0, outputs ? "expected outputs_per_s or file, got neither"
                             : "expected tokens_per_s or file, got neither"},
        {forms > 1, "expected one of tokens_per_s, outputs_per_s and file, got several"},
        {outputs && !isnan(d->tokens_per_s),
         "tokens_per_s belongs to models of tokens: this one counts outputs"},
        {!outputs && !isnan(d->outputs_per_s),
         "outputs_per_s belongs to models of outputs: this one counts tokens"},
        {outputs && log, "format: azure-llm counts tokens, but this model counts outputs"},
        {d->series.file && is_diurnal(d), "amplitude belongs to tokens_per_s or outputs_per_s"},
        {!is_diurnal(d) && !d->series.file && !isnan(d->series.period_s),
         "period needs amplitude or file: without them demand is constant"},
        {!is_diurnal(d) && !isnan(d->peak_s), "peak needs amplitude"},
        {!is_diurnal(d) && !log && !isnan(d->bin_s),
         "bin belongs to amplitude, or to format: azure-llm"},
        {!d->series.file && (d->series.repeat || d->scale != 1 || d->format != DEMAND_SERIES ||
                             d->series.column || d->series.time_column),
         "format, column, time_column, scale and repeat belong to file"},
        {log && (d->series.column || d->series.time_column),
         "column and time_column belong to format: series: a log has its own"},
        {log && !isnan(d->prompt_ratio), "prompt_ratio does not belong to a log, which has it"},
        {outputs && !isnan(d->prompt_ratio), "prompt_ratio belongs to models of tokens"},
        {forms == 1 && !log && counts_prompts && isnan(d->prompt_ratio),
         "key \"prompt_ratio\" is missing: the model counts prompts (output_equivalents)"},
    };
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (rules[i].wrong)
            refuse_demand(loader, "%s", rules[i].text);
}

/* ---- Series ---- */

static void add_step(struct loader *loader, int64_t time_ns, double per_s) {
    if (loader->steps.count == 0 || loader->steps.at[loader->steps.count - 1].value != per_s)
        array_push(&loader->steps, ((struct series_step){time_ns, per_s}));
}

/* Without repeat nothing is asked for from end_ns on. */
static void end_series(struct loader *loader, int64_t end_ns, bool repeat) {
    struct service_demand *d = loader->demand;
    if (!repeat && end_ns != TIME_NONE_NS)
        add_step(loader, end_ns, 0);
    d->series.repeat = repeat;
    d->series.end_ns = end_ns;
    d->end_ns = repeat ? TIME_NONE_NS : end_ns;
    d->series.count = loader->steps.count;
    d->series.steps =
        arena_alloc(loader->binding->arena, d->series.count * sizeof *d->series.steps);
    memcpy(d->series.steps, loader->steps.at, d->series.count * sizeof *d->series.steps);
}

/* Prompts that count make demand larger than what is put out, by this factor. */
static double equivalents_per_output(const struct loader *loader) {
    double q = loader->ask->prompt.output_equivalents, ratio = loader->demand->prompt_ratio;
    return isnan(q) || isnan(ratio) ? 1 : 1 + q * ratio;
}

static double stated_per_s(const struct service_demand *demand) {
    return isnan(demand->tokens_per_s) ? demand->outputs_per_s : demand->tokens_per_s;
}

static void load_constant(struct loader *loader) {
    add_step(loader, 0, stated_per_s(loader->demand) * equivalents_per_output(loader));
    end_series(loader, TIME_NONE_NS, false);
}

/* mean (1 + A cos(2 pi (t - peak)/period)) in the mean over each bin. */
static void load_diurnal(struct loader *loader) {
    const struct service_demand *d = loader->demand;
    double period_s = isnan(d->series.period_s) ? DAY_S : d->series.period_s;
    double peak_s = isnan(d->peak_s) ? 14 * S_PER_H : d->peak_s;
    int64_t period_ns = units_ns(period_s);
    int64_t bin_ns = units_ns(isnan(d->bin_s) ? fmin(LAW_BIN_S, period_s) : d->bin_s);
    int64_t bins = period_ns / bin_ns;
    if (bins < 1 || period_ns % bin_ns != 0 || (double)bins > MOST_BINS) {
        refuse_demand(loader,
                      "expected a period of whole bins, at most %.0f, got bin %.9g s in %.9g s",
                      MOST_BINS, units_s(bin_ns), period_s);
        return;
    }
    double mean = stated_per_s(d) * equivalents_per_output(loader);
    double turn = 2 * M_PI / (double)bins, shift = 2 * M_PI * fmod(peak_s, period_s) / period_s;
    for (int64_t i = 0; i < bins; i++) {
        double rise = sin(turn * (double)(i + 1) - shift) - sin(turn * (double)i - shift);
        add_step(loader, i * bin_ns, fmax(mean * (1 + d->amplitude * rise / turn), 0));
    }
    end_series(loader, period_ns, true);
}

static void load_series(struct loader *loader) {
    struct service_demand *d = loader->demand;
    if (!d->series.column)
        d->series.column = loader->ask->unit == UNIT_OUTPUT ? "outputs_per_s" : "tokens_per_s";
    if (series_load(&d->series, loader->ask->start_ns, loader->binding) < 0)
        return;
    if (d->series.first_ns > 0) {
        refuse_demand(loader,
                      "expected demand from t = 0 on or a period, got it from t = %.9g s on "
                      "(%s)",
                      units_s(d->series.first_ns), d->series.file);
        return;
    }
    double factor = d->scale * equivalents_per_output(loader);
    for (size_t i = 0; i < d->series.count; i++)
        add_step(loader, d->series.steps[i].time_ns, d->series.steps[i].value * factor);
    end_series(loader, d->series.end_ns, d->series.repeat);
}

/* Of a log: whole bins, with all requests in them. */
static bool check_period(const struct loader *loader, const struct request_log *log,
                         int64_t bin_ns) {
    const struct service_demand *d = loader->demand;
    int64_t period_ns = units_ns(d->series.period_s),
            last_ns = log->rows.at[log->rows.count - 1].time_ns;
    if (period_ns % bin_ns != 0)
        refuse_demand(loader, "expected a period of whole bins, got bin %.9g s in %.9g s",
                      units_s(bin_ns), d->series.period_s);
    if (last_ns >= period_ns)
        problems_add(loader->binding->problems, log->last, "TIMESTAMP",
                     "expected a time less than the period of %.9g s after the first request, got "
                     "one %.9g s after it",
                     d->series.period_s, units_s(last_ns));
    return period_ns % bin_ns == 0 && last_ns < period_ns;
}

/* Tokens of each bin over its length; bins without a request are 0. */
static void bin_requests(struct loader *loader, const struct request_log *log, int64_t bin_ns) {
    const struct service_demand *d = loader->demand;
    double q = loader->ask->prompt.output_equivalents;
    double factor = d->scale / units_s(bin_ns);
    int64_t next = 0; /* the first bin without a step */
    for (size_t i = 0; i < log->rows.count;) {
        int64_t bin = log->rows.at[i].time_ns / bin_ns;
        double tokens = 0;
        for (; i < log->rows.count && log->rows.at[i].time_ns / bin_ns == bin; i++)
            tokens += log->rows.at[i].output + (isnan(q) ? 0 : q * log->rows.at[i].prompt);
        if (bin > next)
            add_step(loader, next * bin_ns, 0);
        add_step(loader, bin * bin_ns, tokens * factor);
        next = bin + 1;
    }
    int64_t end_ns = isnan(d->series.period_s) ? next * bin_ns : units_ns(d->series.period_s);
    if (next * bin_ns < end_ns)
        add_step(loader, next * bin_ns, 0);
    end_series(loader, end_ns, d->series.repeat);
}

static void load_log(struct loader *loader) {
    struct service_demand *d = loader->demand;
    struct request_log log = {.rows = {0}};
    if (schema_can_read(loader->binding, d->series.file) &&
        request_log_read(&log, d->series.file, loader->binding->problems) == 0) {
        d->requests = log.rows.count;
        d->prompt = log.prompt;
        d->output = log.output;
        d->empty = log.empty;
        d->out_of_order = log.out_of_order;
        d->prompt_ratio = log.output > 0 ? log.prompt / log.output : NAN;
        int64_t bin_ns = units_ns(service_demand_bin_s(d));
        if (isnan(d->series.period_s) || check_period(loader, &log, bin_ns))
            bin_requests(loader, &log, bin_ns);
        if (log.output == 0 && !isnan(loader->ask->prompt.output_equivalents))
            refuse_demand(loader, "expected a log with output tokens, %s has none", d->series.file);
    }
    request_log_finish(&log);
}

int service_demand_load(struct service_demand *demand, const struct demand_ask *ask,
                        const struct binding *binding) {
    struct loader loader = {.demand = demand, .ask = ask, .binding = binding};
    size_t before = binding->problems->count;
    struct series_kind *kind = arena_alloc(binding->arena, sizeof *kind);
    *kind = (struct series_kind){.path = ask->path, .value = &cell_field};
    demand->series.kind = kind;
    demand->series.where = demand->where;
    check_forms(&loader);
    if (demand->series.file && series_bind_period(&demand->series, binding) < 0)
        return ERROR_INPUT;
    if (binding->problems->count == before)
        (demand->series.file  ? demand->format == DEMAND_AZURE_LLM ? load_log : load_series
         : is_diurnal(demand) ? load_diurnal
                              : load_constant)(&loader);
    demand->output_share = 1 / equivalents_per_output(&loader);
    free(loader.steps.at);
    return binding->problems->count > before ? ERROR_INPUT : 0;
}

double service_demand_bin_s(const struct service_demand *demand) {
    return isnan(demand->bin_s) ? LOG_BIN_S : demand->bin_s;
}

bool service_demand_is_none(const struct service_demand *demand) {
    size_t i = 0;
    while (i < demand->series.count && demand->series.steps[i].value == 0)
        i++;
    return i == demand->series.count;
}

/* If it grows in a round as a whole, it falls most within two. */
double service_demand_most_fall(const struct service_demand *demand, double per_s) {
    struct series_cursor cursor;
    int64_t period_ns = series_period_ns(&demand->series);
    series_start(&cursor, &demand->series);
    if (period_ns == 0)
        return series_next_ns(&cursor) == TIME_NONE_NS && cursor.value > per_s ? 0 : INFINITY;
    double fall = 0, most = 0, of_rounds = 0;
    for (int64_t from_ns = 0, to_ns; from_ns < 2 * period_ns; from_ns = to_ns) {
        to_ns = series_next_ns(&cursor) < 2 * period_ns ? series_next_ns(&cursor) : 2 * period_ns;
        double change = (per_s - cursor.value) * units_s(to_ns - from_ns);
        of_rounds += change;
        fall = fmax(fall + change, 0);
        most = fmax(most, fall);
        series_pass(&cursor);
    }
    return of_rounds < 0 ? most : INFINITY;
}
