/* More extensions than a policy may list. */
#include "wrong.h"

static const struct easim_extension extensions[17];
WITH(extensions, .decide = start_in_order);
