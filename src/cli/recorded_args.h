/* The recorded run that the options of a command mean: DIR, --policy, --replication. */
#ifndef EASIM_CLI_RECORDED_ARGS_H
#define EASIM_CLI_RECORDED_ARGS_H

#include "cli/options.h"
#include "insight/recorded_run.h"

/* Zero-initialise; release with recorded_args_finish. */
struct recorded_args {
    struct recorded_folder folder;
    struct recorded_run run;
};

/* Opens the folder that is the first operand, and loads the run: without --policy of the first
   policy, without --replication the first replication. */
int recorded_args_load(struct recorded_args *args, struct options *options,
                       struct error *reterr) MUST_CHECK;
/* "policy zeus, replication 1", and of how many where there are several. In the arena. */
const char *recorded_args_name(const struct recorded_args *args, struct arena *arena);
void recorded_args_finish(struct recorded_args *args);

#endif
