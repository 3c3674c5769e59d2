/* goodput: the greatest generalised mean of all jobs' speedups, in rounds, as Pollux (Qiao et al.,
   OSDI'21) maximises it for the whole cluster; exact where Pollux searches by a genetic algorithm.
 */
#include "allocation/allocation.h"

#define LEAST_SPEEDUP 1e-3 /* added to every speedup, so that none is 0: Pollux's code */

struct params {
    double p, round_s;
    int64_t most_steps;
};

/* Most goodput on a fair share of the GPUs, all of one type; on the fewest that it may have, if
   those are more. */
static double fair_goodput(const struct allocation *a, const struct easim_job *job) {
    const struct easim_view *view = a->pass->view;
    double share = fmax(1, (double)view->gpus / a->everybody), fair = 0, least_k = INFINITY;
    for (uint32_t i = 0; i < job->config_count; i++)
        least_k = fmin(least_k, easim_view_config(view, job->first_config + i)->k);
    for (uint32_t i = 0; i < job->config_count; i++) {
        const struct easim_config *c = easim_view_config(view, job->first_config + i);
        if (c->k <= fmax(share, least_k))
            fair = fmax(fair, c->goodput[c->empty_span]);
    }
    return fair;
}

/* A job's part of the mean, with its sign turned: the mean is the greater the less the sum. */
static double cost_of(double speedup, double p) {
    double s = speedup + LEAST_SPEEDUP;
    return p == 0 ? -log(s) : -copysign(pow(s, p), p);
}

/* Losing all GPUs costs a running job, on top, what restarting where it is would. */
static void weigh(const struct allocation *a, struct allocation_job *job) {
    const struct params *p = a->pass->params;
    double fair = fair_goodput(a, job->job);
    double factor = job->runs ? allocation_restart_factor(a->pass->view, job->job) : 1;
    for (uint32_t c = 0; c < job->count; c++)
        job->choices[c].cost =
            cost_of(job->choices[c].goodput / fair * (job->runs && c == 0 ? 1 : factor), p->p);
    job->none_cost = cost_of(0, p->p);
    if (job->runs)
        job->leave_cost = cost_of(job->choices->goodput / fair * factor, p->p) - job->choices->cost;
}

static int decide(const struct easim_pass *pass) {
    const struct params *p = pass->params;
    struct allocation_rule rule = {p->round_s, p->most_steps, weigh};
    allocation_decide(pass, pass->state, &rule);
    return 0;
}

static const struct easim_param params[] = {
    {"p", "", "power of the mean of speedups: 1 is their sum, lower values are fairer",
     EASIM_PARAM_REAL, offsetof(struct params, p), -4, 1, -1, false, NULL, EASIM_ROLE_NONE},
    {"round_s", "s", "time between rounds", EASIM_PARAM_DURATION, offsetof(struct params, round_s),
     10, 1e6, 60, false, NULL, EASIM_ROLE_ROUND},
    {"most_steps", "", "work of the exact solver in one round; larger ones are solved by prices",
     EASIM_PARAM_INT, offsetof(struct params, most_steps), 0, 1e12, 8e6, false, NULL,
     EASIM_ROLE_NONE},
};

static const struct easim_extension extensions[] = {EASIM_POWER(true)};

EASIM_EXPORT const struct easim_policy easim_policy = {
    EASIM_POLICY_ABI,
    .name = "goodput",
    .version = "1.0",
    .summary = "greatest mean speedup of all jobs, resized in rounds",
    .help =
        "At every multiple of round_s GPUs are given anew to running and waiting jobs, so that the mean of their\n"
        "speedups of power p is the greatest: (sum (s + 0.001)^p / n)^(1/p), with s = goodput / goodput of a fair\n"
        "share, 0 without GPUs (Pollux, OSDI 2021, and its code). A fair share is the best on at most 1/n of all\n"
        "GPUs, of one type: Pollux knows one type of GPU; here a job's speedup on each is known. s of a running job\n"
        "is multiplied by (age - R d) / (age + d) with any other allocation, R restarts so far, d = restart_s +\n"
        "checkpoint_s; losing all GPUs costs as much on top as restarting with the same would.\n"
        "The maximum is exact, by dynamic programming over the numbers of GPUs of each type, where Pollux has a\n"
        "genetic algorithm; above most_steps (states x choices) by prices of GPUs, found from the last round's, and\n"
        "counted. Ties: running jobs keep what they have, then more for who was submitted first. Batches are those of most\n"
        "goodput. Nodes are not part of it: a move that finds its GPUs in pieces, or none, is not made this round.\n"
        "If an enforced cap has too little power for this, power gets a price as well.",
    .capabilities = EASIM_CAPABILITY_PREEMPT | EASIM_CAPABILITY_RESIZE | EASIM_CAPABILITY_TICK,
    .state_size = sizeof(struct allocation_state),
    .params_size = sizeof(struct params),
    .params = params,
    .param_count = sizeof params / sizeof *params,
    .decide = decide,
    .extensions = extensions,
    .extension_count = 1,
    .extension_bytes = sizeof *extensions,
    .reads = EASIM_READS_NOTHING,
};
