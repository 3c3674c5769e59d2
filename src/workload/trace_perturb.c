/* Perturbed logs: see trace_perturb.h. */
#include "workload/trace_perturb.h"

#include "base/units.h"
#include "workload/trace_change.h"

#include <math.h>

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
