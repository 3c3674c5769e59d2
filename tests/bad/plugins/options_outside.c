/* The options of a list policy outside the parameter struct. */
#define OPTIONS_OFFSET sizeof(struct params)
#include "template.h"
