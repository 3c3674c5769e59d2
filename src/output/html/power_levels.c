/* Writes power over time for the page: power.csv of one replication at several levels of detail. */
#include "output/html/internal.h"

#include "output/plot/source.h"

#include <math.h>
#include <stdlib.h>

#define MOST_EXACT 3000 /* rows */

static const size_t bin_counts[] = {600, 6000};

enum quantity { POWER, CAP, WAITING, ALLOC, IDLE, FAILED, ALWAYS, THROTTLED = ALWAYS, QUANTITIES };

static const char *const names[] = {"power_w",    "cap_w",       "waiting",
                                    "alloc_gpus", "idle_gpus",   "failed_gpus",
                                    "time_s",     "replication", NULL};
static const char throttled_name[] = "throttled_gpus"; /* only with an enforced cap */

struct power_levels_power_row {
    double time_s, of[QUANTITIES];
};

struct power_rows {
    ARRAY_OF(struct power_levels_power_row) at;
    double end_s;
    bool has_cap, has_throttled;
};

/* One bin, or one row: means and extremes of what held in it. */
struct power_bin {
    double time_s, mean[QUANTITIES], low_w, high_w;
};

static int read_rows(const char *folder, int64_t replication, struct power_rows *rows,
                     struct error *reterr) {
    struct csv *csv = NULL;
    int columns[ALWAYS + 2], got;
    int r = plot_source_table(folder, "power.csv", names, columns, &csv, reterr);
    int throttled = r < 0 ? -1 : csv_column(csv, throttled_name);
    rows->has_throttled = throttled >= 0;
    while (r == 0 && (got = csv_next(csv, reterr)) != 0) {
        double of = 0;
        r = got < 0 ? got : plot_source_real(csv, columns[ALWAYS + 1], &of, reterr);
        if (r < 0 || of != (double)replication)
            continue;
        struct power_levels_power_row *row = array_add(&rows->at);
        r = plot_source_real(csv, columns[ALWAYS], &row->time_s, reterr);
        for (int q = 0; q < ALWAYS && r == 0; q++)
            r = plot_source_real(csv, columns[q], &row->of[q], reterr);
        if (r == 0 && throttled >= 0)
            r = plot_source_real(csv, throttled, &row->of[THROTTLED], reterr);
        if (r == 0 &&
            (isnan(row->time_s) ||
             (rows->at.count > 1 && row->time_s < rows->at.at[rows->at.count - 2].time_s)))
            r = error_set(reterr, ERROR_INPUT, "%s/power.csv:%u: expected times that do not fall",
                          folder, csv_where(csv, -1).line);
        rows->has_cap = rows->has_cap || !isnan(row->of[CAP]);
    }
    csv_close(csv);
    return r;
}

static double row_end(const struct power_rows *rows, size_t i) {
    return i + 1 < rows->at.count ? rows->at.at[i + 1].time_s : rows->end_s;
}

/* Means over [from_s, to_s); *row is the one that holds at from_s, and moves on to that at to_s. */
static struct power_bin bin_of(const struct power_rows *rows, size_t *row, double from_s,
                               double to_s) {
    struct power_bin bin = {.time_s = from_s, .low_w = INFINITY, .high_w = -INFINITY};
    double weights[QUANTITIES] = {0};
    for (size_t i = *row; i < rows->at.count && rows->at.at[i].time_s < to_s; i++) {
        const struct power_levels_power_row *at = &rows->at.at[i];
        double length_s = fmin(to_s, row_end(rows, i)) - fmax(from_s, at->time_s);
        *row = i;
        if (length_s <= 0)
            continue;
        for (int q = 0; q < QUANTITIES; q++)
            if (!isnan(at->of[q])) {
                bin.mean[q] += at->of[q] * length_s;
                weights[q] += length_s;
            }
        bin.low_w = fmin(bin.low_w, at->of[POWER]);
        bin.high_w = fmax(bin.high_w, at->of[POWER]);
    }
    for (int q = 0; q < QUANTITIES; q++)
        bin.mean[q] = weights[q] > 0 ? bin.mean[q] / weights[q] : NAN;
    return bin;
}

static void add_bins(struct str *out, const struct power_bin *bins, size_t count,
                     const struct power_rows *rows) {
    ADD_COLUMN(out, "time_s", count, i, json_out_short(out, bins[i].time_s, 9));
    for (int q = 0; q < QUANTITIES; q++)
        if ((q != CAP || rows->has_cap) && (q != THROTTLED || rows->has_throttled))
            ADD_COLUMN(out, q == THROTTLED ? throttled_name : names[q], count, i,
                       json_out_short(out, bins[i].mean[q], 5));
    ADD_COLUMN(out, "low_w", count, i, json_out_short(out, bins[i].low_w, 5));
    ADD_COLUMN(out, "high_w", count, i, json_out_short(out, bins[i].high_w, 5));
}

/* count 0: every row by itself. */
static void add_level(struct str *out, const struct power_rows *rows, size_t count) {
    size_t all = count > 0 ? count : rows->at.count, row = 0;
    struct power_bin *bins = mem_zalloc(all, sizeof *bins);
    double step_s = count > 0 ? rows->end_s / (double)count : NAN;
    for (size_t i = 0; i < all; i++)
        if (count > 0)
            bins[i] = bin_of(rows, &row, (double)i * step_s, (double)(i + 1) * step_s);
        else {
            bins[i].time_s = rows->at.at[i].time_s;
            memcpy(bins[i].mean, rows->at.at[i].of, sizeof bins[i].mean);
            bins[i].low_w = bins[i].high_w = bins[i].mean[POWER];
        }
    json_out_open(out, '{');
    json_out_member_real(out, "step_s", step_s);
    add_bins(out, bins, all, rows);
    json_out_close(out, '}');
    free(bins);
}

static void add_levels(struct str *out, const struct power_rows *rows) {
    json_out_open(out, '{');
    json_out_member_real(out, "end_s", rows->end_s);
    json_out_member_int(out, "rows", (int64_t)rows->at.count);
    json_out_member_open(out, "levels", '[');
    if (rows->at.count <= MOST_EXACT)
        add_level(out, rows, 0);
    else
        for (size_t i = 0; i < sizeof bin_counts / sizeof *bin_counts; i++)
            add_level(out, rows, bin_counts[i]);
    json_out_close(out, ']');
    json_out_close(out, '}');
}

int power_levels_add(struct str *out, const char *folder, int64_t replication, double least_end_s,
                     struct error *reterr) {
    struct power_rows rows = {0};
    int r = 0;
    json_out_key(out, "power");
    if (plot_source_exists(folder, "power.csv"))
        r = read_rows(folder, replication, &rows, reterr);
    if (rows.at.count > 0)
        rows.end_s = fmax(least_end_s, rows.at.at[rows.at.count - 1].time_s);
    if (r == 0 && rows.end_s > 0)
        add_levels(out, &rows);
    else
        json_out_text(out, NULL);
    free(rows.at.at);
    return r;
}
