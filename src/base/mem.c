/* Heap memory, never NULL. Sizes of 0 become 1, so that NULL always means failure. */
#include "base/mem.h"

#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE_BYTES  4096
#define LARGE_BYTES ((size_t)4 << 20)

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

/* count * bytes_each, at least 1. */
static size_t byte_product(size_t count, size_t bytes_each) {
    size_t bytes;
    bytes = __builtin_mul_overflow(count, bytes_each, &bytes) ? SIZE_MAX : bytes;
    if (bytes > PTRDIFF_MAX)
        mem_exhausted(bytes);
    return bytes > 0 ? bytes : 1;
}

void *mem_alloc(size_t bytes) {
    return checked_memory(malloc(bytes > 0 ? bytes : 1), bytes);
}

void *mem_zalloc(size_t count, size_t bytes_each) {
    size_t bytes = byte_product(count, bytes_each);
    return large_memory(calloc(1, bytes), bytes);
}

void *mem_realloc(void *old, size_t count, size_t bytes_each) {
    size_t bytes = byte_product(count, bytes_each);
    return large_memory(realloc(old, bytes), bytes);
}

char *mem_strdup(const char *text) {
    size_t bytes = strlen(text) + 1;
    return memcpy(mem_alloc(bytes), text, bytes);
}

void mem_give_back(const void *array, size_t each, size_t first, size_t count) {
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), at = (uintptr_t)array;
    uintptr_t from = (at + first * each) / page * page,
              end = (at + (first + count) * each) / page * page;
    from = from < at ? from + page : from;
    if (from < end)
        madvise((void *)from, end - from, MADV_DONTNEED);
}

void *mem_shared(size_t bytes) {
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return checked_memory(memory == MAP_FAILED ? NULL : memory, bytes);
}

void mem_unshare(void *memory, size_t bytes) {
    munmap(memory, bytes);
}
