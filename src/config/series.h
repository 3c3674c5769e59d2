/* Step functions of time from CSV files: power cap, price, carbon intensity. A row holds from its
   time to that of the next one. Values that need no file are constants and have no steps here. */
#ifndef EASIM_CONFIG_SERIES_H
#define EASIM_CONFIG_SERIES_H

#include "config/schema.h"

#include <math.h>

#define SERIES_LEAST_PERIOD_S 1e-3

/* What a series is of, and how its gaps and ends are read. */
struct series_kind {
    const char *path;          /* of the key in the scenario */
    const char *column;        /* unless the scenario names another */
    const struct field *value; /* type, range and default, of a constant and of each cell */
    /* A limit: none holds before the first row, an empty cell lifts it (INFINITY), the last one
       stays. Everything else: the run must lie inside the series; an empty cell is a gap in which
       the value before goes on. */
    bool is_limit;
};

struct series_step {
    int64_t time_ns;
    double value;
};

/* Bound by series_bind, filled in by series_load; all memory is in the binding's arena.
   Neighbouring steps differ in value. */
struct series {
    const struct series_kind *kind; /* NULL: a constant or absent */
    double constant;                /* holds if there is no kind */
    struct location where;          /* in the scenario */
    const char *file, *column, *time_column;
    bool repeat; /* or period_s: comes again after its end, with a period also before its begin */
    double period_s; /* of the scenario; NAN or 0: it gives none, and equal steps tell it */
    const struct yaml_node *repeat_node; /* `repeat` as written */
    bool has_dates;                      /* times are date-times, not seconds */
    struct series_step *steps;           /* ascending */
    size_t count;
    int64_t
        first_ns; /* time of the first row; with a period, of its last round that begins by t = 0 */
    int64_t end_ns; /* one period later, else the last row's time and once more the step before it;
                       TIME_NONE_NS: none, the last stays */
    uint64_t rows, gaps;     /* rows read; empty cells filled in */
    uint32_t first_gap_line; /* 0: none */
    int64_t shortest_ns,
        longest_ns; /* from one row to the next: missing rows show here; 0: there is only one */
};

/* node: NULL, a number (the constant), or {file, column, time_column, repeat, period}. The constant
   is the default of the kind unless a number is given. Negative after adding problems. */
int series_bind(struct series *series, const struct series_kind *kind, const struct yaml_node *node,
                const struct binding *binding) MUST_CHECK;

/* A series with a period repeats. Negative after adding a problem: the keys deny it. */
int series_bind_period(struct series *series, const struct binding *binding) MUST_CHECK;

/* Reads the file of a bound series; nothing to do without one. start_ns: the instant of t = 0 since
   1970, for date-times; TIME_NONE_NS: not known. Negative after adding problems. */
int series_load(struct series *series, int64_t start_ns, const struct binding *binding) MUST_CHECK;

/* Whether the series has a value from 0 to horizon_ns (TIME_NONE_NS: not known in advance, so only
   the beginning is checked). A limit always has. */
int series_check_cover(const struct series *series, int64_t horizon_ns,
                       const struct binding *binding) MUST_CHECK;

static inline bool series_is_given(const struct series *series) {
    return series->kind || !isnan(series->constant);
}
/* After which a repeated series comes again; 0: not repeated, or always the same. */
int64_t series_period_ns(const struct series *series);
/* Until when there is a value; TIME_NONE_NS: for ever. */
int64_t series_last_ns(const struct series *series);

/* A place in a series while time goes on: the step that comes next. */
struct series_cursor {
    const struct series *series;
    size_t next;
    int64_t shift_ns; /* added to the times of this round of a repeated series */
    double value;     /* present */
};

/* Goes to t = 0. */
void series_start(struct series_cursor *cursor, const struct series *series);
/* When the value changes next; TIME_NONE_NS: never. */
int64_t series_next_ns(const struct series_cursor *cursor);
/* Passes that change. */
void series_pass(struct series_cursor *cursor);

/* Rows of the keys of a series, the member `at` (with its dot; or nothing) of a struct. */
#define SERIES_ROWS(of, at, needed) \
    {LOCATION(of, at where)}, \
        {"file", PATH(of, at file), needed, \
         HELP("CSV file, plain, gz or zst; other columns are ignored")}, \
        {"column", TEXT(of, at column), \
         HELP("column of the values (default: the key's own name, of the cap power_w)")}, \
        {"time_column", TEXT(of, at time_column), \
         HELP("column of the times, strictly ascending (default: time_s, else timestamp)")}, \
        {"repeat", BOOL(of, at repeat), \
         HELP("without period: begin again after the end; needs three rows or more at equal " \
              "steps")}, \
        {"repeat", NODE(of, at repeat_node)}, { \
        "period", DURATION(of, at period_s), DEFAULT(NAN), \
            RANGE(SERIES_LEAST_PERIOD_S, TIME_MAX_S), \
            HELP("repeat the series after this time, and before its first row too") \
    }

extern const struct field series_fields[];
#endif
