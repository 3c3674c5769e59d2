/* hades: the energy-delay product of zeus with the fairness of themis, as the EAS-Sim study
 * describes it. */
#include "edp/edp.h"

enum { SCORE_SQRT, SCORE_SLIDE };

struct params {
    struct edp edp;
    double u0;
    int32_t score;
};

static void key(const struct easim_pass *pass, const struct easim_job *job, double best,
                struct easim_key *ret) {
    const struct params *p = pass->params;
    (void)job;
    ret->value = p->score == SCORE_SLIDE ? -best : sqrt(best); /* the slide: descending */
    ret->objective_max = edp_most(&p->edp, best);
}

static double user_factor(const struct easim_pass *pass, uint32_t user) {
    const struct params *p = pass->params;
    double usage_s = easim_user_usage_s(pass->view, user);
    if (p->score == SCORE_SLIDE)
        return 1 / (1 + usage_s);
    return 1 + usage_s / (easim_view_user(pass->view, user)->weight * p->u0);
}

static void minimise(const struct easim_pass *pass, struct easim_objective *ret) {
    const struct params *p = pass->params;
    *ret = edp_objective(&p->edp);
}

static const char *const scores[] = {"sqrt", "slide", NULL};

static const struct easim_param params[] = {
    {"u0", "GPU s", "usage that doubles the key of a user of weight 1", EASIM_PARAM_REAL,
     offsetof(struct params, u0), 1e-3, 1e12, 3600, false, NULL, EASIM_ROLE_NONE},
    {"score", "",
     "sqrt: ascending sqrt(EDP*) x W; slide: descending EDP* / (1 + U), as printed on the study's slide",
     EASIM_PARAM_CHOICE, offsetof(struct params, score), 0, 1, SCORE_SQRT, false, scores,
     EASIM_ROLE_NONE},
    EDP_PARAMS("", ""),
};

static const struct easim_list list = {
    .struct_size = sizeof(struct easim_list),
    .key = key,
    .minimise = minimise,
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
