/* Levels, and nobody who says which. */
#define LIST_MORE .levels = 3
#include "template.h"
