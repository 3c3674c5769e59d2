/* zeus: least energy-delay product first. Named after Zeus (You et al., NSDI'23), which trades
   energy against time for one job; here the trade is made for every malleable configuration of
   every job, as the EAS-Sim study does. */
#include "edp/edp.h"

struct params {
    struct edp edp;
    double tau;
};

static void key(const struct easim_pass *pass, const struct easim_job *job, double best,
                struct easim_key *ret) {
    const struct params *p = pass->params;
    (void)job;
    ret->value = sqrt(best);
    ret->ageing_s = p->tau;
    ret->objective_max = edp_most(&p->edp, best);
}

static void minimise(const struct easim_pass *pass, struct easim_objective *ret) {
    const struct params *p = pass->params;
    *ret = edp_objective(&p->edp);
}

static const struct easim_param params[] = {
    TAU_PARAM(""),
    EDP_PARAMS("", ""),
};

static const struct easim_list list = {
    .struct_size = sizeof(struct easim_list),
    .key = key,
    .minimise = minimise,
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
        "With power_limits EDP* and the choice range over power limits, too. zeus chooses a limit at the start and keeps\n"
        "it: apart from set-up, the limit of least EDP depends on neither the work left, nor the queue, nor the cap.",
    .capabilities = EASIM_CAPABILITY_FREQUENCY | EASIM_CAPABILITY_FRACTIONAL_GPU,
    .params_size = sizeof(struct params),
    .params = params,
    .param_count = sizeof params / sizeof *params,
    .list = &list,
    .reads = EASIM_READS_RUN_TIMES,
};
