/* One JSON value, checked while its end is looked for: damage shows at once, not where the brackets
   happen to close. Lenient where real writers are: bare NaN and inf, raw control bytes, odd
   escapes, trailing commas. */
#ifndef EASIM_IO_JSON_LINT_H
#define EASIM_IO_JSON_LINT_H

#include <stdbool.h>
#include <stdint.h>

#define JSON_LINT_LEVELS 512 /* deeper brackets are only counted */

/* Zero-initialise at the first byte of the value; feed it in any pieces. */
struct json_lint {
    const char *record_key; /* NULL, or the key that an object in a list inside the value must not
                               begin with */
    uint32_t depth;
    uint8_t place;
    bool is_key;  /* the string at hand */
    bool is_item; /* the object just opened is in a list */
    bool in_escape;
    bool has_items;                          /* objects in lists were seen */
    uint64_t objects[JSON_LINT_LEVELS / 64]; /* a bit for each level: opened by { */
};

enum json_verdict { JSON_GOES_ON, JSON_WHOLE, JSON_BROKEN };

/* Looks at [*text, end) and moves *text behind the value, or to the byte that breaks it.
   JSON_GOES_ON: the value does not end here. With a record_key, the bytes of the value that came
   before must lie in front of *text. */
enum json_verdict json_lint(struct json_lint *lint, const char **text, const char *end);

#endif
