/* More state than any machine has. */
#include "wrong.h"

POLICY(.decide = start_in_order, .state_size = (size_t)1 << 60);
