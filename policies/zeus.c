/* zeus: least energy-delay product first. Named after Zeus (You et al., NSDI'23), which trades
   energy against time for one job; here the trade is made for every malleable configuration of
   every job, as the EAS-Sim study does. */
#include <easim/policy.h>

enum { BASIS_GROSS, BASIS_MARGINAL };

struct params {
    double tau, edp_slack, edp_exponent;
    int32_t power_basis;
};

static void key(const struct easim_pass *pass, const struct easim_job *job, double best,
                struct easim_key *ret) {
    const struct params *p = pass->params;
    (void)job;
    ret->value = sqrt(best);
    ret->ageing_s = p->tau;
    ret->objective_max = p->edp_slack < EASIM_OFF ? p->edp_slack * best : 0;
}

static double objective(const struct easim_pass *pass, const struct easim_job *job,
                        const struct easim_choice *choice) {
    const struct params *p = pass->params;
    (void)job;
    return easim_choice_edp(choice, p->edp_exponent, p->power_basis == BASIS_MARGINAL);
}

static bool objective_rises(const struct easim_pass *pass) {
    return ((const struct params *)pass->params)->power_basis == BASIS_GROSS;
}

static double known_best(const struct easim_pass *pass, const struct easim_job *job) {
    const struct params *p = pass->params;
    return p->edp_exponent == 1 && p->power_basis == BASIS_GROSS ? job->edp_best_js : NAN;
}

static const char *const bases[] = {"gross", "marginal", NULL};

static const struct easim_param params[] = {
    {"tau", "s", "ageing time constant: A = 1 + age/tau", EASIM_PARAM_DURATION,
     offsetof(struct params, tau), 1e-3, 1e9, 3600, false, NULL},
    {"edp_slack", "", "admit only configurations with EDP <= edp_slack * EDP*", EASIM_PARAM_REAL,
     offsetof(struct params, edp_slack), 1, 1e9, EASIM_OFF, true, NULL},
    {"edp_exponent", "", "n of the energy-delay product E * T^n", EASIM_PARAM_REAL,
     offsetof(struct params, edp_exponent), 0, 10, 1, false, NULL},
    {"power_basis", "", "gross, or marginal: power above idle", EASIM_PARAM_CHOICE,
     offsetof(struct params, power_basis), 0, 1, BASIS_GROSS, false, bases},
};

static const struct easim_list list = {
    .struct_size = sizeof(struct easim_list),
    .key = key,
    .objective = objective,
    .objective_rises = objective_rises,
    .objective_is_finite = true,
    .best = known_best,
};

EASIM_EXPORT const struct easim_policy easim_policy = {
    EASIM_POLICY_ABI,
    .name = "zeus",
    .version = "1.0",
    .summary = "least energy-delay product, with ageing",
    .help =
        "Visits waiting jobs by sqrt(EDP*) / A, EDP* the least energy-delay product E * T on the empty cluster and\n"
        "A = 1 + age/tau (the root, since EDP grows as T^2), and starts each in the configuration of least EDP that\n"
        "fits now. edp_slack leaves a GPU idle rather than waste it: only configurations with\n"
        "EDP <= edp_slack * EDP* are admitted. "
        "power_basis: marginal takes idle_w off P and ctx_w, in EDP and EDP*.\n"
        "With power_limits EDP* and the choice range over the power limits of the model file too.",
    .capabilities = EASIM_CAPABILITY_FREQUENCY | EASIM_CAPABILITY_FRACTIONAL_GPU,
    .params_size = sizeof(struct params),
    .params = params,
    .param_count = sizeof params / sizeof *params,
    .list = &list,
    .reads = EASIM_READS_RUN_TIMES,
};
