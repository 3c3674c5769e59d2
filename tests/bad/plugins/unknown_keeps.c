/* A bit of `keeps` that has no meaning. */
#define KEEPS (1u << 1)
#include "template.h"
