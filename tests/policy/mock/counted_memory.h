/* Memory that is counted, runs out when the test says so, and ends the test where somebody has
   written behind a block. The linker brings all calls of the program here: -Wl,--wrap=malloc and so
   on. */
#ifndef EASIM_TESTS_MOCK_COUNTED_MEMORY_H
#define EASIM_TESTS_MOCK_COUNTED_MEMORY_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
    long live;       /* blocks that nobody has freed */
    long until_fail; /* allocations of the policy before the one that fails; 0: none does */
    bool in_policy;
} memory;

void *__real_malloc(size_t bytes);
void *__real_realloc(void *at, size_t bytes);
void __real_free(void *at);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_realloc(void *at, size_t bytes);
void __wrap_free(void *at);

static bool runs_out(void) {
    if (!memory.in_policy || memory.until_fail == 0 || --memory.until_fail > 0)
        return false;
    errno = ENOMEM;
    return true;
}

/* In front of a block its length, behind it bytes that stay as they are. */
enum { MEMORY_HEAD = 16, MEMORY_TAIL = 8, MEMORY_MARK = 0xa5 };

static void *memory_open(char *whole, size_t bytes) {
    memcpy(whole, &bytes, sizeof bytes);
    memset(whole + MEMORY_HEAD + bytes, MEMORY_MARK, MEMORY_TAIL);
    return whole + MEMORY_HEAD;
}

static char *memory_close(void *at) {
    char *whole = at ? (char *)at - MEMORY_HEAD : NULL;
    size_t bytes = 0;
    if (whole)
        memcpy(&bytes, whole, sizeof bytes);
    for (size_t i = 0; whole && i < MEMORY_TAIL; i++)
        if ((unsigned char)whole[MEMORY_HEAD + bytes + i] != MEMORY_MARK) {
            fprintf(stderr, "written behind a block of %zu bytes\n", bytes);
            abort();
        }
    return whole;
}

/* Never short, and full of what nobody has written; for cJSON, too. */
static void *memory_take(size_t bytes) {
    char *whole = __real_malloc(MEMORY_HEAD + bytes + MEMORY_TAIL);
    if (!whole)
        abort();
    memset(whole, MEMORY_MARK, MEMORY_HEAD + bytes);
    memory.live++;
    return memory_open(whole, bytes);
}

void *__wrap_malloc(size_t bytes) {
    return runs_out() ? NULL : memory_take(bytes);
}

void *__wrap_calloc(size_t count, size_t bytes) {
    return runs_out() ? NULL : memset(memory_take(count * bytes), 0, count * bytes);
}

void *__wrap_realloc(void *at, size_t bytes) {
    if (runs_out())
        return NULL;
    if (!at)
        return memory_take(bytes);
    char *whole = __real_realloc(memory_close(at), MEMORY_HEAD + bytes + MEMORY_TAIL);
    if (!whole)
        abort();
    return memory_open(whole, bytes);
}

void __wrap_free(void *at) {
    memory.live -= at != NULL;
    __real_free(memory_close(at));
}

#endif
