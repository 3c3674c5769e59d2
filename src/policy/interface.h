/* The host's side of the policy interface (easim/policy.h): which versions it takes, and what a
   module exports, checked and made whole before any of its functions runs. */
#ifndef EASIM_POLICY_INTERFACE_H
#define EASIM_POLICY_INTERFACE_H

#include "base/error.h"
#include "base/str.h"
#include "easim/forecast.h"
#include "easim/power.h"
#include "easim/services.h"

/* Whether a policy or a parameter may be called so: a-z, then a-z, 0-9 and _. Accepts NULL. */
bool interface_is_name(const char *name);
/* A name for one capability bit ("PREEMPT"), also of an extension; or NULL. */
const char *interface_capability_name(uint32_t bit);
/* The bit of the extension that a row asks for; 0: this host lacks it. */
uint32_t interface_extension(const struct easim_extension *row);
/* As if this host lacked that optional extension of a policy that interface_read has made. */
void interface_forget(const struct easim_policy *policy, uint32_t extension);
/* In a word, what a parameter of a loaded policy means to the host: its role, "ageing", or the name
   of an option that the host adds. NULL: nothing, or a choice that has the role of a BOOL. */
const char *interface_role(const struct easim_policy *policy, const struct easim_param *param);

/* Appends the names of bits EASIM_READS_*: "carbon, run times"; or "nothing", "not declared". */
void interface_write_reads(uint32_t reads, struct str *text);

#define INTERFACE_VERSION_BYTES 48
/* "3.0", or "3.0 draft 1" before 3.0 is released. */
void interface_version(uint32_t major, uint32_t minor, uint32_t draft,
                       char text[static INTERFACE_VERSION_BYTES]);

/* Reads what a module exports as `easim_policy`, `bytes` long; path names the module in messages.
   The result is the host's own copy, to be released with free: the policy, its list and its
   tables are structs of this host's size, in which members that the module's version
   does not have are 0. Texts, choices and functions stay the module's. */
int interface_read(const void *symbol, size_t bytes, const char *path,
                   struct easim_policy **ret_policy, struct error *reterr) MUST_CHECK;

/* --- host_job --- */
/* The host's own look at a job in the view, in any state; easim_view_job has fewer. */

static inline const struct easim_job *host_job(const struct easim_view *view, uint32_t job) {
    return (const struct easim_job *)((const char *)view->jobs + job * view->job_stride);
}

/* --- plan_head: of callbacks whose actions are not to count --- */

/* What a struct easim_plan of the engine begins with. */
struct plan_head {
    bool refuses; /* EASIM_INVAL to every action, of which nobody is told; questions are answered */
};

static inline struct plan_head *plan_head(struct easim_plan *plan) {
    return (struct plan_head *)(void *)plan;
}

#endif
