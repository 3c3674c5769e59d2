/* A default of resize_gain outside of its range. */
#include "wrong.h"

LIST(.resize_gain = 5);
