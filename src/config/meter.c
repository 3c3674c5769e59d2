/* Readings of a power meter: see meter.h. */
#include "config/meter.h"

#include "base/array.h"
#include "base/units.h"
#include "config/csv_reader.h"

#include <math.h>
#include <stdlib.h>

#define METER_GAP_STEPS 1.5

#define METER_COVER 0.999

struct meter_row {
    double time_s, power_w; /* NAN: left out, and only the end of an interval */
    uint32_t line;
};

#define MOST_W 1e15 /* of a power, as everywhere */

static const struct field meter_columns[] = {
    {"time_s", REAL(meter_row, time_s), REQUIRED, RANGE(-TIME_MAX_S, TIME_MAX_S), HELP("seconds")},
    {"power_w", REAL(meter_row, power_w), REQUIRED, WITH_GAPS, WORD("nan"), RANGE(-MOST_W, MOST_W),
     DEFAULT(NAN), HELP("watts")},
    FIELDS_END};

struct reader {
    struct csv_reader csv;
    struct meter *meter;
    struct arena *arena;
    ARRAY_OF(struct meter_row) rows;
};

/* ---- Rows ---- */

static void read_meter_row(void *context) {
    struct reader *r = context;
    struct meter_row row = {.line = csv_reader_line(&r->csv)};
    if (!csv_reader_row(&r->csv, &row))
        return;
    row.time_s -= r->meter->offset_s;
    if (isnan(row.power_w))
        row_tally_add(&r->meter->missing, row.line);
    if (row.power_w < 0) {
        row_tally_add(&r->meter->negative, row.line);
        row.power_w = NAN;
    }
    if (r->rows.count > 0 && row.time_s < r->rows.at[r->rows.count - 1].time_s)
        row_tally_add(&r->meter->unsorted, row.line);
    array_push(&r->rows, row);
}

ORDER_BY(compare_meter_rows, struct meter_row, ASC(time_s) ASC(line))

/* ---- Intervals ---- */

/* Sorts, and leaves of each time the first row with a power, or else the first. */
static void order_rows(struct reader *reader) {
    size_t kept = 0;
    sort_array(reader->rows.at, reader->rows.count, compare_meter_rows);
    for (size_t i = 0; i < reader->rows.count; i++) {
        const struct meter_row row = reader->rows.at[i];
        struct meter_row *last = kept > 0 ? &reader->rows.at[kept - 1] : NULL;
        if (!last || last->time_s != row.time_s)
            reader->rows.at[kept++] = row;
        else if (isnan(last->power_w))
            *last = row;
        if (last && last->time_s == row.time_s)
            row_tally_add(&reader->meter->again, row.line);
    }
    reader->rows.count = kept;
}

/* The lower median, so that it is a step that there is. */
static double median_step_s(const struct reader *reader) {
    size_t count = reader->rows.count - 1;
    double *steps_s = mem_alloc(count * sizeof *steps_s);
    for (size_t i = 0; i < count; i++)
        steps_s[i] = reader->rows.at[i + 1].time_s - reader->rows.at[i].time_s;
    sort_array(steps_s, count, by_real);
    double median_s = steps_s[(count - 1) / 2];
    free(steps_s);
    return median_s;
}

static void make_readings(struct reader *reader) {
    struct meter *m = reader->meter;
    m->step_s = median_step_s(reader);
    m->gap_s = m->gap_s > 0 ? m->gap_s : METER_GAP_STEPS * m->step_s;
    m->at = arena_alloc(reader->arena, reader->rows.count * sizeof *m->at);
    for (size_t i = 0; i < reader->rows.count; i++) {
        const struct meter_row *row = &reader->rows.at[i];
        double since_s = i > 0 ? row->time_s - row[-1].time_s : m->step_s;
        if (isnan(row->power_w))
            continue;
        if (since_s > m->gap_s)
            row_tally_add(&m->gaps, row->line);
        double begin_s = row->time_s - (since_s > m->gap_s ? fmin(m->step_s, since_s) : since_s);
        m->at[m->count++] = (struct meter_reading){begin_s, row->time_s, row->power_w};
    }
}

int meter_load(struct meter *meter, struct arena *arena, struct problems *problems) {
    struct reader r = {
        .csv = {.columns = meter_columns, .problems = problems}, .meter = meter, .arena = arena};
    size_t before = problems->count;
    int status = csv_reader_load(&r.csv, meter->file, read_meter_row, &r);
    meter->rows = r.rows.count;
    order_rows(&r);
    if (status == 0 && r.rows.count < 2)
        problems_add(problems, (struct location){.file = meter->file}, NULL,
                     "expected readings at two times or more, got %zu", r.rows.count);
    meter->first_s = r.rows.count > 0 ? r.rows.at[0].time_s : NAN;
    if (problems->count == before)
        make_readings(&r);
    free(r.rows.at);
    return problems->count > before ? ERROR_INPUT : 0;
}

/* ---- Means ---- */

void meter_means(const struct meter *of, const struct meter_reading *intervals, size_t count,
                 double *means) {
    size_t next = 0;
    for (size_t i = 0; i < count; i++) {
        double begin_s = intervals[i].begin_s, end_s = intervals[i].end_s;
        double energy_j = 0, known_s = 0;
        while (next < of->count && of->at[next].end_s <= begin_s)
            next++;
        for (size_t r = next; r < of->count && of->at[r].begin_s < end_s; r++) {
            double both_s = fmin(end_s, of->at[r].end_s) - fmax(begin_s, of->at[r].begin_s);
            energy_j += both_s * of->at[r].power_w;
            known_s += both_s;
        }
        means[i] = known_s >= METER_COVER * (end_s - begin_s) ? energy_j / known_s : NAN;
    }
}

/* --- meter_errors --- */

#define METER_LEAST_HOUR 0.5 /* of an hour that must be predicted for it to count */

static bool is_chosen(const struct meter_curves *curves, size_t i, double from_s, double to_s) {
    return meter_reading_is_in(&curves->at[i], from_s, to_s) && !isnan(curves->predicted_w[i]);
}

struct meter_errors meter_errors_between(const struct meter_curves *curves, double from_s,
                                         double to_s) {
    struct meter_errors e = {.mean_w = NAN, .absolute = NAN, .energy = NAN, .r2 = NAN};
    double seconds = 0, metered_j = 0, predicted_j = 0, absolute_j = 0, squares = 0, spread = 0;
    for (size_t i = 0; i < curves->count; i++)
        if (is_chosen(curves, i, from_s, to_s)) {
            double s = meter_reading_s(&curves->at[i]), w = curves->at[i].power_w,
                   error_w = curves->predicted_w[i] - w;
            e.readings++;
            seconds += s;
            metered_j += s * w;
            predicted_j += s * curves->predicted_w[i];
            absolute_j += s * fabs(error_w);
            squares += s * error_w * error_w;
        }
    if (e.readings == 0)
        return e;
    e.hours = seconds / S_PER_H;
    e.mean_w = metered_j / seconds;
    for (size_t i = 0; i < curves->count; i++)
        if (is_chosen(curves, i, from_s, to_s))
            spread += meter_reading_s(&curves->at[i]) * pow(curves->at[i].power_w - e.mean_w, 2);
    e.absolute = metered_j > 0 ? absolute_j / metered_j : NAN;
    e.energy = metered_j > 0 ? predicted_j / metered_j - 1 : NAN;
    e.r2 = spread > 0 ? 1 - squares / spread : NAN;
    return e;
}

static double hour_error_w(const struct meter_hour *hour) {
    return fabs(hour->predicted_w - hour->measured_w);
}

/* Keeps the worst, in order; the earlier one of equals first. */
static size_t keep_hour(struct meter_hour *worst, size_t count, size_t most,
                        const struct meter_hour *hour) {
    size_t at = count;
    while (at > 0 && hour_error_w(&worst[at - 1]) < hour_error_w(hour))
        at--;
    if (at == most)
        return count;
    count = count < most ? count + 1 : most;
    for (size_t i = count - 1; i > at; i--)
        worst[i] = worst[i - 1];
    worst[at] = *hour;
    return count;
}

size_t meter_worst_hours(const struct meter_curves *curves, double from_s, double to_s,
                         struct meter_hour *worst, size_t most) {
    size_t count = 0;
    for (size_t i = 0; i < curves->count;) {
        double number = floor((curves->at[i].begin_s + curves->at[i].end_s) / 2 / S_PER_H);
        double seconds = 0, metered_j = 0, predicted_j = 0;
        for (; i < curves->count; i++) {
            double s = meter_reading_s(&curves->at[i]);
            if (floor((curves->at[i].begin_s + curves->at[i].end_s) / 2 / S_PER_H) != number)
                break;
            if (!is_chosen(curves, i, from_s, to_s))
                continue;
            seconds += s;
            metered_j += s * curves->at[i].power_w;
            predicted_j += s * curves->predicted_w[i];
        }
        if (seconds < METER_LEAST_HOUR * S_PER_H)
            continue;
        const struct meter_hour hour = {number * S_PER_H, metered_j / seconds,
                                        predicted_j / seconds};
        count = keep_hour(worst, count, most, &hour);
    }
    return count;
}
