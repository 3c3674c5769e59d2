/* list.struct_size is too small. */
#include "wrong.h"

static const struct easim_list list = {.struct_size = 8};

POLICY(.list = &list);
