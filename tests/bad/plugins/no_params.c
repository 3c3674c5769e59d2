/* A number of parameters, but no table. */
#define PARAMS NULL
#include "template.h"
