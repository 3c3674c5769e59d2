/* Finds faster models that would save energy: it runs the run's own jobs again, drained, with one
   parameter of one model decreased (semantics 25.4). */
#ifndef EASIM_INSIGHT_INVESTMENT_H
#define EASIM_INSIGHT_INVESTMENT_H

#include "insight/rules/trials.h"

#define INVESTMENT_FACTOR 1.1 /* a parameter is divided by it */

struct investment {
    const char *model, *parameter; /* a_s, c_s or alpha_s, on all GPU types */
    double kwh;                    /* with it; NAN: not run, or failed */
    const char *reason;            /* why; else NULL */
};

/* Zero-initialise; release with investments_finish. */
struct investments {
    double base_kwh;                /* as it is */
    ARRAY_OF(struct investment) at; /* the least first, those without last */
    struct arena arena;
};

/* Looks at all models of jobs in the run. Negative if the scenario cannot be loaded or run as it
   is. */
int investments_find(struct investments *investments, const struct recorded_run *run,
                     const struct study_loader *loader, struct error *reterr) MUST_CHECK;
void investments_finish(struct investments *investments);

#endif
