/* hades: the energy-delay product of zeus with the fairness of themis, as the EAS-Sim study
 * describes it. */
#include <easim/policy.h>

enum { SCORE_SQRT, SCORE_SLIDE };
enum { BASIS_GROSS, BASIS_MARGINAL };

struct params {
    double u0, edp_slack, edp_exponent;
    int32_t score, power_basis;
};

static void key(const struct easim_pass *pass, const struct easim_job *job, double best,
                struct easim_key *ret) {
    const struct params *p = pass->params;
    (void)job;
    ret->value = p->score == SCORE_SLIDE ? -best : sqrt(best); /* the slide: descending */
    ret->objective_max = p->edp_slack < EASIM_OFF ? p->edp_slack * best : 0;
}

static double user_factor(const struct easim_pass *pass, uint32_t user) {
    const struct params *p = pass->params;
    double usage_s = easim_user_usage_s(pass->view, user);
    if (p->score == SCORE_SLIDE)
        return 1 / (1 + usage_s);
    return 1 + usage_s / (easim_view_user(pass->view, user)->weight * p->u0);
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

static const char *const scores[] = {"sqrt", "slide", NULL};
static const char *const bases[] = {"gross", "marginal", NULL};

static const struct easim_param params[] = {
    {"u0", "GPU s", "usage that doubles the key of a user of weight 1", EASIM_PARAM_REAL,
     offsetof(struct params, u0), 1e-3, 1e12, 3600, false, NULL},
    {"score", "",
     "sqrt: ascending sqrt(EDP*) x W; slide: descending EDP* / (1 + U), as printed on the study's slide",
     EASIM_PARAM_CHOICE, offsetof(struct params, score), 0, 1, SCORE_SQRT, false, scores},
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
    .user_factor = user_factor,
    .factor_grows = true,
};

EASIM_EXPORT const struct easim_policy easim_policy = {
    EASIM_POLICY_ABI,
    .name = "hades",
    .version = "1.0",
    .summary = "least energy-delay product, users who consumed little before others",
    .help =
        "Visits waiting jobs by sqrt(EDP*) x W, EDP* the least energy-delay product on the empty cluster,\n"
        "W = 1 + U / (weight * u0) and U the GPU-seconds the user has held so far, and starts each in the\n"
        "configuration of least EDP that fits now. "
        "score: slide orders by descending EDP* / (1 + U) instead, which\n"
        "puts large jobs first; it is kept for comparison. edp_slack and power_basis as in zeus.",
    .capabilities = EASIM_CAPABILITY_FRACTIONAL_GPU,
    .params_size = sizeof(struct params),
    .params = params,
    .param_count = sizeof params / sizeof *params,
    .list = &list,
    .reads = EASIM_READS_USERS | EASIM_READS_RUN_TIMES,
};
