/* The host's side of the policy interface (easim/policy.h): which versions it takes, and what a
   module exports, checked and made whole before any of its functions runs. */
#ifndef EASIM_POLICY_INTERFACE_H
#define EASIM_POLICY_INTERFACE_H

#include "base/error.h"
#include "base/str.h"
#include "easim/policy.h"

/* Whether a policy or a parameter may be called so: a-z, then a-z, 0-9 and _. Accepts NULL. */
bool interface_is_name(const char *name);
/* A name for one capability bit ("PREEMPT"), or NULL. */
const char *interface_capability_name(uint32_t bit);
/* In a word, what a parameter of a loaded policy means to the host: its role, "ageing", or the name
   of an option that the host adds. NULL: nothing. */
const char *interface_role(const struct easim_policy *policy, const struct easim_param *param);

/* Appends the names of bits EASIM_READS_*: "carbon, run times"; or "nothing", "not declared". */
void interface_write_reads(uint32_t reads, struct str *text);

#define INTERFACE_VERSION_BYTES 48
/* "3.0", or "3.0 draft 1" before 3.0 is released. */
void interface_version(uint32_t major, uint32_t minor, uint32_t draft,
                       char text[static INTERFACE_VERSION_BYTES]);

/* Reads what a module exports as `easim_policy`, `bytes` long; path names the module in messages.
   The result is the host's own copy, to be released with free: the policy, its list and its
   parameter table are structs of this host's size, in which members that the module's version
   does not have are 0. Texts, choices and functions stay the module's. */
int interface_read(const void *symbol, size_t bytes, const char *path,
                   struct easim_policy **ret_policy, struct error *reterr) MUST_CHECK;

/* --- host_job --- */
/* The host's own look at a job in the view, in any state; easim_view_job has fewer. */

static inline const struct easim_job *host_job(const struct easim_view *view, uint32_t job) {
    return (const struct easim_job *)((const char *)view->jobs + job * view->job_stride);
}

/* --- refusing_host: a host for callbacks whose actions are not to count --- */

/* Makes the host answer EASIM_INVAL to every action; what it tells stays. */
void refusing_host_set(struct easim_host *host);

#endif
