/* Many small allocations released at once. Memory is zeroed and 16-byte aligned, texts are not. */
#ifndef EASIM_BASE_ARENA_H
#define EASIM_BASE_ARENA_H

#include <stdarg.h>
#include <stddef.h>

struct arena_block;

/* Zero-initialise; no other set-up is needed. */
struct arena {
    struct arena_block *first; /* the block being filled */
};

void *arena_alloc(struct arena *arena, size_t bytes);
char *arena_strndup(struct arena *arena, const char *text, size_t length); /* adds the NUL */
char *arena_strdup(struct arena *arena, const char *text);
char *arena_printf(struct arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
char *arena_vprintf(struct arena *arena, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));
void arena_adopt(struct arena *arena,
                 struct arena *other); /* takes over all memory of other, which is then empty */
void arena_reset(
    struct arena *arena); /* everything handed out is gone; one block is kept for reuse */
void arena_finish(struct arena *arena); /* releases everything; the arena may be used again */

#endif
