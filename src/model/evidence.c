/* The words of evidence. */
#include "model/evidence.h"

#include <stddef.h>

const char *const evidence_names[] = {"measured", "derived", "assumed", "assumed (override)", NULL};
