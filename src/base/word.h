/* Eight bytes of a text in a word, the first one lowest. */
#ifndef EASIM_BASE_WORD_H
#define EASIM_BASE_WORD_H

#include <endian.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define WORD_ZEROS 0x3030303030303030 /* eight times "0" */

/* The first eight bytes; zeros behind the end of a shorter text. */
static inline uint64_t word_load(const char *text, size_t length) {
    uint64_t word = 0;
    uint32_t first, last;
    if (length >= sizeof word) {
        memcpy(&word, text, sizeof word);
        return le64toh(word);
    }
    if (length >= sizeof first) { /* they may overlap */
        memcpy(&first, text, sizeof first);
        memcpy(&last, text + length - sizeof last, sizeof last);
        return le32toh(first) | (uint64_t)le32toh(last) << 8 * (length - sizeof last);
    }
    while (length-- > 0)
        word = word << 8 | (unsigned char)text[length];
    return word;
}

static inline void word_store(char *to, uint64_t word) {
    word = htole64(word);
    memcpy(to, &word, sizeof word);
}

/* The bytes of a word that are c, as their highest bits; exact for each of them. */
static inline uint64_t word_find(uint64_t word, char c) {
    const uint64_t low = 0x7f7f7f7f7f7f7f7f;
    uint64_t x = word ^ (uint64_t)(unsigned char)c * 0x0101010101010101;
    return ~(((x & low) + low) | x | low);
}

/* Eight digits, a byte each, the first in the lowest: pairs, fours and all of them are put together
   at once (Lemire, "Number parsing at a gigabyte per second", 2021). */
static inline uint64_t word_value(uint64_t digits) {
    const uint64_t mask = 0xff000000ff;
    digits = digits * 10 + (digits >> 8);
    return ((digits & mask) * (100 + (1000000ULL << 32)) +
            (digits >> 16 & mask) * (1 + (10000ULL << 32))) >>
           32;
}

/* How many digits the text begins with, at most seven, and their value. Eight bytes of it can be
   read. */
static inline unsigned word_digits(const char *text, uint64_t *value) {
    uint64_t digits = word_load(text, sizeof digits) ^ WORD_ZEROS;
    uint64_t others = ((digits + 0x7676767676767676) | digits) & 0x8080808080808080;
    unsigned bits = (unsigned)__builtin_ctzll(others | 1ULL << 63) - 7;
    *value = word_value(digits << 8 << (56 - bits));
    return bits / 8;
}

/* The first of two characters, or end. */
static inline const char *word_find_either(const char *at, const char *end, char one, char other) {
    for (uint64_t word; end - at >= (ptrdiff_t)sizeof word; at += sizeof word) {
        memcpy(&word, at, sizeof word);
        word = le64toh(word);
        uint64_t found = word_find(word, one) | word_find(word, other);
        if (found)
            return at + __builtin_ctzll(found) / 8;
    }
    while (at < end && *at != one && *at != other)
        at++;
    return at;
}

#endif
