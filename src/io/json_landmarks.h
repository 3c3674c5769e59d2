/* Landmarks in a list of records whose text may be damaged: where a record begins, what may follow
   it, where the list ends. By these json_stream.c (take_value) cuts the records from one another.
 */
#ifndef EASIM_IO_JSON_LANDMARKS_H
#define EASIM_IO_JSON_LANDMARKS_H

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

#endif
