/* Likewise, and not a number. */
#define LIST_MORE .resize_interval_s = NAN
#include "template.h"
