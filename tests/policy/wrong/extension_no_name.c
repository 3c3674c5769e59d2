/* An extension without a name. */
#include "wrong.h"

static const struct easim_extension extensions[] = {{NULL, 1, 64, true}};
WITH(extensions, .decide = start_in_order);
