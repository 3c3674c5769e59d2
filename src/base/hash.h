/* Hashes that are the same in all versions and machines, for run ids and random streams. */
#ifndef EASIM_BASE_HASH_H
#define EASIM_BASE_HASH_H

#include "base/word.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define HASH_START 0xcbf29ce484222325ULL

/* FNV-1a, 64 bits, of bytes appended to what gave `state` (HASH_START first). */
static inline uint64_t hash_bytes(uint64_t state, const void *bytes, size_t length) {
    const unsigned char *at = bytes;
    for (size_t i = 0; i < length; i++)
        state = (state ^ at[i]) * 0x100000001b3ULL;
    return state;
}

/* An eighth of the steps, for long texts and another value, which depends on the byte order of the
   machine: for comparisons, and for files where another value means that something is missing. */
static inline uint64_t hash_words(uint64_t state, const void *bytes, size_t length) {
    const unsigned char *at = bytes;
    for (uint64_t word; length >= sizeof word; at += sizeof word, length -= sizeof word) {
        memcpy(&word, at, sizeof word);
        state = (state ^ word) * 0x100000001b3ULL;
    }
    return hash_bytes(state, at, length);
}

/* SplitMix64 output function: spreads one 64-bit number over all bits (Steele, Lea, Flood 2014). */
static inline uint64_t hash_mix(uint64_t x) {
    x += 0x9e3779b97f4a7c15ULL;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    return x ^ (x >> 31);
}

/* Of one process only, as it depends on the byte order of the machine. Every bit of the key reaches
   every bit of it. */
static inline uint64_t hash_key(const void *key, size_t length) {
    const unsigned char *at = key;
    uint64_t state = HASH_START ^ length, word;
    for (; length > sizeof word; at += sizeof word, length -= sizeof word) {
        memcpy(&word, at, sizeof word);
        state = (state ^ word) * 0x9e3779b97f4a7c15ULL;
        state ^= state >> 32;
    }
    return hash_mix(state ^ word_load((const char *)at, length));
}

#endif
