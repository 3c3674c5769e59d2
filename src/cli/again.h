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
    const char *policy;   /* the name by which it was sought; NULL: by its path */
    bool foreign;
    const char *reason; /* why it cannot be repeated; NULL: it may be */
};

/* The inputs of the folder that holds the run's manifest. foreign: a policy module is taken from
   where it was, too; else only if its name finds it and no parameter of it may be a program, for
   the folder may be of somebody else. */
void again_init(struct again *again, struct options *options, const struct recorded_run *run,
                bool foreign);
/* context: a struct again. */
struct study_loader again_loader(struct again *again);
void again_finish(struct again *again);

#endif
