/* Made for another major version of the ABI. */
#define ABI_MAJOR (EASIM_ABI_MAJOR + 1)
#include "template.h"
