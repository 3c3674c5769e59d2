/* Parameters of a policy: YAML values into the policy's own struct, by the policy's table, and into
   the options that every list policy, or every policy that declares FREQUENCY, has. */
#ifndef EASIM_POLICY_PARAMS_H
#define EASIM_POLICY_PARAMS_H

#include "config/schema.h"
#include "easim/policy.h"
#include "model/config_table.h"

/* Extensions are capabilities in the host's copy of a policy: bits that a module may not set. */
#define CAPABILITY_FORECAST (1u << 10)
#define CAPABILITY_SERVICES (1u << 11)
#define CAPABILITY_POWER    (1u << 12)

/* Options of every list policy. */
struct list_options {
    bool strict;        /* stop at the first job that cannot start now */
    bool resize;        /* running jobs may move to better configurations when nobody waits */
    bool shrink;        /* and to smaller ones when somebody does */
    double resize_gain; /* a share of what is left */
    double resize_interval_s;
    double round_s;     /* decisions at its multiples only; INFINITY: at every event */
    double half_life_s; /* of users' usage; INFINITY: it does not fade */
};

/* Whether decisions are in rounds; not with a zeroed struct. */
static inline bool list_options_in_rounds(const struct list_options *options) {
    return options->round_s > 0 && options->round_s < EASIM_OFF;
}

/* Values for one policy. Release with params_finish. */
struct policy_params {
    const struct easim_policy *policy;
    void *own; /* params_size bytes */
    struct list_options list;
    bool power_limits; /* with FREQUENCY: it gets configurations with a power limit */
};

/* All defaults. */
void params_init(struct policy_params *params, const struct easim_policy *policy);
void params_finish(struct policy_params *params); /* accepts a zeroed one */

/* The number of parameters, and each of them: the policy's own first. */
size_t params_count(const struct easim_policy *policy);
const struct easim_param *params_at(const struct easim_policy *policy, size_t index);
/* Whether name is an option that the host adds to list policies, or to those with FREQUENCY. */
bool params_is_list_option(const char *name);
bool params_is_frequency_option(const char *name);

/* Replaces the values that node (a mapping or NULL) names. path names the section in messages
   ("policy.params"). Text is kept in binding->arena. Negative after adding problems. */
int params_bind(struct policy_params *params, const struct yaml_node *node, const char *path,
                const struct binding *binding) MUST_CHECK;

/* Reads the files that bound values name. `unused`, not NULL, gets what is to be said of columns
   that no policy asks for. Negative after adding problems. */
int params_read_tables(struct policy_params *params, const struct binding *binding,
                       struct str *unused) MUST_CHECK;

/* Whether they are of policies of one name, and would be written as the same. */
bool params_are_equal(const struct policy_params *one, const struct policy_params *other);

/* The name of a parameter that must be given and is not; NULL: there is none. */
const char *params_missing(const struct policy_params *params);

/* What the policy would start or open for these values: `run "COMMAND"` or `open "PATH"`, in the
   arena; NULL: nothing. */
const char *params_effect(const struct policy_params *params, struct arena *arena);

/* Bits EASIM_READS_* with these values: of a list policy with `resize` or in rounds the host reads
   run times. 0: not declared. */
uint32_t params_reads(const struct policy_params *params);

/* Which configurations there are for a policy with these values. */
struct config_extras params_extras(const struct policy_params *params);

/* A parameter that is no text or table as a number: a choice by its index, off as INFINITY. */
double params_number(const struct policy_params *params, size_t index);
void params_set_number(struct policy_params *params, size_t index, double value);

/* Whether they say that only power above idle_w counts (EASIM_ROLE_MARGINAL). */
bool params_are_marginal(const struct policy_params *params);

/* Whether the policy has a capability with these values: it declares the bit and, if it has a
   parameter of its own of the role that goes with it, that is true, or not its first choice.
   FREQUENCY: also the host's parameter power_limits. */
bool params_have(const struct policy_params *params, uint32_t capability);
/* Whether it may set limits of running jobs by easim.power: FREQUENCY, but for the host's parameter
   power_limits. */
bool params_set_limits(const struct policy_params *params);
/* What goes with a role (easim/params.h); NULL: NONE, or an unknown one. */
struct param_role {
    const char *name;    /* in results */
    uint32_t type;       /* of the parameter; with a capability CHOICE, too */
    uint32_t capability; /* that a policy has only where such a parameter is true; 0: none */
};
const struct param_role *params_role(uint32_t role);
/* And that parameter of its own is what says so. */
bool params_switch_on(const struct policy_params *params, uint32_t capability);

/* One value as text, as a user would write it. */
void params_write_value(const struct policy_params *params, size_t index, struct str *out);
/* "number 0..1 or off", "one of gross | marginal": what a parameter accepts. */
void params_write_range(const struct easim_param *param, struct str *out);

#endif
