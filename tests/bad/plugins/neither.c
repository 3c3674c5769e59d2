/* Neither list nor decide. */
#define LIST NULL
#include "template.h"
