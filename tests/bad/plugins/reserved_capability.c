/* A capability that no easim has had. */
#define CAPABILITIES (1u << 2)
#include "template.h"
