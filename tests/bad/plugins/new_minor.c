/* Made for a newer minor version of the ABI. */
#define ABI_MINOR (EASIM_ABI_MINOR + 1)
#include "template.h"
