/* Queues with known mean waits, under fcfs. Job sizes have mean S = 100 s, load rho = lambda * S /
   c. M/M/c: Wq = C * S / (c - a), a = c * rho, C = Erlang's C = P(wait) C = (a^c/c! * c/(c - a)) /
   (sum over n < c of a^n/n! + a^c/c! * c/(c - a))     (c = 1: C = rho) M/D/1: Wq = rho * S / (2 *
   (1 - rho))     (Pollaczek-Khinchine: lambda * E[S^2] / (2 * (1 - rho))) The mean over
   replications must lie within the 99 % t-interval around the closed form. Arrivals end after a
   number of jobs and the run drains, so that no wait is cut off; waits of the warm-up do not count.
 */
#include "../support/scenario.h"
#include "../support/temp_dir.h"

#include <criterion/criterion.h>
#include <gsl/gsl_cdf.h>
#include <math.h>

TestSuite(queues, .init = temp_dir_enter, .fini = temp_dir_leave);

#define SIZE_S       100.0
#define JOBS         30000
#define REPLICATIONS 16

static double erlang_c(int servers, double offered) {
    double term = 1, sum = 0;
    for (int n = 0; n < servers; n++) {
        sum += term;
        term *= offered / (n + 1);
    }
    double busy = term * servers / (servers - offered);
    return busy / (sum + busy);
}

static double wait_exponential(int servers, double load) {
    double offered = servers * load;
    return erlang_c(servers, offered) * SIZE_S / (servers - offered);
}

static double wait_constant(double load) {
    return load * SIZE_S / (2 * (1 - load));
}

static void expect_mean(const struct trial *t, double expected, const char *what) {
    double sum = 0, squares = 0, n = t->count;
    for (uint32_t i = 0; i < t->count; i++)
        sum += t->summaries[i].wait_mean_s;
    for (uint32_t i = 0; i < t->count; i++)
        squares += pow(t->summaries[i].wait_mean_s - sum / n, 2);
    double half = gsl_cdf_tdist_Pinv(0.995, n - 1) * sqrt(squares / (n - 1) / n);
    cr_assert(half < 0.15 * expected, "%s: %g +- %g says little about %g", what, sum / n, half,
              expected);
    cr_assert(fabs(sum / n - expected) <= half, "%s: mean wait %g +- %g s, expected %g", what,
              sum / n, half, expected);
}

static void start_queue(struct trial *t, const struct trial_options *options, int servers,
                        double load, const char *law, int jobs) {
    trial_run(
        t, options,
        "name: queue\n"
        "horizon: drain\n"
        "seed: 2385\n"
        "replications: %d\n"
        "cluster: {gpu_types: [{name: g, idle_w: 50, ctx_w: 90, tdp_w: 400}], nodes: [{gpu: g, gpus: %d}]}\n"
        "workload: {kind: poisson, load: %g, sizes: {law: %s, mean: %g}, rigid: {k: 1}, until: {jobs: %d}, warmup: %g}\n"
        "policy: {name: fcfs}\n",
        REPLICATIONS, servers, load, law, SIZE_S, jobs, 0.1 * jobs * SIZE_S / (load * servers));
    trial_must_succeed(t);
    cr_assert_eq(t->count, REPLICATIONS);
}

static void run_queue(int servers, double load, const char *law, double expected) {
    struct trial t;
    start_queue(&t, &(struct trial_options){.processes = 2, .unchecked = true}, servers, load, law,
                JOBS);
    char what[64];
    snprintf(what, sizeof what, "%d servers, load %g, %s", servers, load, law);
    expect_mean(&t, expected, what);
    trial_finish(&t);
}

Test(queues, checks_change_nothing) {
    struct trial checked, unchecked;
    start_queue(&checked, &(struct trial_options){0}, 4, 0.8, "exponential", 300);
    start_queue(&unchecked, &(struct trial_options){.unchecked = true}, 4, 0.8, "exponential", 300);
    cr_assert_str_eq(checked.summary_csv.text, unchecked.summary_csv.text);
    trial_finish(&checked);
    trial_finish(&unchecked);
}

Test(queues, mm1_half) {
    run_queue(1, 0.5, "exponential", wait_exponential(1, 0.5));
}

Test(queues, mm1_high) {
    run_queue(1, 0.8, "exponential", wait_exponential(1, 0.8));
}

Test(queues, mm4) {
    run_queue(4, 0.8, "exponential", wait_exponential(4, 0.8));
}

Test(queues, md1) {
    run_queue(1, 0.7, "constant", wait_constant(0.7));
}

/* The closed forms themselves, against printed values: M/M/1 waits rho/(1 - rho) services; Erlang C
   at 4 servers and a = 3.2 is 0.5964 (tables). */
Test(queues, closed_forms) {
    cr_assert_float_eq(wait_exponential(1, 0.5), SIZE_S, 1e-9);
    cr_assert_float_eq(wait_exponential(1, 0.8), 4 * SIZE_S, 1e-9);
    cr_assert_float_eq(erlang_c(4, 3.2), 0.5964, 5e-5);
    cr_assert_float_eq(wait_constant(0.5), SIZE_S / 2, 1e-9);
}
