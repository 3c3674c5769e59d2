/* Reads nothing, and users. */
#define READS (EASIM_READS_NOTHING | EASIM_READS_USERS)
#include "template.h"
