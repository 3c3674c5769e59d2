/* The policies of a comparison: one scenario loaded once for each, run one after the other on the
   same workloads, in processes. One that fails is left out; the others
   go on. */
#ifndef EASIM_CLI_CONTENDERS_H
#define EASIM_CLI_CONTENDERS_H

#include "cli/scenario_args.h"
#include "experiment/compare.h"
#include "experiment/perturb.h"
#include "output/run/run_dir.h"

struct contender {
    struct study study;
    struct run_dir *dir;
    struct replicate_result result;
    bool asked_for; /* by its name: it is never left out */
    bool failed;    /* or left out: it is not run any more; not one that was interrupted */
    bool left_out;  /* it refuses to run in this scenario: */
    const char *refusal;
};

struct compare_args;

/* Zero-initialise; release with contenders_finish. */
struct contenders {
    const char *whole; /* the folder of the comparison, before they are opened */
    struct contender *at;
    size_t count;
    struct record_files *record;            /* where what they do is recorded; NULL: it is not */
    const struct config_extras *bound_work; /* see replicate_options */
    int code; /* exit code: of the first failure, EXIT_INTERRUPTED above all */
};

/* Loads the scenario with each of the policies, which may have parameters (policy_text.h), in place
   of that of the overrides, whose list names them all without. Problems that all share are told
   once. */
int contenders_load(struct contenders *all, const char *config,
                    const struct scenario_overrides *changes, const char *const *texts,
                    size_t count, struct problems *problems) MUST_CHECK;
/* Whether runs of all policies leave nothing behind in their process. */
bool contenders_leave_nothing(const struct contenders *all);
/* For policies that nobody asked for by name: those whose init refuses this scenario are left out,
   which one note says of them and of args->left_out. Negative: it cannot be found out. */
int contenders_leave_out(struct contenders *all, struct compare_args *args,
                         struct error *reterr) MUST_CHECK;
/* Opens FOLDER/POLICY for each that is run. */
int contenders_open(struct contenders *all, const char *folder, const struct options *options,
                    struct error *reterr) MUST_CHECK;
/* Runs all that have not failed up to that number of replications; failures are printed. With
   `last`, the files of each are put in place as soon as it is done, so that not even a kill loses
   them. */
void contenders_run(struct contenders *all, uint32_t replications, const struct options *options,
                    bool last);
/* Puts the files in place that are not yet. */
void contenders_commit(struct contenders *all);
void contenders_finish(struct contenders *all);

/* Those with at least so many replications. series: room for all; returns their number.
   places: NULL, or where each stands among the contenders. */
size_t contenders_series(const struct contenders *all, uint32_t replications,
                         struct compare_series *series, size_t *places);

/* --- compare_args: options of easim compare: policies, perturbations, the baseline --- */

struct asked_perturbation {
    const struct perturbation *kind;
    struct perturb_ask ask;
};

/* Zero-initialise; release with compare_args_finish. */
struct compare_args {
    struct options *options;
    const char *own_policy;          /* of the scenario, if all are compared */
    ARRAY_OF(const char *) policies; /* as they are listed, with parameters */
    ARRAY_OF(const char *) modules;  /* of each, its name or path alone */
    size_t all_at, all_count;        /* places of those that `all` stands for; count 0: not given */
    struct str left_out;             /* of `all`: those that are not compared, and why */
    size_t baseline;                 /* among them */
    ARRAY_OF(struct asked_perturbation) perturbations;
};

/* Finds policies, perturbations and standard input: what is not bad usage, but bad input. */
int compare_args_resolve(struct compare_args *args, struct problems *problems) MUST_CHECK;
/* Known only of loaded policies: twice the same, the baseline, the bound of --until-ci. */
int compare_args_check(struct compare_args *args, const struct contender *contenders,
                       struct problems *problems) MUST_CHECK;
/* Whether a policy was named, not only found. */
bool compare_args_asked_for(const struct compare_args *args, size_t policy);
/* The scenario as all of them are loaded. */
struct scenario_overrides compare_args_overrides(const struct compare_args *args);
void compare_args_finish(struct compare_args *args);

#endif
