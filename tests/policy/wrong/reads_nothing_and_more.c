/* Reads nothing, and prices. */
#include "wrong.h"

POLICY(.decide = start_in_order, .reads = EASIM_READS_NOTHING | EASIM_READS_PRICE);
