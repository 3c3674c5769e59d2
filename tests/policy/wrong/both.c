/* Both list and decide. */
#include "wrong.h"

static const struct easim_list list = {.struct_size = sizeof(struct easim_list)};

POLICY(.list = &list, .decide = start_in_order);
