/* hades: the energy-delay product of zeus with the fairness of themis, as the EAS-Sim study describes it. */
#include <easim/policy.h>

enum { SCORE_SQRT, SCORE_SLIDE };
enum { BASIS_GROSS, BASIS_MARGINAL };

struct params {
    struct easim_list_options list;
    double u0, edp_slack, edp_exponent;
    int32_t score, power_basis;
};

static struct easim_key key(const struct easim_pass *pass, const struct easim_job *job, double best) {
    const struct params *p = pass->params;
    double usage_s = easim_user_usage_s(pass->view, job->user);
    if (p->score == SCORE_SLIDE) /* descending */
        return (struct easim_key){.value = -best / (1 + usage_s)};
    double weight = easim_view_user(pass->view, job->user)->weight;
    return (struct easim_key){.value = sqrt(best) * (1 + usage_s / (weight * p->u0))};
}

static double objective(const struct easim_pass *pass, const struct easim_job *job,
                        const struct easim_choice *choice) {
    const struct params *p = pass->params;
    (void)job;
    return easim_choice_edp(choice, p->edp_exponent, p->power_basis == BASIS_MARGINAL);
}

static bool admit(const struct easim_pass *pass, const struct easim_job *job, const struct easim_choice *choice,
                  double edp, double best) {
    const struct params *p = pass->params;
    (void)job;
    (void)choice;
    return edp <= p->edp_slack * best || p->edp_slack == EASIM_OFF;
}

static const char *const scores[] = {"sqrt", "slide", NULL};
static const char *const bases[] = {"gross", "marginal", NULL};

static const struct easim_param params[] = {
    EASIM_LIST_PARAMS(struct params, list, false),
    {"u0", "GPU s", "usage that doubles the key of a user of weight 1", EASIM_PARAM_REAL,
     offsetof(struct params, u0), 1e-3, 1e12, 3600, false, NULL},
    {"half_life_s", "s", "usage this long ago counts half", EASIM_PARAM_DURATION,
     offsetof(struct params, list.usage_half_life_s), 1e-3, 1e9, EASIM_OFF, true, NULL},
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
    .options_offset = offsetof(struct params, list),
    .key = key,
    .objective = objective,
    .admit = admit,
};

EASIM_EXPORT const struct easim_policy easim_policy = {
    EASIM_POLICY_ABI,
    .name = "hades",
    .version = "1.0",
    .summary = "least energy-delay product, users who consumed little before others",
    .help = "Visits waiting jobs by sqrt(EDP*) x W, EDP* the least energy-delay product on the empty cluster,\n"
            "W = 1 + U / (weight * u0) and U the GPU-seconds the user has held so far, and starts each in the\n"
            "configuration of least EDP that fits now. score: slide orders by descending EDP* / (1 + U) instead, "
            "which\n"
            "puts large jobs first; it is kept for comparison. edp_slack and power_basis as in zeus.",
    .params_size = sizeof(struct params),
    .params = params,
    .param_count = sizeof params / sizeof *params,
    .list = &list,
};
