/* An extension whose name is none. */
#include "wrong.h"

static const struct easim_extension extensions[] = {{"Easim forecast", 1, 64, true}};
WITH(extensions, .decide = start_in_order);
