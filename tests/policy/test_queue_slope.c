/* The slope of the number of waiting jobs: that of the least-squares line through samples of the
   queue, taken in the middle of steps that no change falls into. */
#include "../support/scenario.h"
#include "../support/temp_dir.h"
#include "metrics/metrics.h"

#include <criterion/criterion.h>
#include <math.h>

TestSuite(queue_slope, .init = temp_dir_enter, .fini = temp_dir_leave);

enum { SAMPLES_PER_S = 5000 };

/* One GPU: a holds it until 100, b until 130, c until 150. */
static const char jobs[] = "job_id,submit_s,gpus,duration_s\na,0,1,100\nb,10,1,30\nc,40,1,20\n";

static unsigned waiting_at(double t_s) {
    return (t_s > 10 && t_s < 100) + (t_s > 40 && t_s < 130);
}

static double slope_of_samples_per_h(double from_s, double to_s) {
    double middle_s = (from_s + to_s) / 2, above = 0, below = 0;
    for (int i = 0; i < (to_s - from_s) * SAMPLES_PER_S; i++) {
        double t_s = from_s + (i + 0.5) / SAMPLES_PER_S;
        above += (t_s - middle_s) * waiting_at(t_s);
        below += (t_s - middle_s) * (t_s - middle_s);
    }
    return above / below * 3600;
}

static void keep_slope(void *context, const struct replication *replication) {
    *(double *)context = queue_slope_per_h(&replication->metrics->queue, replication->sim);
}

static double slope_per_h(const char *horizon, const char *warmup) {
    double slope = 0;
    struct trial t;
    trial_run(&t, &(struct trial_options){.jobs = jobs, .look = keep_slope, .context = &slope},
              "name: n\nhorizon: %s\npolicy: {name: fcfs}\n" TRIAL_CLUSTER(
                  1) "workload: {kind: trace, file: jobs.csv, warmup: %s}\n",
              horizon, warmup);
    trial_must_succeed(&t);
    trial_finish(&t);
    return slope;
}

Test(queue_slope, of_the_least_squares_line) {
    static const double cases[][2] = {{200, 0},   {200, 5},   {200, 20}, {200, 50},
                                      {200, 110}, {200, 140}, {120, 0},  {50, 30}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char horizon[32], warmup[32];
        snprintf(horizon, sizeof horizon, "%g", cases[i][0]);
        snprintf(warmup, sizeof warmup, "%g", cases[i][1]);
        double found = slope_per_h(horizon, warmup);
        double expected = slope_of_samples_per_h(cases[i][1], cases[i][0]);
        cr_expect(fabs(found - expected) <= 1e-7 * fabs(expected) + 1e-9,
                  "from %g to %g s: %.12g jobs/h, not %.12g", cases[i][1], cases[i][0], found,
                  expected);
    }
}

/* Without a horizon the end is not a given length of time away. */
Test(queue_slope, needs_a_horizon) {
    cr_expect(isnan(slope_per_h("drain", "0")));
}
