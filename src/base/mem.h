/* Heap memory that never comes back NULL: out of memory ends the process with a message and exit 1
   (decision 0002). Released with free() unless said otherwise. */
#ifndef EASIM_BASE_MEM_H
#define EASIM_BASE_MEM_H

#include <stddef.h>
#include <stdint.h>

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

void *mem_map(size_t bytes); /* zeroed, private, on pages of its own; munmap it */
/* bytes; of a large map whole huge pages, so that the system can take them for it. */
size_t mem_map_bytes(size_t bytes);
/* What is large of the first `bytes` of a map is on huge pages, if the system has them. */
void mem_prefer_huge(const void *map, size_t bytes);

/* --- mem_blocks: a zeroed array of which one block after the other comes into use and is over ---
 */

struct mem_blocks {
    char *at;
    size_t bytes;  /* of a block */
    size_t count;  /* those that are given back; 0: the array is too small for that */
    size_t next;   /* from this block on none has been in use, or got memory */
    size_t moves;  /* of memory, from a block to another */
    size_t mapped; /* bytes; 0: it is of the heap, or of another one */
};

/* Elements in a block: so many of a multiple of 8 bytes are whole pages. */
uint32_t mem_per_block(void);
/* Returns the array. */
void *mem_blocks_init(struct mem_blocks *blocks, size_t count, size_t each);
/* Of an array on zeroed pages that somebody else unmaps. */
struct mem_blocks mem_blocks_of(void *pages, size_t count, size_t each);
void mem_blocks_finish(struct mem_blocks *blocks);
/* No one needs what is in the blocks of these elements again: it reads as zero, and their memory
   becomes that of blocks to come, also zero. Elements from `untouched` on have not been in use; if
   that is above all, the memory goes back to the system. */
void mem_blocks_give_back(struct mem_blocks *blocks, size_t from, size_t end, size_t untouched);

/* Zeroed memory that this process shares with those it forks. */
void *mem_shared(size_t bytes);
void mem_unshare(void *memory, size_t bytes);

#endif
