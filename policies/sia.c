/* sia: the integer program of Sia (Jayaram Subramanya et al., SOSP'23) over jobs and allocations,
   in rounds. */
#include "allocation/allocation.h"

struct params {
    double p, no_allocation, round_s;
    int64_t most_steps;
};

/* Normalised goodput: 1 with the least productive allocation. */
static void weigh(const struct allocation *a, struct allocation_job *job) {
    const struct params *p = a->pass->params;
    double least = INFINITY;
    double factor = job->runs ? allocation_restart_factor(a->pass->view, job->job) : 1;
    for (uint32_t c = 0; c < job->count; c++)
        least = fmin(least, job->choices[c].goodput);
    for (uint32_t c = 0; c < job->count; c++)
        job->choices[c].cost =
            pow(job->choices[c].goodput / least * (job->runs && c == 0 ? 1 : factor), p->p);
    job->none_cost = p->no_allocation;
}

static int decide(const struct easim_pass *pass) {
    const struct params *p = pass->params;
    struct allocation_rule rule = {p->round_s, p->most_steps, weigh};
    allocation_decide(pass, pass->state, &rule);
    return 0;
}

static const struct easim_param params[] = {
    {"p", "", "power of the normalised goodput in the sum; lower values are fairer",
     EASIM_PARAM_REAL, offsetof(struct params, p), -4, -0.01, -0.5, false, NULL, EASIM_ROLE_NONE},
    {"no_allocation", "", "lambda: what a job without GPUs adds to the sum", EASIM_PARAM_REAL,
     offsetof(struct params, no_allocation), 1, 1e6, 1.1, false, NULL, EASIM_ROLE_NONE},
    {"round_s", "s", "time between rounds", EASIM_PARAM_DURATION, offsetof(struct params, round_s),
     10, 1e6, 60, false, NULL, EASIM_ROLE_ROUND},
    {"most_steps", "", "work of the exact solver in one round; larger ones are solved by prices",
     EASIM_PARAM_INT, offsetof(struct params, most_steps), 0, 1e12, 8e6, false, NULL,
     EASIM_ROLE_NONE},
};

static const struct easim_extension extensions[] = {EASIM_POWER(true)};

EASIM_EXPORT const struct easim_policy easim_policy = {
    EASIM_POLICY_ABI,
    .name = "sia",
    .version = "1.0",
    .summary = "least sum of powers of normalised goodput, resized in rounds",
    .help =
        "At every multiple of round_s GPUs are given anew to running and waiting jobs by the integer program of Sia\n"
        "(SOSP 2023): each job has one configuration or none, GPUs of each type are not exceeded, and the sum of\n"
        "(r G)^p over jobs with GPUs, and of no_allocation over those without, is the least. G is the goodput over\n"
        "that of the job's least productive configuration; r = (age - R d) / (age + d), R restarts so far, d =\n"
        "restart_s + checkpoint_s, for a running job in any configuration but the present one, else 1.\n"
        "The program is solved exactly by dynamic programming over the numbers of GPUs of each type, which gives\n"
        "what GLPK's branch and bound does in less time (decision 0051); above most_steps (states x choices) by\n"
        "prices of GPUs, found from the last round's, and counted. Ties: running jobs keep what they have, then\n"
        "more for who was submitted first. Differs from the published: goodput is known from the start, so that no job has to\n"
        "begin on one GPU and at most double; powers are not rounded to two decimals; the numbers of GPUs are the\n"
        "job's own; a move that finds its GPUs in pieces, or none, is not made this round.\n"
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
