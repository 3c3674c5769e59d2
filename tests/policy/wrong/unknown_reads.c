/* An unknown bit of reads. */
#include "wrong.h"

POLICY(.decide = start_in_order, .reads = 1u << 20);
