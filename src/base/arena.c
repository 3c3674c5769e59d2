/* Many small allocations released at once. Invariant: the unused part of every block is zero. */
#include "base/arena.h"
#include "base/mem.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ALIGNMENT   16
#define FIRST_BYTES ((size_t)4 << 10)
#define GROWN_BYTES ((size_t)1 << 20)
#define BRIEF_BYTES 256 /* longer texts are formatted twice */

struct arena_block {
    struct arena_block *next;
    size_t used;
    size_t capacity;
    _Alignas(ALIGNMENT) char bytes[];
};

/* Blocks double up to GROWN_BYTES, so that small arenas stay small and big ones make few calls. */
static struct arena_block *add_block(struct arena *arena, size_t bytes) {
    size_t capacity = arena->first ? 2 * arena->first->capacity : FIRST_BYTES;
    if (capacity > GROWN_BYTES)
        capacity = GROWN_BYTES;
    if (capacity < bytes)
        capacity = bytes;
    struct arena_block *block = mem_zalloc(1, sizeof *block + capacity);
    block->capacity = capacity;
    block->next = arena->first;
    arena->first = block;
    return block;
}

static size_t aligned(size_t bytes) {
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

void *arena_alloc(struct arena *arena, size_t bytes) {
    if (bytes > SIZE_MAX / 2)
        return mem_zalloc(bytes, SIZE_MAX); /* ends the process: out of memory */
    size_t rounded = bytes == 0 ? ALIGNMENT : aligned(bytes);
    struct arena_block *block = arena->first;
    if (!block || block->capacity - aligned(block->used) < rounded)
        block = add_block(arena, rounded);
    void *memory = block->bytes + aligned(block->used);
    block->used = aligned(block->used) + rounded;
    return memory;
}

/* Texts stand one behind the other. */
char *arena_strndup(struct arena *arena, const char *text, size_t length) {
    struct arena_block *block = arena->first;
    char *copy;
    if (block && block->capacity - block->used > length) {
        copy = block->bytes + block->used;
        block->used += length + 1;
    } else {
        copy = arena_alloc(arena, length + 1);
    }
    if (length > 0)
        memcpy(copy, text, length);
    return copy;
}

char *arena_strdup(struct arena *arena, const char *text) {
    return arena_strndup(arena, text, strlen(text));
}

char *arena_vprintf(struct arena *arena, const char *format, va_list arguments) {
    va_list again;
    va_copy(again, arguments);
    char brief[BRIEF_BYTES];
    int written = vsnprintf(brief, sizeof brief, format, arguments);
    size_t length = written < 0 ? 0 : (size_t)written;
    char *text = length < sizeof brief ? arena_strndup(arena, brief, length)
                                       : arena_alloc(arena, length + 1);
    if (length >= sizeof brief)
        vsnprintf(text, length + 1, format, again);
    va_end(again);
    return text;
}

char *arena_printf(struct arena *arena, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    char *text = arena_vprintf(arena, format, arguments);
    va_end(arguments);
    return text;
}

void arena_adopt(struct arena *arena, struct arena *other) {
    struct arena_block **end = &arena->first;
    while (*end)
        end = &(*end)->next;
    *end = other->first;
    other->first = NULL;
}

/* Keeps the largest block, so that a scratch arena soon stops asking for memory. */
void arena_reset(struct arena *arena) {
    struct arena_block *kept = arena->first;
    for (struct arena_block *block = arena->first; block; block = block->next)
        if (block->capacity > kept->capacity)
            kept = block;
    if (!kept)
        return;
    for (struct arena_block *block = arena->first; block;) {
        struct arena_block *next = block->next;
        if (block != kept)
            free(block);
        block = next;
    }
    memset(kept->bytes, 0, kept->used);
    kept->used = 0;
    kept->next = NULL;
    arena->first = kept;
}

void arena_finish(struct arena *arena) {
    if (!arena)
        return;
    for (struct arena_block *block = arena->first; block;) {
        struct arena_block *next = block->next;
        free(block);
        block = next;
    }
    arena->first = NULL;
}
