/* A default of a list policy's option that the option would refuse. */
#define LIST_MORE .resize_gain = 1.5
#include "template.h"
