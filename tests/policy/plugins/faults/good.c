/* good: no fault. */
#include "in_order.h"

FAULTY("good", .decide = start_in_order);
