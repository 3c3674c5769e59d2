/* A list policy that cannot choose. */
#define OBJECTIVE NULL
#include "template.h"
