/* Heap memory that never comes back NULL. Sizes of 0 become 1, so that NULL always means failure. */
#include "base/mem.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static _Noreturn void out_of_memory(void) {
    fputs("easim: out of memory\n", stderr);
    exit(1);
}

static void *checked(void *memory) {
    if (!memory)
        out_of_memory();
    return memory;
}

void *mem_alloc(size_t bytes) {
    return checked(malloc(bytes > 0 ? bytes : 1));
}

void *mem_zalloc(size_t count, size_t bytes_each) {
    if (count == 0 || bytes_each == 0)
        count = bytes_each = 1;
    return checked(calloc(count, bytes_each)); /* calloc refuses a product that overflows */
}

void *mem_realloc(void *old, size_t count, size_t bytes_each) {
    size_t bytes;
    if (__builtin_mul_overflow(count, bytes_each, &bytes) || bytes > PTRDIFF_MAX)
        out_of_memory();
    return checked(realloc(old, bytes > 0 ? bytes : 1));
}

char *mem_strdup(const char *text) {
    size_t bytes = strlen(text) + 1;
    return memcpy(mem_alloc(bytes), text, bytes);
}

void *mem_shared(size_t bytes) {
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return checked(memory == MAP_FAILED ? NULL : memory);
}

void mem_unshare(void *memory, size_t bytes) {
    munmap(memory, bytes);
}
