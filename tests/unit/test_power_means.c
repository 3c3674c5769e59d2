/* Mean power of intervals, worked out by hand and against the energy of the run. */
#include "../support/scenario.h"
#include "../support/temp_dir.h"
#include "metrics/metrics.h"

#include <criterion/criterion.h>

#define W 1000000000LL /* in nanowatts */

/* One job of 1 GPU of 3, utilization 0.5 (225 W), from 5 to 25 s; two or three others idle at 50 W
   each, so 150 W and 325 W, to the horizon at 40 s. */
static void run_job(struct power_means *means, int64_t step_ns) {
    struct trial t;
    power_means_init(means, step_ns);
    trial_run(&t,
              &(struct trial_options){
                  .jobs = "job_id,submit_s,gpus,duration_s,utilization\na,5,1,20,0.5\n",
                  .watch = &means->observer},
              "name: n\nhorizon: 40\npolicy: {name: fcfs}\n" TRIAL_CLUSTER(3) TRIAL_JOBS);
    trial_must_succeed(&t);
    trial_finish(&t);
    cr_assert_eq(power_means_close(means, &(struct error){0}), 0);
}

Test(power_means, by_hand, .init = temp_dir_enter, .fini = temp_dir_leave) {
    static const struct {
        int64_t step_ns;
        size_t count;
        int64_t nw[5], end_ns;
    } cases[] = {
        /* (5 x 150 + 7 x 325) / 12; whole; (1 x 325 + 11 x 150) / 12; 4 s are left */
        {12 * W, 4, {(5 * 150 + 7 * 325) * W / 12, 325 * W, 1975 * W / 12, 150 * W}, 40 * W},
        {10 * W, 4, {2375 * W / 10, 325 * W, 2375 * W / 10, 150 * W}, 40 * W},
        {40 * W, 1, {(20 * 150 + 20 * 325) * W / 40}, 40 * W},
        {41 * W, 1, {(20 * 150 + 20 * 325) * W / 40}, 40 * W},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct power_means means;
        run_job(&means, cases[c].step_ns);
        cr_assert_eq(means.at_nw.count, cases[c].count, "case %zu: %zu", c, means.at_nw.count);
        for (size_t i = 0; i < cases[c].count; i++)
            cr_expect_eq(means.at_nw.at[i], cases[c].nw[i], "case %zu, interval %zu: %lld", c, i,
                         (long long)means.at_nw.at[i]);
        cr_expect_eq(power_means_end_ns(&means, 0),
                     cases[c].step_ns < 40 * W ? cases[c].step_ns : 40 * W);
        cr_expect_eq(power_means_end_ns(&means, cases[c].count - 1), cases[c].end_ns);
        power_means_finish(&means);
    }
}

/* However the run is cut, means times lengths are its energy, but for half a nanowatt each. */
Test(power_means, energy_of_the_run, .init = temp_dir_enter, .fini = temp_dir_leave) {
    static const int64_t steps_ns[] = {1 * W, 7 * W / 3, 2385000001, 5 * W, 39 * W};
    const double joules = 20 * 150 + 20 * 325;
    for (size_t c = 0; c < sizeof steps_ns / sizeof *steps_ns; c++) {
        struct power_means means;
        run_job(&means, steps_ns[c]);
        int128 energy = 0;
        int64_t begin_ns = 0;
        for (size_t i = 0; i < means.at_nw.count; i++) {
            int64_t end_ns = power_means_end_ns(&means, i);
            cr_assert_gt(end_ns, begin_ns);
            energy += (int128)means.at_nw.at[i] * (end_ns - begin_ns);
            begin_ns = end_ns;
        }
        cr_expect_eq(begin_ns, 40 * W);
        double off_j = power_j(energy) - joules;
        cr_expect(off_j <= 20.001e-9 && off_j >= -20.001e-9, "%.17g J off", off_j);
        power_means_finish(&means);
    }
}
