/* caps_starts_only: declares KEEPS_CAP, and preempts nothing when the cap falls. */
#include "in_order.h"

FAULTY("caps_starts_only", .capabilities = EASIM_CAPABILITY_POWER_CAP | EASIM_CAPABILITY_PREEMPT,
       .keeps = EASIM_KEEPS_CAP, .decide = start_in_order);
