/* Whether a module file runs code of its author's when it is loaded or unloaded. */
#ifndef EASIM_POLICY_MODULE_INERT_H
#define EASIM_POLICY_MODULE_INERT_H

#include <stdbool.h>

/* True: it has no constructors and destructors but the one of each that every C compiler puts in,
   and needs no library but those of C. */
bool module_is_inert(const char *path);

#endif
