/* A shorter struct of an extension than there ever was. */
#include "wrong.h"

static const struct easim_extension extensions[] = {{"easim.forecast", 1, 16, true}};
WITH(extensions, .decide = start_in_order);
