/* Pareto fronts of a few points in two or three dimensions. Pure functions. */
#ifndef EASIM_EXPERIMENT_COMPARE_PARETO_H
#define EASIM_EXPERIMENT_COMPARE_PARETO_H

#include <stdbool.h>
#include <stddef.h>

#define PARETO_MOST 3 /* dimensions */

/* Smaller is better in every dimension; a point with a NAN is out of competition. */
struct pareto_point {
    double at[PARETO_MOST];
};

#define PARETO_NOBODY ((size_t)-1)

/* For each point the first one that dominates it (no worse in any dimension, better in one),
   PARETO_NOBODY for points on the front, and itself for points out of competition. Equal points do
   not dominate each other. */
void pareto_dominators(const struct pareto_point *points, size_t count, unsigned dimensions,
                       size_t *dominators);

#endif
