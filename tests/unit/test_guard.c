/* Memory that the host writes and policies read: what the host writes is seen and no damage, what
   anybody else writes is found, where the comment of guard.h says. */
#include "base/mem.h"
#include "engine/guard.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define BYTES  (1u << 20)
#define WINDOW 2048u /* of guard.c */

static struct guard g;

static void begin(bool checked) {
    guard_init(&g, BYTES, checked);
}

static char *host_at(size_t at) {
    return (char *)g.host + at;
}

static void host_writes(size_t at, char value) {
    *(char *)guard_open(&g, host_at(at), 1) = value;
}

/* Whole lines, and no more than are needed. */
Test(guard, size) {
    static const size_t wanted[][2] = {
        {1, 1}, {GUARD_LINE, 1}, {GUARD_LINE + 1, 2}, {7 * GUARD_LINE, 7}};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        guard_init(&g, wanted[i][0], false);
        cr_expect_eq(g.bytes, wanted[i][1] * GUARD_LINE, "of %zu", wanted[i][0]);
        guard_finish(&g);
        cr_expect(!g.host && !g.shown && g.bytes == 0);
        guard_finish(&g); /* nothing is freed twice */
    }
}

Test(guard, unchecked) {
    begin(false);
    host_writes(7, 'x');
    guard_show(&g);
    cr_expect_eq(g.host, g.shown);
    *host_at(9) = 'y';
    cr_expect(guard_check(&g, true));
    guard_finish(&g);
}

/* 20,000 rounds of random writes, several to a line: seen through the other mapping, and never
 * taken for damage. */
Test(guard, own_writes) {
    uint32_t state = 1;
    begin(true);
    cr_assert_neq(g.host, g.shown);
    for (int round = 0; round < 20000; round++) {
        for (int i = 0; i < 5; i++) {
            state = state * 1664525 + 1013904223;
            size_t at = (state >> 8) % (i < 3 ? 256 : BYTES);
            host_writes(at, (char)state);
            cr_assert_eq(((const char *)g.shown)[at], (char)state);
        }
        guard_show(&g);
        cr_assert(guard_check(&g, round % 1000 == 0), "round %d", round);
    }
    guard_finish(&g);
}

/* Damage at a place that no window is at now. */
Test(guard, damage) {
    const size_t far = BYTES - 100;
    begin(true);
    guard_show(&g);
    *host_at(5) = 'x'; /* the first bytes are compared at every look */
    cr_expect_not(guard_check(&g, false));
    cr_expect_eq(g.damage, host_at(5));
    guard_finish(&g);

    begin(true);
    guard_show(&g);
    *host_at(far) = 'x'; /* all of it is */
    cr_expect_not(guard_check(&g, true));
    cr_expect_eq(g.damage, host_at(far));
    guard_finish(&g);

    begin(true);
    guard_show(&g);
    *host_at(far) = 'x'; /* the host is about to write there */
    cr_expect(guard_check(&g, false));
    host_writes(far, 'y');
    guard_show(&g);
    cr_expect_not(guard_check(&g, false));
    cr_expect_eq(g.damage, host_at(far));
    guard_finish(&g);

    begin(true);
    guard_show(&g);
    *host_at(far) = 'x'; /* the look that wanders comes by: a window a round */
    uint32_t rounds = 1;
    for (; guard_check(&g, false) && rounds < 2 * BYTES / WINDOW; rounds++)
        guard_show(&g);
    cr_expect_eq(rounds, BYTES / WINDOW - 1);
    cr_expect_eq(g.damage, host_at(far));
    guard_finish(&g);
}

/* What the host wrote in an earlier round is no excuse in a later one. */
Test(guard, damage_where_the_host_wrote_before) {
    begin(true);
    guard_show(&g);
    host_writes(BYTES / 2, 'x');
    guard_show(&g);
    *host_at(BYTES / 2) = 'y';
    guard_show(&g);
    cr_expect_not(guard_check(&g, true));
    cr_expect_eq(g.damage, host_at(BYTES / 2));
    guard_finish(&g);
}

/* Linux: msync of memory that is not mapped fails with ENOMEM. */
static bool is_mapped(const void *memory) {
    return msync((void *)(uintptr_t)memory, 4096, MS_ASYNC) == 0;
}

Test(guard, leaves_nothing_mapped) {
    for (int checked = 0; checked < 2; checked++) {
        begin(checked == 1);
        guard_show(&g);
        struct guard before = g;
        cr_assert(is_mapped(before.host) && is_mapped(before.shown));
        guard_finish(&g);
        cr_expect_not(is_mapped(before.host) || is_mapped(before.shown));
        cr_expect(!before.copy || !is_mapped(before.copy));
        cr_expect_null(g.host);
    }
}

/* How a child ends that makes the other mapping writable, if it can, and writes. */
static int ends(bool protect) {
    pid_t child = fork();
    cr_assert_neq(child, -1);
    if (child == 0) {
        setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
        signal(SIGSEGV, SIG_DFL);
        char *shown = (char *)(uintptr_t)g.shown;
        if (protect && mprotect(shown, WINDOW, PROT_READ | PROT_WRITE) == 0)
            _exit(1);
        *(volatile char *)shown = 'x';
        _exit(2);
    }
    int status;
    cr_assert_eq(waitpid(child, &status, 0), child);
    return status;
}

Test(guard, read_only) {
    begin(true);
    for (int protect = 0; protect < 2; protect++) {
        int status = ends(protect);
        cr_expect(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV, "status %#x",
                  (unsigned)status);
    }
    guard_finish(&g);
}

/* --- mem_blocks --- */

static bool is_resident(const char *page) {
    unsigned char resident;
    cr_assert_eq(mincore((void *)(uintptr_t)page, 1, &resident), 0);
    return resident & 1;
}

/* Once: what is read is resident. */
static void expect_block(const struct mem_blocks *blocks, size_t block, char value, bool resident) {
    const char *at = blocks->at + block * blocks->bytes;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    for (size_t i = 0; i < blocks->bytes; i += page)
        cr_expect_eq(is_resident(at + i), resident, "block %zu, page %zu", block, i / page);
    for (size_t i = 0; i < blocks->bytes; i++)
        cr_assert_eq(at[i], value, "block %zu, byte %zu", block, i);
}

/* A block that is over is zero and takes up no memory, the next one to come has what it took up and
   is zero, too; others are as they were. */
Test(guard, blocks) {
    struct mem_blocks blocks;
    const size_t each = 16, per_block = mem_per_block();
    char *at = mem_blocks_init(&blocks, 5 * per_block + 1, each);
    memset(at, 7, blocks.bytes);
    memset(at + blocks.bytes, 8, blocks.bytes);
    at[5 * blocks.bytes] = 9;
    mem_blocks_give_back(&blocks, 0, per_block, per_block + 1);
    expect_block(&blocks, 2, 0, true);
    expect_block(&blocks, 0, 0, false);
    expect_block(&blocks, 1, 8, true);
    memset(at + 2 * blocks.bytes, 7, blocks.bytes);
    mem_blocks_give_back(&blocks, per_block, 3 * per_block, 3 * per_block);
    expect_block(&blocks, 3, 0, true);
    expect_block(&blocks, 4, 0, true);
    mem_blocks_give_back(&blocks, 3 * per_block, 6 * per_block,
                         5 * per_block); /* none is to come */
    for (size_t block = 1; block < 4; block++)
        expect_block(&blocks, block, 0, false);
    cr_expect_eq(at[5 * blocks.bytes], 9);
    mem_blocks_finish(&blocks);
}

/* A small array stays as it is. */
Test(guard, blocks_that_stay) {
    struct mem_blocks blocks;
    const size_t each = 24, per_block = mem_per_block();
    char *at = mem_blocks_init(&blocks, 2 * per_block, each);
    memset(at, 7, blocks.bytes);
    mem_blocks_give_back(&blocks, 0, per_block, per_block);
    for (size_t i = 0; i < blocks.bytes; i++)
        cr_assert_eq(at[i], 7);
    mem_blocks_finish(&blocks);
}
