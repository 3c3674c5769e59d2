/* Services in the exec protocol (docs/reference/program-policy.md): what is told of them, and the
   actions that scale them. */
#ifndef EASIM_EXEC_SERVICES_H
#define EASIM_EXEC_SERVICES_H

#include "message.h"

#include <cjson/cJSON.h>

#define SERVICES_PROBLEM_BYTES 120

/* Members of the hello and of a decide message, each behind a comma; nothing where the policy does
   not scale services. */
void services_hello(struct text *text, const struct easim_pass *pass);
void services_present(struct text *text, const struct easim_services *services);
/* Does {"scale_up": c} or {"scale_down": r}. Negative: problem says what is wrong with the value.
 */
int services_scale(const struct easim_pass *pass, const char *verb, const cJSON *value,
                   int *ret_answer, char problem[static SERVICES_PROBLEM_BYTES]);
/* Members of an object, each after a comma: what a replica of a configuration does at a load, 0 to
   1. Negative likewise. */
int services_figures(const struct easim_pass *pass, const cJSON *config, const cJSON *load,
                     struct text *text, char problem[static SERVICES_PROBLEM_BYTES]);

#endif
