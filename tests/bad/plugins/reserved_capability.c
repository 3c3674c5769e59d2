/* A capability that is reserved for later. */
#define CAPABILITIES EASIM_CAPABILITY_FRACTIONAL_GPU
#include "template.h"
