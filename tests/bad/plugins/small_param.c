/* A struct easim_param that is too small. */
#define PARAM_BYTES 8
#include "template.h"
