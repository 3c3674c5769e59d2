/* Damaged JSON: where sound records begin and end (json_landmarks), whether a value is sound
   (json_lint). */
#ifndef EASIM_IO_JSON_DAMAGE_H
#define EASIM_IO_JSON_DAMAGE_H

#include <stdbool.h>
#include <stdint.h>

#define JSON_RECORD_START_BYTES \
    64 /* in which the start of a record is recognised, blanks included */

/* The first record at or behind `from`, or NULL: an object, not the value of a member, that begins
   with one of the keys (the list ends with NULL). Quotes of that key may be damaged. Records have
   the first key somewhere, which is looked for where they begin with another. *budget falls by the
   bytes looked at more than once; below 0 nothing is found. */
const char *json_landmarks_find(const char *const *keys, const char *begin, const char *from,
                                const char *end, int64_t *budget);

/* Behind the element that begins there and is no object (text without braces, a number, true,
   false, null), if a comma or the end of the list follows it; else NULL. */
const char *json_landmarks_stranger_end(const char *at, const char *end);

/* Whether what stands at `at`, behind a sound object of a list, is what may follow one: its end,
   another object, or elements that are no objects in front of those. Where the text ends before
   that shows, it may. Else the object is the beginning of a damaged one. */
bool json_landmarks_follow(const char *const *keys, const char *at, const char *end);

/* The bracket that closes a list of records behind `from`: an object ends in front of it, and a
   member, the end of the object around or the end of the file follows. NULL: none. */
const char *json_landmarks_end(const char *from, const char *end);

/* --- json_lint --- */
/* One JSON value, checked while its end is looked for. Lenient where real writers are: bare NaN and
   inf, raw control bytes, odd escapes, trailing commas. */

#define JSON_LINT_LEVELS 512 /* deeper brackets are only counted */

/* Zero-initialise at the first byte of the value; feed it in any pieces. */
struct json_lint {
    const char *record_key; /* NULL, or the key that an object in a list inside the value must not
                               begin with */
    uint32_t depth;
    bool is_key;  /* the string at hand */
    bool is_item; /* the object just opened is in a list */
    bool in_escape;
    bool has_items;                          /* objects in lists were seen */
    uint64_t objects[JSON_LINT_LEVELS / 64]; /* a bit for each level: opened by { */
    uint8_t place; /* not in a word with depth: read as one word, they wait for the last store */
};

enum json_verdict { JSON_GOES_ON, JSON_WHOLE, JSON_BROKEN };

/* Looks at [*text, end) and moves *text behind the value, or to the byte that breaks it.
   JSON_GOES_ON: the value does not end here. With a record_key, the bytes of the value that came
   before must lie in front of *text. */
enum json_verdict json_lint(struct json_lint *lint, const char **text, const char *end);

#endif
