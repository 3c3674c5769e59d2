/* A bit of `reads` that has no meaning. */
#define READS (1u << 7)
#include "template.h"
