/* A recorded run again: whether it can be repeated here, and its scenario loaded once more. */
#ifndef EASIM_CLI_AGAIN_H
#define EASIM_CLI_AGAIN_H

#include "cli/options.h"
#include "insight/rules/trials.h"
#include "study/recorded.h"

/* Zero-initialise; release with again_finish. */
struct again {
    struct options *options;
    struct recorded recorded;
    const char *scenario; /* path */
    const char *foreign;  /* what its policy would do, "would run ...", and is not trusted to
                             (decision 0081); NULL: nothing */
    const char *reason;   /* why it cannot be repeated, or is not; NULL: it may be */
};

/* Only whether it is foreign, by scenario.yaml of the folder that holds the run's manifest. */
void again_open(struct again *again, struct options *options, const struct recorded_run *run);
/* Also whether its inputs are what they were. */
void again_init(struct again *again, struct options *options, const struct recorded_run *run);
/* What ends a command that cannot do without the repetition. */
int again_refuse_foreign(const struct again *again, struct error *reterr) MUST_CHECK;
/* context: a struct again. */
struct study_loader again_loader(struct again *again);
void again_finish(struct again *again);

#endif
