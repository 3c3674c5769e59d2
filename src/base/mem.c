/* Heap memory, never NULL. Sizes of 0 become 1, so that NULL always means failure. */
#include "base/mem.h"

#include <assert.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE_BYTES  4096
#define HUGE_BYTES  ((size_t)2 << 20) /* of a huge page, on most machines */
#define LARGE_BYTES (2 * HUGE_BYTES)
#define HEAP_BYTES  32 /* that the heap adds to a large array, or less */

/* A failure may come at any depth, so it cannot be handed down: set once, by a process that is
 * about to run a policy. */
static struct {
    void (*tell)(void *context, size_t bytes, const char *fault);
    void *context;
} failure;

void mem_on_failure(void (*tell)(void *context, size_t bytes, const char *fault), void *context) {
    failure.tell = tell;
    failure.context = context;
}

static _Noreturn void end(size_t bytes, const char *fault) {
    if (failure.tell)
        failure.tell(failure.context, bytes, fault);
    fprintf(stderr, "easim: %s\n", fault ? fault : "out of memory");
    exit(1);
}

void mem_exhausted(size_t bytes) {
    end(bytes, NULL);
}

void mem_end(const char *fault) {
    end(0, fault);
}

static void *checked_memory(void *memory, size_t bytes) {
    if (!memory)
        mem_exhausted(bytes);
    return memory;
}

/* On huge pages, if the system has them for who asks: one page fault for 2 MiB. To its very end:
   the system does not move memory of which it knows a part only. */
static void *large_memory(void *memory, size_t bytes) {
    size_t into_page = (uintptr_t)checked_memory(memory, bytes) % PAGE_BYTES;
    if (bytes >= LARGE_BYTES)
        madvise((char *)memory - into_page, into_page + malloc_usable_size(memory), MADV_HUGEPAGE);
    return memory;
}

size_t mem_map_bytes(size_t bytes) {
    return bytes < LARGE_BYTES ? bytes : (bytes + HUGE_BYTES - 1) / HUGE_BYTES * HUGE_BYTES;
}

/* count * bytes_each, at least 1. */
static size_t byte_product(size_t count, size_t bytes_each) {
    size_t bytes;
    bytes = __builtin_mul_overflow(count, bytes_each, &bytes) ? SIZE_MAX : bytes;
    if (bytes > PTRDIFF_MAX)
        mem_exhausted(bytes);
    return bytes > 0 ? bytes : 1;
}

/* Of a large array all that the heap then maps for it. */
static size_t heap_bytes(size_t bytes) {
    return bytes < LARGE_BYTES ? bytes : mem_map_bytes(bytes + HEAP_BYTES) - HEAP_BYTES;
}

void *mem_alloc(size_t bytes) {
    return checked_memory(malloc(bytes > 0 ? bytes : 1), bytes);
}

void *mem_zalloc(size_t count, size_t bytes_each) {
    size_t bytes = byte_product(count, bytes_each);
    return large_memory(calloc(1, heap_bytes(bytes)), bytes);
}

void *mem_realloc(void *old, size_t count, size_t bytes_each) {
    size_t bytes = byte_product(count, bytes_each);
    return large_memory(realloc(old, heap_bytes(bytes)), bytes);
}

char *mem_strdup(const char *text) {
    size_t bytes = strlen(text) + 1;
    return memcpy(mem_alloc(bytes), text, bytes);
}

static void *map_at(void *place, size_t bytes, int flags) {
    void *memory = mmap(place, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | flags, -1, 0);
    if (memory == MAP_FAILED)
        mem_exhausted(bytes);
    return memory;
}

void *mem_map(size_t bytes) {
    return map_at(NULL, bytes, 0);
}

void mem_prefer_huge(const void *map, size_t bytes) {
    if (bytes >= LARGE_BYTES)
        madvise((void *)(uintptr_t)map, bytes / HUGE_BYTES * HUGE_BYTES, MADV_HUGEPAGE);
}

/* --- mem_blocks --- */

#ifndef MREMAP_DONTUNMAP
#define MREMAP_DONTUNMAP 4 /* of Linux 5.7; glibc before 2.32 does not know it */
#endif
#define FEWEST_BLOCKS 4
#define MOST_MOVES    16384 /* that may each be a mapping more, of which a process has 65,530 */
#define MOST_SPARE    16    /* blocks in front of those in use */

uint32_t mem_per_block(void) {
    return (uint32_t)sysconf(_SC_PAGESIZE) / 8;
}

struct mem_blocks mem_blocks_of(void *pages, size_t count, size_t each) {
    size_t per_block = mem_per_block();
    assert(each % 8 == 0);
    return (struct mem_blocks){.at = pages, .bytes = each * per_block, .count = count / per_block};
}

void *mem_blocks_init(struct mem_blocks *blocks, size_t count, size_t each) {
    size_t bytes = byte_product(count, each), mapped = mem_map_bytes(bytes);
    if (count < FEWEST_BLOCKS * (size_t)mem_per_block()) {
        *blocks = mem_blocks_of(mem_zalloc(count, each), 0, each);
        return blocks->at;
    }
    *blocks = mem_blocks_of(mem_map(mapped), count, each);
    blocks->mapped = mapped;
    mem_prefer_huge(blocks->at, bytes);
    return blocks->at;
}

void mem_blocks_finish(struct mem_blocks *blocks) {
    if (blocks->mapped > 0)
        munmap(blocks->at, blocks->mapped);
    else
        free(blocks->at);
    *blocks = (struct mem_blocks){0};
}

/* The system moves pages for less than it takes them back and gives new ones. */
static void give_back(struct mem_blocks *blocks, size_t block, size_t most) {
    char *from = blocks->at + block * blocks->bytes,
         *to = blocks->at + blocks->next * blocks->bytes;
    if (blocks->next >= most || blocks->moves == MOST_MOVES) {
        madvise(from, blocks->bytes, MADV_DONTNEED);
    } else if (mremap(from, blocks->bytes, blocks->bytes,
                      MREMAP_MAYMOVE | MREMAP_FIXED | MREMAP_DONTUNMAP, to) == to) {
        memset(to, 0, blocks->bytes);
        blocks->next++;
        blocks->moves++;
    } else { /* a system that cannot */
        map_at(to, blocks->bytes, MAP_FIXED);
        madvise(from, blocks->bytes, MADV_DONTNEED);
    }
}

void mem_blocks_give_back(struct mem_blocks *blocks, size_t from, size_t end, size_t untouched) {
    size_t per_block = mem_per_block(), next = (untouched + per_block - 1) / per_block;
    size_t most = next + MOST_SPARE < blocks->count ? next + MOST_SPARE : blocks->count;
    blocks->next = blocks->next > next ? blocks->next : next;
    for (size_t block = from / per_block; block < end / per_block && block < blocks->count; block++)
        give_back(blocks, block, most);
}

void *mem_shared(size_t bytes) {
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return checked_memory(memory == MAP_FAILED ? NULL : memory, bytes);
}

void mem_unshare(void *memory, size_t bytes) {
    munmap(memory, bytes);
}
