/* Heap memory that never comes back NULL: out of memory ends the process with a message and exit 1
   (decision 0002). Released with free() unless said otherwise. */
#ifndef EASIM_BASE_MEM_H
#define EASIM_BASE_MEM_H

#include <stddef.h>

void *mem_alloc(size_t bytes);                     /* uninitialised; bytes may be 0 */
void *mem_zalloc(size_t count, size_t bytes_each); /* zeroed; overflow is out of memory */
void *mem_realloc(void *old, size_t count,
                  size_t bytes_each); /* grows or shrinks; old may be NULL */
char *mem_strdup(const char *text);

/* From now on calls tell(context, bytes, NULL) in place of the message when there is no memory, and
   tell(context, 0, fault) in that of another fault (machine.h); it must not return. For processes
   whose parent says what became of them. */
void mem_on_failure(void (*tell)(void *context, size_t bytes, const char *fault), void *context);

/* The end for want of memory, for allocations of libraries that return NULL. bytes: 0 where it is
   not known how many. */
_Noreturn void mem_exhausted(size_t bytes);
/* The same end for another fault of the machine; machine_end says when. */
_Noreturn void mem_end(const char *fault);

/* Elements of a private array that no one needs again read as zero and take up no memory, except
   for those in the last page. Before the first of them in its page there are none that one needs.
 */
void mem_give_back(const void *array, size_t each, size_t first, size_t count);

/* Zeroed memory that this process shares with those it forks. */
void *mem_shared(size_t bytes);
void mem_unshare(void *memory, size_t bytes);

#endif
