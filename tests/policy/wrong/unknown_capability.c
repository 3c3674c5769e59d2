/* An unknown capability. */
#include "wrong.h"

POLICY(.decide = start_in_order, .capabilities = 1u << 30);
