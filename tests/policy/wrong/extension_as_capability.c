/* Sets the bit that the host uses for an extension. */
#include "wrong.h"

POLICY(.decide = start_in_order, .capabilities = 1u << 11);
