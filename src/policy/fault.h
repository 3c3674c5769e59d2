/* Signals of policies that crash: which it was, whether the policy's own code raised it, and where;
   and of callbacks that do not end. */
#ifndef EASIM_POLICY_FAULT_H
#define EASIM_POLICY_FAULT_H

#include "policy/module.h"

#include <limits.h>

#define FAULT_NAME_BYTES (2 * (PATH_MAX + 512)) /* two paths, and names of any sensible length */
#define FAULT_BYTES      (FAULT_NAME_BYTES + 256)

/* "policy NAME (PATH)", of a mixture both; where there is no room it ends in "...". */
void fault_name(const struct policy_module *module, char name[static FAULT_NAME_BYTES]);

/* Which callback of a policy runs. */
struct calling {
    const char *name; /* a literal; NULL: none */
    unsigned ticks;   /* of the timer of fault_watch that have passed in it */
};
static inline void calling_note(struct calling *calling, const char *name) {
    calling->name = name;
    calling->ticks = 0;
}

/* What a process leaves of its crash: plain data, for memory that processes share. */
struct policy_fault {
    char words[FAULT_BYTES]; /* "": none, or it could not be told */
    char files[2][PATH_MAX]; /* of the module, of a mixture both */
    uint64_t at;             /* of the policy's code in its file; 0: not known */
    uint32_t side;           /* of which */
    struct calling calling;
};

/* From now on each of CRASH_SIGNALS puts a sentence into fault->words, which must
   live as long as the process, and then takes its usual course. A callback that fault->calling
   names ends the process likewise once it has taken the limit. A second call replaces the first;
   not in sanitizer builds, whose own handler tells more. */
void fault_watch(const struct policy_module *module, struct policy_fault *fault);
/* Processor time of a callback, for all later calls of fault_watch in this process and in those
   that it forks; without a call it is FAULT_LIMIT_S. */
void fault_set_limit(double limit_s);
#define FAULT_LIMIT_S 60
/* Appends ", in decide (mine.c:34)", by addr2line if it is there: the place from debugging
   information, without it the function alone, unless the module is stripped. */
void fault_locate(struct policy_fault *fault, struct str *out);

/* --- names: policies that a scenario gives parameters without running them --- */

/* Opens the policy of that name: one of those that a command loads (names or paths, as module_open
   takes them), or one that is found where policies are sought. apart: as module_open_apart. Others
   are opened on the way only if no file has the name. Where a file has it, but does not load, or
   its policy has another name, the module is left zeroed. If there is neither: an error that
   suggests another name. Release with module_close. */
int policy_name_open(const char *name, bool apart, const char *const *loaded, size_t loaded_count,
                     struct policy_module *module, struct error *reterr) MUST_CHECK;

/* All policies that module_open finds by a bare name and that load, sorted by it: what each is,
   declares (capabilities, reads, keeps) and takes. `policy` lives until visit returns. */
void policy_names_each(void (*visit)(const char *name, const struct easim_policy *policy,
                                     void *context),
                       void *context);

#endif
