/* A struct easim_list that is too small. */
#define LIST_SIZE 8
#include "template.h"
