/* Memory that is counted and runs out when the test says so. The linker brings all calls of the
   program here: -Wl,--wrap=malloc and so on. */
#ifndef EASIM_TESTS_MOCK_COUNTED_MEMORY_H
#define EASIM_TESTS_MOCK_COUNTED_MEMORY_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>

static struct {
    long live;       /* blocks that nobody has freed */
    long until_fail; /* allocations of the policy before the one that fails; 0: none does */
    bool in_policy;
} memory;

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
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

void *__wrap_malloc(size_t bytes) {
    if (runs_out())
        return NULL;
    memory.live++;
    return __real_malloc(bytes);
}

void *__wrap_calloc(size_t count, size_t bytes) {
    if (runs_out())
        return NULL;
    memory.live++;
    return __real_calloc(count, bytes);
}

void *__wrap_realloc(void *at, size_t bytes) {
    if (runs_out())
        return NULL;
    memory.live += at == NULL;
    return __real_realloc(at, bytes);
}

void __wrap_free(void *at) {
    memory.live -= at != NULL;
    __real_free(at);
}

/* cJSON's own: counted, and never short. */
static void *json_malloc(size_t bytes) {
    memory.live++;
    return __real_malloc(bytes);
}

#endif
