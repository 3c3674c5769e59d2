/* chronos: deadlines that can still be met first, all other jobs after them, as the EAS-Sim study
   describes Chronos: ranks by the time left to the deadline, urgent jobs apart from best-effort
   ones. */
#include <easim/policy.h>

enum { ORDER_DEADLINE, ORDER_SLACK };
enum { TIER_URGENT, TIER_OTHER };

#define MARGIN_S 1e-6 /* more than what rounding does to a time */

struct params {
    double tau, time_slack;
    int32_t order;
};

/* best is T*: a deadline is within reach if the job, alone on the empty cluster, would meet it now.
   Slack falls equally fast for all jobs, so deadline - T* orders them as deadline - now - T* does.
 */
static void key(const struct easim_pass *pass, const struct easim_job *job, double best,
                struct easim_key *ret) {
    const struct params *p = pass->params;
    double latest_start_s = job->deadline_s - best;
    ret->objective_max = p->time_slack < EASIM_OFF ? p->time_slack * best : 0;
    if (isfinite(job->deadline_s) && pass->view->now_s + best <= job->deadline_s) {
        ret->tier = TIER_URGENT;
        ret->value = p->order == ORDER_SLACK ? latest_start_s : job->deadline_s;
        ret->ask_again_s = latest_start_s - MARGIN_S;
        return;
    }
    ret->tier = TIER_OTHER;
    ret->value = best;
    ret->ageing_s = p->tau;
}

static const char *const orders[] = {"deadline", "slack", NULL};

static const struct easim_param params[] = {
    {"tau", "s", "ageing time constant of the other jobs: A = 1 + age/tau", EASIM_PARAM_DURATION,
     offsetof(struct params, tau), 1e-3, 1e9, 3600, false, NULL, EASIM_ROLE_NONE},
    {"order", "", "of urgent jobs: earliest deadline, or least slack = deadline - now - T*",
     EASIM_PARAM_CHOICE, offsetof(struct params, order), 0, 1, ORDER_DEADLINE, false, orders,
     EASIM_ROLE_NONE},
    {"time_slack", "",
     "admit only configurations with T <= time_slack * T*; 1: wait for the fastest",
     EASIM_PARAM_REAL, offsetof(struct params, time_slack), 1, 1e9, EASIM_OFF, true, NULL,
     EASIM_ROLE_NONE},
};

static const struct easim_list list = {
    .struct_size = sizeof(struct easim_list),
    .key = key,
};

EASIM_EXPORT const struct easim_policy easim_policy = {
    EASIM_POLICY_ABI,
    .name = "chronos",
    .version = "1.0",
    .summary = "earliest deadline that can still be met first",
    .help =
        "Tier 0: jobs whose deadline can still be met (now + T* <= deadline), by deadline or by slack. "
        "Tier 1: all\n"
        "others, those too late for their deadline included, by T* / A with A = 1 + age/tau. "
        "Each starts in the\n"
        "fastest configuration that fits now. "
        "T* is the least completion time on the empty cluster.\n"
        "time_slack, of both tiers, as in pollux.",
    .capabilities = EASIM_CAPABILITY_FRACTIONAL_GPU,
    .params_size = sizeof(struct params),
    .params = params,
    .param_count = sizeof params / sizeof *params,
    .list = &list,
    .reads = EASIM_READS_DEADLINES | EASIM_READS_RUN_TIMES,
};
