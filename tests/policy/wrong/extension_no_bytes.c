/* An extension without the size of its struct. */
#include "wrong.h"

static const struct easim_extension extensions[] = {{"easim.unheard_of", 1, 0, true}};
WITH(extensions, .decide = start_in_order);
