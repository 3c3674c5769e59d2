/* A capability bit that has no meaning. */
#define CAPABILITIES (1u << 20)
#include "template.h"
