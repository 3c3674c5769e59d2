/* Two mappings and a copy: see guard.h. */
#include "engine/guard.h"

#include "base/machine.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Bytes: at every look the first ones are compared, and as many of a window that moves on. */
#define WINDOW 2048u

/* Of fewer the memory of the run before serves again, without page faults. */
#define MAPPED_BYTES ((size_t)256 << 10)

/* The file once more, read-only: then mprotect makes no mapping writable. Without /proc it can. */
static int open_for_reading(int file) {
    char path[40];
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    int reading = (int)TEMP_FAILURE_RETRY(open(path, O_RDONLY | O_CLOEXEC));
    return reading >= 0 ? reading : dup(file);
}

void guard_map(size_t bytes, void *ret[], int count) {
    static const int protections[] = {PROT_READ | PROT_WRITE, PROT_READ, PROT_NONE};
    int file = memfd_create("easim-view", MFD_CLOEXEC), reading = -1, mapped = 0;
    if (file >= 0 && ftruncate(file, (off_t)bytes) == 0)
        reading = open_for_reading(file);
    for (; reading >= 0 && mapped < count; mapped++) {
        ret[mapped] =
            mmap(NULL, bytes, protections[mapped], MAP_SHARED, mapped == 0 ? file : reading, 0);
        if (ret[mapped] == MAP_FAILED)
            break;
    }
    if (mapped < count)
        machine_end("check: cannot map the view of the policy %d times: %s", count,
                    strerror(errno));
    close(file);
    close(reading);
}

void guard_init(struct guard *guard, size_t bytes, bool checked) {
    *guard =
        (struct guard){.bytes = mem_map_bytes((bytes + GUARD_LINE - 1) / GUARD_LINE * GUARD_LINE)};
    void *maps[2];
    guard->mapped = checked || guard->bytes >= MAPPED_BYTES;
    if (checked)
        guard_map(guard->bytes, maps, 2);
    else
        maps[0] = maps[1] = guard->mapped ? mem_map(guard->bytes) : mem_zalloc(guard->bytes, 1);
    guard->host = maps[0];
    guard->shown = maps[1];
    if (!checked)
        return;
    guard->copy = mem_map(guard->bytes);
    guard->noted_at = mem_zalloc(guard->bytes / GUARD_LINE, sizeof *guard->noted_at);
}

void guard_hide(struct guard *guard, size_t from, size_t bytes) {
    char *shown = (char *)(uintptr_t)guard->shown;
    if (mprotect(shown + from, bytes, PROT_NONE) < 0)
        machine_end("check: cannot hide a page of the view: %s", strerror(errno));
}

void guard_finish(struct guard *guard) {
    if (guard->shown && guard->shown != guard->host)
        munmap((void *)(uintptr_t)guard->shown, guard->bytes);
    if (!guard->mapped)
        free(guard->host);
    else if (guard->host)
        munmap(guard->host, guard->bytes);
    if (guard->copy)
        munmap(guard->copy, guard->bytes);
    free(guard->noted_at);
    free(guard->noted.at);
    *guard = (struct guard){0};
}

/* Compares bytes that the host has not opened in this round. */
static void compare_bytes(struct guard *guard, size_t from, size_t bytes) {
    const char *host = guard->host;
    if (guard->damage || memcmp(host + from, guard->copy + from, bytes) == 0)
        return;
    while (host[from] == guard->copy[from])
        from++;
    guard->damage = host + from;
}

void guard_note(struct guard *guard, size_t from, size_t bytes) {
    for (size_t line = from / GUARD_LINE; line * GUARD_LINE < from + bytes; line++) {
        if (guard->noted_at[line] == guard->round)
            continue;
        guard->noted_at[line] = guard->round;
        array_push(&guard->noted, (uint32_t)line);
        compare_bytes(guard, line * GUARD_LINE, GUARD_LINE);
    }
}

void guard_show(struct guard *guard) {
    if (!guard->copy)
        return;
    if (guard->round++ == 0)
        memcpy(guard->copy, guard->host, guard->bytes);
    for (size_t i = 0; i < guard->noted.count; i++) {
        size_t at = (size_t)guard->noted.at[i] * GUARD_LINE;
        memcpy(guard->copy + at, (const char *)guard->host + at, GUARD_LINE);
    }
    guard->noted.count = 0;
}

bool guard_check(struct guard *guard, bool all) {
    if (!guard->copy || guard->round == 0)
        return true;
    size_t first = all || guard->bytes < WINDOW ? guard->bytes : WINDOW;
    compare_bytes(guard, 0, first);
    size_t from = guard->next < first ? first : guard->next, left = guard->bytes - from;
    size_t window = left < WINDOW ? left : WINDOW;
    compare_bytes(guard, from, window);
    guard->next = window == left ? 0 : from + window;
    return !guard->damage;
}
