/* What zeus, hades, aurachronos and charon share: jobs and configurations by the energy-delay
   product E * T^n, with power above idle if the user wants that. */
#ifndef EASIM_POLICIES_EDP_EDP_H
#define EASIM_POLICIES_EDP_EDP_H

#include <easim/policy.h>

enum { BASIS_GROSS, BASIS_MARGINAL };
static const char *const bases[] = {"gross", "marginal", NULL};

/* For a struct params, as its member `edp`. */
struct edp {
    double slack, exponent;
    int32_t power_basis;
};

/* Rows of a table of parameters; the texts say of which jobs, or with which base. */
/* clang-format off */
#define TAU_PARAM(of) \
    {"tau", "s", "ageing time constant" of ": A = 1 + age/tau", EASIM_PARAM_DURATION, \
     offsetof(struct params, tau), 1e-3, 1e9, 3600, false, NULL, EASIM_ROLE_AGEING}
#define EDP_PARAMS(slack_of, of) \
    {"edp_slack", "", slack_of "admit only configurations with EDP <= edp_slack * EDP*", \
     EASIM_PARAM_REAL, offsetof(struct params, edp.slack), 1, 1e9, EASIM_OFF, true, NULL, \
     EASIM_ROLE_NONE}, \
    {"edp_exponent", "", of "n of the energy-delay product E * T^n", EASIM_PARAM_REAL, \
     offsetof(struct params, edp.exponent), 0, 10, 1, false, NULL, EASIM_ROLE_NONE}, \
    {"power_basis", "", of "gross, or marginal: power above idle", EASIM_PARAM_CHOICE, \
     offsetof(struct params, edp.power_basis), 0, 1, BASIS_GROSS, false, bases, EASIM_ROLE_MARGINAL}
/* clang-format on */

static inline struct easim_objective edp_objective(const struct edp *edp) {
    struct easim_objective objective = {.kind = EASIM_MINIMISE_EDP};
    objective.exponent = edp->exponent;
    objective.marginal = edp->power_basis == BASIS_MARGINAL;
    return objective;
}

/* The most that a configuration may have; 0: any. */
static inline double edp_most(const struct edp *edp, double best) {
    return edp->slack < EASIM_OFF ? edp->slack * best : 0;
}

#endif
