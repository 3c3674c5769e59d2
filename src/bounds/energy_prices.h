/* Prices of GPU time, from a linear program (GLPK): who needs GPUs of a type late in the run pays,
   so that work goes to where it draws least as long as there is room. */
#ifndef EASIM_BOUNDS_ENERGY_PRICES_H
#define EASIM_BOUNDS_ENERGY_PRICES_H

#include "bounds/demand.h"

#define ENERGY_MOST_INTERVALS 64

/* Work by group and by when it was submitted: interval i is from from_s[i] to the next one. */
struct energy_work {
    size_t intervals, groups;
    double from_s[ENERGY_MOST_INTERVALS]; /* ascending */
    double *units;      /* by interval, then group of the demand: groups each; rounded down */
    double least_end_s; /* no schedule ends before; */
    bool ends_there;    /* and every one ends then: a horizon */
};

/* In intervals of equal least GPU time, as many as the program can take. end_s: of the run;
   INFINITY: when all is done. Release with energy_work_finish. */
void energy_work_find(struct energy_work *work, const struct demand *demand, double end_s);
void energy_work_finish(struct energy_work *work);

/* prices: by GPU type, then interval, W a GPU; of the capacity of that type from the interval's
   start to the end of the run. False: the program was not solved, and all are 0. */
bool energy_prices_find(const struct demand *demand, const struct energy_work *work,
                        double *prices);

#endif
