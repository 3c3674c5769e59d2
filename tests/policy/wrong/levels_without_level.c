/* Levels, and no level. */
#include "wrong.h"

LIST(.levels = 2);
