/* Heap memory that never comes back NULL. Sizes of 0 become 1, so that NULL always means failure.
 */
#include "base/mem.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

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

/* count * bytes_each, or SIZE_MAX if that is no size_t. */
static size_t byte_product(size_t count, size_t bytes_each) {
    size_t bytes;
    return __builtin_mul_overflow(count, bytes_each, &bytes) ? SIZE_MAX : bytes;
}

void *mem_alloc(size_t bytes) {
    return checked_memory(malloc(bytes > 0 ? bytes : 1), bytes);
}

void *mem_zalloc(size_t count, size_t bytes_each) {
    if (count == 0 || bytes_each == 0)
        count = bytes_each = 1;
    size_t bytes = byte_product(count, bytes_each);
    if (bytes > PTRDIFF_MAX)
        mem_exhausted(bytes);
    return checked_memory(calloc(count, bytes_each), bytes);
}

void *mem_realloc(void *old, size_t count, size_t bytes_each) {
    size_t bytes = byte_product(count, bytes_each);
    if (bytes > PTRDIFF_MAX)
        mem_exhausted(bytes);
    return checked_memory(realloc(old, bytes > 0 ? bytes : 1), bytes);
}

char *mem_strdup(const char *text) {
    size_t bytes = strlen(text) + 1;
    return memcpy(mem_alloc(bytes), text, bytes);
}

void *mem_shared(size_t bytes) {
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return checked_memory(memory == MAP_FAILED ? NULL : memory, bytes);
}

void mem_unshare(void *memory, size_t bytes) {
    munmap(memory, bytes);
}
