/* Nothing wrong: what the others would be without their fault. */
#include "template.h"
