/* Counts an extension that is not there. */
#include "wrong.h"

POLICY(.decide = start_in_order, .extension_count = 1,
       .extension_bytes = sizeof(struct easim_extension));
