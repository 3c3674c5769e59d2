/* Distributions over jobs: see job_curves.h. */
#include "output/html/job_curves.h"

#include "metrics/job_stats.h"
#include "output/html/json_out.h"
#include "output/plot/source.h"

#include <math.h>
#include <stdlib.h>

#define MOST_POINTS 400
#define LAST_POINTS 40

enum { JCT, SLOWDOWN, WAIT, CURVES };

static const char *const curve_names[CURVES] = {"jct_s", "slowdown", "wait_s"};

/* Of one run: the values that there are. */
struct curve_values {
    ARRAY_OF(double) of[CURVES];
    size_t jobs;
};

static int read_values(const char *folder, struct curve_values *values, struct error *reterr) {
    static const char *const names[] = {"jct_s", "wait_s", "exec_s", NULL};
    struct plot_jobs jobs = {.csv = NULL};
    int columns[3], got;
    int r = plot_jobs_open(&jobs, folder, names, columns, reterr);
    while (r == 0 && (got = plot_jobs_next(&jobs, reterr)) != 0) {
        double jct = NAN, wait = NAN, exec = NAN;
        r = got < 0 ? got : plot_source_real(jobs.csv, columns[0], &jct, reterr);
        if (r == 0)
            r = plot_source_real(jobs.csv, columns[1], &wait, reterr);
        if (r == 0)
            r = plot_source_real(jobs.csv, columns[2], &exec, reterr);
        if (r < 0)
            break;
        values->jobs++;
        if (!isnan(jct))
            array_push(&values->of[JCT], jct);
        if (!isnan(jct) && !isnan(exec))
            array_push(&values->of[SLOWDOWN], job_stats_slowdown(jct, exec));
        if (!isnan(wait))
            array_push(&values->of[WAIT], wait);
    }
    plot_jobs_close(&jobs);
    return r;
}

/* The places of the points that are kept of n sorted values: the last one always. */
static size_t kept_place(size_t n, size_t point, size_t points) {
    if (n <= MOST_POINTS + LAST_POINTS)
        return point;
    size_t before = points - LAST_POINTS;
    return point < before ? (size_t)((double)point * (double)(n - LAST_POINTS) / (double)before)
                          : n - (points - point);
}

static void add_curve(struct str *out, const char *name, const double *sorted, size_t n,
                      size_t jobs) {
    size_t points = n <= MOST_POINTS + LAST_POINTS ? n : MOST_POINTS + LAST_POINTS;
    json_out_key(out, name);
    json_out_open(out, '{');
    json_out_member_int(out, "count", (int64_t)n);
    json_out_key(out, "x");
    json_out_open(out, '[');
    for (size_t i = 0; i < points; i++)
        json_out_short(out, sorted[kept_place(n, i, points)], 6);
    json_out_close(out, ']');
    json_out_key(out, "share");
    json_out_open(out, '[');
    for (size_t i = 0; i < points; i++)
        json_out_short(out, (double)(kept_place(n, i, points) + 1) / (double)jobs, 6);
    json_out_close(out, ']');
    json_out_close(out, '}');
}

int job_curves_add(struct str *out, const char *folder, struct error *reterr) {
    struct curve_values values = {0};
    json_out_key(out, "curves");
    if (!plot_source_exists(folder, "jobs.csv")) {
        json_out_text(out, NULL);
        return 0;
    }
    int r = read_values(folder, &values, reterr);
    if (r == 0) {
        json_out_open(out, '{');
        json_out_member_int(out, "jobs", (int64_t)values.jobs);
        for (int c = 0; c < CURVES; c++) {
            sort_array(values.of[c].at, values.of[c].count, by_real);
            add_curve(out, curve_names[c], values.of[c].at, values.of[c].count, values.jobs);
        }
        json_out_close(out, '}');
    }
    for (int c = 0; c < CURVES; c++)
        free(values.of[c].at);
    return r;
}
