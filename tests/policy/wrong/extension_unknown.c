/* Needs an extension that no host has. */
#include "wrong.h"

static const struct easim_extension extensions[] = {{"easim.unheard_of", 1, 64, false}};
WITH(extensions, .decide = start_in_order);
