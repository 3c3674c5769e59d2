/* A name that nobody can type as a file name. */
#define NAME "Bad-Name"
#include "template.h"
