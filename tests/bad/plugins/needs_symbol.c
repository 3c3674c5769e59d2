/* Needs a function that nobody has. */
#include <easim/policy.h>

int no_such_function(const struct easim_pass *pass);

#define DECIDE no_such_function
#define LIST   NULL
#include "template.h"
