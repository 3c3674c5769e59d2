/* Two mappings and a copy: see guard.h. */
#include "engine/guard.h"

#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define WINDOW 4096u /* bytes compared at every look: the first ones, and as many that wander */

static void *map_private(size_t bytes) {
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        (void)mem_alloc(SIZE_MAX); /* out of memory: says so and ends the process */
    return memory;
}

/* The file once more, for reading only: then mprotect cannot make a mapping of it writable. Without
 * /proc it can.
 */
static int open_for_reading(int file) {
    char path[40];
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    int reading = open(path, O_RDONLY | O_CLOEXEC);
    return reading >= 0 ? reading : dup(file);
}

static int map_twice(struct guard *g) {
    int file = memfd_create("easim-view", MFD_CLOEXEC), reading = -1;
    void *host = MAP_FAILED, *shown = MAP_FAILED;
    if (file >= 0 && ftruncate(file, (off_t)g->bytes) == 0 &&
        (reading = open_for_reading(file)) >= 0) {
        host = mmap(NULL, g->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        shown = mmap(NULL, g->bytes, PROT_READ, MAP_SHARED, reading, 0);
    }
    int failure = errno;
    if (file >= 0)
        close(file);
    if (reading >= 0)
        close(reading);
    g->host = host == MAP_FAILED ? NULL : host;
    g->shown = shown == MAP_FAILED ? NULL : shown;
    errno = failure;
    return g->host && g->shown ? 0 : -1;
}

int guard_init(struct guard *g, size_t bytes, bool checked, struct error *reterr) {
    *g = (struct guard){.bytes = (bytes + GUARD_LINE - 1) / GUARD_LINE * GUARD_LINE};
    if (!checked) {
        g->shown = g->host = map_private(g->bytes);
        return 0;
    }
    if (map_twice(g) < 0)
        return error_set(reterr, ERROR_RUN, "check: cannot map the view of the policy twice: %s",
                         strerror(errno));
    g->copy = map_private(g->bytes);
    g->noted_at = mem_zalloc(g->bytes / GUARD_LINE, sizeof *g->noted_at);
    return 0;
}

void guard_finish(struct guard *g) {
    if (g->shown && g->shown != g->host)
        munmap((void *)(uintptr_t)g->shown, g->bytes);
    if (g->host)
        munmap(g->host, g->bytes);
    if (g->copy)
        munmap(g->copy, g->bytes);
    free(g->noted_at);
    free(g->noted.at);
    *g = (struct guard){0};
}

/* Compares bytes that the host has not opened in this round. */
static void compare(struct guard *g, size_t from, size_t bytes) {
    const char *host = g->host;
    if (g->damage || memcmp(host + from, g->copy + from, bytes) == 0)
        return;
    while (host[from] == g->copy[from])
        from++;
    g->damage = host + from;
}

void guard_note(struct guard *g, size_t from, size_t bytes) {
    for (size_t line = from / GUARD_LINE; line * GUARD_LINE < from + bytes; line++) {
        if (g->noted_at[line] == g->round)
            continue;
        g->noted_at[line] = g->round;
        array_push(&g->noted, (uint32_t)line);
        compare(g, line * GUARD_LINE, GUARD_LINE);
    }
}

void guard_show(struct guard *g) {
    if (!g->copy)
        return;
    if (g->round++ == 0)
        memcpy(g->copy, g->host, g->bytes);
    for (size_t i = 0; i < g->noted.count; i++) {
        size_t at = (size_t)g->noted.at[i] * GUARD_LINE;
        memcpy(g->copy + at, (const char *)g->host + at, GUARD_LINE);
    }
    g->noted.count = 0;
}

bool guard_check(struct guard *g, bool all) {
    if (!g->copy || g->round == 0)
        return true;
    size_t first = all || g->bytes < WINDOW ? g->bytes : WINDOW;
    compare(g, 0, first);
    size_t from = g->next < first ? first : g->next, left = g->bytes - from;
    size_t window = left < WINDOW ? left : WINDOW;
    compare(g, from, window);
    g->next = window == left ? 0 : from + window;
    return !g->damage;
}
