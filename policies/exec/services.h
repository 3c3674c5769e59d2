/* Services in the exec protocol (docs/exec-policy.md): what is told of them, and the actions that
   scale them. */
#ifndef EASIM_EXEC_SERVICES_H
#define EASIM_EXEC_SERVICES_H

#include "message.h"

#include <cjson/cJSON.h>

#define SERVICES_PROBLEM_BYTES 120

/* Members of the hello and of a decide message, each behind a comma; nothing where the policy does
   not scale services. */
void services_hello(struct text *text, const struct easim_pass *pass);
void services_present(struct text *text, const struct easim_view *view);
/* Tries {"scale_up": c} or {"scale_down": r}. False: the action is neither. problem: what is wrong
   with its form, to be read behind the action's place; "": nothing, and it has an answer. */
bool services_act(const struct easim_pass *pass, const cJSON *action, int *ret_answer,
                  char problem[static SERVICES_PROBLEM_BYTES]);

#endif
