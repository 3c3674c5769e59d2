/* The arena hands out zeroed, aligned, separate memory, also after a reset. */
#include "base/arena.h"

#include <criterion/criterion.h>
#include <stdint.h>
#include <string.h>

/* Sizes around the alignment (16), the first block (4 KiB) and the largest regular block (1 MiB).
 */
static const size_t sizes[] = {
    0, 1, 15, 16, 17, 100, 4095, 4096, 5000, 1 << 20, (1 << 20) + 1, 3, 3 << 20, 7};
#define SIZES (sizeof sizes / sizeof *sizes)

static void check_round(struct arena *arena, int mark) {
    unsigned char *memory[SIZES];
    for (size_t i = 0; i < SIZES; i++) {
        memory[i] = arena_alloc(arena, sizes[i]);
        cr_assert_eq((uintptr_t)memory[i] % 16, 0);
        for (size_t j = 0; j < sizes[i]; j++)
            if (memory[i][j] != 0)
                cr_assert_fail("byte %zu of %zu not zero", j, sizes[i]);
        memset(memory[i], mark + (int)i, sizes[i]);
    }
    for (size_t i = 0; i < SIZES; i++) /* nobody wrote into somebody else's memory */
        for (size_t j = 0; j < sizes[i]; j++)
            if (memory[i][j] != (unsigned char)(mark + (int)i))
                cr_assert_fail("byte %zu of %zu overwritten", j, sizes[i]);
}

Test(arena, zeroed_aligned_separate) {
    struct arena arena = {0};
    arena_reset(&arena); /* nothing there yet */
    for (int round = 0; round < 4; round++) {
        check_round(&arena, 0x40 + round);
        arena_reset(&arena);
    }
    arena_finish(&arena);
    check_round(&arena, 0x20); /* usable again */
    arena_finish(&arena);
    arena_finish(&arena);
    arena_finish(NULL);
}

Test(arena, reset_reuses_the_block) {
    struct arena arena = {0};
    void *first = arena_alloc(&arena, 2000);
    for (int i = 0; i < 100; i++) {
        arena_reset(&arena);
        cr_assert_eq(arena_alloc(&arena, 2000), first);
    }
    arena_finish(&arena);
}

Test(arena, text) {
    struct arena arena = {0};
    char *cut = arena_strndup(&arena, "cluster.nodes", 7);
    char *whole = arena_strdup(&arena, "cluster.nodes");
    char *printed = arena_printf(&arena, "%s[%d]", whole, 17);
    char *empty = arena_strndup(&arena, NULL, 0);
    cr_assert_str_eq(cut, "cluster");
    cr_assert_str_eq(whole, "cluster.nodes");
    cr_assert_str_eq(printed, "cluster.nodes[17]");
    cr_assert_str_eq(empty, "");
    arena_finish(&arena);
}

/* Texts and memory by turns, over several blocks: memory is aligned and zeroed, texts stay. */
Test(arena, texts_between) {
    enum { COUNT = 1000 };
    struct arena arena = {0};
    const char *texts[COUNT];
    char letters[COUNT];
    memset(letters, 'x', sizeof letters);
    for (size_t i = 0; i < COUNT; i++) {
        texts[i] = arena_strndup(&arena, letters, i * 7 % 61);
        unsigned char *memory = arena_alloc(&arena, i % 37);
        cr_assert_eq((uintptr_t)memory % 16, 0);
        for (size_t j = 0; j < i % 37; j++)
            cr_assert_eq(memory[j], 0);
        memset(memory, 0xff, i % 37);
    }
    for (size_t i = 0; i < COUNT; i++) {
        cr_assert_eq(strlen(texts[i]), i * 7 % 61);
        cr_assert_eq(strspn(texts[i], "x"), i * 7 % 61);
    }
    arena_finish(&arena);
}
