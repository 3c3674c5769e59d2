/* Pareto fronts: every point against every other, there are only as many as policies. */
#include "experiment/compare/pareto.h"

#include <math.h>

static bool setting_competes(const struct pareto_point *point, unsigned dimensions) {
    for (unsigned d = 0; d < dimensions; d++)
        if (isnan(point->at[d]))
            return false;
    return true;
}

static bool setting_dominates(const struct pareto_point *a, const struct pareto_point *b,
                              unsigned dimensions) {
    bool better = false;
    for (unsigned d = 0; d < dimensions; d++) {
        if (!(a->at[d] <= b->at[d])) /* false for NAN too */
            return false;
        better = better || a->at[d] < b->at[d];
    }
    return better;
}

void pareto_dominators(const struct pareto_point *points, size_t count, unsigned dimensions,
                       size_t *dominators) {
    for (size_t i = 0; i < count; i++) {
        dominators[i] = setting_competes(&points[i], dimensions) ? PARETO_NOBODY : i;
        for (size_t j = 0; j < count && dominators[i] == PARETO_NOBODY; j++)
            if (setting_dominates(&points[j], &points[i], dimensions))
                dominators[i] = j;
    }
}
