/* A capability that is reserved for later. */
#define CAPABILITIES EASIM_CAPABILITY_MIGRATE
#include "template.h"
