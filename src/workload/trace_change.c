/* Changes of a recorded log: see trace_change.h. */
#include "workload/trace_change.h"

#include <math.h>
#include <stdlib.h>

const struct trace_changes trace_changes_none = {.until_s = INFINITY,
                                                 .first_row = 1,
                                                 .last_row = TRACE_CHANGE_MAX_ROW,
                                                 .load_scale = 1,
                                                 .compress = 1};

static bool is_slice(const struct trace_changes *changes) {
    return changes->from_s > 0 || changes->until_s < INFINITY || changes->first_row > 1 ||
           changes->last_row < TRACE_CHANGE_MAX_ROW;
}

bool trace_change_is_none(const struct trace_changes *changes) {
    return !is_slice(changes) && !changes->kill_at_request && changes->load_scale == 1 &&
           changes->compress == 1;
}

/* Where t = 0 of a log with a lead is. */
static int64_t zero_ns(const struct trace_changes *changes) {
    return units_ns(fmax(0, changes->from_s - changes->lead_s));
}

static int64_t compressed_ns(int64_t time_ns, double factor) {
    return units_ns(units_s(time_ns) / factor);
}

int64_t trace_change_lead_ns(const struct trace_changes *changes) {
    int64_t lead_ns = units_ns(changes->from_s) - zero_ns(changes);
    return changes->lead_s > 0 ? compressed_ns(lead_ns, changes->compress) : 0;
}

static void slice_jobs(struct trace *trace, const struct trace_changes *changes) {
    size_t kept = 0;
    int64_t number = 0;
    for (size_t i = 0; i < trace->rows.count; i++) {
        const struct trace_row row = trace->rows.at[i];
        double submit_s = units_s(row.submit_ns);
        bool before = submit_s < changes->from_s;
        if (before && changes->lead_s > 0 && row.submit_ns >= zero_ns(changes)) {
            trace_note(trace, false, "of the slice's lead, run as warm-up", row.line);
            trace->rows.at[kept++] = row;
            continue;
        }
        trace->is_cut = trace->is_cut || (before && changes->lead_s == 0) ||
                        (submit_s < changes->until_s && number + 1 < changes->first_row);
        if (!(submit_s >= changes->from_s && submit_s < changes->until_s)) {
            trace_note(trace, true, "outside of the slice of time", row.line);
            continue;
        }
        number++;
        if (number >= changes->first_row && number <= changes->last_row)
            trace->rows.at[kept++] = row;
        else
            trace_note(trace, true, "outside of the slice of rows", row.line);
    }
    trace->rows.count = kept;
}

static void kill_at_request(struct trace *trace) {
    for (size_t i = 0; i < trace->rows.count; i++) {
        struct trace_row *row = &trace->rows.at[i];
        if (!(row->duration_s > row->requested_s))
            continue;
        row->duration_s = row->requested_s;
        trace_note(trace, false, "run time cut at the requested time", row->line);
    }
}

static void request_run_time(struct trace *trace) {
    for (size_t i = 0; i < trace->rows.count; i++) {
        struct trace_row *row = &trace->rows.at[i];
        if (row->model || row->requested_s == row->duration_s)
            continue;
        row->requested_s = row->duration_s;
        trace_note(trace, false, "run time taken as the requested time", row->line);
    }
}

/* An id that is not among the known ones, of which it is one then: "ID~number", the next, ... In
   the arena of the trace. */
static const char *trace_change_copy_id(struct trace *trace, struct intern *ids, const char *id,
                                        unsigned number) {
    struct str name = {0};
    bool is_new = false;
    str_addf(&name, "%s~%u", id, number);
    while (intern(ids, name.text, name.length, &is_new), !is_new)
        str_add_char(&name, '~');
    id = arena_strdup(&trace->arena, name.text);
    str_finish(&name);
    return id;
}

/* A copy keeps its time of day: it moves by drawn days, from the log's end to its beginning. */
static int64_t copy_time(int64_t submit_ns, int64_t days, gsl_rng *rng) {
    int64_t moved = days > 1 ? 1 + (int64_t)gsl_rng_uniform_int(rng, (unsigned long)days - 1) : 0;
    return (submit_ns + moved * TRACE_DAY_NS) % (days * TRACE_DAY_NS);
}

/* Parts of it. A copy moves to another of the days; the rows are no longer in order. */
static void trace_change_scale_load(struct trace *trace, double scale, int64_t days, gsl_rng *rng) {
    size_t count = trace->rows.count;
    struct trace_row *rows = trace->rows.at;
    struct intern ids = {0};
    trace->rows.at = NULL;
    trace->rows.count = trace->rows.capacity = 0;
    for (size_t i = 0; i < count; i++)
        (void)intern(&ids, rows[i].id, strlen(rows[i].id), NULL);
    for (size_t i = 0; i < count; i++) {
        unsigned copies = (unsigned)floor(scale) + (gsl_rng_uniform(rng) < scale - floor(scale));
        if (copies == 0)
            trace_note(trace, true, "left out to scale the load", rows[i].line);
        else
            array_push(&trace->rows, rows[i]);
        for (unsigned c = 2; c <= copies; c++) {
            struct trace_row copy = rows[i];
            copy.id = trace_change_copy_id(trace, &ids, rows[i].id, c);
            copy.submit_ns = copy_time(rows[i].submit_ns, days, rng);
            copy.deadline_s += units_s(copy.submit_ns - rows[i].submit_ns);
            array_push(&trace->rows, copy);
            trace_note(trace, false, "repeated on another day to scale the load", copy.line);
        }
    }
    intern_finish(&ids);
    free(rows);
}

static void trace_change_compress(struct trace *trace, double factor) {
    for (size_t i = 0; i < trace->rows.count; i++) {
        struct trace_row *row = &trace->rows.at[i];
        int64_t before_ns = row->submit_ns;
        row->submit_ns = compressed_ns(before_ns, factor);
        row->deadline_s += units_s(row->submit_ns - before_ns);
    }
}

void trace_change(struct trace *trace, const struct trace_changes *changes) {
    bool has_lead = changes->lead_s > 0;
    if (is_slice(changes)) {
        slice_jobs(trace, changes);
        trace_sort(trace, !has_lead);
        trace_shift(trace, has_lead ? zero_ns(changes) : 0);
    }
    if (changes->kill_at_request)
        kill_at_request(trace);
    if (changes->estimate == ESTIMATE_RUN)
        request_run_time(trace);
    if (changes->load_scale != 1) {
        gsl_rng *rng = rng_create(changes->seed, 0, "load");
        size_t count = trace->rows.count;
        int64_t days = count > 0 ? trace->rows.at[count - 1].submit_ns / TRACE_DAY_NS + 1 : 1;
        trace_change_scale_load(trace, changes->load_scale, days, rng);
        gsl_rng_free(rng);
        trace_sort(trace, !has_lead);
    }
    if (changes->compress != 1)
        trace_change_compress(trace, changes->compress);
}

/* --- trace_perturb --- */

int64_t trace_perturb_days(const struct trace *trace) {
    size_t count = trace->rows.count;
    return count > 0 ? trace->rows.at[count - 1].submit_ns / TRACE_DAY_NS + 1 : 0;
}

/* No submit or deadline is later. */
static double farthest_s(const struct trace_perturb *p, const struct trace *trace) {
    double slack_s = 0, span_s = (double)trace_perturb_days(trace) * units_s(TRACE_DAY_NS);
    for (size_t i = 0; i < trace->rows.count; i++)
        slack_s =
            fmax(slack_s, trace->rows.at[i].deadline_s - units_s(trace->rows.at[i].submit_ns));
    return (isnan(p->compress) ? span_s : span_s / p->compress) + slack_s;
}

const char *trace_perturb_refusal(const struct trace_perturb *p, const struct trace *trace,
                                  struct arena *arena) {
    long long days = trace_perturb_days(trace);
    if (p->bootstrap_days == 0 && isnan(p->load_scale) && isnan(p->compress))
        return "expected bootstrap_days, load_scale or time_compression, got nothing";
    if (p->bootstrap_days > 0 && days < 2)
        return "bootstrap_days: the log has one day, and every draw of it would be that day";
    if (p->bootstrap_days >= days && p->bootstrap_days > 0)
        return arena_printf(arena,
                            "bootstrap_days: expected less than the %lld days of the log, got %lld",
                            days, (long long)p->bootstrap_days);
    if (farthest_s(p, trace) > TIME_MAX_S)
        return "a deadline or a submit could be beyond 4e9 s";
    return NULL;
}

/* Where the rows of a day begin. */
static size_t find_day(const struct trace *trace, int64_t day) {
    size_t row = 0;
    SEARCH(row, trace->rows.count, trace->rows.at[at].submit_ns < day * TRACE_DAY_NS)
    return row;
}

/* The jobs of one day of the log, as those of another day. */
static void add_day(const struct trace *trace, int64_t from, int64_t to, struct trace *drawn) {
    int64_t shift_ns = (to - from) * TRACE_DAY_NS;
    for (size_t i = find_day(trace, from);
         i < trace->rows.count && trace->rows.at[i].submit_ns < (from + 1) * TRACE_DAY_NS; i++) {
        struct trace_row row = trace->rows.at[i];
        row.submit_ns += shift_ns;
        row.deadline_s += units_s(shift_ns);
        array_push(&drawn->rows, row);
    }
}

/* The circular block bootstrap (Politis and Romano 1992): a block may begin on any day and goes on
   from the last day to the first, so that every day is drawn as often as any other. */
static void draw_days(const struct trace *trace, int64_t block, gsl_rng *rng, struct trace *drawn) {
    int64_t days = trace_perturb_days(trace), first = 0;
    for (int64_t day = 0; day < days; day++) {
        if (day % block == 0)
            first = (int64_t)gsl_rng_uniform_int(rng, (unsigned long)days);
        add_day(trace, (first + day % block) % days, day, drawn);
    }
}

/* The first of equal ids keeps it. */
static void name_again(struct trace *drawn) {
    struct intern ids = {0};
    for (size_t i = 0; i < drawn->rows.count; i++) {
        struct trace_row *row = &drawn->rows.at[i];
        bool is_new = false;
        (void)intern(&ids, row->id, strlen(row->id), &is_new);
        if (!is_new)
            row->id = trace_change_copy_id(drawn, &ids, row->id, 2);
    }
    intern_finish(&ids);
}

void trace_perturb_draw(const struct trace_perturb *p, const struct trace *trace, gsl_rng *rng,
                        struct trace *drawn) {
    *drawn = (struct trace){.rows_read = trace->rows_read};
    if (p->bootstrap_days > 0) {
        draw_days(trace, p->bootstrap_days, rng, drawn);
        name_again(drawn);
    } else {
        for (size_t i = 0; i < trace->rows.count; i++)
            array_push(&drawn->rows, trace->rows.at[i]);
    }
    if (!isnan(p->load_scale)) {
        trace_change_scale_load(drawn, p->load_scale, trace_perturb_days(trace), rng);
        trace_sort(drawn, false);
    }
    if (!isnan(p->compress))
        trace_change_compress(drawn, p->compress);
}
