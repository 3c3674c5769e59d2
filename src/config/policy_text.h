/* A policy with parameters as one text: zeus:edp_slack=2:tau=1h, "./a:b.so":tau=1h. A path, or a
   value, that holds a colon or a comma stands in quotes, as YAML has them. */
#ifndef EASIM_CONFIG_POLICY_TEXT_H
#define EASIM_CONFIG_POLICY_TEXT_H

#include "base/arena.h"
#include "base/error.h"

#include <stddef.h>

#define POLICY_FOLDER_MOST_BYTES 240 /* of the name of a folder, which may have 255: */
#define POLICY_NAME_MOST_BYTES   64  /* of it, for the policy's own name */

struct policy_setting {
    const char *name, *value; /* the value is YAML, with its quotes */
};

struct policy_text {
    const char *name; /* of the policy, or a path, without quotes */
    const char
        *variant; /* what stands behind the name and its colon, as it was written; NULL: nothing */
    const struct policy_setting *settings;
    size_t count; /* 0 only without a variant */
};

/* Names of parameters are any, but each stands there once. In the arena. */
int policy_text_parse(const char *text, struct arena *arena, struct policy_text *ret_text,
                      struct error *reterr) MUST_CHECK;
/* The next text of a list with commas, in the arena; *list moves behind it. */
const char *policy_text_next(const char **list, struct arena *arena);
/* A path as it stands in such a text: in quotes if it has to. In the arena. */
const char *policy_text_quote(const char *path, struct arena *arena);
/* The name of the folder of a policy's results, in the arena: letters, digits and _ - = + stand for
   themselves, and . but at the beginning; all else is %XX, byte by byte, as in the address of a
   page. No two texts have the same. */
const char *policy_text_folder(const char *text, struct arena *arena);

#endif
