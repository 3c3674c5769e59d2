/* Policy modules: found, opened and checked before any of their code runs. */
#ifndef EASIM_POLICY_MODULE_H
#define EASIM_POLICY_MODULE_H

#include "base/error.h"
#include "base/str.h"
#include "easim/policy.h"
#include "io/files.h"

struct policy_module {
    void *handle;
    char *path;
    struct file_stamp stamp;           /* of the file before it was loaded */
    bool apart;                        /* opened in a process that may be lost */
    bool own;                          /* of easim, by the file */
    const struct easim_policy *policy; /* of the module, as interface_read has made it whole */
    const struct policy_module
        *sides[2]; /* of a mixture of two (policy/list/hybrid.h), which has no module of its own */
};

/* The signals by which code crashes. */
#define CRASH_SIGNALS(X) \
    X(SIGSEGV, "a wrong address") \
    X(SIGBUS, "a wrong address") \
    X(SIGFPE, "a wrong operation such as an integer division by zero") \
    X(SIGILL, "a wrong instruction")

/* Opens `name`: a path if it contains '/', else NAME.so sought in EASIM_POLICY_PATH (colon list),
   in policies/ beside or one level above the executable, and in the installed plug-in folder. One
   that is not easim's own a child loads, reads and closes first: a module whose constructors,
   destructors or tables end the process is an error. Release with module_close. */
int module_open(const char *name, struct policy_module *module, struct error *reterr) MUST_CHECK;
/* Likewise without the trial, for processes that may be lost. */
int module_open_apart(const char *name, struct policy_module *module,
                      struct error *reterr) MUST_CHECK;
/* Where a policy of that name is found; appends the path. False: nowhere. */
bool module_find(const char *name, struct str *path);
/* Whether `name` is a bare name that finds a module of easim's own: beside the program or installed
   with it, whether EASIM_POLICY_PATH leads there or not. */
bool module_is_own(const char *name);
/* Whether an open module is one of easim's own, by whatever name or path it was opened; of a
   mixture both. */
bool module_is_shipped(const struct policy_module *module);
/* Whether runs of an open module leave nothing behind in their process: it is easim's own and
   starts no program. */
bool module_leaves_nothing(const struct policy_module *module);
/* How many others this process has opened so far. */
unsigned module_foreign_count(void);
/* Accepts a zeroed module. What was opened apart stays loaded until its process ends. */
void module_close(struct policy_module *module);

/* The error for a name that no policy has, with a suggestion and the names there are. */
int module_not_found(const char *name, struct error *reterr);

/* Names of all policies that module_open would find, sorted, without repeats: calls visit for each
 * file. */
void module_list(void (*visit)(const char *name, void *context), void *context);

#endif
