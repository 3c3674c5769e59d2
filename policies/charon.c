/* charon: zeus or pollux within a power cap, as the EAS-Sim study describes Charon: allocates only
   within a global budget. When the cap falls, jobs give their GPUs back at once until it holds. */
#include <easim/policy.h>

enum { BASE_ZEUS, BASE_POLLUX };
enum { BASIS_GROSS, BASIS_MARGINAL };

#define SOON_S 1e-6 /* the earliest time that differs from now whatever the rounding */

struct params {
    double tau, time_slack, edp_slack, edp_exponent;
    int32_t base, power_basis;
};

static bool is_pollux(const struct easim_pass *pass) {
    return ((const struct params *)pass->params)->base == BASE_POLLUX;
}

static void key(const struct easim_pass *pass, const struct easim_job *job, double best,
                struct easim_key *ret) {
    const struct params *p = pass->params;
    (void)job;
    double slack = is_pollux(pass) ? p->time_slack : p->edp_slack;
    ret->value = is_pollux(pass) ? best : sqrt(best);
    ret->ageing_s = p->tau;
    ret->objective_max = slack < EASIM_OFF ? slack * best : 0;
}

static double objective(const struct easim_pass *pass, const struct easim_job *job,
                        const struct easim_choice *choice) {
    const struct params *p = pass->params;
    (void)job;
    return is_pollux(pass)
               ? choice->time_s
               : easim_choice_edp(choice, p->edp_exponent, p->power_basis == BASIS_MARGINAL);
}

static double resize_least(const struct easim_pass *pass, const struct easim_job *job) {
    return is_pollux(pass) ? job->restart_s : 0;
}

static bool allow(const struct easim_pass *pass, const struct easim_job *job, uint32_t config) {
    double power_w;
    return pass->view->power_cap_w == INFINITY ||
           (pass->host->try_config(pass->plan, job->index, config, &power_w) >= 0 &&
            power_w <= pass->view->power_cap_w);
}

/* --- a cap that has fallen --- */

/* What a running job counts against the cap. */
static double power_of(const struct easim_view *view, const struct easim_job *job) {
    const struct easim_config *config = easim_view_config(view, job->config);
    return easim_config_gpus(config) *
           fmax(easim_view_gpu_type(view, config->gpu_type)->ctx_w, config->power_w[job->span]);
}

/* Whether a is to go before b: best-effort before sla, most power, latest start, last submitted. */
static bool goes_before(const struct easim_view *view, const struct easim_job *a,
                        const struct easim_job *b) {
    double power_a_w = power_of(view, a), power_b_w = power_of(view, b);
    if (a->sla != b->sla)
        return !a->sla;
    if (power_a_w != power_b_w)
        return power_a_w > power_b_w;
    if (a->start_s != b->start_s)
        return a->start_s > b->start_s;
    return a->index > b->index;
}

static const struct easim_job *next_to_go(const struct easim_view *view) {
    const struct easim_job *first = NULL;
    for (uint32_t i = 0; i < view->running_count; i++) {
        const struct easim_job *job = easim_view_job(view, easim_view_running(view, i)->job);
        if (job->preemptible && (!first || goes_before(view, job, first)))
            first = job;
    }
    return first;
}

/* GPUs that come free are no event, and what was preempted may start again smaller: asks for a
 * decision soon. */
static void begin(const struct easim_pass *pass) {
    const struct easim_view *view = pass->view;
    const struct easim_job *job;
    bool preempted = false;
    while (view->power_w > view->power_cap_w && (job = next_to_go(view)) &&
           pass->host->plan_preempt(pass->plan, job->index, true) == EASIM_OK)
        preempted = true;
    if (preempted)
        pass->host->plan_wake_at(pass->plan, view->now_s + SOON_S);
}

/* --- the module --- */

static const char *const base_policies[] = {"zeus", "pollux", NULL};
static const char *const bases[] = {"gross", "marginal", NULL};

static const struct easim_param params[] = {
    {"base", "", "whose order and objective: zeus, or pollux", EASIM_PARAM_CHOICE,
     offsetof(struct params, base), 0, 1, BASE_ZEUS, false, base_policies},
    {"tau", "s", "ageing time constant: A = 1 + age/tau", EASIM_PARAM_DURATION,
     offsetof(struct params, tau), 1e-3, 1e9, 3600, false, NULL},
    {"time_slack", "", "base pollux: admit only configurations with T <= time_slack * T*",
     EASIM_PARAM_REAL, offsetof(struct params, time_slack), 1, 1e9, EASIM_OFF, true, NULL},
    {"edp_slack", "", "base zeus: admit only configurations with EDP <= edp_slack * EDP*",
     EASIM_PARAM_REAL, offsetof(struct params, edp_slack), 1, 1e9, EASIM_OFF, true, NULL},
    {"edp_exponent", "", "base zeus: n of the energy-delay product E * T^n", EASIM_PARAM_REAL,
     offsetof(struct params, edp_exponent), 0, 10, 1, false, NULL},
    {"power_basis", "", "base zeus: gross, or marginal: power above idle", EASIM_PARAM_CHOICE,
     offsetof(struct params, power_basis), 0, 1, BASIS_GROSS, false, bases},
};

static const struct easim_list list = {
    .struct_size = sizeof(struct easim_list),
    .key = key,
    .objective = objective,
    .allow = allow,
    .begin = begin,
    .resize_least = resize_least,
};

EASIM_EXPORT const struct easim_policy easim_policy = {
    EASIM_POLICY_ABI,
    .name = "charon",
    .version = "1.0",
    .summary = "zeus or pollux within a power cap",
    .help =
        "Order and objective as zeus, or with base: pollux as pollux, T* and EDP* without regard to the cap. "
        "Admits\n"
        "a configuration only if the power after its start is at most the cap, every allocated GPU counted at the\n"
        "higher of ctx_w and its computing power, free ones at idle_w, nodes included; "
        "else it goes on to the next\n"
        "job. "
        "When the cap falls, preemptible jobs are preempted at once, without time for a checkpoint, until it\n"
        "holds: best-effort before sla, then most power, then latest start, then last submitted. "
        "With power_limits a\n"
        "job may start under a limit of the model file that the cap allows; "
        "EDP* and T* range over them too. Under a\n"
        "constant cap a job that no configuration serves, edp_slack and time_slack considered, is rejected at submission.",
    .capabilities = EASIM_CAPABILITY_PREEMPT | EASIM_CAPABILITY_POWER_CAP | EASIM_CAPABILITY_TICK |
                    EASIM_CAPABILITY_FREQUENCY | EASIM_CAPABILITY_FRACTIONAL_GPU,
    .params_size = sizeof(struct params),
    .params = params,
    .param_count = sizeof params / sizeof *params,
    .list = &list,
};
