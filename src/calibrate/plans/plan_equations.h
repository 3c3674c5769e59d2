/* Iterations under plans as equations: seconds are sums of known numbers times unknown constants,
   over the speed of the software's round. */
#ifndef EASIM_CALIBRATE_PLANS_PLAN_EQUATIONS_H
#define EASIM_CALIBRATE_PLANS_PLAN_EQUATIONS_H

#include <stdbool.h>
#include <stddef.h>

#define PLAN_GROUPS_MOST 58
#define PLAN_ROUNDS_MOST 64

/* Unknowns of all rows, behind those of groups, what 1/f1 is above its least. */
enum plan_unknown {
    PLAN_TRAFFIC, /* f2 */
    PLAN_OVERLAP, /* 1 - f3 */
    PLAN_FIXED_S,
    PLAN_NODE_S,
    PLAN_UNKNOWNS
};
#define PLAN_UNKNOWNS_MOST (PLAN_GROUPS_MOST + PLAN_UNKNOWNS)

struct plan_equation {
    size_t group, round, fold; /* rows of one fold are left out together */
    double compute_s;          /* at f1 = 1 */
    double other_s;            /* without constants, with compute_s at the largest f1 */
    double factors[PLAN_UNKNOWNS];
    double flops; /* of one GPU in the measured time */
    double time_s;
    bool held_out; /* not fitted */
};

struct plan_equations {
    struct plan_equation *at;
    size_t count, groups, rounds;
    double round_factors[PLAN_ROUNDS_MOST]; /* NAN: to be found */
    double held[PLAN_UNKNOWNS];             /* NAN: to be found */
};

/* What a fit came to. */
struct plan_solution {
    double x[PLAN_UNKNOWNS_MOST];           /* groups, then enum plan_unknown */
    bool told[PLAN_UNKNOWNS];               /* found; else held, or the rows do not tell it */
    double round_factors[PLAN_ROUNDS_MOST]; /* NAN: no row says what this round is */
    bool group_known[PLAN_GROUPS_MOST];     /* a row of it is in a round that is known */
};

#define PLAN_NO_FOLD ((size_t)-1)

/* Least squares of relative errors of the rows that are not held out and not of the fold `without`;
   round factors in turn with the other constants, until neither changes. */
struct plan_solution plan_equations_solve(const struct plan_equations *equations, size_t without);

/* Seconds; NAN: the solution does not know the row's round or group. */
double plan_equation_predict(const struct plan_equations *equations,
                             const struct plan_equation *row, const struct plan_solution *solution);

#endif
