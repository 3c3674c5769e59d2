/* No version. */
#define VERSION NULL
#include "template.h"
