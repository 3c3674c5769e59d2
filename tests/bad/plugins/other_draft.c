/* Made for another draft of the ABI. */
#define ABI_DRAFT (EASIM_ABI_DRAFT + 1)
#include "template.h"
