/* Faults of the machine: no memory, no process, no descriptor, no room, a device that fails. They
   are no result of anything, and the same work may succeed another time. */
#ifndef EASIM_BASE_MACHINE_H
#define EASIM_BASE_MACHINE_H

#include "base/error.h"

/* Whether an errno tells of one, or a text of a library that has only that. */
bool machine_is_at_fault(int code);
bool machine_is_named(const char *text);
/* The end of the process for one that is met where no error can be handed on, or would be taken for
   bad input or a result: as for want of memory (decision 0002). The text names the file. */
_Noreturn void machine_end(const char *format, ...) PRINTF_LIKE(1, 2);
/* That end if the errno of a call on a file tells of one: "PATH: cannot VERB: WHY". */
void machine_check(int code, const char *path, const char *verb);

#endif
