/* Its author forgot EASIM_POLICY_ABI: the numbers are 0. */
#define ABI_MAJOR 0
#define ABI_MINOR 0
#define ABI_DRAFT 0
#include "template.h"
